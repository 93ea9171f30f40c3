// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_STUDY_PLAN_H
#define VERNIER_READ_SETTINGS_STUDY_PLAN_H

#include "base/notice.h"

// study.yaml: which data each stage of an accuracy case study has (docs/study.md). A section a
// stage, so that taking one input away costs one stage.

// In the order of the guide.
typedef enum StudyStage {
    STAGE_CONFIG,
    STAGE_TOKENS,
    STAGE_WEIGHTS,
    STAGE_STEP_ONE,
    STAGE_LOCAL_NORMS,
    STAGE_STEP_TWO,
    STAGE_RATE_ZERO,
    STAGE_LONG_RUN,
    STAGE_NOISE,
    STAGE_SCENARIOS,
    STAGE_DTYPES,  // of the dumps of STAGE_DUMPS where it has none of its own
    STAGE_DUMPS,
    STAGE_CHECK,
    STAGE_MONITOR,
    STAGE_SKIP,
    STAGE_HEALTH,
    STAGE_EVALUATION,
    STAGE_COUNT
} StudyStage;

typedef enum StudyValueKind {
    STUDY_PATH,   // one path
    STUDY_RUN,    // one path, or a list of paths that follow each other
    STUDY_PATHS,  // a list of paths, or one
    STUDY_TEXT,
    STUDY_TEXTS,  // a list of texts, or one
    STUDY_NUMBER
} StudyValueKind;

// One setting of a section. Paths are resolved: relative ones start at the folder of study.yaml.
typedef struct StudyValue {
    Str key;  // "golden"
    StudyValueKind kind;
    Str *items;
    size_t count;
    uint64_t line;
} StudyValue;

typedef struct StudySection {
    bool given;
    bool complete;  // it has what it needs at least: golden and target, or what stands for them
    uint64_t line;
    StudyValue *items;
    size_t count, capacity;
    Str note;  // the author's Markdown, or empty
} StudySection;

typedef struct StudySetting {
    Str key, value;
} StudySetting;

// One configuration of a ladder (read/settings/study_rungs.h).
typedef struct StudyRung {
    Str name;
    Str sides[2];  // logs of golden and target; empty: not run yet
    struct StudySettings {
        StudySetting *items;
        size_t count, capacity;
    } settings;
} StudyRung;

typedef struct StudyPlan {
    const char *path;
    const char *folder;
    Str title;     // or empty
    Str names[2];  // of golden and target, as runs are called in pictures
    Str text;      // the author's Markdown, or empty
    StudySection sections[STAGE_COUNT];
    struct StudyRungs {
        StudyRung *items;
        size_t count, capacity;
    } rungs;
} StudyPlan;

#endif
