// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGE_RUNS_H
#define VERNIER_COMMANDS_STUDY_STAGE_RUNS_H

#include "commands/study/stage_work.h"

// Runs a stage of a study: through the command that does its work, or directly on the readers where
// no command answers the question.
void study_stage_run(StageWork *work);

#endif
