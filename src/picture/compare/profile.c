// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/profile.h"

#include <math.h>

#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/profile_panel.h"
#include "picture/compare/tree.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    MAX_PANELS = 6,
    USUAL_PANELS = 3,
    PLOT_X = 96,
    LEAST_COLUMN = 4,
    MOST_COLUMNS = 840,
    TALL = 250,
    LOW = 146,
    QUIET = 22,  // all of it equal: the rim alone
    RIMS = 64    // equal, or no number, or told by checksums: two rims, and room for a label
};

typedef struct Profile {
    Scene *scene;
    const Comparison *comparison;
    Outline outline;
    Flags flags;
    uint32_t shown[MAX_PANELS];  // sections
    size_t shown_count;
    ProfileOps ops[MAX_PANELS];
    ErrorRange range;
    bool joined;
} Profile;

// In the order of the sections: those that carry flags, those that differ, and the first ones where
// these are few.
static void choose_sections(Profile *profile)
{
    bool *taken = ARENA_ARRAY(profile->scene->arena, bool, profile->outline.section_count);
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < profile->outline.section_count; i++) {
            bool wanted = pass == 1 && status_differs(profile->outline.sections[i].worst);
            wanted |= pass == 2 && profile->shown_count < USUAL_PANELS;
            for (size_t f = 0; pass == 0 && f < profile->flags.count; f++)
                wanted |= profile->outline.section_of[profile->flags.items[f].row] == i;
            if (wanted && !taken[i] && profile->shown_count < MAX_PANELS) {
                taken[i] = true;
                profile->shown_count++;
            }
        }
    profile->shown_count = 0;
    for (uint32_t i = 0; i < profile->outline.section_count; i++)
        if (taken[i])
            profile->shown[profile->shown_count++] = i;
}

static void collect(Profile *profile)
{
    for (size_t p = 0; p < profile->shown_count; p++) {
        ProfileOps *ops = &profile->ops[p];
        profile_collect(&profile->outline, &profile->outline.sections[profile->shown[p]],
                        profile->scene->arena, ops);
        for (size_t i = 0; i < ops->count; i++) {
            error_range_add(&profile->range, ops->items[i].in);
            error_range_add(&profile->range, ops->items[i].out);
        }
    }
}

Verdict profile_verdict(const Comparison *comparison, const Verdict *verdict, Arena *arena)
{
    Verdict out = *verdict;
    const Divergence *first = &comparison->first;
    if (first->kind == DIVERGE_NONE)
        return out;
    const char *position = str_cstr(arena, figure_count(divergence_op(comparison) + 1, arena));
    const char *later = str_cstr(arena, figure_count(first->later, arena));
    out.reason =
        str_printf(arena, tr("Error along execution order: nothing before op %s, %s ops after it."),
                   position, later);
    out.context = str_printf(
        arena, tr("relative error, worst input and worst output of each op · " STR_FMT),
        STR_ARG(place_text(comparison->step, comparison->stage, comparison->rank, arena)));
    return out;
}

typedef struct LegendItem {
    const char *word;
    Status status;  // of the mark
    int glyph;      // 0 mark, 1 hollow, 2 cross, 3 dot, 4 band, 5 mark by an allowance
} LegendItem;

static void draw_glyph(Scene *scene, const LegendItem *item, double x, double y)
{
    switch (item->glyph) {
    case 1:
        scene_circle(scene, x, y, 3, ROLE_PAPER, ROLE_INK2)->paint.width = 1.2F;
        return;
    case 2:
        cross_draw(scene, x, y, 3);
        return;
    case 3:
        scene_circle(scene, x, y, 2, ROLE_PASS_EDGE, ROLE_NONE);
        return;
    case 5:
        mark_draw(scene, x, y, 3.2, item->status, true);
        return;
    case 4:
        scene_box(scene, x - 6, y - 6, 13, 12, ROLE_NOISEBAND, ROLE_NONE);
        return;
    default:
        mark_draw(scene, x, y, 3.2, item->status, false);
    }
}

