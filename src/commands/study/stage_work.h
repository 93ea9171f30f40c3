// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGE_WORK_H
#define VERNIER_COMMANDS_STUDY_STAGE_WORK_H

#include "commands/machinery/product.h"
#include "verdict/study_view.h"

// A stage of a study while it is worked on, and what it asks of a command.

typedef struct StageWork {
    Arena *arena;
    const StudyPlan *plan;
    const StudySection *section;
    StudyStage stage;
    const Redaction *redaction;  // --redact, else NULL
    Str jobs;                    // --jobs, or empty
    Options *options;            // of the study
    StageResult *out;
    StudyFacts *facts;
    Notices *notices;
} StageWork;

// The options of a command, as the section gives them.
typedef struct StageCall {
    Options options;
    bool bad;  // a value is none for its option: `err`
    Error err;
} StageCall;

// Empty options of `command`; what follows adds to them. A value that is none for its option sets
// call->bad, and the stage goes on to be refused by stage_compute.
void stage_begin(StageWork *work, const CommandSpec *command, StageCall *call);
void stage_argument(StageWork *work, StageCall *call, Str text);
void stage_value(StageWork *work, StageCall *call, const char *option, Str value);
// Every item of the setting as an option, or with NULL as an argument; nothing if the section does
// not have it.
void stage_option(StageWork *work, StageCall *call, const char *option, const char *key);
// The same for a run: its files joined by commas, after "NAME=".
void stage_run_option(StageWork *work, StageCall *call, const char *option, const char *key,
                      Str name);
// The run of a setting as commands take it; empty if the section does not have it.
Str stage_run_text(StageWork *work, const char *key, Str name);
// What vernier.toml says for the command, of these options (NULL ends them), where the section
// does not have it; the study tells it.
void stage_settings(StageWork *work, StageCall *call, const char *const *names);
// --limits with those that study.yaml sets; nothing where it sets none.
void stage_limits(StageWork *work, StageCall *call);

// Computes. False if the command gave up: *out->err, or call->err if a value was bad. The caller
// releases the product in either case.
bool stage_compute(StageWork *work, StageCall *call, Product *out);
// Computes and takes over verdict, figures, tables and problems. False if nothing came of it: then
// the stage is not done. The caller releases the product in either case.
bool stage_collect(StageWork *work, StageCall *call, Product *out);

// The stage is not done, and says why.
void stage_give_up(StageWork *work, bool unreadable, Str reason);
void stage_give_up_error(StageWork *work, const Error *err);

#endif
