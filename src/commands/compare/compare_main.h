// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_MAIN_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_MAIN_H

#include "commands/compare/compare_pair.h"
#include "commands/compare/compare_report.h"

// What the reports show of their main pair. The only pair of a run is still there; of several the
// main one is read once more, so that no other has to be kept.

typedef struct MainView {
    PageParts parts;
    PageFigure picture;  // with the verdict on top
    bool several;        // pairs in the run
} MainView;

// Lives in `arena`, and so do its graphs. `out->several` is set by the caller. What goes wrong only
// now is added to the notices and the verdict of `result`. False if the pair cannot be read.
bool compare_main_view(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairResult *result, MainView *out);

#endif
