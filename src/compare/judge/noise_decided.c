// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/noise_decided.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "compare/flow.h"
#include "compare/judge/argument_text.h"
#include "compare/judge/floor.h"

bool noise_runs_value(const NoiseRuns *runs, size_t run, uint32_t slot, Stat stat, double *out)
{
    uint32_t found = runs->matches[run].golden_slot_of[slot];
    return found != UINT32_MAX && slot_stat(&runs->dumps[run]->slots[found], stat, out);
}

bool noise_runs_repeat(const NoiseRuns *runs, uint32_t slot)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double golden, value;
        if (!slot_stat(&runs->golden->slots[slot], (Stat)stat, &golden))
            continue;
        for (size_t run = 0; run < runs->count; run++)
            if (!noise_runs_value(runs, run, slot, (Stat)stat, &value) ||
                (value != golden && !(isnan(value) && isnan(golden))))
                return false;
    }
    return true;
}

// What slots of one place in calls of one API have in common.
typedef struct Like {
    float *reach;  // by place of the number, TEXT_PLACES of them; NULL: none varies
    uint64_t axes;
    bool integer;
    uint32_t count, varying;  // slots that run after the first decision; of one shape: all
} Like;

typedef struct Finder {
    const NoiseRuns *runs;
    const uint8_t *sources;
    const uint32_t *apis;
    double multiple;
    Arena *arena, *scratch;
    Names *places;
    Like *likes;
    size_t like_count;
    uint32_t *shape_likes;  // by slot: what it has in common with those of its own shape too
    bool noisy;             // a result so far differs between the runs
    NoiseDecided *out;
} Finder;

// The slot of a run that is golden's; NULL: it has none of that kind.
static const Slot *slot_of(const Finder *finder, size_t run, uint32_t index)
{
    const NoiseRuns *runs = finder->runs;
    uint32_t found = runs->matches[run].golden_slot_of[index];
    if (found == UINT32_MAX)
        return NULL;
    const Slot *slot = &runs->dumps[run]->slots[found];
    return slot->kind == runs->golden->slots[index].kind ? slot : NULL;
}

static Str text_of(const Dump *dump, const Slot *slot, char buffer[40])
{
    return slot->kind == SLOT_TENSOR ? names_text(dump->names, slot->shape)
                                     : argument_text(dump, slot, buffer);
}

// Of golden's text and those of the runs, by place of the number.
typedef struct Spread {
    double total[TEXT_PLACES], squares[TEXT_PLACES];
    double count;  // of texts
    bool varies;
    bool conserved;  // the sum of the numbers: what one expert loses another gets
} Spread;

// How far two arguments, or two shapes, are apart. False where they differ in more than numbers.
static bool numbers_apart(const Slot *golden, const Slot *other, Str text, Str other_text,
                          double apart[TEXT_PLACES])
{
    double a, b;
    if (golden->kind == SLOT_TENSOR || !slot_stat(golden, STAT_MAX, &a) ||
        !slot_stat(other, STAT_MAX, &b))
        return text_numbers_apart(text, other_text, apart);
    memset(apart, 0, TEXT_PLACES * sizeof *apart);
    apart[0] = b - a;
    return isfinite(apart[0]);
}

// False where a text differs in more than its numbers.
static bool spread_texts(const Finder *finder, uint32_t index, Spread *spread)
{
    char buffer[40], other_buffer[40];
    double apart[TEXT_PLACES];
    const Dump *golden = finder->runs->golden;
    Str text = text_of(golden, &golden->slots[index], buffer);
    *spread = (Spread){.count = 1, .conserved = true};
    for (size_t run = 0; run < finder->runs->count; run++) {
        const Slot *slot = slot_of(finder, run, index);
        if (!slot)
            continue;
        Str other = text_of(finder->runs->dumps[run], slot, other_buffer);
        spread->count++;
        if (argument_same(text, other))
            continue;
        spread->varies = true;
        if (!numbers_apart(&golden->slots[index], slot, text, other, apart))
            return false;
        double sum = 0;
        for (int i = 0; i < TEXT_PLACES; i++) {
            sum += apart[i];
            spread->total[i] += apart[i];
            spread->squares[i] += apart[i] * apart[i];
        }
        spread->conserved = spread->conserved && sum == 0;
    }
    return true;
}

bool noise_texts_have(const NoiseTexts *texts, Str text)
{
    for (size_t i = 0; texts && i < texts->count; i++)
        if (argument_same(texts->texts[i], text))
            return true;
    return false;
}

