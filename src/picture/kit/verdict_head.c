// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/verdict_head.h"

#include <math.h>

#include "base/words.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { PLACE_LINES = 3, REASON_LINES = 4, CONTEXT_LINES = 3 };

// Sizes grow with the width of the picture: 34/24 px at 1,200, 27/20.5 px at 900.
typedef struct HeadSizes {
    double place, reason, context;
    double chip, text_x, room;  // room: width of the text lines
} HeadSizes;

static HeadSizes head_sizes(double width, double margin)
{
    double share = (width - 900) / 300;
    HeadSizes out = {.place = round(2 * (27 + 7 * share)) / 2,
                     .reason = round(2 * (20.5 + 3.5 * share)) / 2};
    out.context = out.reason * 0.8;
    out.chip = out.place * 0.86;
    out.text_x = margin + out.chip + out.place * 0.36;
    out.room = width - margin - out.text_x;
    return out;
}

static Role word_role(CellStyle style)
{
    switch (style) {
    case STYLE_ERROR:
    case STYLE_ERROR_TINT:
    case STYLE_UNMATCHED:
        return ROLE_ERROR_TEXT;
    case STYLE_WARNING:
    case STYLE_WARNING_TINT:
        return ROLE_WARNING_TINK;
    default:
        return ROLE_INK;
    }
}

// First line: PARTIAL, the word, "at", and as much of the place as fits; the rest of the place
// follows on lines of its own. Returns the last base line.
static double draw_place(Scene *scene, const Verdict *verdict, const HeadSizes *sizes, double y)
{
    Arena *arena = scene->arena;
    Str joint = verdict->joint.size ? verdict->joint : str_of(tr("at"));
    bool blank = str_trim(joint).size == 0;
    Str at = verdict->place.size
                 ? str_printf(arena, "  " STR_FMT "%s", STR_ARG(str_trim(joint)), blank ? "" : " ")
                 : (Str){0};
    Str partial = verdict->partial ? str_printf(arena, "%s ", tr("PARTIAL")) : (Str){0};
    double indent = text_width(partial, sizes->place, 700) +
                    text_width(verdict->word, sizes->place, 700) +
                    text_width(at, sizes->place, 400);
    WrapRule rule = {.size = sizes->place,
                     .weight = 700,
                     .width = sizes->room,
                     .indent = indent,
                     .after = " ./:",
                     .even = true,
                     .lines = PLACE_LINES};
    Str lines[PLACE_LINES] = {{0}};
    size_t count = figure_wrap(verdict->place, &rule, arena, lines);
    Span spans[4] = {
        {.text = partial, .role = ROLE_INK, .weight = 700},
        {.text = verdict->word, .role = word_role(verdict->style), .weight = 700},
        {.text = at, .role = ROLE_INK, .weight = 400},
        {.text = lines[0], .role = ROLE_INK, .weight = 700},
    };
    size_t first = verdict->partial ? 0 : 1;
    size_t spans_used = verdict->place.size ? 4 : 2;
    scene_spans(scene, sizes->text_x, y, (float)sizes->place, ANCHOR_START, ROLE_INK, spans + first,
                spans_used - first);
    for (size_t i = 1; i < count; i++) {
        y += sizes->place * 1.2;
        scene_text(scene, sizes->text_x, y, (float)sizes->place, 700, ANCHOR_START, ROLE_INK,
                   lines[i]);
    }
    return y;
}

// The parts of a context, after " · " or "; ", stay whole where they fit: lines end between them.
// A wider part, a path mostly, is cut in its middle.
static size_t pack_parts(Str text, const WrapRule *rule, Arena *arena, Str *out)
{
    const Str dot = STR(" · ");
    Str separator = STR("");
    size_t count = 0;
    for (size_t from = 0; from < text.size;) {
        size_t at_dot = str_find(text, dot, from), at_stop = str_find(text, STR("; "), from);
        bool stop = at_stop < at_dot;
        size_t end = stop ? at_stop + 1 : at_dot == SIZE_MAX ? text.size : at_dot;
        Str part = text_fit(str_slice(text, from, end), rule->size, 400, rule->width, arena);
        Str joined = count ? str_concat(arena, str_concat(arena, out[count - 1], separator), part)
                           : (Str){0};
        bool fits = count && text_width(joined, rule->size, 400) <= rule->width;
        if (fits)
            out[count - 1] = joined;
        else if (count < rule->lines)
            out[count++] = part;
        else
            out[count - 1] = text_fit(joined, rule->size, 400, rule->width, arena);
        separator = stop ? STR(" ") : dot;
        from = end < text.size ? end + separator.size : text.size;
    }
    return count;
}

