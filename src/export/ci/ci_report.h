// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_CI_CI_REPORT_H
#define VERNIER_EXPORT_CI_CI_REPORT_H

#include "base/sink.h"

// What a run has to say to the systems that watch it: what was found and where it is in the
// model's own sources, and what is worth a line on a dashboard. Each format is one way to write it.

typedef struct CiFinding {
    bool error;        // else a warning
    const char *rule;  // what kind of finding: "output", "missing", "unread", …
    Str message;       // the sentence of the verdict
    Str file;          // the innermost frame of the model's own sources; empty: not known
    int64_t line;      // in that file, from 1
    Str place;         // the op, or empty
    Str key;           // the same for the same finding of another night
} CiFinding;

enum { CI_LABELS = 5 };

typedef struct CiLabel {
    const char *name;  // NULL: none
    Str value;
} CiLabel;

// A number that is compared with those of other nights: the samples of one name follow each other.
typedef struct CiMeasure {
    const char *name;  // without "vernier_"
    const char *help;  // English: dashboards keep it
    double value;
    CiLabel labels[CI_LABELS];
} CiMeasure;

typedef struct CiOutcome {
    const char *command, *version;
    const char *state;  // "agrees", "differs" or "nothing"
    bool partial;       // part of an input was not read
    Str judged_by;      // the settings that decided the verdict; empty: none did
    struct CiFindings {
        CiFinding *items;  // the one that explains the others first
        size_t count, capacity;
    } findings;
    struct CiMeasures {
        CiMeasure *items;
        size_t count, capacity;
    } measures;
} CiOutcome;

// SARIF 2.1.0 (OASIS standard of 27 March 2020), a result a finding.
void sarif_write(const CiOutcome *report, Sink *out);

// The report artifact of GitLab's Code Quality: an array of issues. GitLab shows no issue without a
// file and a line: one whose place is unknown is placed at line 1 of its op's name.
void code_quality_write(const CiOutcome *report, Sink *out);

// Workflow commands of GitHub Actions, a line a finding: what prints them annotates the commit.
void annotations_write(const CiOutcome *report, Sink *out);

// OpenMetrics 1.0 text, for the textfile collector of Prometheus' node exporter.
void openmetrics_write(const CiOutcome *report, Sink *out);

#endif
