// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/pair_page.h"

#include "read/dump/place_name.h"
#include "renderers/html.h"

bool pair_page_wanted(const Outputs *outputs, size_t pairs)
{
    return pairs > 1 && !outputs->kept && !outputs->render.page_linked &&
           outputs_folder_wants(outputs, html_renderer.name);
}

Str pair_page_base(const PlacePair *place, Arena *arena)
{
    return place_base("page", place->step, place->stage, place->rank, arena);
}

typedef struct PairPage {
    Report report;
    const RenderOptions *render;
} PairPage;

static bool write_page(void *context, Sink *out, Error *err)
{
    const PairPage *page = context;
    return html_renderer.write_report(&page->report, page->render, out, err);
}

static const CompareSummary *summary_of(const Comparison *comparison,
                                        const ComparePairOptions *options, const PairResult *result,
                                        Arena *arena)
{
    CompareSummary *summary = ARENA_NEW(arena, CompareSummary);
    *summary = (CompareSummary){.version = VERNIER_VERSION,
                                .pairs = &result->facts,
                                .verdicts = &result->verdict,
                                .files = &result->files,
                                .count = 1,
                                .verdict = &result->verdict,
                                .status = result->facts.status,
                                .mode = comparison->mode,
                                .golden_path = options->sides.golden,
                                .target_path = options->sides.target,
                                .rules = comparison->rules,
                                .criteria = options->criteria,
                                .notices = &result->notices};
    return summary;
}

void pair_page_add(const MainPair *pair, const PlacePair *place, const ComparePairOptions *options,
                   const PairResult *result, Product *product)
{
    Arena *arena = product->arena;
    PageParts *parts = ARENA_NEW(arena, PageParts);
    PairPage *page = ARENA_NEW(arena, PairPage);
    compare_page_parts(pair, arena, parts);
    ComparePage content = {.summary = summary_of(pair->comparison, options, result, arena),
                           .parts = parts,
                           .up = STR("index.html")};
    compare_page_build(&content, arena, &page->report);
    page->render = &product->outputs->render;
    Str file = str_concat(arena, pair_page_base(place, arena), str_of(html_renderer.suffix));
    product_file(product, html_renderer.name, file, false, write_page, page);
}
