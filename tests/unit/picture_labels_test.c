// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/label_set.h"

#include "check.h"
#include "layout_fixture.h"
#include "picture/compare/boxes.h"
#include "picture/compare/card.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/matrix.h"
#include "picture/compare/profile.h"
#include "picture/kit/verdict_head.h"

// Names of 1 to 300 characters in any script, through every view: no label lies over another, none
// leaves the picture or the box it stands in.

typedef struct Draw {
    uint64_t state;
} Draw;

static uint32_t draw(Draw *from, uint32_t below)
{
    from->state = from->state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(from->state >> 33) % below;
}

static Str random_name(Draw *from, uint32_t length, Arena *arena)
{
    static const char *const scripts[][8] = {
        {"a", "W", "i", "_", "m", "0", "l", "x"},
        {"层", "注", "意", "力", "归", "一", "化", "，"},
        {"ж", "Щ", "ё", "и", "ю", "б", "ь", "Ф"},
        {"א", "ש", "ל", "ו", "ם", "ע", "ב", "ר"},
        {"ن", "م", "و", "ذ", "ج", "ا", "ل", "ة"},
        {"क", "ि", "श", "्", "ष", "न", "ा", "म"},
        {"e\u0301", "o\u0308", "a\u0300\u0301\u0302", "n\u0303", "u", "c\u0327", "z", "s"},
        {"🙂", "🚀", "👩‍🔬", "🇨🇳", "x", "✓", "∞", "漢"},
        {"\u202e", "<", "&", "\"", "\x1b", "\t", "%", "'"},
    };
    StrBuf buf;
    buf = strbuf_new(arena);
    uint32_t script = draw(from, 10);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t set = script < 9 ? script : draw(from, 9);
        strbuf_add(&buf, str_of(scripts[set][draw(from, 8)]));
    }
    return str_copy(arena, strbuf_str(&buf));
}

// Texts that start in a box and end outside it; the box painted last counts.
static int sticking_out(const Scene *scene)
{
    int count = 0;
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        if (item->kind != ITEM_TEXT || item->as.text.anchor != ANCHOR_START)
            continue;
        TextBox text = text_box(&item->as.text);
        for (size_t k = i; k-- > 0;) {
            const BoxShape *box = &scene->items[k].as.box;
            double middle = (text.y + text.bottom) / 2;
            if (scene->items[k].kind != ITEM_BOX || text.x < box->x || middle < box->y ||
                text.x > box->x + box->width || middle > box->y + box->height)
                continue;
            count += text.right > box->x + box->width + 0.5;
            break;
        }
    }
    return count;
}

static void check_scene(const Scene *scene, bool in_boxes)
{
    CHECK(scene_overlaps(scene) == 0);
    CHECK(scene_outside(scene) == 0);
    CHECK(!in_boxes || sticking_out(scene) == 0);
}

static void check_pages(ScenePages *pages, const Verdict *verdict, Arena *arena)
{
    for (Scene *page = picture_with_verdict(pages->items, verdict, arena); page; page = page->next)
        check_scene(page, false);
}

static void check_views(const Comparison *comparison, Str name, Arena *arena)
{
    Verdict verdict = fixture_verdict();
    verdict.place = str_printf(arena, "Module." STR_FMT ".2.Block.forward.0", STR_ARG(name));
    ScenePages pages;
    Scene scene;
    graph_picture(comparison, &(GraphOptions){.golden = name}, arena, &pages);
    check_pages(&pages, &verdict, arena);
    graph_picture(comparison, &(GraphOptions){.depth = 9, .page_rows = 20}, arena, &pages);
    check_pages(&pages, &verdict, arena);
    boxes_picture(comparison, &(BoxesOptions){.golden = name, .target = name, .depth = 6}, arena,
                  &scene);
    check_scene(&scene, true);
    if (card_picture(comparison, &(CardOptions){.golden = name}, arena, &scene))
        check_scene(&scene, false);
    if (profile_picture(comparison, &(ProfileOptions){.golden = name}, arena, &scene))
        check_scene(&scene, false);
}

static void check_matrix(Str name, size_t ranks, Arena *arena)
{
    MatrixCell *cells = ARENA_ARRAY(arena, MatrixCell, ranks);
    for (size_t i = 0; i < ranks; i++)
        cells[i] = (MatrixCell){
            .rank = (int64_t)i,
            .status = STATUS_ERROR,
            .kind = DIVERGE_OUTPUT,
            .op = str_printf(arena, "Module." STR_FMT ".%zu.Block.forward.0", STR_ARG(name), i),
            .position = 12,
            .error = 0.5,
            .differing = 100};
    Scene scene;
    matrix_picture(cells, ranks, &(MatrixOptions){.origin = 1, .golden = name, .target = name},
                   arena, &scene);
    check_scene(&scene, true);
}

static void any_name_in_any_script_keeps_to_its_place_in_every_view(void)
{
    Draw from = {20240601};
    for (uint32_t i = 0; i < 60; i++) {
        Arena *arena = arena_new();
        uint32_t length = i < 10 ? i + 1 : 1 + draw(&from, 300);
        Str name = random_name(&from, length, arena);
        FixtureRun golden, target;
        FixtureModel model = {.layers = i % 3 ? 4 : 40,
                              .pattern = FIXTURE_NOISY,
                              .layer_name = str_cstr(arena, name)};
        fixture_model(&target, model, arena);
        model.golden = true;
        fixture_model(&golden, model, arena);
        Comparison comparison;
        fixture_compare(&golden, &target, arena, &comparison);
        check_views(&comparison, name, arena);
        check_matrix(name, 1 + draw(&from, 8), arena);
        check_matrix(name, 40, arena);
        arena_release(arena);
    }
}

static void names_that_differ_stay_different_when_they_are_cut(void)
{
    Arena *arena = arena_new();
    LabelSet set = {0};
    Str shown[40];
    for (size_t i = 0; i < 40; i++) {
        Str name = str_printf(
            arena, "a_rather_long_name_of_a_module_%02zu_in_the_middle_of_all_others", i);
        shown[i] = label_fit(&set, name, 12, 400, 150, arena);
        CHECK(text_width(shown[i], 12, 400) <= 150);
        CHECK(str_find(shown[i], STR("…"), 0) != SIZE_MAX);
        for (size_t k = 0; k < i; k++)
            CHECK(!str_equal(shown[i], shown[k]));
    }
    CHECK(str_equal(label_fit(&set, STR("short"), 12, 400, 150, arena), STR("short")));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(any_name_in_any_script_keeps_to_its_place_in_every_view);
    CHECK_RUN(names_that_differ_stay_different_when_they_are_cut);
    return CHECK_RESULT;
}
