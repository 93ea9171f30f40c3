// SPDX-License-Identifier: Apache-2.0
// Communications: every member calls the same, gets the same, and gets what was given.
#include <float.h>
#include <math.h>

#include "base/words.h"
#include "compare/invariant/law_note.h"
#include "compare/invariant/law_tests.h"
#include "compare/invariant/witness_look.h"

// One step: its communications by group and running count.
typedef struct Meeting {
    const CommSeen **calls;  // by member
    size_t *ranks;           // index in Evidence.ranks, by member
    size_t count;
} Meeting;

typedef struct Member {
    size_t rank;
    uint32_t *calls;  // indices in comms
    size_t count, capacity;
} Member;

typedef struct Group {
    Str ranks;        // as written; empty: the group of all
    Member *members;  // those whose dump is here
    size_t count, capacity;
    size_t expected;  // members as the dump names them
} Group;

typedef struct Groups {
    Group *items;
    size_t count, capacity;
    Names *names;
    Arena *arena;
} Groups;

static Group *group_of(Groups *groups, Str ranks, size_t all)
{
    RankList list = {0};
    NameId id = names_add(groups->names, ranks.size ? ranks : STR("all"));
    if (id <= groups->count)
        return &groups->items[id - 1];
    Group *new = ARRAY_PUSH(groups->arena, groups);
    *new = (Group){.ranks = ranks, .expected = all};
    if (ranks.size)
        new->expected = comm_ranks_parse(ranks, groups->arena, &list) ? list.count : SIZE_MAX;
    return new;
}

static void read_groups(const Evidence *of, size_t from, size_t end, Groups *out)
{
    for (size_t i = from; i < end; i++) {
        const RankWitness *rank = &of->ranks[i];
        for (size_t k = 0; k < rank->comm_count; k++) {
            const CommSeen *comm = &rank->comms[k];
            if (comm->call.peer >= 0 || str_starts(comm->call.channel, STR("p ")))
                continue;
            Group *group = group_of(out, comm->call.ranks, end - from);
            if (group->count == 0 || group->members[group->count - 1].rank != i)
                ARRAY_ADD(out->arena, group->members, group->count, group->capacity)->rank = i;
            Member *member = &group->members[group->count - 1];
            *ARRAY_ADD(out->arena, member->calls, member->count, member->capacity) = (uint32_t)k;
        }
    }
}

static bool is_whole(const Evidence *of, const Group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (of->ranks[group->members[i].rank].read.partial_at >= 0 ||
            of->ranks[group->members[i].rank].failed)
            return false;
    return group->count > 1;
}

static const CommSeen *call_at(const Evidence *of, const Member *member, size_t index)
{
    return &of->ranks[member->rank].comms[member->calls[index]];
}

// Whether both made the same calls, up to the first one that differs.
static size_t equal_calls(const Evidence *of, const Member *a, const Member *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count &&
           str_equal(call_at(of, a, i)->api, call_at(of, b, i)->api))
        i++;
    return i;
}

static void judge_calls(const Evidence *of, LawResult *out, const Group *group)
{
    const Member *first = &group->members[0];
    for (size_t i = 1; i < group->count; i++) {
        const Member *member = &group->members[i];
        size_t equal = equal_calls(of, first, member);
        if (equal == first->count && equal == member->count) {
            law_note_held(out, first->rank, member->rank);
            continue;
        }
        Str text = str_printf(of->arena, tr("%zu calls in the group against %zu"), first->count,
                              member->count);
        Str names[2];
        for (int k = 0; k < 2; k++) {
            const Member *it = k ? member : first;
            names[k] = equal < it->count ? call_at(of, it, equal)->call.name : str_of(tr("none"));
        }
        law_note_broken(of, out, first->rank, member->rank, names[equal >= first->count],
                        str_printf(of->arena, tr(STR_FMT " against " STR_FMT "; " STR_FMT),
                                   STR_ARG(names[0]), STR_ARG(names[1]), STR_ARG(text)));
    }
}

typedef void MeetingTest(const Evidence *of, LawResult *out, const Meeting *meeting);

// Every communication of a group whose members all made the same calls.
static void each_meeting(const Evidence *of, LawResult *out, const Group *group, MeetingTest *test)
{
    Meeting meeting = {.count = group->count};
    if (group->count != group->expected || !is_whole(of, group))
        return;
    for (size_t i = 1; i < group->count; i++)
        if (equal_calls(of, &group->members[0], &group->members[i]) != group->members[0].count ||
            group->members[i].count != group->members[0].count)
            return;
    meeting.calls = ARENA_ARRAY(of->arena, const CommSeen *, group->count);
    meeting.ranks = ARENA_ARRAY(of->arena, size_t, group->count);
    for (size_t k = 0; k < group->members[0].count; k++) {
        bool usable = true;
        for (size_t i = 0; i < group->count; i++) {
            meeting.calls[i] = call_at(of, &group->members[i], k);
            meeting.ranks[i] = group->members[i].rank;
            usable = usable && !meeting.calls[i]->call.late && meeting.calls[i]->usual;
        }
        if (usable)
            test(of, out, &meeting);
    }
}