typedef struct Paragraph {
    double size, first_gap, line_gap;  // gaps in multiples of the size
    Role role;
    size_t lines;
    bool parts;  // made of parts that stay whole
} Paragraph;

static double draw_paragraph(Scene *scene, const HeadSizes *sizes, double y, Str text,
                             const Paragraph *style)
{
    Str lines[REASON_LINES];
    WrapRule rule = {.size = style->size,
                     .weight = 400,
                     .width = sizes->room,
                     .after = " ",
                     .even = true,
                     .lines = style->lines};
    size_t count = style->parts ? pack_parts(text, &rule, scene->arena, lines)
                                : figure_wrap(text, &rule, scene->arena, lines);
    for (size_t i = 0; i < count; i++) {
        y += style->size * (i ? style->line_gap : style->first_gap);
        scene_text(scene, sizes->text_x, y, (float)style->size, 400, ANCHOR_START, style->role,
                   lines[i]);
    }
    return y;
}

// Returns the y of the rule below it.
static double draw_head(Scene *scene, const Verdict *verdict, double margin)
{
    HeadSizes sizes = head_sizes(scene->width, margin);
    double top = margin - 4;
    if (!chip_draw_style(scene, margin, top, sizes.chip, verdict->style)) {
        sizes.room += sizes.text_x - margin;
        sizes.text_x = margin;
    }
    double y = draw_place(scene, verdict, &sizes, top + sizes.place * 0.78);
    Paragraph reason = {sizes.reason, 1.5, 1.25, ROLE_INK, REASON_LINES, false};
    y = draw_paragraph(scene, &sizes, y, verdict->reason, &reason);
    Paragraph context = {sizes.context, 1.6, 1.3, ROLE_INK2, CONTEXT_LINES, true};
    y = draw_paragraph(scene, &sizes, y, verdict->context, &context);
    return y + sizes.reason * 1.2;
}

// What a picture is, by the first word of its id: so that pictures of one verdict are distinguished
// where nobody sees them, and what is in it, where it does not tell itself. Those of the
// monitor have verdicts of their own.
typedef struct PictureKind {
    const char *id, *name, *shows;
} PictureKind;

static const PictureKind kinds[] = {
    {"graph", TR("Divergence tree"),
     TR("the model's parts by depth along the run; below, a row for each part, open where the runs "
        "diverge")},
    {"boxes", TR("Nested boxes"),
     TR("golden left, target right; matched nodes are next to each other")},
    {"card", TR("Card of an op"),
     TR("its inputs and outputs on both sides, and the ops around it")},
    {"profile", TR("Error profile"), TR("the error of each op, in the order in which they ran")},
    {"matrix", TR("Steps and ranks"),
     TR("a cell for each step and rank: its status, and where it first diverged")},
    {"hierarchy", TR("Hierarchy"),
     TR("the model's parts by depth along the run; below, a row for each part with its outputs")},
    {"nested", TR("Nested boxes"),
     TR("the model's parts inside each other, in the order in which they ran; arrows lead from "
        "producer to consumer")},
    {"runs", TR("Runs and layers"),
     TR("a row for each layer, a column for each run: its status, and where it parts")},
    {"settings", TR("Settings by group"),
     TR("each setting by its group, then what differs and what is advised against")},
    {"locate", TR("Way of a NaN"),
     TR("a row for each rank along its ops: where NaN or Inf came up first, and how it went on")},
    {"weights", TR("Weights by layer"),
     TR("a row for each kind of weight, a cell for each layer: the relative difference")},
    {"local", TR("Local norms"),
     TR("a row for each weight: how far its gradient norm is from golden's, on a log axis")},
    {"curves-runs", TR("Curves, run by run"),
     TR("a small panel for each run over the same axes, with what each comes to")},
    {"curves", TR("Curves"),
     TR("events, loss, difference from golden and gradient norm, over the same steps")},
    {"skip", TR("Threshold for skipping"),
     TR("the gradient norm with the threshold, and how many steps each threshold skips")},
    {"health", TR("Health of checkpoints"),
     TR("the checkpoints along the run, and the embedding norms with the limit")},
    {"history", TR("Nights"),
     TR("a row for each thing, a cell for each night: its status, and its error as a line")},
    {"ladder", TR("Ladder of the study"),
     TR("the stages in the order of the guide, and what decided each")},
    {"tokens", TR("Token by token"),
     TR("a row for each sample, its positions across: how much the runs differ")},
    {"precheck", TR("APIs that fail"),
     TR("a bar for each standard, a piece of it by status; then those that fail or warn")},
    {"invariants", TR("Invariants"),
     TR("a row for each law, a cell for each step and rank: whether it holds")},
    {"rank-metrics", TR("Metrics by rank"),
     TR("a row for each metric, a column for each rank: its largest value against the median "
        "rank")},
    {"rank-modules", TR("Modules by rank"),
     TR("a row for each module, a column for each rank: its largest error against the median "
        "rank")}};

