// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_STUDY_VIEW_H
#define VERNIER_VERDICT_STUDY_VIEW_H

#include "base/notice.h"
#include "base/sink.h"
#include "read/settings/study_file.h"
#include "scene/report.h"
#include "trend/curves/judge_curves.h"
#include "verdict/history_text.h"

// An accuracy case study: the stages of the guide with their results, the symptom that they show,
// and the reports made from them.

// What a stage is, what it is judged by, and how its data are gathered. All TR.
typedef struct StageInfo {
    const char *title;
    const char *rule, *source;    // the rule is empty where it has limits: study_rule
    const char *needs, *collect;  // data, and the command or setting that gives them
} StageInfo;
StageInfo study_stage_info(StudyStage stage, Arena *arena);  // English, of templates/study.table

// A limit of a stage that study.yaml may set, in the order in which the stage's rule names them.
typedef struct StageLimit {
    const char *key;   // in the section: "percent"
    const char *name;  // in `vernier help rules` and for --limits
    double shipped;    // in the unit of study.yaml
} StageLimit;
enum { STAGE_LIMITS_MAX = 2 };

// NULL where the stage has none at this place.
const StageLimit *study_limit(StudyStage stage, size_t index);
double study_limit_value(const StageLimit *limit, const StudySection *section);

// What the stage is judged by, with the limits in force, and where that comes from. `section` may
// be NULL: as shipped.
Str study_rule(StudyStage stage, const StudySection *section, Arena *arena);
Str study_rule_source(StudyStage stage, const StudySection *section, Arena *arena);

typedef enum StageStatus { STAGE_NOT_DONE, STAGE_PASSED, STAGE_FAILED } StageStatus;
const char *stage_status_text(StageStatus status);  // "not done", "passed", "failed": TR

typedef struct StageFigure {
    Str name;  // also of its files: "long_run-curves"
    Str caption;
    const Scene *picture;  // with the verdict on top; or NULL
    const Scene *on_page;  // without it; or NULL
} StageFigure;

typedef struct StageResult {
    StudyStage stage;
    StageInfo info;
    StageStatus status;
    bool unreadable;   // named, but it could not be read
    bool partial;      // a part of it could not
    Str number;        // what decided, in words: "4 settings differ: beta2, …"
    Str reason;        // why it was not done, or empty
    Str rule, source;  // what it is judged by, in force
    Str command;       // repeats the stage alone; empty where no command does
    Verdict verdict;   // of that command; empty without one
    const StageFigure *figures;
    size_t figure_count;
    Table *const *tables;  // with unique names
    size_t table_count;
    Str note;  // the author's Markdown
} StageResult;

// What the stages found, as far as the symptom is distinguished from it. NaN, -1, empty: not known.
typedef struct StudyFacts {
    double step_one, step_two;  // target - golden
    Str worst_weight;           // of the local norms
    double worst_weight_error;
    Str norms_reading;
    Str decay;        // reading of the weights at the end of the long run
    Str settings;     // settings that differ
    Finding finding;  // of the long run, else of the noise stage
    bool has_finding;
    int64_t onset;  // step at which a lasting difference likely began
    double late_mean;
    int64_t nonfinite_step;  // log step: the target's loss or norm is no number there, golden's is
    int64_t overflow_step;   // log step: the target's log speaks of an overflow
    size_t spikes, golden_spikes;
    int64_t spike_peak;  // of the largest one in the target
    bool spike_of_norm;  // the norm jumped at or before the loss did
    Str divergence;      // verdict of the dumps, if they diverge
    Str divergence_place;
    Str nan_origin;  // verdict of the search for NaN in the target's dump
    Str nan_place;
    int64_t nan_step;  // dump step
    Str alarm;         // gravest alarm of the target's monitor, and its step
    int64_t alarm_step;
    bool alarm_is_nan;
    Str broken;  // the invariant that is broken first in the target: what, with which values, where
} StudyFacts;

typedef enum SymptomKind {
    SYMPTOM_UNKNOWN,
    SYMPTOM_NONE,
    SYMPTOM_OVERFLOW,
    SYMPTOM_FIRST_STEP,
    SYMPTOM_SPIKES,
    SYMPTOM_DRIFT,
    SYMPTOM_OTHER  // a stage failed that shows none of these: settings, data
} SymptomKind;

typedef struct Symptom {
    SymptomKind kind;
    Str name;           // "first-step difference"
    Str evidence;       // what speaks for it
    Str dump;           // what to dump next, and at which step
    int64_t dump_step;  // 0-based, as dump tools count; -1: none
    Str place;          // the most likely place to look
    Str also;           // what else shows, later in the course of the guide
    Str certainty;      // what the statement rests on
} Symptom;

typedef struct StudyView {
    const char *version;
    const StudyPlan *plan;
    StageResult stages[STAGE_COUNT];
    StudyFacts facts;
    Symptom symptom;
    Verdict verdict;
    const Scene *ladder;          // with the verdict
    const Scene *ladder_on_page;  // without it
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
    bool figure_files;           // figures are files next to the page
} StudyView;

void study_facts_init(StudyFacts *facts);  // nothing is known: NaN, steps -1

// What the run suffers from: the first symptom that shows, and those that show next to it.
void study_symptom(const StageResult *stages, const StudyFacts *facts, Arena *arena, Symptom *out);

// Counts of a status.
size_t study_count(const StudyView *view, StageStatus status);
void study_verdict(const StudyView *view, Arena *arena, Verdict *out);
void study_summary_write(const void *view, Sink *out);

// The same as a table.
Table *study_ladder_table(const StudyView *view, Arena *arena);
Table *study_inputs_table(const StudyView *view, Arena *arena);

// The page; a name in the author's text that no figure has gives a notice. With `for_text` the
// ladder is a table: for Markdown.
void study_page_build(const StudyView *view, bool for_text, Arena *arena, Report *out,
                      Notices *notices);

#endif
