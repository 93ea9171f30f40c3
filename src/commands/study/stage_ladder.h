// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGE_LADDER_H
#define VERNIER_COMMANDS_STUDY_STAGE_LADDER_H

#include "commands/study/stage_work.h"

// The curves of every rung of StudyPlan.rungs; the stage fails where one does.
void study_ladder_of_configurations(StageWork *work);

#endif
