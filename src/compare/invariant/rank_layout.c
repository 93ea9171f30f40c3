// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/rank_layout.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/witness.h"

typedef struct Finding {
    const RankWitness *ranks;
    size_t count;
    Arena *scratch;
    RankLayout *out;
    // By index: what share of its matrices equal those of the rank `share_with` - 1.
    double *share;
    size_t *share_with;
    size_t *stages;  // the lowest rank of its pipeline, as values tell it; SIZE_MAX: none does
} Finding;

static Finding finding_new(const RankWitness *ranks, size_t count, RankLayout *out)
{
    Arena *scratch = arena_new();
    return (Finding){.ranks = ranks,
                     .count = count,
                     .scratch = scratch,
                     .out = out,
                     .share = ARENA_ARRAY(scratch, double, count),
                     .share_with = ARENA_ARRAY(scratch, size_t, count),
                     .stages = ARENA_ARRAY(scratch, size_t, count)};
}

const RankPlace *rank_layout_place(const RankLayout *layout, int64_t rank)
{
    size_t at;
    FIND_FIRST(at, layout->count, layout->places[at].rank < rank);
    return at < layout->count && layout->places[at].rank == rank ? &layout->places[at] : NULL;
}

static size_t index_of(const Finding *of, int64_t rank)
{
    const RankPlace *place = rank_layout_place(of->out, rank);
    return place ? (size_t)(place - of->out->places) : SIZE_MAX;
}

// Shares hold some matrices whole: embeddings, tables of positions, routers.
#define MOSTLY     0.5
#define NEARLY_ALL 0.75

// What copies have in common and shares have not: a weight matrix, or its reduced gradient where a
// monitor tells no more.
static const TensorSeen *telling_of(const ParameterSeen *it)
{
    if (parameter_is_local(it))
        return NULL;
    bool matrix = it->seen && str_find_char(it->value.shape, ',', 0) != SIZE_MAX;
    if (matrix && tensor_seen_rich(&it->value))
        return &it->value;
    return !it->seen && it->reduced && it->gradient_nonzero ? &it->gradient : NULL;
}

// The share of weight matrices of one name that are equal; -1: there are none to compare, or
// `whole`: not nearly all of the one that has more.
static double equal_share(const RankWitness *a, const RankWitness *b, bool whole)
{
    size_t both = 0, equal = 0, mine_count = 0, its_count = 0;
    for (size_t i = 0; whole && i < b->parameter_count; i++)
        its_count += telling_of(&b->parameters[i]) != NULL;
    for (size_t i = 0; i < a->parameter_count; i++) {
        const ParameterSeen *one = &a->parameters[i];
        const TensorSeen *mine = telling_of(one);
        const ParameterSeen *two = mine ? witness_partner(b, one) : NULL;
        const TensorSeen *its = two ? telling_of(two) : NULL;
        mine_count += mine != NULL;
        if (!its || tensor_seen_nan(mine) || tensor_seen_nan(its))
            continue;
        both++;
        equal += tensor_seen_match(mine, its, SEEN_TOLERANCE) == SEEN_EQUAL;
    }
    size_t most = mine_count > its_count ? mine_count : its_count;
    if (both == 0 || (whole && (double)both < NEARLY_ALL * (double)most))
        return -1;
    return (double)equal / (double)both;
}

// The same of a member of a group and its first one, which may be in many groups with it.
static double share_with_first(Finding *of, const RankList *members, size_t at)
{
    size_t first = (size_t)members->items[0], other = (size_t)members->items[at];
    if (of->share_with[other] != first + 1) {
        of->share[other] = equal_share(&of->ranks[first], &of->ranks[other], false);
        of->share_with[other] = first + 1;
    }
    return of->share[other];
}

// ---- groups of communications

typedef struct GroupUse {
    Str name;           // as the dump tells the ranks, or "all"
    RankList members;   // indices
    size_t forward;     // of activations, before the first backward
    size_t reductions;  // after it
    size_t scatters;    // of these that leave each rank a part
} GroupUse;

