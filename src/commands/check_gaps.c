// SPDX-License-Identifier: Apache-2.0
#include "commands/check_gaps.h"

#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "compare/invariant/weight_change.h"

// Ranks that are there in one step and not in another.
static void tell_missing(const Evidence *of, Notices *notices)
{
    Arena *scratch = arena_new();
    int64_t *ranks = ARENA_ARRAY(scratch, int64_t, of->count + 1), step = 0, rank = 0;
    size_t missing = 0;
    for (size_t i = 0; i < of->count; i++)
        ranks[i] = of->ranks[i].rank;
    size_t count = sort_distinct(ranks, of->count);
    for (size_t from = 0; from < of->count; from = of->step_end[from])
        for (size_t k = 0, at = from; k < count; k++) {
            if (at < of->step_end[from] && of->ranks[at].rank == ranks[k]) {
                at++;
            } else if (missing++ == 0) {
                step = of->ranks[from].step;
                rank = ranks[k];
            }
        }
    if (missing)
        notices_partial(
            notices, NOWHERE,
            tr("dumps of ranks that other steps have are missing: %zu, the first that of "
               "step %lld, rank %lld"),
            missing, (long long)step, (long long)rank);
    arena_release(scratch);
}

static void tell_silent(const Evidence *of, Notices *notices)
{
    SilentDumps dumps = {0};
    for (size_t i = 0; i < of->count; i++) {
        silent_dumps_add(&dumps, !of->ranks[i].silent, of->ranks[i].step, of->ranks[i].rank);
        dumps.unsure += of->ranks[i].unsure;
    }
    silent_dumps_tell(&dumps, notices);
}

// A rank of which nothing came holds no invariant either.
static void tell_empty(const CheckInput *input, const Evidence *of, Notices *notices)
{
    size_t empty = 0, first = 0;
    for (size_t i = of->count; i-- > 0;) {
        if (of->ranks[i].failed || of->ranks[i].read.ops || input->kind == CHECK_MONITOR)
            continue;
        empty++;
        first = i;
    }
    if (empty)
        notices_partial(notices, NOWHERE,
                        tr("dumps and checkpoints that hold nothing: %zu, the first that of "
                           "step %lld, rank %lld"),
                        empty, (long long)of->ranks[first].step, (long long)of->ranks[first].rank);
}

// ---- weights

typedef struct Lacking {
    const RankWitness *first;  // the earliest checkpoint without one
    Str name;                  // the first that is missing
    size_t count;
} Lacking;

// The checkpoints of one rank, from its first one on: of each the names that another one has.
static void find_lacking(const Evidence *of, size_t rank, Arena *arena, Lacking *out)
{
    Arena *scratch = arena_new();
    Names *names = names_new(scratch);
    size_t *last = NULL, known = 0;  // by name: the dump after that which had it last
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = rank; i != SIZE_MAX; i = of->next[i]) {
            const RankWitness *it = &of->ranks[i];
            bool whole = !it->failed && it->read.ops;
            for (size_t k = 0; whole && k < it->parameter_count; k++) {
                NameId id = names_add(names, it->parameters[k].name);
                ARRAY_REACH(scratch, last, known, id)[id] = i + 1;
            }
            for (NameId id = 1; pass && whole && id <= names_count(names); id++) {
                if (last[id] == i + 1)
                    continue;
                out->count++;
                if (out->first && out->first->step <= it->step)
                    continue;
                out->first = it;
                out->name = str_copy(arena, names_text(names, id));
            }
        }
    arena_release(scratch);
}

// A weight that a rank has in one checkpoint alone is compared with nothing there.
static void tell_lacking(const Evidence *of, Notices *notices)
{
    Arena *scratch = arena_new();
    Lacking all = {0};
    for (size_t i = 0; i < of->count; i++)
        if (of->earlier[i] == SIZE_MAX)
            find_lacking(of, i, scratch, &all);
    if (all.count)
        notices_partial(notices, NOWHERE,
                        tr("weights that the same rank has in another checkpoint are missing: "
                           "%zu, the first " STR_FMT " in step %lld, rank %lld"),
                        all.count, STR_ARG(all.name), (long long)all.first->step,
                        (long long)all.first->rank);
    arena_release(scratch);
}

static LawState state_of(const LawResults *results, const char *law)
{
    for (size_t i = 0; i < results->count; i++)
        if (str_equal(str_of(results->items[i].law->name), str_of(law)))
            return results->items[i].state;
    return LAW_UNKNOWN;
}

// Dumps between which no weight moved, where it is not told whether they are of one step.
static Str still_text(const Evidence *of, const LawResults *results)
{
    bool decided = state_of(results, "updates") != LAW_UNKNOWN ||
                   state_of(results, "expect-trained") != LAW_UNKNOWN;
    for (size_t i = 0; !decided && i < of->count && i < of->step_end[0]; i++) {
        size_t still = of->ranks[i].sparse ? 0 : weight_still_steps(of, i);
        if (still)
            return str_printf(of->arena,
                              tr("no weight moved from step %lld to step %lld of rank %lld, though "
                                 "gradients came: micro batches of one step, or an optimizer that "
                                 "does nothing; --expect trained=PATTERN declares that these are "
                                 "steps, --skip updates=WHY that they are not"),
                              (long long)of->ranks[i].step,
                              (long long)of->ranks[i].step + (long long)still,
                              (long long)of->ranks[i].rank);
    }
    return STR("");
}

