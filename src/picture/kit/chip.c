// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/chip.h"

#include "base/words.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum { STARTS_HERE, INHERITED };

static const StatusLook looks[STATUS_COUNT][2] = {
    [STATUS_NO_DATA] = {{ROLE_PAPER, ROLE_NODATA_EDGE, ROLE_INK3, 1, NULL},
                        {ROLE_PAPER, ROLE_NODATA_EDGE, ROLE_INK3, 1, NULL}},
    [STATUS_SAME] = {{ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, 1, NULL},
                     {ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, 1, NULL}},
    [STATUS_PASS] = {{ROLE_PASS_FILL, ROLE_PASS_EDGE, ROLE_PASS_INK, 1, NULL},
                     {ROLE_PAPER, ROLE_PASS_EDGE, ROLE_PASS_INK, 1, NULL}},
    [STATUS_WARNING] = {{ROLE_WARNING_FILL, ROLE_WARNING_EDGE, ROLE_WARNING_INK, 1, "W"},
                        {ROLE_WARNING_TINT, ROLE_WARNING_TEDGE, ROLE_WARNING_TINK, 1, "W"}},
    [STATUS_ERROR] = {{ROLE_ERROR_FILL, ROLE_ERROR_EDGE, ROLE_ERROR_INK, 2, "E"},
                      {ROLE_ERROR_TINT, ROLE_ERROR_TEDGE, ROLE_ERROR_TINK, 1, "E"}},
    [STATUS_UNMATCHED] = {{ROLE_UNMATCHED_FILL, ROLE_UNMATCHED_EDGE, ROLE_INK, 1, "U"},
                          {ROLE_UNMATCHED_FILL, ROLE_UNMATCHED_EDGE, ROLE_INK, 1, "U"}},
};

static const char *const words[STATUS_COUNT][2] = {
    [STATUS_NO_DATA] = {TR("no data"), TR("no data")},
    [STATUS_SAME] = {TR("same"), TR("same")},
    [STATUS_PASS] = {TR("pass"), TR("pass by an allowance, above its floor")},
    [STATUS_WARNING] = {TR("warning"), TR("warning, inherited")},
    [STATUS_ERROR] = {TR("error"), TR("error, inherited")},
    [STATUS_UNMATCHED] = {TR("unmatched"), TR("unmatched")},
};

StatusLook status_look(Status status, bool inherited)
{
    return looks[status][inherited ? INHERITED : STARTS_HERE];
}

Str status_label(Status status, bool inherited)
{
    return str_of(tr(words[status][inherited ? INHERITED : STARTS_HERE]));
}

static void draw_plate(Scene *scene, double x, double y, double size)
{
    double inset = size * 0.17;
    scene_box(scene, x + inset, y + inset, size - 2 * inset, size - 2 * inset, ROLE_UNMATCHED_PLATE,
              ROLE_NONE);
}

static void draw_same(Scene *scene, double x, double y, double unit, Role ink)
{
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = x + 3.5 * unit, .y = y + 4.9 * unit},
        {.verb = PATH_LINE, .x = x + 9.5 * unit, .y = y + 4.9 * unit},
        {.verb = PATH_MOVE, .x = x + 3.5 * unit, .y = y + 8.1 * unit},
        {.verb = PATH_LINE, .x = x + 9.5 * unit, .y = y + 8.1 * unit},
    };
    scene_path(scene, steps, 4, ROLE_NONE, ink)->paint.width = (float)(1.4 * unit);
}

static void draw_tick(Scene *scene, double x, double y, double unit, Role ink)
{
    PathStep steps[3] = {
        {.verb = PATH_MOVE, .x = x + 3.5 * unit, .y = y + 6.7 * unit},
        {.verb = PATH_LINE, .x = x + 5.7 * unit, .y = y + 9.1 * unit},
        {.verb = PATH_LINE, .x = x + 9.7 * unit, .y = y + 4.1 * unit},
    };
    scene_path(scene, steps, 3, ROLE_NONE, ink)->paint.width = (float)(1.6 * unit);
}

