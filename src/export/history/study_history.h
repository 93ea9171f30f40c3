// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_HISTORY_STUDY_HISTORY_H
#define VERNIER_EXPORT_HISTORY_STUDY_HISTORY_H

#include "trend/history/history_state.h"
#include "verdict/study_view.h"

// What --history keeps of a study: each stage, passed or failed, with the figure that decided where
// there is one. A stage that was not done is no data. The facts are sorted.
void study_history_facts(const StudyView *view, Arena *arena, HistoryNight *out);

#endif