static bool is_activation(const CommSeen *comm)
{
    if (!comm->before_backward || comm->gave_count == 0)
        return false;
    return STR_IN(comm->api, "allreduce", "allgather", "allgatherintotensor", "allgatherbase",
                  "reducescatter", "reducescattertensor", "reducescatterbase") &&
           comm->gave[0].elements > 1 && str_find_char(comm->gave[0].shape, ',', 0) != SIZE_MAX;
}

// The members of a group that the rank at `own` talks in; those of the group of all for the first
// rank alone, which judges it.
static bool read_members(Finding *of, Str ranks, size_t own, RankList *out)
{
    RankList list = {0};
    *out = (RankList){0};
    if (ranks.size == 0)  // the group of all
        for (size_t i = 0; i < of->count && own == 0; i++)
            *ARRAY_PUSH(of->scratch, out) = (int64_t)i;
    else if (comm_ranks_parse(ranks, of->scratch, &list))
        for (size_t i = 0; i < list.count; i++)
            if (index_of(of, list.items[i]) != SIZE_MAX)
                *ARRAY_PUSH(of->scratch, out) = (int64_t)index_of(of, list.items[i]);
    return out->count > 1;
}

// The groups that the rank at the index talks in.
static size_t read_groups(Finding *of, size_t index, GroupUse **out)
{
    const RankWitness *rank = &of->ranks[index];
    Names *names = names_new(of->scratch);
    GroupUse *groups = ARENA_ARRAY(of->scratch, GroupUse, rank->comm_count + 2);
    size_t count = 0;
    for (size_t i = 0; i < rank->comm_count; i++) {
        const CommSeen *comm = &rank->comms[i];
        if (comm->call.peer >= 0)
            continue;
        Str key = comm->call.ranks.size ? comm->call.ranks : STR("all");
        NameId id = names_add(names, key);
        if (id > count) {
            groups[id].name = key;
            read_members(of, comm->call.ranks, index, &groups[id].members);
            count = id;
        }
        groups[id].forward += is_activation(comm);
        bool reduces = comm_is_reduction(comm) && comm->gave[0].elements > 1;
        groups[id].reductions += reduces;
        groups[id].scatters += reduces && !str_equal(comm->api, STR("allreduce"));
    }
    *out = groups + 1;
    return count;
}

// The members get the number of a new set, or that of the one some of them are in.
static void join_set(Finding *of, const RankList *members, bool copies)
{
    size_t set = (size_t)members->items[0];
    for (size_t i = 0; i < members->count; i++) {
        RankPlace *place = &of->out->places[members->items[i]];
        size_t *now = copies ? &place->copies : &place->shares;
        if (*now == GROUP_UNKNOWN)
            *now = set;
        else if (i == 0)
            set = *now;
    }
}

// The lowest index of those that are joined with this one; the path there is halved.
static size_t lowest_of(size_t *lower, size_t index)
{
    while (lower[index] != index)
        index = lower[index] = lower[lower[index]];
    return index;
}

static void join(size_t *lower, size_t a, size_t b)
{
    size_t one = lowest_of(lower, a), two = lowest_of(lower, b);
    lower[one < two ? two : one] = one < two ? one : two;
}

// The ranks that pass tensors on to each other, as the lowest of their indices, by index: stages of
// one pipeline hold other layers under the same names.
static size_t *find_pipelines(const Finding *of)
{
    size_t *lower = ARENA_ARRAY(of->scratch, size_t, of->count);
    for (size_t i = 0; i < of->count; i++)
        lower[i] = i;
    for (size_t i = 0; i < of->count; i++) {
        for (size_t k = 0; k < of->ranks[i].comm_count; k++) {
            int64_t peer = of->ranks[i].comms[k].call.peer;
            size_t other = peer < 0 ? SIZE_MAX : index_of(of, peer);
            if (other != SIZE_MAX)
                join(lower, i, other);
        }
    }
    for (size_t i = 0; i < of->count; i++)
        lower[i] = lower[lower[i]];
    return lower;
}

