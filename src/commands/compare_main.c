// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_main.h"

static const PairGraphs *read_again(const PlacePair *place, const ComparePairOptions *options,
                                    Arena *arena, PairResult *result)
{
    Notices again;
    if (result->graphs)
        return result->graphs;
    notices_init(&again, arena);
    again.redaction = options->redaction;
    PairGraphs *graphs = ARENA_NEW(arena, PairGraphs);
    bool good = compare_pair_read(place, options, arena, graphs, &again);
    if (good)
        compare_pair_read_stacks(graphs, options->outputs, &again);
    if (notices_join_new(&result->notices, &again))
        verdict_of_pair(&result->facts, &options->sides, notices_any_partial(&result->notices),
                        result->arena, &result->verdict);
    return good ? graphs : NULL;
}

bool compare_main_view(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairResult *result, MainView *out)
{
    Notices said;  // by the pictures, when the pair was compared
    notices_init(&said, arena);
    const PairGraphs *graphs = read_again(place, options, arena, result);
    if (!graphs)
        return false;
    const Verdict *verdict = &result->verdict;
    PairPictures pictures;
    compare_pair_draw(&graphs->comparison, verdict, options, arena, &pictures, &said);
    out->picture = pictures.card_first ? pictures.card : pictures.graph;
    // On the page the verdict stands once, above the pictures.
    Verdict title = {.sentence = verdict->sentence, .style = verdict->style};
    compare_pair_draw(&graphs->comparison, &title, options, arena, &pictures, &said);
    MainPair pair = {.comparison = &graphs->comparison,
                     .facts = &result->facts,
                     .several = out->several,
                     .graph = pictures.graph,
                     .card = pictures.card,
                     .profile = pictures.profile};
    compare_page_parts(&pair, arena, &out->parts);
    return true;
}
