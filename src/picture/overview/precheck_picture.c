// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/precheck_picture.h"

#include <math.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "compare/precheck_ops.h"
#include "picture/kit/chip.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { ROWS_MAX = 24, STATES = PRECHECK_ERROR + 1, BAR_ROOM = 520, BAR_LEAST = 3, CALLS_SHOWN = 6 };

static const double bars_x = 288, chip_size = 15, row_height = 24;

// The APIs of one standard, by what became of them.
typedef struct Group {
    const char *standard;  // TR
    size_t count, counts[STATES];
} Group;

typedef struct Groups {
    Group *items;
    size_t count, capacity;
} Groups;

static const char *standard_of(const PrecheckFinding *finding)
{
    if (finding->standard)
        return finding->standard;
    if (finding->status >= PRECHECK_WARNING)
        return TR("no reason in the files");
    return finding->status == PRECHECK_PASS ? TR("passed") : TR("not checked");
}

static Group *group_of(Groups *groups, const char *standard, Arena *arena)
{
    for (size_t i = 0; i < groups->count; i++)
        if (str_equal(str_of(groups->items[i].standard), str_of(standard)))
            return &groups->items[i];
    Group *added = ARRAY_PUSH(arena, groups);
    *added = (Group){.standard = standard};
    return added;
}

// What became of the APIs, the worst first.
static const ChipWord words[] = {{STATUS_ERROR, TR("failed")},
                                 {STATUS_WARNING, TR("warned")},
                                 {STATUS_PASS, TR("passed")},
                                 {STATUS_NO_DATA, TR("not checked")}};

static size_t count_of(const Group *group, Status status)
{
    size_t count = 0;
    for (int state = 0; state < STATES; state++)
        count += precheck_status((PrecheckStatus)state) == status ? group->counts[state] : 0;
    return count;
}

// A bar a standard, a piece a state, with the figures in words after it.
static void draw_group(Scene *scene, const Group *group, size_t most, double y)
{
    double x = bars_x;
    StrBuf text = strbuf_new(scene->arena);
    fitted_text(scene, PAGE_MARGIN, y + 12, SIZE_STRONG, 400, ROLE_INK, bars_x - PAGE_MARGIN - 12,
                str_of(tr(group->standard)));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t count = count_of(group, words[i].status);
        if (!count)
            continue;
        double width = fmax(BAR_LEAST, BAR_ROOM * (double)count / (double)most);
        Str figure = str_printf(scene->arena, STR_FMT " %s",
                                STR_ARG(figure_count(count, scene->arena)), tr(words[i].text));
        GridCell cell = grid_box(words[i].status, false);
        cell.letter = NULL;
        cell.title = figure;
        grid_cell(scene, &cell, x, y, width, chip_size, 0);
        strbuf_printf(&text, "%s" STR_FMT, text.size ? ", " : "", STR_ARG(figure));
        x += width + 1;
    }
    row_text(scene, x + 8, y + 12, ANCHOR_START, strbuf_str(&text));
}

static double draw_groups(Scene *scene, const Precheck *of, double y)
{
    Groups groups = {0};
    size_t most = 1;
    for (size_t i = 0; i < of->count; i++) {
        Group *group = group_of(&groups, standard_of(&of->items[i]), scene->arena);
        group->count++;
        group->counts[of->items[i].status]++;
        most = group->count > most ? group->count : most;
    }
    for (size_t i = 0; i < groups.count; i++, y += row_height)
        draw_group(scene, &groups.items[i], most, y);
    return y;
}

// Calls of one API in one direction with one status and reason.
typedef struct Alike {
    const PrecheckFinding *first;
    Str reason;
    StrBuf calls;
    size_t count;
} Alike;