static Str value_key(const TensorSeen *seen, double key[2])
{
    key[0] = seen->stat[STAT_NORM];
    key[1] = seen->stat[STAT_MEAN];
    if (!tensor_seen_rich(seen) || !tensor_seen_is_float(seen))
        return STR("");
    return seen->known >> STAT_NORM & 1 ? (Str){(const char *)key, 2 * sizeof *key}
                                        : seen->checksum;
}

typedef struct Stages {
    Names *given;   // what ranks gave last
    size_t *giver;  // by value
    size_t *lower;  // by rank: one of its pipeline
} Stages;

static void join_stages(Finding *of, const Stages *all, size_t rank, const TensorSeen *seen)
{
    double key[2];
    Str value = value_key(seen, key);
    NameId id = value.size ? names_find(all->given, value) : NAME_NONE;
    if (id == NAME_NONE || all->giver[id] == rank ||
        tensor_seen_match(&of->ranks[all->giver[id]].begins, seen, 0) == SEEN_EQUAL)
        return;
    join(all->lower, rank, all->giver[id]);
    of->stages[rank] = of->stages[all->giver[id]] = 0;
}

// What a rank gives last is what the next stage of a pipeline begins with or receives.
static void find_stages(Finding *of)
{
    Stages all = {names_new(of->scratch), ARENA_ARRAY(of->scratch, size_t, of->count + 1),
                  ARENA_ARRAY(of->scratch, size_t, of->count)};
    for (size_t i = of->count; i-- > 0;) {
        double key[2];
        Str value = value_key(&of->ranks[i].gives, key);
        all.lower[i] = i;
        of->stages[i] = SIZE_MAX;
        if (value.size)
            all.giver[names_add(all.given, value)] = i;
    }
    for (size_t i = 0; i < of->count; i++) {
        join_stages(of, &all, i, &of->ranks[i].begins);
        for (size_t k = 0; k < of->ranks[i].comm_count; k++)
            if (of->ranks[i].comms[k].call.peer >= 0 && of->ranks[i].comms[k].got_count == 1)
                join_stages(of, &all, i, of->ranks[i].comms[k].got);
    }
    for (size_t i = 0; i < of->count; i++)
        of->stages[i] = of->stages[i] == 0 ? lowest_of(all.lower, i) : SIZE_MAX;
}

// Both ends of a pipeline reduce the gradients of tied embeddings over a group of their own.
static bool is_of_pipeline(const RankList *members, const size_t *pipelines)
{
    for (size_t i = 1; i < members->count; i++)
        if (pipelines[members->items[i]] == pipelines[members->items[0]])
            return true;
    return false;
}

static void judge_group(Finding *of, const GroupUse *group, const size_t *pipelines)
{
    const RankList *members = &group->members;
    double least = group->forward ? NEARLY_ALL : MOSTLY;
    if (members->count < 2)
        return;
    double equal = share_with_first(of, members, 1);
    for (size_t i = 2; i < members->count; i++) {
        double other = share_with_first(of, members, i);
        // Several groups, where the dump does not tell them apart.
        if ((equal > least) != (other > least) &&
            (group->forward || str_equal(group->name, STR("all"))))
            return;
    }
    if (group->forward) {
        if (equal >= 0 && equal <= least)
            join_set(of, members, false);
        else if (equal > least)
            join_set(of, members, true);
    } else if (group->reductions && !is_of_pipeline(members, pipelines) &&
               (equal > least || group->scatters == 0)) {  // else each holds a part of its own
        join_set(of, members, true);
    }
}

// ---- equal weights

static bool share_a_copy(const RankLayout *layout, size_t one, size_t other)
{
    size_t set = layout->places[one].shares;
    return set != GROUP_UNKNOWN && set == layout->places[other].shares;
}

// The ranks that joined no other, found by their matrices: of each the first rank that has it.
typedef struct Firsts {
    size_t *ranks, count;
    size_t *asked;  // by place in `ranks`: the rank after the last one that was compared with it
    Names *keys;
    size_t *places;  // by key, from 1
    size_t place_count;
} Firsts;