// Of the ops that have a mark of their status, and no cross instead; whether one passes by an
// allowance.
static bool count_marks(const Profile *profile, uint64_t *counts)
{
    bool allowed = false;
    for (int status = 0; status < STATUS_COUNT; status++)
        counts[status] = 0;
    for (size_t p = 0; p < profile->shown_count; p++)
        for (size_t i = 0; i < profile->ops[p].count; i++) {
            const ProfileOp *op = &profile->ops[p].items[i];
            const OpPair *pair = &profile->comparison->ops[op->op];
            bool differs = status_differs((Status)pair->output_status);
            allowed |= pair->status == STATUS_PASS && pair->inherited;
            if (pair->status == STATUS_UNMATCHED)
                counts[STATUS_UNMATCHED]++;
            else if (!differs && status_differs((Status)pair->input_status))
                counts[pair->input_status]++;
            else if (op->out.kind != ERROR_ABSENT && op->out.kind != ERROR_NONFINITE)
                counts[pair->output_status]++;
        }
    return allowed;
}

static double draw_legend(const Profile *profile, double y)
{
    Scene *scene = profile->scene;
    Str floor_word = error_floor_word(profile->comparison, &profile->range, scene->arena);
    bool band = profile->range.most > 0 && error_floor_counts(profile->comparison);
    uint64_t counts[STATUS_COUNT];
    bool allowed = count_marks(profile, counts);
    const char *same = evidence_same_by(profile->comparison) == SAME_BY_BITS
                           ? tr("same, bit for bit")
                           : tr("same statistics");
    const LegendItem items[] = {
        {tr("worst input, joined to its output"), STATUS_PASS, 1},
        {counts[STATUS_PASS] ? tr("output: pass") : NULL, STATUS_PASS, 0},
        {allowed ? str_cstr(scene->arena, status_label(STATUS_PASS, true)) : NULL, STATUS_PASS, 5},
        {counts[STATUS_WARNING] ? tr("warning") : NULL, STATUS_WARNING, 0},
        {counts[STATUS_ERROR] ? tr("error") : NULL, STATUS_ERROR, 0},
        {counts[STATUS_SAME] ? same : NULL, STATUS_SAME, 0},
        {counts[STATUS_PASS] ? tr("equal in norm only") : NULL, STATUS_PASS, 3},
        {band ? str_cstr(scene->arena, floor_word) : NULL, STATUS_PASS, 4},
        {profile->range.nonfinite ? tr("NaN or Inf") : NULL, STATUS_ERROR, 2},
        {counts[STATUS_UNMATCHED] ? tr("unmatched") : NULL, STATUS_UNMATCHED, 0},
    };
    double x = PLOT_X;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (!items[i].word)
            continue;
        Str word = str_of(items[i].word);
        if (x + 15 + text_width(word, SIZE_NOTE, 400) > scene->width - PAGE_MARGIN) {
            x = PLOT_X;
            y += 18;
        }
        draw_glyph(scene, &items[i], x + 4, y - 4);
        x = key_word(scene, x + 15, y, word);
    }
    return y;
}

// All that a section shows stands on the rims: `range` gets which of them.
static bool fits_rims(const ProfileOps *ops, ErrorRange *range)
{
    *range = (ErrorRange){0};
    bool zero = false;
    for (size_t i = 0; i < ops->count; i++) {
        error_range_add(range, ops->items[i].in);
        error_range_add(range, ops->items[i].out);
        zero = zero || ops->items[i].in.kind == ERROR_ZERO || ops->items[i].out.kind == ERROR_ZERO;
    }
    return !zero && range->most == 0 && !(range->differs && range->nonfinite);
}

// No axis where the ops have nothing to show on it.
static double panel_height(const Profile *profile, const Section *section, const ProfileOps *ops,
                           ErrorRange *range)
{
    bool quiet = !status_differs(section->worst), rims = fits_rims(ops, range);
    for (size_t i = 0; i < ops->count; i++)
        quiet =
            quiet && ops->items[i].in.kind < ERROR_NUMBER && ops->items[i].out.kind < ERROR_NUMBER;
    if (quiet || rims)
        return quiet ? QUIET : RIMS;
    *range = profile->range;
    return section->kind == SECTION_AFTER || profile->shown_count > 3 ? LOW : TALL;
}