// "Functional.softmax.5.forward" as "Functional.softmax.forward", and the number of the call.
static Str api_of(Str name, Str *call, Arena *arena)
{
    size_t last = str_rfind_char(name, '.');
    size_t before = last == SIZE_MAX ? last : str_rfind_char(str_slice(name, 0, last), '.');
    uint64_t number;
    *call = before == SIZE_MAX ? STR("") : str_slice(name, before + 1, last);
    if (!str_to_uint64(*call, &number))
        return name;
    return str_concat(arena, str_slice(name, 0, before), str_slice(name, last, name.size));
}

// Those that failed or warned, the worst first; how many there are.
static size_t find_alike(const Precheck *of, Alike *out, Arena *arena)
{
    Names *known = names_new(arena);
    size_t bad = of->counts[PRECHECK_ERROR] + of->counts[PRECHECK_WARNING];
    for (size_t i = 0; i < bad; i++) {
        const PrecheckFinding *finding = &of->items[i];
        Str call, reason = precheck_reason(finding, arena);
        Str api = api_of(precheck_name(finding, arena), &call, arena);
        size_t count = names_count(known);
        NameId id = names_add(known, str_printf(arena, "%d " STR_FMT "\n" STR_FMT "\n" STR_FMT,
                                                finding->status, STR_ARG(api), STR_ARG(reason),
                                                STR_ARG(finding->dtype)));
        Alike *alike = &out[id - 1];
        if (id > count)
            *alike = (Alike){.first = finding, .reason = reason, .calls = strbuf_new(arena)};
        if (alike->count++ < CALLS_SHOWN)
            strbuf_printf(&alike->calls, "%s" STR_FMT, alike->calls.size ? ", " : "",
                          STR_ARG(call));
    }
    return names_count(known);
}

static Str alike_name(const Alike *alike, Arena *arena)
{
    Str call, name = precheck_name(alike->first, arena), api = api_of(name, &call, arena);
    return alike->count == 1 ? name
                             : str_printf(arena, STR_FMT " ×%zu", STR_ARG(api), alike->count);
}

// The reason, and of several calls which they are.
static Str alike_text(const Alike *alike, Arena *arena)
{
    if (alike->count == 1)
        return alike->reason;
    return str_printf(arena, tr(STR_FMT "%scalls " STR_FMT "%s"), STR_ARG(alike->reason),
                      alike->reason.size ? ": " : "", STR_ARG(strbuf_str(&alike->calls)),
                      alike->count > CALLS_SHOWN ? ", …" : "");
}

static double draw_findings(Scene *scene, const Precheck *of, double y)
{
    Alike *alike = ARENA_ARRAY(scene->arena, Alike, of->count + 1);
    size_t count = find_alike(of, alike, scene->arena);
    if (count == 0)
        return y;
    y += 40;
    section_heading(scene, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("Worst first")),
                    str_of(tr("the figure that decides, as the file has it")));
    section_rule(scene, y + 10);
    y += 12;
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        y += row_height;
        chip_draw(scene, PAGE_MARGIN, y - 12, chip_size, precheck_status(alike[i].first->status),
                  false);
        fitted_text(scene, 60, y, SIZE_STRONG, 600, ROLE_INK, 470,
                    alike_name(&alike[i], scene->arena));
        fitted_text(scene, 548, y, SIZE_STRONG, 400, ROLE_INK, 470,
                    alike_text(&alike[i], scene->arena));
        fitted_text(scene, 1036, y, SIZE_STRONG, 400, ROLE_INK2, 132, alike[i].first->dtype);
    }
    if (count > ROWS_MAX) {
        y += row_height;
        note_text(scene, 60, y, ANCHOR_START,
                  str_printf(scene->arena, tr("… and %zu more"), count - ROWS_MAX));
    }
    return y;
}

void precheck_picture(const Precheck *of, Arena *arena, Scene *out)
{
    scene_init(out, arena, "precheck", PAGE_WIDTH);
    section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("APIs by standard")),
                    str_of(tr("how many APIs and directions failed, warned and passed")));
    out->height = draw_findings(out, of, draw_groups(out, of, 42)) + 24;
    out->description = str_of(tr("what the accuracy pre-check says of each API"));
}