static NameId key_of(const Finding *of, Firsts *firsts, const ParameterSeen *it, bool add)
{
    const TensorSeen *seen = telling_of(it);
    if (!seen)
        return NAME_NONE;
    const double ends[] = {seen->stat[STAT_MAX] + 0.0, seen->stat[STAT_MIN] + 0.0};  // no -0.0
    Str told = seen->checksum.size ? seen->checksum : (Str){(const char *)ends, sizeof ends};
    Str key = str_concat(of->scratch, it->name, told);
    return add ? names_add(firsts->keys, key) : names_find(firsts->keys, key);
}

static void add_first(const Finding *of, Firsts *firsts, size_t rank)
{
    const RankWitness *witness = &of->ranks[rank];
    firsts->ranks[firsts->count++] = rank;
    for (size_t i = 0; i < witness->parameter_count; i++) {
        NameId key = key_of(of, firsts, &witness->parameters[i], true);
        size_t *place = &ARRAY_REACH(of->scratch, firsts->places, firsts->place_count, key)[key];
        *place = *place ? *place : firsts->count;
    }
}

static bool is_copy(const Finding *of, size_t one, size_t other, const size_t *pipelines)
{
    // Stages of one pipeline may have an embedding in common; copies pass tensors on as well.
    bool stages = of->stages[one] != SIZE_MAX && of->stages[one] == of->stages[other];
    return !stages && !share_a_copy(of->out, one, other) &&
           equal_share(&of->ranks[one], &of->ranks[other], pipelines[one] == pipelines[other]) >
               MOSTLY;
}

// The place of the first one that the rank is a copy of; the count: there is none.
static size_t find_first(const Finding *of, Firsts *firsts, size_t rank, const size_t *pipelines)
{
    const RankWitness *witness = &of->ranks[rank];
    size_t found = firsts->count;
    for (size_t i = 0; i < witness->parameter_count; i++) {
        NameId key = key_of(of, firsts, &witness->parameters[i], false);
        size_t place = key && key < firsts->place_count ? firsts->places[key] - 1 : SIZE_MAX;
        if (place >= found || firsts->asked[place] == rank + 1)
            continue;
        firsts->asked[place] = rank + 1;
        found = is_copy(of, firsts->ranks[place], rank, pipelines) ? place : found;
    }
    return found;
}

// Each rank joins the first one whose matrices are mostly its own, with those it reduces with: a
// group that is too small is no reason to be another copy.
static void join_equal(Finding *of, const size_t *pipelines)
{
    Firsts firsts = {.ranks = ARENA_ARRAY(of->scratch, size_t, of->count),
                     .asked = ARENA_ARRAY(of->scratch, size_t, of->count),
                     .keys = names_new(of->scratch)};
    size_t *into = ARENA_ARRAY(of->scratch, size_t, of->count);  // by set: another, from 1 on
    for (size_t i = 0; i < of->count; i++) {
        RankPlace *place = &of->out->places[i];
        bool later = place->copies != GROUP_UNKNOWN && place->copies != i;
        if (of->ranks[i].has_share || later)
            continue;
        size_t first = find_first(of, &firsts, i, pipelines);
        if (first == firsts.count) {
            add_first(of, &firsts, i);
            continue;
        }
        place->copies = of->out->places[firsts.ranks[first]].copies = firsts.ranks[first];
        into[i] = firsts.ranks[first] + 1;
    }
    for (size_t i = 0; i < of->count; i++) {
        size_t *set = &of->out->places[i].copies;
        if (*set != GROUP_UNKNOWN && into[*set])
            *set = into[*set] - 1;
    }
}

