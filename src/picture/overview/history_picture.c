// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/history_picture.h"

#include <math.h>

#include "base/array.h"
#include "base/words.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_MAX = 360,
    GRID = 430,
    ROW = 24,
    METRICS = 3,
    CHIP_FROM = 14,                // px of a cell from which it holds a chip
    LANES = HISTORY_EVENTS_SHOWN,  // of letters above the columns
    VALUE = 62                     // px of the figure after a sparkline
};

// What is new or recovered in one night.
typedef struct Event {
    size_t night, thing, more;  // more: other things of the same change that night
    size_t lane;                // of its letter, from the columns up
    double x;
    bool recovery;
} Event;

typedef struct Events {
    Event *items;  // rising by nightly run
    size_t count, capacity;
} Events;

typedef struct Picture {
    Scene *scene;
    const HistoryView *view;
    size_t rows[HISTORY_ROWS_MAX];  // things, in their order
    size_t row_count, left_out;
    size_t first;  // night of the first column
    Str metrics[METRICS];
    HistoryScale scales[METRICS];  // one of all rows, so that lines can be compared with each other
    size_t metric_count;
    Events events;
    size_t older;  // changes before those that are named
    size_t lanes;
    double label, grid, cell, spark, spark_width;  // width of the names; left of the rest, px
    double top;                                    // of the first row
    uint32_t shown;                                // bits for the legend
} Picture;

static bool is_pair(const HistoryThing *thing)
{
    return str_equal(thing->kind, STR("pair"));
}

// Pairs have no rows, nor has what was never judged.
static bool has_row(const Picture *picture, const HistoryThing *thing)
{
    bool judged = false;
    for (size_t i = picture->first; i <= picture->view->night; i++)
        judged = judged || thing->states[i] != FACT_NONE;
    return judged && !is_pair(thing);
}

static bool ever_beyond(const HistoryThing *thing, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (thing->states[i] >= FACT_WARNING)
            return true;
    return false;
}

// Things that ever left the tolerance have a place before those that never did.
static void choose_rows(Picture *picture)
{
    const HistoryThings *things = &picture->view->things;
    size_t telling = 0, total = 0;
    for (size_t i = 0; i < things->count; i++) {
        total += has_row(picture, &things->items[i]);
        telling += has_row(picture, &things->items[i]) &&
                   ever_beyond(&things->items[i], picture->first, picture->view->night);
    }
    size_t calm_room = telling < HISTORY_ROWS_MAX ? HISTORY_ROWS_MAX - telling : 0;
    for (size_t i = 0; i < things->count && picture->row_count < HISTORY_ROWS_MAX; i++) {
        const HistoryThing *thing = &things->items[i];
        bool tells = ever_beyond(thing, picture->first, picture->view->night);
        if (!has_row(picture, thing) || (!tells && calm_room == 0))
            continue;
        calm_room -= !tells;
        picture->rows[picture->row_count++] = i;
    }
    picture->left_out = total - picture->row_count;
}

static const HistoryThing *thing_of_row(const Picture *picture, size_t row)
{
    return &picture->view->things.items[picture->rows[row]];
}

static size_t metric_column(const Picture *picture, Str metric)
{
    size_t at = 0;
    while (at < picture->metric_count && !str_equal(picture->metrics[at], metric))
        at++;
    return at;
}

static bool has_value(const HistoryTrack *track, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (track->nights[i] && !isnan(track->nights[i]->value))
            return true;
    return false;
}

static void choose_metrics(Picture *picture)
{
    static const Str order[] = {{"forward", 7}, {"backward", 8}, {"parameters", 10}};
    for (size_t pass = 0; pass <= METRICS; pass++)
        for (size_t row = 0; row < picture->row_count; row++) {
            const HistoryThing *thing = thing_of_row(picture, row);
            for (size_t k = 0; k < thing->track_count; k++) {
                Str metric = thing->tracks[k].metric;
                bool wanted = pass == METRICS || str_equal(metric, order[pass]);
                if (wanted && picture->metric_count < METRICS &&
                    has_value(&thing->tracks[k], picture->first, picture->view->night) &&
                    metric_column(picture, metric) == picture->metric_count)
                    picture->metrics[picture->metric_count++] = metric;
            }
        }
}

