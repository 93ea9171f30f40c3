// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_run.h"

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"

// A dump of which nothing, or no more than its beginning, came.
static void note_lost(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->ranks[i].failed)
            law_note_open(out, i, str_of(tr("a dump could not be read")));
        else if (of->ranks[i].read.partial_at >= 0)
            law_note_open(out, i, str_of(tr("a dump breaks off")));
}

// A law that holds says of how many dumps, where it is not of all that it could be of.
static void conclude(const Evidence *of, LawResult *out)
{
    size_t held = 0, open = 0;
    out->open = 0;
    out->state = out->broken ? LAW_BROKEN : out->checked ? LAW_HOLDS : LAW_UNKNOWN;
    for (size_t i = 0; i < of->count; i++) {
        held += out->marks[i] == MARK_HOLDS;
        open += out->marks[i] == MARK_OPEN;
    }
    if (out->state == LAW_UNKNOWN) {
        if (out->why.size == 0)
            out->why = str_printf(of->arena, tr("needs %s"), tr(out->texts.needs));
    } else if (out->state == LAW_HOLDS && open) {
        out->open = open;
        out->why = str_printf(of->arena, tr("holds in %zu of %zu dumps: " STR_FMT), held,
                              held + open, STR_ARG(out->why));
    } else {
        out->why = (Str){0};
    }
}

// ---- what dumps as these can show

typedef struct Extent {
    DumpLevel level;  // LEVEL_COUNT: these are no dumps of ops
    bool steps, ranks;
    bool copies, shares;  // there are such ranks, or nobody knows
    bool tokens;          // there are arrays of tokens
} Extent;

static Extent extent_of(const Evidence *of)
{
    Extent out = {.level = LEVEL_COUNT};
    bool calls = false, modules = false, unknown = false;
    for (size_t i = 0; i < of->count; i++) {
        calls = calls || of->ranks[i].has_calls;
        modules = modules || of->ranks[i].module_count;
        out.tokens = out.tokens || of->ranks[i].has_tokens;
        out.steps = out.steps || of->ranks[i].step != of->ranks[0].step;
        out.ranks = out.ranks || of->ranks[i].rank != of->ranks[0].rank;
    }
    for (size_t i = 0; i < of->layout->count; i++)
        unknown = unknown || (of->layout->places[i].copies == GROUP_UNKNOWN &&
                              of->layout->places[i].shares == GROUP_UNKNOWN);
    unknown = unknown && of->layout->pipeline < (int64_t)of->layout->count;
    out.copies = of->layout->copies_known || unknown;
    out.shares = of->layout->shares_known || unknown;
    if (calls || modules)
        out.level = !calls ? LEVEL_L0 : modules ? LEVEL_MIX : LEVEL_L1;
    return out;
}

static bool is_possible(const LawTexts *law, const Extent *extent)
{
    if (extent->level ==
        LEVEL_COUNT)  // what checkpoints and monitors hold shows in what was checked
        return false;
    bool over = law->over == OVER_NONE ||
                (law->over == OVER_COPIES ? extent->copies : extent->shares) || !extent->ranks;
    switch (law->shown[extent->level]) {
    case SHOWN_ONE:
        return true;
    case SHOWN_STEPS:
        return extent->steps;
    case SHOWN_RANKS:
        return extent->ranks && over;
    case SHOWN_TWO:
        return extent->steps || extent->ranks;
    default:
        return false;
    }
}

static size_t count_possible(const LawTexts *texts, const Extent *extent)
{
    size_t count = 0;
    for (size_t i = 0; i < law_count; i++)
        count += is_possible(&texts[i], extent);
    return count;
}

// The one setting that would show most more.
static Str find_more(const Evidence *of, const LawTexts *all, const Extent *now)
{
    Extent wider[] = {*now, *now, *now};
    const char *const texts[] = {TR("level mix"), TR("the next step"), TR("all ranks")};
    size_t best = 0, most = 0, here = count_possible(all, now);
    wider[0].level = LEVEL_MIX;
    wider[1].steps = true;
    wider[2].ranks = true;
    for (size_t i = 0; now->level != LEVEL_COUNT && i < sizeof texts / sizeof *texts; i++)
        if (count_possible(all, &wider[i]) > here + most) {
            most = count_possible(all, &wider[i]) - here;
            best = i;
        }
    return most ? str_printf(of->arena, tr("%zu more with %s"), most, tr(texts[best])) : STR("");
}

