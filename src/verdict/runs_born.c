// SPDX-License-Identifier: Apache-2.0
#include "verdict/runs_born.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "read/dump/op_name.h"

// "blocks.16.attn.qkv" as kind "blocks.*.attn" and number 16; without a number the whole path.
typedef struct PlaceKind {
    Str before, after;  // around the number
    uint64_t number;
    bool numbered;
} PlaceKind;

static PlaceKind kind_of(const RunLeave *leave)
{
    Str path = leave->module.size ? leave->module : op_name_parse(leave->op).stem;
    Str rest = path, part;
    PlaceKind out = {.before = path, .after = {"", 0}};
    for (size_t at = 0; str_split(&rest, '.', &part); at += part.size + 1) {
        if (at == 0 || !str_to_uint64(part, &out.number))
            continue;
        out.numbered = true;
        out.before = str_slice(path, 0, at);
        out.after = str_slice(path, at + part.size, path.size);
        size_t second = str_find_char(out.after, '.', 1);
        out.after = str_slice(out.after, 0, second);
        break;
    }
    return out;
}

static bool same_kind(const PlaceKind *a, const PlaceKind *b)
{
    return a->numbered == b->numbered && str_equal(a->before, b->before) &&
           str_equal(a->after, b->after);
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

// "16-19,22" of rising numbers.
static Str ranges_text(uint64_t *numbers, size_t count, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    qsort(numbers, count, sizeof *numbers, by_value);
    for (size_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end + 1 < count && numbers[end + 1] <= numbers[end] + 1;)
            end++;
        strbuf_printf(&text, "%s%llu", text.size ? "," : "", (unsigned long long)numbers[i]);
        if (numbers[end] > numbers[i])
            strbuf_printf(&text, "-%llu", (unsigned long long)numbers[end]);
    }
    return strbuf_str(&text);
}

typedef struct Gathering {
    const RunsView *report;
    bool beyond;             // of where they go beyond the tolerances
    const PlaceKind *kinds;  // by run
    bool *taken;
    Arena *arena;
} Gathering;

static const RunLeave *leave_of(const Gathering *work, size_t run)
{
    const RunFacts *facts = &work->report->runs[run];
    return work->beyond ? &facts->beyond : &facts->first;
}

// All runs that leave at a place like that of run `first`.
static BornPlace gather(Gathering *work, size_t first)
{
    Arena *arena = work->arena;
    BornPlace out = {.op = leave_of(work, first)->op, .largest = (double)NAN};
    uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, work->report->count);
    StrBuf labels = strbuf_new(arena);
    for (size_t i = first; i < work->report->count; i++) {
        const RunLeave *leave = leave_of(work, i);
        if (!leave->leaves || work->taken[i] || !same_kind(&work->kinds[i], &work->kinds[first]))
            continue;
        work->taken[i] = true;
        numbers[out.runs++] = work->kinds[i].number;
        strbuf_printf(&labels, "%s" STR_FMT, labels.size ? ", " : "",
                      STR_ARG(work->report->runs[i].label));
        if (leave->error_out >= 0 && !(leave->error_out <= out.largest))
            out.largest = leave->error_out;
    }
    const PlaceKind *kind = &work->kinds[first];
    out.labels = strbuf_str(&labels);
    out.name = kind->before;
    if (kind->numbered) {
        Str ranges = ranges_text(numbers, out.runs, arena);
        out.name = str_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(kind->before),
                              STR_ARG(ranges), STR_ARG(kind->after));
    }
    return out;
}

static int more_runs_first(const void *a, const void *b)
{
    const BornPlace *left = a, *right = b;
    if (left->runs != right->runs)
        return left->runs > right->runs ? -1 : 1;
    return str_compare_natural(left->name, right->name);
}

static void find_places(const RunsView *report, bool beyond, Arena *arena, BornPlaces *out)
{
    PlaceKind *kinds = ARENA_ARRAY(arena, PlaceKind, report->count);
    Gathering work = {report, beyond, kinds, ARENA_ARRAY(arena, bool, report->count), arena};
    *out = (BornPlaces){0};
    for (size_t i = 0; i < report->count; i++)
        kinds[i] = kind_of(leave_of(&work, i));
    for (size_t i = 0; i < report->count; i++)
        if (leave_of(&work, i)->leaves && !work.taken[i])
            *ARRAY_PUSH(arena, out) = gather(&work, i);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, more_runs_first);
}

void runs_born(const RunsView *report, Arena *arena, BornPlaces *out)
{
    find_places(report, false, arena, out);
}

static bool is_elsewhere(const RunFacts *run)
{
    return run->beyond.leaves && (run_leave_before(&run->first, &run->beyond) ||
                                  run_leave_before(&run->beyond, &run->first));
}

void runs_beyond(const RunsView *report, Arena *arena, BornPlaces *out)
{
    *out = (BornPlaces){0};
    for (size_t i = 0; i < report->count; i++)
        if (is_elsewhere(&report->runs[i])) {
            find_places(report, true, arena, out);
            return;
        }
}