static void choose_scales(Picture *picture)
{
    Arena *scratch = arena_new();
    for (size_t column = 0; column < picture->metric_count; column++) {
        struct Tracks {
            const HistoryTrack **items;
            size_t count, capacity;
        } tracks = {0};
        for (size_t row = 0; row < picture->row_count; row++) {
            const HistoryThing *thing = thing_of_row(picture, row);
            for (size_t k = 0; k < thing->track_count; k++)
                if (metric_column(picture, thing->tracks[k].metric) == column)
                    *ARRAY_PUSH(scratch, &tracks) = &thing->tracks[k];
        }
        picture->scales[column] =
            history_scale(tracks.items, tracks.count, picture->first, picture->view->night);
    }
    arena_release(scratch);
}

static void add_event(Picture *picture, size_t night, size_t thing, bool recovery)
{
    Events *events = &picture->events;
    for (size_t i = events->count; i-- > 0 && events->items[i].night == night;)
        if (events->items[i].recovery == recovery) {
            events->items[i].more++;
            return;
        }
    *ARRAY_PUSH(picture->scene->arena, events) =
        (Event){.night = night, .thing = thing, .recovery = recovery};
}

static void find_events(Picture *picture)
{
    for (size_t night = picture->first ? picture->first : 1; night <= picture->view->night; night++)
        for (size_t i = 0; i < picture->view->things.count; i++) {
            const HistoryThing *thing = &picture->view->things.items[i];
            size_t since;
            ThingChange change = history_change(thing, night, &since);
            if (!is_pair(thing) && (change == THING_NEW || change == THING_RECOVERED))
                add_event(picture, night, i, change == THING_RECOVERED);
        }
    if (picture->events.count > HISTORY_EVENTS_SHOWN) {
        size_t cut = picture->events.count - HISTORY_EVENTS_SHOWN;
        picture->events.items += cut;
        picture->events.count -= cut;
        picture->older = cut;
    }
}

static double column_x(const Picture *picture, size_t night)
{
    return picture->grid + picture->cell * (double)(night - picture->first);
}

// Letters that would touch are in lanes above each other.
static void plan_lanes(Picture *picture)
{
    double ends[LANES] = {0};
    for (size_t i = 0; i < picture->events.count; i++) {
        Event *event = &picture->events.items[i];
        bool shares = i > 0 && event[-1].night == event->night;
        event->x = column_x(picture, event->night) + picture->cell / 2 + (shares ? 6 : 0);
        while (event->lane + 1 < LANES && event->x - 8.5 < ends[event->lane])
            event->lane++;
        ends[event->lane] = event->x + 8.5;
        if (event->lane >= picture->lanes)
            picture->lanes = event->lane + 1;
    }
}

// As many nights as leave the picture below 400 kB: a night costs a point of each line, and a bar
// of each row that changes.
static size_t first_column(const HistoryView *view)
{
    const size_t point = 1, bar = 4, costs_max = 9000;
    size_t things = view->things.count, at = view->night + 1, costs = 0;
    size_t room = things > HISTORY_ROWS_MAX ? costs_max * things / HISTORY_ROWS_MAX : costs_max;
    while (at > 0 && view->night + 1 - at < HISTORY_COLUMNS_MAX && costs < room) {
        at--;
        for (size_t i = 0; i < things; i++) {
            const uint8_t *states = view->things.items[i].states;
            costs += point + (at == view->night || states[at] != states[at + 1] ? bar : 0);
        }
    }
    return at;
}

static void plan(Picture *picture)
{
    size_t nights = picture->view->night + 1;
    picture->first = first_column(picture->view);
    choose_rows(picture);
    choose_metrics(picture);
    choose_scales(picture);
    find_events(picture);
    size_t columns = nights - picture->first;
    picture->label = 100;
    for (size_t row = 0; row < picture->row_count; row++) {
        Str name = history_thing_name(thing_of_row(picture, row), picture->scene->arena);
        picture->label = fmax(picture->label, text_width(name, SIZE_STRONG, 600));
    }
    picture->label = fmin(picture->label, LABEL_MAX);
    picture->grid = PAGE_MARGIN + picture->label + 14;
    picture->cell = fmin(26, GRID / (double)columns);
    picture->spark = picture->grid + picture->cell * (double)columns + 28;
    double room = PAGE_WIDTH - PAGE_MARGIN - picture->spark;
    size_t sparks = picture->metric_count ? picture->metric_count : 1;
    picture->spark_width = fmin(300, room / (double)sparks);
    plan_lanes(picture);
}

// ---- drawing

// "blocks.2 · night 9 (tue) · beyond tolerance · forward 2.44e-04"
static Str cell_title(const Picture *picture, const HistoryThing *thing, size_t night)
{
    Arena *arena = picture->scene->arena;
    Str name = history_thing_name(thing, arena), figure = history_figure(thing, night, arena);
    Str at = history_night_name(&picture->view->history->items[night], arena);
    Str state = history_state_shown((FactState)thing->states[night]);
    return str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT "%s" STR_FMT, STR_ARG(name),
                      STR_ARG(at), STR_ARG(state), figure.size ? " · " : "", STR_ARG(figure));
}