static const NoiseTexts *all_texts(const Finder *finder, uint32_t index)
{
    char buffer[40];
    const NoiseRuns *runs = finder->runs;
    NoiseTexts *out = ARENA_NEW(finder->arena, NoiseTexts);
    *out = (NoiseTexts){.texts = ARENA_ARRAY(finder->arena, Str, runs->count + 1), .apart = true};
    for (size_t run = 0; run <= runs->count; run++) {
        const Dump *dump = run ? runs->dumps[run - 1] : runs->golden;
        const Slot *slot = run ? slot_of(finder, run - 1, index) : &dump->slots[index];
        if (!slot)
            continue;
        Str text = text_of(dump, slot, buffer);
        if (noise_texts_have(out, text))
            out->apart = false;
        else
            out->texts[out->count++] = str_copy(finder->arena, text);
    }
    return out;
}

// Of numbers of one decision one that is equal in all runs is luck.
static const float *widest_everywhere(const Finder *finder, const float *reach, size_t places)
{
    float *out = ARENA_ARRAY(finder->arena, float, TEXT_PLACES), widest = 0;
    for (size_t i = 0; i < places; i++)
        widest = fmaxf(widest, reach[i]);
    for (size_t i = 0; i < TEXT_PLACES; i++)
        out[i] = widest;
    return out;
}

static void measure_texts(const Finder *finder, uint32_t index)
{
    Spread spread;
    NoiseDecided *out = finder->out;
    bool tensor = finder->runs->golden->slots[index].kind == SLOT_TENSOR;
    bool numbers = spread_texts(finder, index, &spread);
    if (!spread.varies)
        return;
    if (!numbers) {
        out->texts[index] = all_texts(finder, index);
        out->axes[index] = tensor ? UINT64_MAX : 0;
        return;
    }
    size_t places = TEXT_PLACES;
    while (places > 1 && !(spread.squares[places - 1] > 0))
        places--;
    float *reach = ARENA_ARRAY(finder->arena, float, places);
    for (size_t i = 0; i < places; i++) {
        double mean = spread.total[i] / spread.count;
        double variance = (spread.squares[i] - spread.total[i] * mean) / (spread.count - 1);
        reach[i] = (float)(finder->multiple * sqrt(fmax(variance, 0)));
        if (spread.squares[i] > 0)
            out->axes[index] |= (uint64_t)1 << i;
    }
    if (spread.conserved && !tensor)
        out->axes[index] = UINT64_MAX;
    out->reach[index] =
        spread.conserved && !tensor ? widest_everywhere(finder, reach, places) : reach;
}

static bool is_integer(const Finder *finder, uint32_t index)
{
    const Dump *golden = finder->runs->golden;
    const Slot *slot = &golden->slots[index];
    return slot->kind == SLOT_TENSOR && precision_of_slot(golden->names, slot) == PRECISION_EXACT;
}

// An integer that an op gave, or that came from outside after results had begun to differ: what
// makes the indices of a router is not always recorded. Before, it is another batch.
static bool integer_varies(const Finder *finder, uint32_t index)
{
    return is_integer(finder, index) &&
           (finder->noisy || finder->sources[index] == SOURCE_COMPUTED) &&
           !noise_runs_repeat(finder->runs, index);
}

static bool is_whole(const Slot *slot)
{
    return slot->tag[STAT_MAX] == TAG_INT || slot->tag[STAT_MAX] == TAG_UINT ||
           slot->tag[STAT_MAX] == TAG_BOOL;
}

// A float that varies is no decision, and a text may be a date or a name.
static bool is_decision(const Finder *finder, uint32_t index)
{
    const NoiseDecided *out = finder->out;
    const Slot *slot = &finder->runs->golden->slots[index];
    return out->integer[index] || (slot->kind == SLOT_TENSOR && out->axes[index]) ||
           (out->reach[index] && is_whole(slot));
}

static void look_at(Finder *finder, uint32_t op, uint32_t index)
{
    NoiseDecided *out = finder->out;
    const Slot *slot = &finder->runs->golden->slots[index];
    if (slot->kind != SLOT_NULL)
        measure_texts(finder, index);
    out->integer[index] = integer_varies(finder, index);
    if (out->first == UINT32_MAX && is_decision(finder, index))
        out->first = op;
    bool result = slot->kind == SLOT_TENSOR && finder->sources[index] == SOURCE_COMPUTED;
    finder->noisy = finder->noisy || (result && !noise_runs_repeat(finder->runs, index));
}

