// SPDX-License-Identifier: Apache-2.0
#include "commands/study/study_init.h"

#include <string.h>

#include "base/names.h"
#include "base/words.h"
#include "verdict/study_view.h"

// Which finds serve a stage, and how it calls them.
typedef struct Draft {
    StudyStage stage;
    FoundKind kind;
    bool single;  // the target alone is enough
} Draft;

static const Draft drafts[STAGE_COUNT] = {
    {STAGE_CONFIG, FOUND_CONFIG, false},
    {STAGE_TOKENS, FOUND_TOKENS, false},
    {STAGE_WEIGHTS, FOUND_WEIGHTS, false},
    {STAGE_STEP_ONE, FOUND_LOG, false},
    {STAGE_LOCAL_NORMS, FOUND_NORMS, false},
    {STAGE_STEP_TWO, FOUND_LOG, false},
    {STAGE_RATE_ZERO, FOUND_RATE_ZERO, false},
    {STAGE_LONG_RUN, FOUND_LOG, false},
    {STAGE_NOISE, FOUND_LOG, false},
    {STAGE_SCENARIOS, FOUND_KIND_COUNT, false},  // which experiments there are, no folder says
    {STAGE_DUMPS, FOUND_DUMPS, false},
    {STAGE_CHECK, FOUND_DUMPS, true},
    {STAGE_MONITOR, FOUND_MONITOR, true},
    {STAGE_SKIP, FOUND_LOG, true},
    {STAGE_HEALTH, FOUND_HEALTH, true},
    {STAGE_EVALUATION, FOUND_SCORES, false},
};

static bool is_better(const FoundItem *item, const FoundItem *best)
{
    return !best || item->points > best->points || item->age < best->age;
}

// The longest log, the earliest weights, else the first find; repeated runs, states before a fix
// and weights of the end have uses of their own.
static const FoundItem *best(const FoundItems *found, FoundKind kind, int side)
{
    const FoundItem *best = NULL;
    for (size_t i = 0; i < found->count; i++) {
        const FoundItem *item = &found->items[i];
        if (item->kind != kind || item->side != side || item->again || item->before ||
            item->age == SIZE_MAX)
            continue;
        if (is_better(item, best))
            best = item;
    }
    return best;
}

// The log of the first steps: from their beginning on, one that prints local norms rather than
// the longest, which was written under the settings of the long run.
static const FoundItem *opening(const FoundItems *found, int side)
{
    const FoundItem *best = NULL;
    Arena *scratch = arena_new();
    Names *norms = names_new(scratch);  // paths of what prints them
    bool had = false;
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].kind == FOUND_NORMS)
            names_add(norms, found->items[i].path);
    for (size_t i = 0; i < found->count; i++) {
        const FoundItem *item = &found->items[i];
        if (item->kind != FOUND_LOG || item->side != side || !item->from_start || item->again ||
            item->before)
            continue;
        bool has = names_find(norms, item->path) != NAME_NONE;
        if (best && (has == had ? item->points <= best->points : !has))
            continue;
        best = item;
        had = has;
    }
    arena_release(scratch);
    return best;
}

static const FoundItem *marked(const FoundItems *found, int side, bool before)
{
    for (size_t i = 0; i < found->count; i++) {
        const FoundItem *item = &found->items[i];
        if (item->kind == FOUND_LOG && item->side == side &&
            (before ? item->before : item->again && !item->before))
            return item;
    }
    return NULL;
}

// The latest weights of a side that has earlier ones too, or names them its end.
static const FoundItem *latest(const FoundItems *found, int side)
{
    const FoundItem *latest = NULL, *first = best(found, FOUND_WEIGHTS, side);
    for (size_t i = 0; i < found->count; i++) {
        const FoundItem *item = &found->items[i];
        if (item->kind == FOUND_WEIGHTS && item->side == side && !item->again && !item->before &&
            item->age > (latest  ? latest->age
                         : first ? first->age
                                 : 0))
            latest = item;
    }
    return latest;
}

static void write_quoted(Sink *out, Str text)
{
    sink_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            sink_printf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            sink_printf(out, "\\x%02X", c);
        else
            sink_write(out, &text.data[i], 1);
    }
    sink_text(out, "\"");
}

static void write_setting(Sink *out, const char *key, const FoundItem *item, bool comment)
{
    if (!item)
        return;
    sink_printf(out, "%s  %s: ", comment ? "#" : "", key);
    write_quoted(out, item->path);
    if (!comment)
        sink_printf(out, "  # %s",
                    item->by_name ? tr("side guessed from the name")
                                  : tr("side guessed from the order of the folders"));
    sink_text(out, "\n");
}

// The limits of the rule as they are in force, for who wants others.
static void write_limits(Sink *out, StudyStage stage, const char *indent)
{
    const StageLimit *limit;
    for (size_t i = 0; (limit = study_limit(stage, i)) != NULL; i++)
        sink_printf(out, "%s%s: %g\n", indent, limit->key, limit->shipped);
}