static Status status_of(FactState state)
{
    static const Status statuses[] = {STATUS_NO_DATA, STATUS_PASS, STATUS_ERROR, STATUS_WARNING,
                                      STATUS_ERROR};
    return statuses[state];
}

// Nights of equal state as one bar.
static GridCell bar_of(const Picture *picture, size_t from, size_t to, FactState state)
{
    const HistoryNight *nights = picture->view->history->items;
    Arena *arena = picture->scene->arena;
    GridCell cell = grid_box(status_of(state), state == FACT_INHERITED);
    Str word = history_state_shown(state);
    cell.columns = to - from + 1;
    cell.title =
        to > from
            ? str_printf(arena, "%lld–%lld · " STR_FMT, (long long)nights[from].number,
                         (long long)nights[to].number, STR_ARG(word))
            : str_printf(arena, "%lld · " STR_FMT, (long long)nights[from].number, STR_ARG(word));
    return cell;
}

// Wide cells have a chip a night; narrow ones of equal state run together.
static size_t cells_of(Picture *picture, const HistoryThing *thing, GridCell *cells)
{
    size_t last = picture->view->night, count = 0;
    for (size_t from = picture->first, to; from <= last; from = to + 1) {
        FactState state = (FactState)thing->states[from];
        picture->shown |= 1U << ((unsigned)status_of(state) + (state == FACT_INHERITED ? 8U : 0U));
        to = from;
        if (picture->cell >= CHIP_FROM) {
            cells[count] = grid_chip(status_of(state), state == FACT_INHERITED);
            cells[count++].title = cell_title(picture, thing, from);
            continue;
        }
        while (to < last && thing->states[to + 1] == thing->states[from])
            to++;
        cells[count++] = bar_of(picture, from, to, state);
    }
    return count;
}

// One point a night; gaps break the line, what is not finite is a cross on the upper rim.
static void draw_line(Picture *picture, const HistoryTrack *track, const HistoryScale *scale,
                      double x, double y, double width)
{
    size_t first = picture->first, last = picture->view->night, count = 0;
    PathStep *steps = ARENA_ARRAY(picture->scene->arena, PathStep, last - first + 1);
    double pitch = last > first ? width / (double)(last - first) : 0, end_y = NAN;
    bool open = false;
    for (size_t i = first; i <= last; i++) {
        double height = history_height(scale, track->nights[i]);
        double px = x + pitch * (double)(i - first), py = y + ROW - 6 - height * (ROW - 11);
        if (isinf(height))
            cross_draw(picture->scene, px, y + 5, 2.5);
        end_y = isfinite(height) ? py : (double)NAN;
        if (isfinite(height))
            steps[count++] = (PathStep){.verb = open ? PATH_LINE : PATH_MOVE, .x = px, .y = py};
        open = isfinite(height);
    }
    if (count > 1)
        scene_path(picture->scene, steps, count, ROLE_NONE, ROLE_TARGET)->paint.width = 1.5F;
    if (isfinite(end_y))
        scene_circle(picture->scene, x + pitch * (double)(last - first), end_y, 2.4, ROLE_TARGET,
                     ROLE_NONE);
}

static void draw_sparks(Picture *picture, const HistoryThing *thing, double y)
{
    Arena *arena = picture->scene->arena;
    for (size_t k = 0; k < thing->track_count; k++) {
        const HistoryTrack *track = &thing->tracks[k];
        size_t column = metric_column(picture, track->metric);
        if (column == picture->metric_count ||
            !has_value(track, picture->first, picture->view->night))
            continue;
        double x = picture->spark + picture->spark_width * (double)column;
        const HistoryFact *now = track->nights[picture->view->night];
        Str value = figure_number(now ? now->value : (double)NAN, 3, arena);
        bool known = now && !isnan(now->value);
        draw_line(picture, track, &picture->scales[column], x, y,
                  picture->spark_width - VALUE - 24);
        Item *item = row_text(picture->scene, x + picture->spark_width - 14, y + 16, ANCHOR_END,
                              known ? value : STR("—"));
        scene_title(picture->scene, item, STR_FMT " " STR_FMT, STR_ARG(track->metric),
                    STR_ARG(value));
    }
}