static const PictureKind *kind_of(Str id)
{
    size_t dash = str_find_char(id, '-', 0);
    Str word = str_slice(id, 0, dash == SIZE_MAX ? id.size : dash);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_equal(word, str_of(kinds[i].id)) || str_equal(id, str_of(kinds[i].id)))
            return &kinds[i];
    return NULL;
}

void picture_title_as(Scene *picture, Str kind, Str sentence, Arena *arena)
{
    size_t pages = 0, number = 0;
    for (const Scene *page = picture; page; page = page->next)
        pages++;
    for (Scene *page = picture; page; page = page->next) {
        Str what = kind;
        if (pages > 1) {
            Str place = str_printf(arena, tr("part %zu of %zu"), ++number, pages);
            what = kind.size
                       ? str_printf(arena, STR_FMT ", " STR_FMT, STR_ARG(kind), STR_ARG(place))
                       : place;
        }
        page->title = what.size ? str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(what),
                                             STR_ARG(sentence))
                                : sentence;
    }
}

void picture_title(Scene *picture, Str sentence, Arena *arena)
{
    const PictureKind *kind = kind_of(picture->id);
    picture_title_as(picture, kind ? str_of(tr(kind->name)) : STR(""), sentence, arena);
    for (Scene *page = picture; page && kind; page = page->next) {
        Str name = str_of(tr(kind->name)), shows = str_of(tr(kind->shows));
        page->description = page->description.size ? page->description : shows;
        page->caption = str_printf(arena, tr(STR_FMT ": " STR_FMT), STR_ARG(name), STR_ARG(shows));
    }
}

void picture_title_at(Scene *picture, int64_t step, int64_t rank, Str sentence, Arena *arena)
{
    const PictureKind *kind = kind_of(picture->id);
    Str place = str_printf(arena, tr("step %lld, rank %lld"), (long long)step, (long long)rank);
    Str name = kind ? str_of(tr(kind->name)) : picture->id;
    picture_title_as(picture,
                     str_printf(arena, STR_FMT ", " STR_FMT, STR_ARG(name), STR_ARG(place)),
                     sentence, arena);
}

Scene *picture_with_verdict(Scene *picture, const Verdict *verdict, Arena *arena)
{
    picture_title(picture, str_copy(arena, verdict->sentence), arena);
    Scene *first = NULL, **next = &first;
    for (Scene *page = picture; page; page = page->next) {
        double margin = page_margin(page->width);
        Scene *out = *next = ARENA_NEW(arena, Scene);
        next = &out->next;
        scene_init(out, arena, page->id.data, page->width);
        out->title = page->title;
        out->description = page->description;
        out->caption = page->caption;
        double y = draw_head(out, verdict, margin);
        section_rule(out, y);
        scene_append(out, page, 0, y);
        out->height = y + page->height;
    }
    return first;
}