// ---- one cause

static bool is_before(const LawResult *a, const LawResult *b)
{
    const LawBreak *one = &a->breaks[0], *two = &b->breaks[0];
    if (one->step != two->step)
        return one->step < two->step;
    return a->texts.stage < b->texts.stage;
}

static bool has_rank(const LawResult *it, int64_t rank)
{
    for (size_t i = 0; i < it->break_count; i++)
        if (it->breaks[i].rank == rank || it->breaks[i].other == rank)
            return true;
    return false;
}

// What breaks first in the flow of a step spreads over the ranks that it is on.
static void find_followers(LawResults *results)
{
    for (size_t i = 0; i < results->count; i++) {
        LawResult *it = &results->items[i];
        for (size_t k = 0; it->state == LAW_BROKEN && k < results->count; k++) {
            const LawResult *other = &results->items[k];
            const LawBreak *first = it->breaks;
            if (other->state == LAW_BROKEN && is_before(other, it) &&
                (has_rank(other, first->rank) || has_rank(other, first->other)) &&
                (!it->follows || is_before(other, it->follows)))
                it->follows = other;
        }
    }
}

// ----

static Str unknown_sets(const Evidence *of, const LawTexts *law)
{
    const RankLayout *layout = of->layout;
    if (layout->count < 2 || law->over == OVER_NONE)
        return STR("");
    if (law->over == OVER_COPIES)
        return layout->copies_known
                   ? STR("")
                   : str_of(tr("it is not known which ranks hold the same weights"));
    return layout->shares_known ? STR("")
                                : str_of(tr("it is not known which ranks share the weights"));
}

static void run_one(const Evidence *of, LawResult *out)
{
    const Law *law = out->law;
    law_note_why(out, unknown_sets(of, &out->texts));
    if (law->test)
        law->test(of, out);
    else if (!law->each && !law->pair)
        law_take_local(of, out, (LocalLaw)law->local);
    for (size_t i = 0; i < of->count; i++) {
        if (law->each)
            law->each(of, out, i);
        const size_t others[] = {of->first_copy[i], of->first_share[i], law_next_step(of, i)};
        for (size_t k = 0; law->pair && k < sizeof others / sizeof *others; k++)
            if (law->with >> k & 1 && others[k] != SIZE_MAX)
                law->pair(of, out, i, others[k]);
    }
    if (out->checked && out->broken == 0)
        note_lost(of, out);
    conclude(of, out);
}

void law_run(const Evidence *of, const Str *skip, LawResults *out)
{
    Extent extent = extent_of(of);
    bool alone = extent.tokens && extent.level == LEVEL_COUNT;
    const LawTexts *texts = law_texts_read(of->arena);
    *out = (LawResults){.items = ARENA_ARRAY(of->arena, LawResult, law_count),
                        .more = find_more(of, texts, &extent)};
    for (size_t i = 0; i < law_count; i++) {
        bool declared = texts[i].only == ONLY_EXPECTS;
        if ((declared && of->expects->all->count == 0) ||
            (texts[i].only == ONLY_TOKENS ? !extent.tokens : alone && !declared))
            continue;
        LawResult *it = &out->items[out->count++];
        *it = (LawResult){.law = &laws[i],
                          .texts = texts[i],
                          .marks = ARENA_ARRAY(of->arena, uint8_t, of->count)};
        it->state = LAW_SKIPPED;
        it->why = skip[i];
        if (skip[i].size == 0)
            run_one(of, it);
        it->possible = it->state == LAW_HOLDS || it->state == LAW_BROKEN ||
                       (it->state == LAW_UNKNOWN && (it->open || it->texts.only != ONLY_SOME) &&
                        is_possible(&texts[i], &extent));
        out->possible += it->possible;
        out->states[it->state]++;
    }
    find_followers(out);
}

const Law *law_named(Str name)
{
    for (size_t i = 0; i < law_count; i++)
        if (str_equal(name, str_of(laws[i].name)))
            return &laws[i];
    return NULL;
}

const char *law_state_word(LawState state)
{
    static const char *const words[LAW_STATES] = {TR("holds"), TR("broken"),
                                                  TR("cannot be checked"), TR("skipped")};
    return words[state];
}

const char *law_state_key(LawState state)
{
    static const char *const keys[LAW_STATES] = {"holds", "broken", "cannot be checked", "skipped"};
    return keys[state];
}
