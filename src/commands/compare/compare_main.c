// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_main.h"

void main_keeper_init(MainKeeper *keeper, bool keeps)
{
    *keeper = (MainKeeper){.keeps = keeps, .main = SIZE_MAX};
    pthread_mutex_init(&keeper->lock, NULL);
}

size_t main_keeper_offer(MainKeeper *keeper, const PairResult *results, size_t index)
{
    bool diverges = results[index].facts.first.kind != DIVERGE_NONE;
    if (!keeper->keeps || !results[index].graphs)
        return index;
    pthread_mutex_lock(&keeper->lock);
    size_t loser = keeper->main;
    bool better = loser == SIZE_MAX || (diverges && !keeper->diverges) ||
                  (diverges == keeper->diverges && index < loser);
    if (better) {
        keeper->main = index;
        keeper->diverges = diverges;
    }
    pthread_mutex_unlock(&keeper->lock);
    return better ? loser : index;
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
