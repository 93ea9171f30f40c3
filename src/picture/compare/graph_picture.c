// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/graph_picture.h"

#include "base/words.h"
#include "picture/compare/outline.h"
#include "picture/compare/strip.h"
#include "picture/compare/tree.h"
#include "picture/kit/page.h"
#include "verdict/figure_text.h"

Str mode_word(CompareMode mode)
{
    static const char *const words[] = {TR("statistics"), TR("checksums"), TR("tensors"),
                                        TR("structure only")};
    return str_of(tr(words[mode]));
}

Str picture_description(const Comparison *comparison, Str golden, Str target, Arena *arena)
{
    if (!golden.size)
        golden = comparison->golden->dump->path;
    if (!target.size)
        target = comparison->target->dump->path;
    if (str_equal(golden, STR("golden")) && str_equal(target, STR("target")))
        return mode_word(comparison->mode);  // without paths: --redact
    return str_printf(arena, tr("golden: %s · target: %s · %s"), str_cstr(arena, golden),
                      str_cstr(arena, target), str_cstr(arena, mode_word(comparison->mode)));
}

static TreeLimits limits_of(const GraphOptions *options, size_t page_rows)
{
    uint32_t most = (uint32_t)page_rows * GRAPH_PAGES;
    uint32_t rows = options->rows ? options->rows : options->depth ? most : 0;
    return (TreeLimits){.rows = rows,
                        .most = rows > most ? rows : most,
                        .depth = options->depth,
                        .focus = options->focus};
}

void graph_picture(const Comparison *comparison, const GraphOptions *options, Arena *arena,
                   ScenePages *out)
{
    Outline outline;
    Flags flags;
    TreePlan plan;
    outline_build(comparison, arena, &outline);
    flags_find(&outline, &flags);
    size_t page_rows = options->page_rows ? options->page_rows : GRAPH_PAGE_ROWS;
    TreeLimits limits = limits_of(options, page_rows);
    tree_plan(&outline, &flags, &limits, arena, &plan);
    out->count = plan.count ? (plan.count + page_rows - 1) / page_rows : 1;
    out->items = ARENA_ARRAY(arena, Scene, out->count);
    for (size_t page = 0; page < out->count; page++) {
        Scene *scene = &out->items[page];
        const char *id = page ? str_printf(arena, "graph-%zu", page + 1).data : "graph";
        scene_init(scene, arena, id, PAGE_WIDTH);
        scene->description =
            picture_description(comparison, options->golden, options->target, arena);
        double y = 0;
        page_number_draw(scene, page, out->count);
        if (page == 0) {
            StripLooks looks = strip_statuses(&outline);
            y = strip_legend(scene, &outline, strip_draw(scene, &outline, &flags, &looks, y));
            section_rule(scene, y);
        }
        size_t from = page * page_rows;
        TreeView view = {.outline = &outline,
                         .flags = &flags,
                         .plan = &plan,
                         .from = from,
                         .end = from + page_rows < plan.count ? from + page_rows : plan.count,
                         .all_rows = options->all_rows};
        scene->height = tree_draw(scene, &view, y);
        if (page)
            out->items[page - 1].next = scene;
    }
}