static void write_empty(Sink *out, const Draft *draft, Arena *arena)
{
    StageInfo info = study_stage_info(draft->stage, arena);
    sink_printf(out, "# %s: %s\n", tr("needs"), tr(info.needs));
    sink_printf(out, "# %s: %s\n", tr("to collect"), info.collect);
    sink_printf(out, "# %s:\n", study_stage_key(draft->stage));
    if (!draft->single)
        sink_text(out, "#   golden: \n");
    sink_text(out, "#   target: \n");
    write_limits(out, draft->stage, "#   ");
}

static bool is_used(const Draft *draft, const FoundItems *found, const FoundItem *sides[2])
{
    bool first = draft->stage == STAGE_STEP_ONE || draft->stage == STAGE_STEP_TWO;
    for (int side = 0; side < 2; side++)
        sides[side] = first ? opening(found, side) : best(found, draft->kind, side);
    if (draft->stage == STAGE_STEP_TWO && sides[0] && sides[1])
        return sides[0]->points > 1 && sides[1]->points > 1;
    if (draft->stage == STAGE_NOISE && !marked(found, 0, false))
        return false;
    return sides[1] && (sides[0] || draft->single);
}

// The names of weights belong to both sides.
static const FoundItem *first_names(const FoundItems *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].kind == FOUND_NAMES)
            return &found->items[i];
    return NULL;
}

static void write_stage(const Draft *draft, const FoundItems *found, Arena *arena, Sink *out)
{
    const FoundItem *sides[2];
    sink_printf(out, "\n# %s: %s\n", tr(study_stage_info(draft->stage, arena).title),
                str_cstr(arena, study_rule(draft->stage, NULL, arena)));
    if (!is_used(draft, found, sides)) {
        write_empty(out, draft, arena);
        return;
    }
    sink_printf(out, "%s:\n", study_stage_key(draft->stage));
    if (draft->stage != STAGE_CHECK && draft->stage != STAGE_SKIP && draft->stage != STAGE_HEALTH)
        write_setting(out, "golden", sides[0], false);
    write_setting(out, "target", sides[1], false);
    if (draft->stage == STAGE_LOCAL_NORMS && first_names(found)) {
        sink_text(out, "  names: ");
        write_quoted(out, first_names(found)->path);
        sink_text(out, "\n");
    }
    if (draft->stage == STAGE_NOISE)
        write_setting(out, "runs", marked(found, 0, false), false);
    if (draft->stage == STAGE_LONG_RUN) {
        write_setting(out, "before", marked(found, 1, true), false);
        if (latest(found, 0) && latest(found, 1)) {
            write_setting(out, "golden_weights", latest(found, 0), false);
            write_setting(out, "target_weights", latest(found, 1), false);
        }
    }
    write_limits(out, draft->stage, "  # ");
}

// What some stage takes, in no order.
typedef struct Chosen {
    const FoundItem *items[2 * (FOUND_KIND_COUNT + 4) + 1];
    size_t count;
} Chosen;

static void choose(Chosen *chosen, const FoundItem *item)
{
    chosen->items[chosen->count++] = item;
}

static Chosen chosen_of(const FoundItems *found)
{
    Chosen out = {.count = 0};
    const FoundItem *openings[2] = {opening(found, 0), opening(found, 1)};
    const FoundItem *ends[2] = {latest(found, 0), latest(found, 1)};
    choose(&out, first_names(found));
    for (int side = 0; side < 2; side++) {
        for (int kind = 0; kind < FOUND_KIND_COUNT; kind++)
            choose(&out, best(found, (FoundKind)kind, side));
        choose(&out, openings[1 - side] ? openings[side] : NULL);
        choose(&out, ends[1 - side] ? ends[side] : NULL);
        choose(&out, marked(found, side, false));
        choose(&out, marked(found, side, true));
    }
    return out;
}

static bool is_chosen(const Chosen *chosen, const FoundItem *item)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (chosen->items[i] == item)
            return true;
    return false;
}

static void write_rest(const FoundItems *found, Sink *out)
{
    static const char *const kinds[FOUND_KIND_COUNT] = {
        "config", "tokens", "weights", "log",    "lr0",       "local_norms",
        "names",  "dumps",  "monitor", "health", "evaluation"};
    const Chosen chosen = chosen_of(found);
    bool first = true;
    for (size_t i = 0; i < found->count; i++) {
        const FoundItem *item = &found->items[i];
        if (is_chosen(&chosen, item))
            continue;
        if (first)
            sink_printf(out, "\n# %s\n", tr("Also found, not used:"));
        first = false;
        write_setting(out, kinds[item->kind], item, true);
    }
}

void study_init_write(const FoundItems *found, Arena *arena, Sink *out)
{
    sink_printf(out, "# %s\n",
                tr("An accuracy case study for 'vernier study'. A section a stage, in "
                   "the order of the guide;"));
    sink_printf(out, "# %s\n",
                tr("golden is the trusted side. Check the sides: they are guesses. "
                   "Relative paths start here."));
    sink_text(out, "title: \"\"\nnames: {golden: golden, target: target}\n");
    sink_printf(out, "\n# %s\n",
                tr("Your own text (Markdown) stays on every run; a line such as "
                   "![[long_run]] places a figure."));
    sink_text(out, "text: |\n  \n");
    for (size_t i = 0; i < STAGE_COUNT; i++)
        write_stage(&drafts[i], found, arena, out);
    write_rest(found, out);
}