static Like *like_of(Finder *finder, Str key, uint32_t *id)
{
    *id = names_add(finder->places, key);
    return &ARRAY_REACH(finder->scratch, finder->likes, finder->like_count, *id)[*id];
}

// The places that vary in a slot, as far as they do.
static void widen(Finder *finder, Like *like, uint32_t index)
{
    const float *reach = finder->out->reach[index];
    uint64_t axes = finder->out->axes[index];
    if (!reach)
        return;
    if (!like->reach)
        like->reach = ARENA_ARRAY(finder->arena, float, TEXT_PLACES);
    for (int i = 0; i < TEXT_PLACES; i++)
        if (axes >> i & 1)
            like->reach[i] = fmaxf(like->reach[i], reach[i]);
    like->axes |= axes;
}

static void put_together(Finder *finder, uint32_t op, uint32_t index)
{
    NoiseDecided *out = finder->out;
    const Slot *slot = &finder->runs->golden->slots[index];
    Str key = str_printf(finder->scratch, "%u %u %d %d", (unsigned)finder->apis[op],
                         (unsigned)slot->path, slot->kind, is_integer(finder, index));
    if (slot->kind == SLOT_TENSOR) {
        Str shape_key =
            str_printf(finder->scratch, STR_FMT " %u", STR_ARG(key), (unsigned)slot->shape);
        Like *shape = like_of(finder, shape_key, &finder->shape_likes[index]);
        shape->count++;
        shape->varying += out->axes[index] != 0;
    }
    Like *like = like_of(finder, key, &out->like[index]);
    if (op < out->first)
        return;
    like->count++;
    like->varying += out->reach[index] != NULL;
    widen(finder, like, index);
    like->integer = like->integer || out->integer[index];
}

// So many calls are not equal in all runs by luck.
enum { SHAPE_CALLS = 4 };

// Several calls have its shape and none varies: no router gives it. Where nothing is given
// (experts without a token) that is luck.
static bool has_fixed_shape(const Finder *finder, uint32_t index)
{
    const Dump *golden = finder->runs->golden;
    const Like *shape = &finder->likes[finder->shape_likes[index]];
    return shape->varying == 0 && shape->count >= SHAPE_CALLS &&
           shape_elements(names_text(golden->names, golden->slots[index].shape)) > 0;
}

// Arguments of one API differ more than tensors do (the sizes of a view): most of them must vary.
static void share(Finder *finder, uint32_t op, uint32_t index)
{
    NoiseDecided *out = finder->out;
    const Like *like = &finder->likes[out->like[index]];
    bool tensor = finder->runs->golden->slots[index].kind == SLOT_TENSOR;
    if (op < out->first)
        return;
    out->integer[index] = out->integer[index] || like->integer;
    if (tensor && has_fixed_shape(finder, index))
        return;
    if (tensor ? like->axes == 0 : like->varying == 0 || 2 * like->varying < like->count)
        return;
    out->axes[index] |= like->axes;
    out->reach[index] = like->reach;
}

static void each_slot(Finder *finder, void (*visit)(Finder *, uint32_t, uint32_t))
{
    const Dump *golden = finder->runs->golden;
    for (uint32_t op = 0; op < golden->op_count; op++)
        for (uint32_t i = 0; i < golden->ops[op].slot_count; i++)
            visit(finder, op, golden->ops[op].first_slot + i);
}

void noise_decided_find(const NoiseRuns *runs, const uint8_t *sources, const uint32_t *apis,
                        double multiple, Arena *arena, NoiseDecided *out)
{
    uint32_t count = runs->golden->slot_count;
    Arena *scratch = arena_new();
    *out = (NoiseDecided){.first = UINT32_MAX,
                          .reach = ARENA_ARRAY(arena, const float *, count),
                          .axes = ARENA_ARRAY(arena, uint64_t, count),
                          .texts = ARENA_ARRAY(arena, const NoiseTexts *, count),
                          .integer = ARENA_ARRAY(arena, bool, count),
                          .like = ARENA_ARRAY(arena, uint32_t, count)};
    Finder finder = {.runs = runs,
                     .sources = sources,
                     .apis = apis,
                     .multiple = multiple,
                     .arena = arena,
                     .scratch = scratch,
                     .shape_likes = ARENA_ARRAY(scratch, uint32_t, count),
                     .places = names_new(scratch),
                     .out = out};
    each_slot(&finder, look_at);
    each_slot(&finder, put_together);
    each_slot(&finder, share);
    arena_release(scratch);
}
