// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_main.h"

// Of the pairs that diverge so many slots are kept, next to those of the main pair: what is shown
// of them is not read again. More are read twice: memory does not grow with ranks and steps.
enum { KEPT_SLOTS = 2500 };

void main_keeper_init(MainKeeper *keeper, bool keeps, size_t pairs, Arena *arena)
{
    *keeper =
        (MainKeeper){.keeps = keeps, .main = SIZE_MAX, .kept = ARENA_ARRAY(arena, bool, pairs)};
    pthread_mutex_init(&keeper->lock, NULL);
}

size_t main_keeper_offer(MainKeeper *keeper, const PairResult *results, size_t index)
{
    bool diverges = results[index].facts.first.kind != DIVERGE_NONE;
    if (!keeper->keeps || !results[index].graphs)
        return index;
    pthread_mutex_lock(&keeper->lock);
    uint64_t slots = keeper->slots + results[index].graphs->comparison.slot_count;
    size_t loser = keeper->main;
    bool better = loser == SIZE_MAX || (diverges && !keeper->diverges) ||
                  (diverges == keeper->diverges && index < loser);
    if (better) {
        keeper->main = index;
        keeper->diverges = diverges;
    }
    if (diverges && slots <= KEPT_SLOTS) {
        keeper->slots = slots;
        keeper->kept[index] = true;
    }
    loser = better ? loser : index;
    bool kept = loser != SIZE_MAX && keeper->kept[loser];
    pthread_mutex_unlock(&keeper->lock);
    return kept ? SIZE_MAX : loser;
}

bool compare_main_view(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairResult *result, MainView *out)
{
    Notices said;  // by the pictures, when the pair was compared
    notices_init(&said, arena);
    const PairGraphs *graphs = compare_pair_again(place, options, arena, result);
    if (!graphs)
        return false;
    const Comparison *comparison = &graphs->comparison;
    PairPictures pictures;
    Str book = compare_pair_book(options, result, arena);
    compare_pair_draw(comparison, options, book, arena, &pictures, &said);
    PairPictures alone = compare_pair_with_verdict(&pictures, comparison, &result->verdict, arena);
    const PairPicture *picture = alone.card_first ? &alone.card : &alone.graph;
    out->picture = (PageFigure){picture->scene, picture->file};
    MainPair pair =
        compare_pair_page(comparison, &result->facts, &pictures, book.size > 0, out->several);
    compare_page_parts(&pair, arena, &out->parts);
    return true;
}