static void draw_glyph(Scene *scene, double x, double y, double size, Status status,
                       const StatusLook *look)
{
    double unit = size / 13;
    double letter = status == STATUS_UNMATCHED ? 0.6 : 0.74;
    if (look->letter)
        scene_text(scene, x + size / 2, y + size * (0.5 + letter * 0.36), (float)(size * letter),
                   700, ANCHOR_MIDDLE, look->ink, str_of(look->letter));
    else if (status == STATUS_SAME)
        draw_same(scene, x, y, unit, look->ink);
    else if (status == STATUS_PASS)
        draw_tick(scene, x, y, unit, look->ink);
    else
        scene_circle(scene, x + size / 2, y + size / 2, 1.2 * unit, look->ink, ROLE_NONE);
}

void chip_draw(Scene *scene, double x, double y, double size, Status status, bool inherited)
{
    StatusLook look = status_look(status, inherited);
    double half = look.edge_width / 2.0;
    Item *box = scene_box(scene, x + half, y + half, size - 2 * half, size - 2 * half, look.fill,
                          look.edge);
    box->paint.width = look.edge_width;
    box->as.box.hatch = status == STATUS_UNMATCHED;
    if (status == STATUS_NO_DATA)
        box->paint.dash = box->paint.gap = 2;
    if (status == STATUS_UNMATCHED)
        draw_plate(scene, x, y, size);
    draw_glyph(scene, x, y, size, status, &look);
}

bool chip_draw_style(Scene *scene, double x, double y, double size, CellStyle style)
{
    static const struct {
        CellStyle style;
        Status status;
        bool inherited;
    } statuses[] = {
        {STYLE_SAME, STATUS_SAME, false},           {STYLE_PASS, STATUS_PASS, false},
        {STYLE_PASS_TINT, STATUS_PASS, true},       {STYLE_WARNING, STATUS_WARNING, false},
        {STYLE_WARNING_TINT, STATUS_WARNING, true}, {STYLE_ERROR, STATUS_ERROR, false},
        {STYLE_ERROR_TINT, STATUS_ERROR, true},     {STYLE_UNMATCHED, STATUS_UNMATCHED, false},
        {STYLE_NO_DATA, STATUS_NO_DATA, false},
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].style != style)
            continue;
        chip_draw(scene, x, y, size, statuses[i].status, statuses[i].inherited);
        return true;
    }
    return false;
}

static Item *draw_diamond(Scene *scene, double x, double y, double r, Role fill, Role edge)
{
    PathStep steps[5] = {
        {.verb = PATH_MOVE, .x = x, .y = y - r},  {.verb = PATH_LINE, .x = x + r, .y = y},
        {.verb = PATH_LINE, .x = x, .y = y + r},  {.verb = PATH_LINE, .x = x - r, .y = y},
        {.verb = PATH_CLOSE, .x = x, .y = y - r},
    };
    return scene_path(scene, steps, 5, fill, edge);
}

static Item *draw_dash(Scene *scene, double x, double y, double r)
{
    Item *line = scene_line(scene, x - r, y, x + r, y, ROLE_SAME_INK);
    line->paint.width = 1.6F;
    return line;
}

Item *mark_draw(Scene *scene, double x, double y, double radius, Status status, bool inherited)
{
    StatusLook look = status_look(status, inherited);
    switch (status) {
    case STATUS_SAME:
        return draw_dash(scene, x, y, radius);
    case STATUS_WARNING:
        return draw_diamond(scene, x, y, radius * 1.25, look.fill, look.edge);
    case STATUS_ERROR:
    case STATUS_UNMATCHED: {
        double side = radius * 1.9;
        Role edge = status == STATUS_ERROR && inherited ? ROLE_ERROR_FILL : look.edge;
        Item *box = scene_box(scene, x - side / 2, y - side / 2, side, side, look.fill, edge);
        box->as.box.hatch = status == STATUS_UNMATCHED;
        return box;
    }
    default:
        return scene_circle(scene, x, y, radius, look.fill, look.edge);
    }
}

Item *cross_draw(Scene *scene, double x, double y, double radius)
{
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = x - radius, .y = y - radius},
        {.verb = PATH_LINE, .x = x + radius, .y = y + radius},
        {.verb = PATH_MOVE, .x = x + radius, .y = y - radius},
        {.verb = PATH_LINE, .x = x - radius, .y = y + radius},
    };
    Item *item = scene_path(scene, steps, 4, ROLE_NONE, ROLE_NAN);
    item->paint.width = 1.8F;
    return item;
}

