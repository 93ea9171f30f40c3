// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGES_H
#define VERNIER_COMMANDS_STUDY_STAGES_H

#include "commands/collector.h"
#include "layout/study.h"

// Runs the stages of a study: each through the command that does its work, into a collector, or
// directly on the readers where no command answers the question.

// Everything a stage has while it is worked on.
typedef struct StageWork {
    Arena *arena;
    const StudyPlan *plan;
    const StudySection *section;
    StudyStage stage;
    const Redaction *redaction;  // --redact, else NULL
    Str jobs;                    // --jobs, or empty
    StageResult *out;
    StudyFacts *facts;
    Notices *notices;
} StageWork;

void study_stage_run(StageWork *work);

// A command line under construction.
enum { STAGE_ARGUMENTS_MAX = 256 };
typedef struct StageCall {
    char *items[STAGE_ARGUMENTS_MAX + 1];
    int count;
} StageCall;

typedef int (*StudyCommand)(int argc, char **argv, Collector *collector);

void stage_argument(StageWork *work, StageCall *call, Str text);
// "--option VALUE" for every item of the setting; nothing if the section lacks it.
void stage_option(StageWork *work, StageCall *call, const char *option, const char *key);
// The same for a run: its files joined by commas, behind "NAME=".
void stage_run_option(StageWork *work, StageCall *call, const char *option, const char *key,
                      Str name);
// "--limits …" with those that study.yaml sets; nothing where it sets none.
void stage_limits(StageWork *work, StageCall *call);
// Runs it and takes over verdict, figures, tables and problems. False if the command gave up: then
// the stage is not done.
bool stage_collect(StageWork *work, StudyCommand command, StageCall *call, Collector *collector);

// The stage is not done, and says why.
void stage_give_up(StageWork *work, bool unreadable, Str reason);
void stage_give_up_error(StageWork *work, const Error *err);

// The stages that read their data themselves.
void study_tokens(StageWork *work);
void study_first_loss(StageWork *work);  // step 1 and step 2
void study_local_norms(StageWork *work);
// Whether both logs print a learning rate of 0 throughout; gives the stage up otherwise.
bool study_rate_is_zero(StageWork *work);

// What the summaries say: numbers of the ladder, facts for the symptom, and the status.
void study_read_checklist(StageWork *work, const Collector *collector);
void study_read_weights(StageWork *work, const Collector *collector);
void study_read_curves(StageWork *work, const Collector *collector);
// Checkpoints at the end of the long run.
void study_read_decay(StageWork *work, const Collector *collector);
void study_read_rate_zero(StageWork *work, const Collector *collector);
void study_read_compare(StageWork *work, const Collector *collector);
void study_read_locate(StageWork *work, const Collector *target, const Collector *golden);
void study_read_monitor(StageWork *work, const Collector *collector);
void study_read_skip(StageWork *work, const Collector *collector);
void study_read_health(StageWork *work, const Collector *collector);

#endif
