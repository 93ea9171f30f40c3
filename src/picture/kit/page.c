// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/page.h"

#include "base/words.h"
#include "scene/text_width.h"

double page_margin(double width)
{
    return width > CARD_WIDTH ? PAGE_MARGIN : CARD_MARGIN;
}

Item *note_text(Scene *scene, double x, double y, Anchor anchor, Str text)
{
    return scene_text(scene, x, y, SIZE_NOTE, 400, anchor, ROLE_INK2, text);
}

Item *row_text(Scene *scene, double x, double y, Anchor anchor, Str text)
{
    return scene_text(scene, x, y, SIZE_TEXT, 400, anchor, ROLE_INK2, text);
}

Item *fitted_text(Scene *scene, double x, double y, float size, int weight, Role role, double room,
                  Str text)
{
    Str shown = text_fit(text, size, weight, room, scene->arena);
    Item *item = scene_text(scene, x, y, size, weight, ANCHOR_START, role, shown);
    if (shown.size != text.size)
        item->title = text;
    return item;
}

void page_number_draw(Scene *scene, size_t page, size_t pages)
{
    if (pages < 2)
        return;
    scene_text(scene, scene->width - page_margin(scene->width), 26, SIZE_NOTE, 400, ANCHOR_END,
               ROLE_INK2, str_printf(scene->arena, tr("part %zu of %zu"), page + 1, pages));
}

const Scene *picture_under_title(const Scene *picture, Str title, Arena *arena)
{
    enum { LINE = 22 };
    Scene *first = NULL, **next = &first;
    for (const Scene *page = picture; title.size && page; page = page->next) {
        double margin = page_margin(page->width);
        Scene *out = *next = ARENA_NEW(arena, Scene);
        next = &out->next;
        scene_init(out, arena, page->id.data, page->width);
        out->title =
            str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(title), STR_ARG(page->title));
        out->description = page->description;
        Str shown = text_fit(title, SIZE_HEADING, 600, page->width - 2 * margin, arena);
        scene_text(out, margin, margin, SIZE_HEADING, 600, ANCHOR_START, ROLE_INK2, shown);
        scene_append(out, page, 0, LINE);
        out->height = page->height + LINE;
    }
    return first ? first : picture;
}

double page_text(Scene *scene, double x, double y, double gap, const WrapRule *rule, Role role,
                 Str text)
{
    Str lines[PAGE_TEXT_LINES];
    size_t count = figure_wrap(text, rule, scene->arena, lines);
    for (size_t i = 0; i < count; i++)
        scene_text(scene, x, y + gap * (double)i, (float)rule->size, rule->weight, ANCHOR_START,
                   role, lines[i]);
    return count ? y + gap * (double)(count - 1) : y;
}

double key_word(Scene *scene, double x, double y, Str word)
{
    scene_text(scene, x, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2, word);
    return x + text_width(word, SIZE_NOTE, 400) + 22;
}

void section_rule(Scene *scene, double y)
{
    double margin = page_margin(scene->width);
    if (y > 0)
        scene_line(scene, margin, y, scene->width - margin, y, ROLE_RULE);
}

void section_heading(Scene *scene, double x, double y, float size, Str heading, Str note)
{
    Span spans[2] = {
        {.text = heading, .size = size, .weight = 600, .role = ROLE_INK},
        {.text = note,
         .size = size > SIZE_STRONG ? SIZE_TEXT : SIZE_NOTE,
         .role = ROLE_INK2,
         .dx = 12},
    };
    scene_spans(scene, x, y, size, ANCHOR_START, ROLE_INK, spans, note.size ? 2 : 1);
}
