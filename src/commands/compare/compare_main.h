// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_MAIN_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_MAIN_H

#include <pthread.h>

#include "commands/compare/compare_pair.h"

// What the reports show of their main pair. The one that is most likely the main pair is kept while
// others are compared; where it is another one that one is read once more.

typedef struct MainView {
    PageParts parts;
    PageFigure picture;  // with the verdict on top
    bool several;        // pairs in the run
} MainView;

// The pair that is kept so far: the first that diverges, or else the first.
typedef struct MainKeeper {
    pthread_mutex_t lock;
    bool keeps;
    bool diverges;
    size_t main;     // SIZE_MAX: none yet
    bool *kept;      // by pair: kept anyhow, since it diverges and is small
    uint64_t slots;  // of these
} MainKeeper;

void main_keeper_init(MainKeeper *keeper, bool keeps, size_t pairs, Arena *arena);
// Gives the pair that is not to be kept, `index` or the one that it takes the place of; SIZE_MAX:
// none. The result does not depend on the order of pairs.
size_t main_keeper_offer(MainKeeper *keeper, const PairResult *results, size_t index);

// Lives in `arena`, and so do its graphs. `out->several` is set by the caller. What goes wrong only
// now is added to the notices and the verdict of `result`. False if the pair cannot be read.
bool compare_main_view(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairResult *result, MainView *out);

#endif
