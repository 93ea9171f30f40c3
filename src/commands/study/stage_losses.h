// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGE_LOSSES_H
#define VERNIER_COMMANDS_STUDY_STAGE_LOSSES_H

#include "commands/study/stage_work.h"

// The stages that read their data themselves.
void study_tokens(StageWork *work);
void study_first_loss(StageWork *work);  // step 1 and step 2
void study_local_norms(StageWork *work);
// Whether both logs print a learning rate of 0 throughout; gives the stage up otherwise.
bool study_rate_is_zero(StageWork *work);

#endif
