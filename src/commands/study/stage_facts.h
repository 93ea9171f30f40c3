// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_STUDY_STAGE_FACTS_H
#define VERNIER_COMMANDS_STUDY_STAGE_FACTS_H

#include "commands/study/stage_work.h"

// What the facts of the commands say: numbers of the ladder, facts for the symptom, and the status.
void study_read_checklist(StageWork *work, const Product *product);
void study_read_weights(StageWork *work, const Product *product);
void study_read_curves(StageWork *work, const Product *product);
// Checkpoints at the end of the long run.
void study_read_decay(StageWork *work, const Product *product);
void study_read_rate_zero(StageWork *work, const Product *product);
void study_read_compare(StageWork *work);
// The target's NaN, which golden has not.
void study_read_locate(StageWork *work, const Product *target);
void study_read_check(StageWork *work, const Product *product);
void study_read_monitor(StageWork *work, const Product *product);
void study_read_skip(StageWork *work, const Product *product);
void study_read_health(StageWork *work, const Product *product);

#endif