Item *beyond_draw(Scene *scene, double x, double y, bool down)
{
    double across = down ? 3 : 0, along = down ? 0 : 3;
    PathStep steps[3] = {
        {.verb = PATH_MOVE, .x = x - across + along, .y = y - across - along},
        {.verb = PATH_LINE, .x = x - along, .y = y + across},
        {.verb = PATH_LINE, .x = x + across + along, .y = y - across + along},
    };
    Item *item = scene_path(scene, steps, 3, ROLE_NONE, ROLE_INK2);
    item->paint.width = 1.4F;
    return item;
}

void disc_draw(Scene *scene, double x, double y, int number)
{
    scene_circle(scene, x, y, 7.5, number == 1 ? ROLE_ERROR_TEXT : ROLE_INK, ROLE_NONE);
    scene_text(scene, x, y + 3.7, SIZE_TINY, 700, ANCHOR_MIDDLE, ROLE_PAPER,
               str_printf(scene->arena, "%d", number));
}

void disc_draw_on_error(Scene *scene, double x, double y, int number)
{
    scene_circle(scene, x, y, 7.5, ROLE_ERROR_EDGE, ROLE_NONE);
    scene_text(scene, x, y + 3.7, SIZE_TINY, 700, ANCHOR_MIDDLE, ROLE_PAPER,
               str_printf(scene->arena, "%d", number));
}

void side_draw(Scene *scene, double x, double y, bool golden)
{
    if (golden) {
        scene_circle(scene, x, y, 3.5, ROLE_GOLDEN, ROLE_NONE);
        return;
    }
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = x - 4, .y = y + 3},
        {.verb = PATH_LINE, .x = x + 4, .y = y + 3},
        {.verb = PATH_LINE, .x = x, .y = y - 4},
        {.verb = PATH_CLOSE, .x = x - 4, .y = y + 3},
    };
    scene_path(scene, steps, 4, ROLE_TARGET, ROLE_NONE);
}

// Inherited or not.
static bool looks_alike(Status status)
{
    return looks[status][STARTS_HERE].fill == looks[status][INHERITED].fill;
}

double chip_legend(Scene *scene, double x, double y, uint32_t shown)
{
    for (int status = STATUS_SAME; status <= STATUS_COUNT; status++) {
        int of = status % STATUS_COUNT;  // no data comes last
        for (int inherited = 1; inherited >= 0; inherited--) {
            if (!(shown & (1U << (of + 8 * inherited))))
                continue;
            if (inherited && shown >> of & 1 && looks_alike((Status)of))
                continue;
            Str word = status_label((Status)of, inherited != 0);
            if (inherited && shown & CHIP_UNKNOWN && of != STATUS_PASS)
                word =
                    str_printf(scene->arena, tr(STR_FMT " or inputs not recorded"), STR_ARG(word));
            else if (of == STATUS_ERROR && !inherited)
                word = str_of(tr("error that starts here"));
            else if (of == STATUS_WARNING && !inherited)
                word = str_of(tr("warning that starts here"));
            else if (of == STATUS_SAME && shown & CHIP_STRUCTURE)
                word = str_of(tr("same names, shapes and types"));
            else if (of == STATUS_SAME && shown & CHIP_STATISTICS)
                word = str_of(tr("same statistics"));
            else if (of == STATUS_SAME && shown & CHIP_BITS)
                word = str_of(tr("same, bit for bit"));
            chip_draw(scene, x, y - 10, 13, (Status)of, inherited != 0);
            note_text(scene, x + 18, y, ANCHOR_START, word);
            x += 18 + text_width(word, SIZE_NOTE, 400) + 20;
        }
    }
    return x;
}

void chip_words(Scene *scene, double x, double y, const ChipWord *list, size_t count,
                uint32_t shown)
{
    for (size_t i = 0; i < count; i++) {
        if (!(shown >> list[i].status & 1))
            continue;
        chip_draw(scene, x, y - 11, 13, list[i].status, false);
        x = key_word(scene, x + 18, y, str_of(tr(list[i].text)));
    }
}