// The first whole dump that a law which holds elsewhere leaves open; SIZE_MAX: none.
static size_t first_open(const Evidence *of, const LawResult *it)
{
    for (size_t i = 0; it->state == LAW_HOLDS && i < of->count; i++)
        if (it->marks[i] == MARK_OPEN && !of->ranks[i].failed && of->ranks[i].read.partial_at < 0)
            return i;
    return SIZE_MAX;
}

// What is a mistake or meant, of which no dump tells more: a batch that comes again, weights that
// are trained in some steps alone, replicas that are brought together now and then, a weight of
// checkpoints that alone of its siblings stays.
static Str meant_text(const Evidence *of, const LawResults *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const LawResult *it = &results->items[i];
        Str name = str_of(it->law->name);
        size_t at = STR_IN(name, "step-inputs", "gradients", "replicas", "updates")
                        ? first_open(of, it)
                        : SIZE_MAX;
        if (at != SIZE_MAX && (of->ranks[at].sparse || !str_equal(name, STR("updates"))))
            return str_printf(of->arena,
                              tr(STR_FMT " " STR_FMT " (step %lld, rank %lld); --skip " STR_FMT
                                         "=WHY declares that it is meant"),
                              STR_ARG(name), STR_ARG(it->why), (long long)of->ranks[at].step,
                              (long long)of->ranks[at].rank, STR_ARG(name));
    }
    return STR("");
}

// A rank without the array of tokens that others have was held to nothing.
static Str tokens_text(const Evidence *of)
{
    size_t with = 0, without = 0, first = 0;
    for (size_t i = of->count; i-- > 0;) {
        bool lacks = !of->ranks[i].failed && !of->ranks[i].has_tokens;
        with += of->ranks[i].has_tokens;
        without += lacks;
        first = lacks ? i : first;
    }
    return with && without
               ? str_printf(of->arena,
                            tr("dumps without the array of tokens that others have: %zu, the first "
                               "that of step %lld, rank %lld"),
                            without, (long long)of->ranks[first].step,
                            (long long)of->ranks[first].rank)
               : STR("");
}

// What is at the core of a training, where dumps as these show it.
static Str core_text(const Evidence *of, const LawResults *results)
{
    bool weights = false;  // of dumps
    for (size_t i = 0; i < of->count; i++)
        weights = weights || (of->ranks[i].has_parameters &&
                              (of->ranks[i].has_calls || of->ranks[i].module_count));
    for (size_t i = 0; weights && i < results->count; i++) {
        const LawResult *it = &results->items[i];
        Str name = str_of(it->law->name);
        if (it->state == LAW_UNKNOWN && it->possible && STR_IN(name, "replicas", "finite") &&
            !(of->layout->given || of->ranks[0].silent))
            return str_printf(of->arena, tr(STR_FMT " was not checked: " STR_FMT), STR_ARG(name),
                              STR_ARG(it->why));
    }
    return STR("");
}

Str check_gaps_tell_open(const Evidence *of, const LawResults *results, Notices *notices)
{
    Str texts[] = {tokens_text(of), still_text(of, results), meant_text(of, results),
                   core_text(of, results)};
    Str first = STR("");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].size == 0)
            continue;
        notices_partial(notices, NOWHERE, STR_FMT, STR_ARG(texts[i]));
        first = first.size ? first : texts[i];
    }
    return first;
}

static bool is_skipped(const LawResults *results, ExpectKind kind)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].state == LAW_SKIPPED &&
            str_equal(str_behind(str_of(results->items[i].law->name), '-'),
                      str_of(expect_words[kind])) &&
            str_starts(str_of(results->items[i].law->name), STR("expect-")))
            return true;
    return false;
}

void check_gaps_tell_expects(const Evidence *of, const LawResults *results, Notices *notices)
{
    for (size_t i = 0; i < of->expects->all->count; i++) {
        const Expect *it = &of->expects->all->items[i];
        if (it->source.size || of->expects->tally[i].checked || is_skipped(results, it->kind))
            continue;
        if (of->expects->tally[i].named == 0)
            notices_partial(notices, NOWHERE, tr("--expect " STR_FMT ": nothing here is called so"),
                            STR_ARG(it->text));
        else
            notices_partial(notices, NOWHERE,
                            tr("--expect " STR_FMT ": nothing that it names could be checked"),
                            STR_ARG(it->text));
    }
}

void check_gaps_tell(const CheckInput *input, const Evidence *of, Notices *notices)
{
    tell_missing(of, notices);
    tell_empty(input, of, notices);
    tell_silent(of, notices);
    if (input->kind == CHECK_WEIGHTS)
        tell_lacking(of, notices);
}