static void draw_rows(Picture *picture)
{
    Arena *arena = picture->scene->arena;
    Str names[HISTORY_ROWS_MAX], fitted[HISTORY_ROWS_MAX];
    GridCell *cells = ARENA_ARRAY(arena, GridCell, HISTORY_COLUMNS_MAX);
    Grid grid = {.label_x = PAGE_MARGIN,
                 .label_room = PAGE_WIDTH,
                 .label_size = SIZE_STRONG,
                 .left = picture->grid + 1,
                 .pitch = picture->cell,
                 .gap = 2,
                 .height = ROW - 4,
                 .row = ROW};
    for (size_t row = 0; row < picture->row_count; row++)
        names[row] = history_thing_name(thing_of_row(picture, row), arena);
    text_fit_distinct(names, picture->row_count, SIZE_STRONG, 600, picture->label, arena, fitted);
    double y = picture->top;
    for (size_t row = 0; row < picture->row_count; row++) {
        const HistoryThing *thing = thing_of_row(picture, row);
        GridRow shown = {.label = fitted[row],
                         .title = names[row],
                         .weight = thing->states[picture->view->night] >= FACT_WARNING ? 600 : 400,
                         .role = ROLE_INK,
                         .cells = cells,
                         .count = cells_of(picture, thing, cells)};
        double next = grid_row(picture->scene, &grid, &shown, y + 2) - 2;
        draw_sparks(picture, thing, y);
        y = next;
    }
    grid_end(picture->scene, &grid);
}

// Letters, because a disc with the number 1 is the first divergence in every picture.
static void draw_letter(Scene *scene, double x, double y, size_t index)
{
    scene_circle(scene, x, y, 7.5, ROLE_INK, ROLE_NONE);
    scene_text(scene, x, y + 3.6, SIZE_TINY, 700, ANCHOR_MIDDLE, ROLE_PAPER,
               str_printf(scene->arena, "%c", 'a' + (int)index));
}

// Up for a regression, down for a recovery.
static void draw_arrow(Scene *scene, double x, double y, bool recovery)
{
    double r = 5, tip = recovery ? y + r : y - r, base = recovery ? y - r : y + r;
    PathStep steps[4] = {
        {.verb = PATH_MOVE, .x = x - r, .y = base},
        {.verb = PATH_LINE, .x = x + r, .y = base},
        {.verb = PATH_LINE, .x = x, .y = tip},
        {.verb = PATH_CLOSE, .x = x - r, .y = base},
    };
    Role role = recovery ? ROLE_SAME_INK : ROLE_ERROR_TEXT;
    scene_path(scene, steps, 4, recovery ? ROLE_PAPER : role, role)->paint.width = 1.4F;
}

// Night numbers as far as they have room, the first and the newest always.
static void draw_numbers(Picture *picture, double y)
{
    Arena *arena = picture->scene->arena;
    size_t every = (size_t)ceil(26 / picture->cell), last = picture->view->night;
    for (size_t night = picture->first; night <= last; night++) {
        bool room = (last - night) % every == 0;
        const HistoryNight *at = &picture->view->history->items[night];
        if (!room)
            continue;
        Item *item = scene_text(picture->scene, column_x(picture, night) + picture->cell / 2, y,
                                SIZE_TEXT, night == last ? 700 : 400, ANCHOR_MIDDLE,
                                night == last ? ROLE_INK : ROLE_INK2,
                                str_printf(arena, "%lld", (long long)at->number));
        scene_title(picture->scene, item, STR_FMT, STR_ARG(history_night_name(at, arena)));
    }
}

static void draw_marks(Picture *picture, double y)
{
    for (size_t i = 0; i < picture->events.count; i++) {
        const Event *event = &picture->events.items[i];
        draw_arrow(picture->scene, event->x, y - 20, event->recovery);
        draw_letter(picture->scene, event->x, y - 36 - 16.5 * (double)event->lane, i);
    }
}

// "0 to 0.00126, log scale": what the height of a line means.
static Str scale_text(const HistoryScale *scale, Arena *arena)
{
    if (!isfinite(scale->least))
        return STR("");
    Str least = figure_number(scale->least, 3, arena), most = figure_number(scale->most, 3, arena);
    if (str_equal(least, most))
        return str_printf(arena, tr("always " STR_FMT), STR_ARG(least));
    return scale->log
               ? str_printf(arena, tr(STR_FMT " to " STR_FMT ", log scale"), STR_ARG(least),
                            STR_ARG(most))
               : str_printf(arena, tr(STR_FMT " to " STR_FMT), STR_ARG(least), STR_ARG(most));
}