// The names of the files of a checkpoint tell which ranks share weights.
static void join_told(Finding *of)
{
    Names *told = names_new(of->scratch);
    size_t *first = ARENA_ARRAY(of->scratch, size_t, of->count + 1);  // by id
    for (size_t i = 0; i < of->count; i++) {
        if (!of->ranks[i].has_share)
            continue;
        size_t known = names_count(told);
        NameId share = names_add(told, names_number(&of->ranks[i].share_of));
        if (share > known)
            first[share] = i;
        of->out->places[i].shares = first[share];
    }
}

// ---- in words

static void add_sets(const RankLayout *layout, bool copies, StrBuf *text)
{
    enum { SETS_SHOWN = 4, MEMBERS_SHOWN = 8 };
    size_t sets[SETS_SHOWN], shown = 0;
    for (size_t i = 0; i < layout->count && shown <= SETS_SHOWN; i++) {
        size_t size = 0;
        const RankPlace *first = &layout->places[i];
        size_t set = copies ? first->copies : first->shares;
        bool begins = set != GROUP_UNKNOWN;
        for (size_t k = 0; k < shown && begins; k++)
            begins = sets[k] != set;
        if (!begins || ++shown > SETS_SHOWN)
            continue;
        sets[shown - 1] = set;
        strbuf_add(text, shown > 1 ? STR(" | ") : STR(""));
        for (size_t k = i; k < layout->count; k++) {
            if ((copies ? layout->places[k].copies : layout->places[k].shares) != set ||
                ++size > MEMBERS_SHOWN + 1)
                continue;
            strbuf_printf(text, size > MEMBERS_SHOWN ? " …" : "%s%lld", size > 1 ? ", " : "",
                          (long long)layout->places[k].rank);
        }
    }
    strbuf_add(text, shown > SETS_SHOWN ? STR(" | …") : STR(""));
}

static Str layout_text(const RankLayout *layout, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    if (layout->count < 2)
        return str_of(tr("one rank"));
    if (layout->copies_known) {
        strbuf_printf(&text, "%s: ", tr("the same weights on ranks"));
        add_sets(layout, true, &text);
    }
    if (layout->shares_known) {
        strbuf_printf(&text, "%s%s: ", text.size ? "; " : "", tr("shares of weights on ranks"));
        add_sets(layout, false, &text);
    }
    if (text.size == 0)
        strbuf_printf(&text, "%s", tr("not known which ranks hold replicas or shards"));
    if (layout->pipeline > 1)
        strbuf_printf(&text, tr("; a pipeline of %lld ranks"), (long long)layout->pipeline);
    return strbuf_str(&text);
}

static void layout_begin(const RankWitness *ranks, size_t count, Arena *arena, RankLayout *out)
{
    *out =
        (RankLayout){.places = ARENA_ARRAY(arena, RankPlace, count), .count = count, .pipeline = 1};
    for (size_t i = 0; i < count; i++)
        out->places[i] = (RankPlace){ranks[i].rank, GROUP_UNKNOWN, GROUP_UNKNOWN};
}

// A set of one rank is none.
static void layout_end(RankLayout *out, Arena *arena)
{
    size_t *sizes = ARENA_ARRAY(arena, size_t, 2 * out->count);
    for (size_t i = 0; i < out->count; i++) {
        if (out->places[i].copies != GROUP_UNKNOWN)
            sizes[out->places[i].copies]++;
        if (out->places[i].shares != GROUP_UNKNOWN)
            sizes[out->count + out->places[i].shares]++;
    }
    for (size_t i = 0; i < out->count; i++) {
        RankPlace *place = &out->places[i];
        if (place->copies != GROUP_UNKNOWN && sizes[place->copies] < 2)
            place->copies = GROUP_UNKNOWN;
        if (place->shares != GROUP_UNKNOWN && sizes[out->count + place->shares] < 2)
            place->shares = GROUP_UNKNOWN;
        out->copies_known = out->copies_known || place->copies != GROUP_UNKNOWN;
        out->shares_known = out->shares_known || place->shares != GROUP_UNKNOWN;
    }
    out->text = layout_text(out, arena);
}