static bool is_one_set(const Evidence *of, const Group *group)
{
    const size_t *const firsts[] = {of->first_share, of->first_copy};
    for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++) {
        size_t i = 1;
        while (i < group->count && firsts[k][group->members[i].rank] == group->members[0].rank)
            i++;
        if (i == group->count)
            return true;
    }
    return false;
}

// Older dumps tell no groups at all: then calls of several groups look like calls of all ranks,
// unless all ranks do the same.
static bool is_told(const Evidence *of, const Groups *groups, const Group *group)
{
    if (group->ranks.size)
        return group->expected != SIZE_MAX;
    return groups->count > 1 || is_one_set(of, group);
}

static void each_group(const Evidence *of, LawResult *out, MeetingTest *test)
{
    for (size_t from = 0; from < of->count; from = of->step_end[from]) {
        Arena *scratch = arena_new();
        Groups groups = {.names = names_new(scratch), .arena = scratch};
        read_groups(of, from, of->step_end[from], &groups);
        for (size_t i = 0; i < groups.count; i++) {
            if (!is_told(of, &groups, &groups.items[i]))
                continue;
            if (test)
                each_meeting(of, out, &groups.items[i], test);
            else if (is_whole(of, &groups.items[i]))
                judge_calls(of, out, &groups.items[i]);
        }
        arena_release(scratch);
    }
}

void law_collective_calls(const Evidence *of, LawResult *out)
{
    each_group(of, out, NULL);
}

// ---- results

static void match_results(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    const CommSeen *first = meeting->calls[0];
    for (size_t i = 1; i < meeting->count; i++) {
        const CommSeen *it = meeting->calls[i];
        for (uint32_t k = 0; k < first->got_count && k < it->got_count; k++)
            law_note_match(of, out, meeting->ranks[0], meeting->ranks[i], it->call.name,
                           &first->got[k], &it->got[k]);
    }
}

// What the root gave is what all hold.
static void match_broadcast(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    size_t root = SIZE_MAX;
    for (size_t i = 0; i < meeting->count; i++)
        if (meeting->calls[i]->call.role == COMM_GIVES && meeting->calls[i]->gave_count)
            root = i;
    for (size_t i = 0; root != SIZE_MAX && i < meeting->count; i++)
        if (i != root && meeting->calls[i]->got_count)
            law_note_match(of, out, meeting->ranks[root], meeting->ranks[i],
                           meeting->calls[i]->call.name, &meeting->calls[root]->gave[0],
                           &meeting->calls[i]->got[0]);
}

// Part i of what each rank holds is what member i gave.
static void match_gathered(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    for (size_t i = 0; i < meeting->count; i++) {
        const CommSeen *it = meeting->calls[i];
        for (size_t k = 0; it->got_count == meeting->count && k < meeting->count; k++)
            if (meeting->calls[k]->gave_count == 1)
                law_note_match(of, out, meeting->ranks[k], meeting->ranks[i], it->call.name,
                               &meeting->calls[k]->gave[0], &it->got[k]);
    }
}

static void judge_results(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    Str api = meeting->calls[0]->api;
    if (STR_IN(api, "allreduce", "allgatherintotensor", "allgatherbase"))
        match_results(of, out, meeting);
    else if (str_equal(api, STR("broadcast")))
        match_broadcast(of, out, meeting);
    else if (str_equal(api, STR("allgather")))
        match_gathered(of, out, meeting);
}

void law_collective_results(const Evidence *of, LawResult *out)
{
    each_group(of, out, judge_results);
}

// ---- sums

typedef struct Sums {
    double mean, rms, step;      // added up over the members
    double mean_blur, rms_blur;  // what their writers rounded off
    uint64_t elements;
} Sums;

static bool add_up(const Meeting *meeting, bool given, Sums *out)
{
    *out = (Sums){0};
    for (size_t i = 0; i < meeting->count; i++) {
        const CommSeen *it = meeting->calls[i];
        uint32_t count = given ? it->gave_count : it->got_count;
        const TensorSeen *seen = given ? it->gave : it->got;
        if (count != 1 || !tensor_seen_is_float(seen) || !sums_told(seen))
            return false;
        out->mean += seen->stat[STAT_MEAN];
        out->rms += tensor_seen_rms(seen);
        out->mean_blur += tensor_seen_blur(seen, STAT_MEAN);
        out->rms_blur += tensor_seen_blur(seen, STAT_NORM) / sqrt((double)seen->elements);
        out->step = fmax(out->step, tensor_seen_step(seen));
        out->elements = seen->elements;
    }
    return true;
}

// How many steps of its dtype the sum of a collective may be off: it is rounded once a member along
// rings and trees, most of which cancels. More would miss a rank that gave nothing where the others
// gave little, less tells rounding.
enum { SUM_STEPS = 4 };