static double draw_panel(Profile *profile, size_t index, double y)
{
    Scene *scene = profile->scene;
    Arena *arena = scene->arena;
    const Section *section = &profile->outline.sections[profile->shown[index]];
    ProfilePanel panel = {.scene = scene,
                          .outline = &profile->outline,
                          .flags = &profile->flags,
                          .section = section,
                          .ops = profile->ops[index],
                          .x = PLOT_X,
                          .width = scene->width - PAGE_MARGIN - PLOT_X,
                          .y = y + 46};
    panel.column = fmax(LEAST_COLUMN, panel.width * (double)profile->shown_count / MOST_COLUMNS);
    if (!panel.ops.count)
        return y;
    ErrorRange range;
    panel.height = panel_height(profile, section, &panel.ops, &range);
    panel.axis = error_axis(profile->comparison, &range, panel.y + panel.height - 9,
                            panel.y + (range.nonfinite || range.differs ? 9 : 12));
    Str note = str_printf(
        arena, tr_count(section->ops, "%s op in execution order →", "%s ops in execution order →"),
        str_cstr(arena, figure_count(section->ops, arena)));
    section_heading(scene, PAGE_MARGIN, y + 22, SIZE_HEADING,
                    section_name(&profile->outline, section, arena), note);
    profile->joined |= profile_is_joined(&panel);
    profile_panel_draw(&panel);
    return panel.y + panel.height + 22;
}

static Str drawn_text(const Profile *profile)
{
    Arena *arena = profile->scene->arena;
    uint64_t drawn = 0;
    for (size_t p = 0; p < profile->shown_count; p++)
        drawn += profile->ops[p].count;
    const char *count = str_cstr(arena, figure_count(drawn, arena));
    uint32_t hidden = profile->outline.section_count - (uint32_t)profile->shown_count;
    StrBuf text = strbuf_new(arena);
    if (profile->joined)
        strbuf_printf(&text, tr("%s ops; where columns are narrow, the worst op of each is drawn"),
                      count);
    else
        strbuf_printf(
            &text, tr_count(drawn, "%s op drawn, one column each", "%s ops drawn, one column each"),
            count);
    if (hidden)
        strbuf_printf(
            &text,
            tr_count(hidden, "; %u quieter section left out", "; %u quieter sections left out"),
            hidden);
    strbuf_add(&text, STR(" · "));
    strbuf_add(&text, str_of(tr("solid = the error starts here, tint = an input already differs")));
    strbuf_add(&text, STR(" · "));
    strbuf_add(&text, rule_text(profile->comparison, arena));
    return strbuf_str(&text);
}

static double draw_foot(const Profile *profile, double y)
{
    Scene *scene = profile->scene;
    WrapRule rule = {.size = SIZE_NOTE,
                     .weight = 400,
                     .width = scene->width - PAGE_MARGIN - PLOT_X,
                     .after = " ",
                     .even = true,
                     .lines = 3};
    return page_text(scene, PLOT_X, y + 16, 16, &rule, ROLE_INK2, drawn_text(profile)) + 24;
}

bool profile_picture(const Comparison *comparison, const ProfileOptions *options, Arena *arena,
                     Scene *out)
{
    scene_init(out, arena, "profile", PAGE_WIDTH);
    out->description = picture_description(comparison, options->golden, options->target, arena);
    Profile profile = {.scene = out, .comparison = comparison};
    outline_build(comparison, arena, &profile.outline);
    flags_find(&profile.outline, &profile.flags);
    choose_sections(&profile);
    collect(&profile);
    if (!comparison->compared || !profile.shown_count || comparison->mode == MODE_STRUCTURE)
        return false;
    double y = draw_legend(&profile, 20) + 14;
    for (size_t p = 0; p < profile.shown_count; p++)
        y = draw_panel(&profile, p, y);
    out->height = draw_foot(&profile, y);
    return true;
}