void rank_layout_find(const RankWitness *ranks, size_t count, Arena *arena, RankLayout *out)
{
    Finding of = finding_new(ranks, count, out);
    layout_begin(ranks, count, arena, out);
    join_told(&of);
    const size_t *pipelines = find_pipelines(&of);
    find_stages(&of);
    for (size_t i = 0; i < count; i++) {
        GroupUse *groups;
        size_t group_count = read_groups(&of, i, &groups);
        for (size_t k = 0; k < group_count; k++)
            if (groups[k].members.count && groups[k].members.items[0] == (int64_t)i)
                judge_group(&of, &groups[k], pipelines);
    }
    join_equal(&of, pipelines);
    out->pipeline = 0;
    for (size_t i = 0; i < count; i++)
        out->pipeline += pipelines[i] == pipelines[0] ||
                         (of.stages[i] == of.stages[0] && of.stages[0] != SIZE_MAX);
    layout_end(out, arena);
    arena_release(of.scratch);
}

// Whether the ranks of a group that the dump names are of several stages as told, and do what
// ranks of one stage do.
static bool is_against(Finding *of, const GroupUse *group, int64_t stride)
{
    const RankList *members = &group->members;
    int64_t stages = of->out->pipeline, last = stages - 1;
    bool spans = false, ends = true, copies = group->reductions > 0;
    if (members->count < 2 || str_equal(group->name, STR("all")))
        return false;
    int64_t first = members->items[0] / stride % stages;
    for (size_t i = 1; i < members->count; i++) {
        int64_t stage = members->items[i] / stride % stages;
        spans = spans || stage != first;
        ends = ends && (stage == 0 || stage == last);
        copies = copies && share_with_first(of, members, i) >= MOSTLY;
    }
    ends = ends && (first == 0 || first == last);
    return spans && (group->forward || (copies && !(ends && stages > 2)));
}

static Str find_against(Finding *of, int64_t stride, Arena *arena)
{
    enum { SHOWN = 4 };
    size_t shown = 0;
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < of->count && shown <= SHOWN; i++) {
        GroupUse *groups;
        size_t group_count = read_groups(of, i, &groups);
        for (size_t k = 0; k < group_count && shown <= SHOWN; k++) {
            if (!groups[k].members.count || groups[k].members.items[0] != (int64_t)i ||
                !is_against(of, &groups[k], stride))
                continue;
            strbuf_add(&text, shown ? STR(", ") : STR(""));
            strbuf_add(&text, shown < SHOWN ? groups[k].name : STR("…"));
            shown++;
        }
    }
    return strbuf_str(&text);
}

bool rank_layout_take(const ParallelLayout *layout, int64_t dp, const RankWitness *ranks,
                      size_t count, Arena *arena, RankLayout *out, Error *err)
{
    int64_t size = (int64_t)count;
    if (!parallel_layout_check(layout, size, err))
        return false;
    if (dp && dp * layout->tp * layout->pp != size)
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("--layout: tp x pp x dp is %lld, and there are %zu ranks"),
                         (long long)(dp * layout->tp * layout->pp), count);
    layout_begin(ranks, count, arena, out);
    out->given = true;
    out->whole = layout->cp <= 1;
    out->pipeline = layout->pp;
    ParallelStrides strides = parallel_layout_strides(layout, size);
    for (size_t i = 0; i < count; i++) {
        int64_t rank = ranks[i].rank;
        if (rank != (int64_t)i)
            return error_set(err, ERR_USAGE, NOWHERE, "%s",
                             tr("--layout: needs the dumps of all ranks, from 0 on"));
        int64_t share = strides.tp ? rank / strides.tp % layout->tp : 0;
        int64_t copy = strides.dp ? rank / strides.dp % (size / layout->tp / layout->pp) : 0;
        out->places[i].copies = (size_t)(rank - copy * strides.dp);
        out->places[i].shares = (size_t)(rank - share * strides.tp);
    }
    layout_end(out, arena);
    Finding of = finding_new(ranks, count, out);
    if (layout->pp > 1)
        out->against = find_against(&of, strides.pp, arena);
    arena_release(of.scratch);
    return true;
}