// The mean of a sum is the sum of the means; the norm is at most that of all together.
static void judge_sums(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    const CommSeen *first = meeting->calls[0];
    bool scatter = str_starts(first->api, STR("reducescatter"));
    double members = (double)meeting->count;
    Sums gave, got;
    if ((!scatter && !str_equal(first->api, STR("allreduce"))) ||
        (first->reduce != REDUCE_SUM && first->reduce != REDUCE_AVG) ||
        !add_up(meeting, true, &gave) || !add_up(meeting, false, &got) ||
        (scatter && gave.elements != got.elements * meeting->count))
        return;
    double factor = first->reduce == REDUCE_AVG ? members : 1;
    double mean = gave.mean / factor, rms = gave.rms / factor, found = got.mean / members;
    double rounded = SUM_STEPS * (gave.step + got.step);
    double slack = rounded * (rms + fabs(mean)) + (double)FLT_MIN + gave.mean_blur / factor +
                   got.mean_blur / members;
    // Of an all_reduce each rank has the whole, of a reduce_scatter a part.
    double largest = (rms + gave.rms_blur / factor) * (scatter ? members : 1) * (1 + rounded) +
                     got.rms_blur / members + (double)FLT_MIN;
    if (fabs(found - mean) <= slack && got.rms / members <= largest) {
        law_note_held(out, meeting->ranks[0], meeting->ranks[1]);
        return;
    }
    Str text =
        fabs(found - mean) > slack
            ? str_printf(of->arena, tr("Mean %.6g, what the members gave makes %.6g"), found, mean)
            : str_printf(of->arena,
                         tr("root mean square %.6g, what the members gave makes at most "
                            "%.6g"),
                         got.rms / members, rms);
    law_note_broken(of, out, meeting->ranks[0], SIZE_MAX, first->call.name, text);
}

void law_collective_sums(const Evidence *of, LawResult *out)
{
    each_group(of, out, judge_sums);
}

// ---- what is made of the result

static void judge_use(const Evidence *of, LawResult *out, const Meeting *meeting)
{
    const CommSeen *first = meeting->calls[0];
    if (!str_equal(first->api, STR("allreduce")) || first->got_count != 1)
        return;
    for (size_t i = 1; i < meeting->count; i++) {
        const CommSeen *it = meeting->calls[i];
        bool both = first->used_by.size && it->used_by.size;
        if ((!first->used_by.size && !it->used_by.size) || it->got_count != 1 ||
            tensor_seen_match(&first->got[0], &it->got[0], 0) != SEEN_EQUAL)
            continue;
        if (both && str_equal(first->used_by, it->used_by)) {
            law_note_match(of, out, meeting->ranks[0], meeting->ranks[i], it->call.name,
                           &first->used, &it->used);
            continue;
        }
        law_note_broken(
            of, out, meeting->ranks[0], meeting->ranks[i], it->call.name,
            str_printf(
                of->arena,
                tr("its result goes into " STR_FMT " on one rank, into " STR_FMT " on the other"),
                STR_ARG(first->used_by.size ? first->used_by : str_of(tr("nothing in place"))),
                STR_ARG(it->used_by.size ? it->used_by : str_of(tr("nothing in place")))));
    }
}

void law_reduced_use(const Evidence *of, LawResult *out)
{
    each_group(of, out, judge_use);
}

// ---- transfers

// The number `number` of the calls in a channel; NULL: there are fewer.
static const CommSeen *channel_call(const RankWitness *rank, Str channel, bool gives, size_t number)
{
    for (size_t i = 0; i < rank->comm_count; i++) {
        const CommSeen *it = &rank->comms[i];
        if ((it->call.role == COMM_GIVES) == gives && str_equal(it->call.channel, channel) &&
            number-- == 0)
            return it;
    }
    return NULL;
}

static void judge_transfer(const Evidence *of, LawResult *out, size_t sender, size_t receiver,
                           const CommSeen *sent, size_t number)
{
    const CommSeen *got = channel_call(&of->ranks[receiver], sent->call.channel, false, number);
    if (!got || got->got_count != 1 || sent->gave_count != 1 || got->call.late || !got->usual)
        return;
    law_note_match(of, out, sender, receiver, got->call.name, &sent->gave[0], &got->got[0]);
}

void law_transfers(const Evidence *of, LawResult *out, size_t rank)
{
    const RankWitness *mine = &of->ranks[rank];
    Arena *scratch = arena_new();
    Names *channels = names_new(scratch);
    size_t *seen = ARENA_ARRAY(scratch, size_t, mine->comm_count + 1);
    for (size_t k = 0; k < mine->comm_count; k++) {
        const CommSeen *it = &mine->comms[k];
        if (it->call.peer < 0 || it->call.role != COMM_GIVES)
            continue;
        size_t number = seen[names_add(channels, it->call.channel)]++;
        size_t other = law_dump_at(of, rank, it->call.peer);
        if (other != SIZE_MAX)
            judge_transfer(of, out, rank, other, it, number);
    }
    arena_release(scratch);
}