static void draw_heads(Picture *picture, double y)
{
    row_text(picture->scene, PAGE_MARGIN, y, ANCHOR_START, str_of(tr("night")));
    draw_numbers(picture, y);
    for (size_t i = 0; i < picture->metric_count; i++) {
        double x = picture->spark + picture->spark_width * (double)i;
        double room = picture->spark_width - 14;
        Str scale = scale_text(&picture->scales[i], picture->scene->arena);
        fitted_text(picture->scene, x, y - 15, SIZE_TEXT, 600, ROLE_INK2, room,
                    history_metric(picture->metrics[i]));
        fitted_text(picture->scene, x, y, SIZE_NOTE, 400, ROLE_INK3, room, scale);
    }
    draw_marks(picture, y);
}

static Str event_text(const Picture *picture, const Event *event)
{
    Arena *arena = picture->scene->arena;
    const HistoryThing *thing = &picture->view->things.items[event->thing];
    size_t since;
    history_change(thing, event->night, &since);
    Str name = history_thing_name(thing, arena);
    Str figure = history_figure(thing, event->recovery ? since : event->night, arena);
    const HistoryFact *fact = history_telling_fact(thing, event->recovery ? since : event->night);
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, name);
    if (event->recovery)
        strbuf_printf(&text, tr(", beyond tolerance since night %lld"),
                      (long long)picture->view->history->items[since].number);
    if (figure.size)
        strbuf_printf(&text, " · " STR_FMT, STR_ARG(figure));
    if (fact && fact->note.size)
        strbuf_printf(&text, " · " STR_FMT, STR_ARG(history_note(fact, arena)));
    if (event->more)
        strbuf_printf(&text, tr(" · %zu more"), event->more);
    return strbuf_str(&text);
}

static Str event_head(const Picture *picture, const Event *event)
{
    Arena *arena = picture->scene->arena;
    Str night = history_night_name(&picture->view->history->items[event->night], arena);
    Str head = str_printf(arena, "%s, " STR_FMT,
                          event->recovery ? tr("recovery") : tr("regression"), STR_ARG(night));
    return text_fit(head, SIZE_STRONG, 600, 300, arena);
}

static double draw_events(Picture *picture, double y)
{
    Scene *scene = picture->scene;
    double room = 0;
    for (size_t i = 0; i < picture->events.count; i++)
        room = fmax(room,
                    text_width(event_head(picture, &picture->events.items[i]), SIZE_STRONG, 600));
    for (size_t i = 0; i < picture->events.count; i++) {
        const Event *event = &picture->events.items[i];
        draw_letter(scene, PAGE_MARGIN + 8, y - 4, i);
        draw_arrow(scene, PAGE_MARGIN + 28, y - 4, event->recovery);
        scene_text(scene, PAGE_MARGIN + 42, y, SIZE_STRONG, 600, ANCHOR_START, ROLE_INK,
                   event_head(picture, event));
        double x = PAGE_MARGIN + 42 + room + 14;
        fitted_text(scene, x, y, SIZE_STRONG, 400, ROLE_INK2, PAGE_WIDTH - PAGE_MARGIN - x,
                    event_text(picture, event));
        y += 22;
    }
    return y;
}

static double draw_left_out(Picture *picture, double y)
{
    if (picture->left_out == 0 && picture->first == 0 && picture->older == 0)
        return y;
    Str text = str_printf(picture->scene->arena,
                          tr("Not drawn: things that never left the tolerance (%zu), older nights "
                             "(%zu). Older changes without a letter: %zu."),
                          picture->left_out, picture->first, picture->older);
    row_text(picture->scene, PAGE_MARGIN, y, ANCHOR_START, text);
    return y + 22;
}

bool history_picture(const HistoryView *view, Arena *arena, Scene *out)
{
    Picture picture = {.scene = out, .view = view};
    scene_init(out, arena, "history", PAGE_WIDTH);
    plan(&picture);
    if (picture.row_count == 0)
        return false;
    section_heading(
        out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Run by run")),
        str_of(tr("each cell a night; solid: it starts there, tint: passed on from elsewhere; "
                  "lines: each column on one scale, the last figure after it")));
    double y = picture.lanes ? 90 + 16.5 * (double)picture.lanes : 66;
    draw_heads(&picture, y);
    picture.top = y + 8;
    draw_rows(&picture);
    y = picture.top + ROW * (double)picture.row_count + 26;
    y = draw_events(&picture, y);
    y = draw_left_out(&picture, y);
    chip_legend(out, PAGE_MARGIN, y + 4, picture.shown);
    out->height = y + 24;
    return true;
}
