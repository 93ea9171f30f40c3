// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_main.h"

bool compare_main_view(const PlacePair *place, const PairResult *result,
                       const ComparePairOptions *options, Arena *arena, MainView *out,
                       Notices *notices)
{
    Notices again;  // said already when the pair was compared
    notices_init(&again, arena);
    again.redaction = options->redaction;
    const PairGraphs *graphs = result->graphs;
    if (!graphs) {
        PairGraphs *own = ARENA_NEW(arena, PairGraphs);
        if (!compare_pair_read(place, options, arena, own, &again)) {
            notices_join(notices, &again);
            return false;
        }
        graphs = own;
    }
    const Verdict *verdict = &result->verdict;
    PairPictures pictures;
    compare_pair_draw(&graphs->comparison, verdict, options, arena, &pictures, &again);
    out->picture = pictures.card_first ? pictures.card : pictures.graph;
    // On the page the verdict stands once, above the pictures.
    Verdict title = {.sentence = verdict->sentence, .style = verdict->style};
    compare_pair_draw(&graphs->comparison, &title, options, arena, &pictures, &again);
    MainPair pair = {.comparison = &graphs->comparison,
                     .facts = &result->facts,
                     .several = out->several,
                     .graph = pictures.graph,
                     .card = pictures.card,
                     .profile = pictures.profile};
    compare_page_parts(&pair, arena, &out->parts);
    return true;
}
