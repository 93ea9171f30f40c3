// SPDX-License-Identifier: Apache-2.0
#include "read/token/token_rows.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/number.h"
#include "base/words.h"

// Who gives log-probabilities, "WHO_logprobs": NeMo-RL, slime, verl, and what people write by hand.
static const char *const generation_words[] = {
    "generation", "rollout", "engine", "inference", "sampling", "behavior", "vllm", "sglang", NULL};
static const char *const training_words[] = {"",        "prev",  "old",   "train",      "training",
                                             "trainer", "actor", "token", "recomputed", "policy",
                                             "learner", "fsdp",  "hf",    "megatron",   NULL};
static const struct {
    const char *name;
    TokenField field;
} names[] = {
    {"golden", FIELD_GENERATION},
    {"target", FIELD_TRAINING},
    {"token_ids", FIELD_IDS},
    {"tokens", FIELD_IDS},
    {"input_ids", FIELD_IDS},
    {"token_id", FIELD_IDS},
    {"ids", FIELD_IDS},
    {"id", FIELD_IDS},
    {"token_loss_mask", FIELD_MASK},
    {"loss_mask", FIELD_MASK},
    {"loss_masks", FIELD_MASK},
    {"response_mask", FIELD_MASK},
    {"mask", FIELD_MASK},
    {"input_lengths", FIELD_LENGTH},
    {"length", FIELD_LENGTH},
    {"sample_loss_mask", FIELD_SAMPLE_MASK},
    {"response_length", FIELD_RESPONSE},
    {"response_lengths", FIELD_RESPONSE},
    {"sample", FIELD_SAMPLE},
    {"sample_id", FIELD_SAMPLE},
    {"request_id", FIELD_SAMPLE},
    {"prompt_id", FIELD_SAMPLE},
    {"seq_id", FIELD_SAMPLE},
    {"sequence", FIELD_SAMPLE},
    {"index", FIELD_INDEX},
    {"idx", FIELD_INDEX},
    {"position", FIELD_INDEX},
    {"pos", FIELD_INDEX},
    {"token_index", FIELD_INDEX},
    {"token_position", FIELD_INDEX},
};

static TokenField field_of_who(Str name)
{
    static const char *const endings[] = {"logprobs", "log_probs", "logprob", "log_prob"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (!str_ends(name, str_of(endings[i])))
            continue;
        Str who = str_slice(name, 0, name.size - strlen(endings[i]));
        if (str_ends(who, STR("_")))
            who = str_slice(who, 0, who.size - 1);
        return str_in(who, generation_words) ? FIELD_GENERATION
               : str_in(who, training_words) ? FIELD_TRAINING
                                             : FIELD_COUNT;
    }
    return FIELD_COUNT;
}

TokenField token_field_of(const TokenAsk *ask, Str name)
{
    TokenField found = field_of_who(name);
    for (int i = 0; i < TOKEN_COLUMNS; i++)
        if (ask->columns[i].size && str_equal(ask->columns[i], name))
            return i ? FIELD_TRAINING : FIELD_GENERATION;
    for (size_t i = 0; i < sizeof names / sizeof *names && found == FIELD_COUNT; i++)
        if (str_equal(name, str_of(names[i].name)))
            found = names[i].field;
    bool value = found == FIELD_GENERATION || found == FIELD_TRAINING;
    return value && ask->columns[0].size ? FIELD_COUNT : found;
}

double token_text_id(TokenSet *set, Str text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    double number;
    if (text.size && number_of_text(text, &number) && number_can_count(number))
        return number;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
    set->texts = true;
    return (double)(hash >> 12);  // exact as a double
}

void token_list_add(TokenList *list, double value, Arena *arena)
{
    *ARRAY_PUSH(arena, list) = value;
}

void token_list_end_row(TokenList *list, Arena *arena)
{
    array_reserve(arena, (void **)&list->ends, list->row_count, &list->row_capacity,
                  sizeof *list->ends);
    list->ends[list->row_count++] = list->count;
}

typedef struct RowOf {
    const double *items;
    size_t count;
} RowOf;

static RowOf row_of(const TokenList *list, size_t row)
{
    static const double none[1];
    size_t from = row ? list->ends[row - 1] : 0;
    return (RowOf){list->items ? list->items + from : none, list->ends[row] - from};
}

// Token ids of prompt and response next to log-probabilities of the response: its end.
static RowOf ids_of(const TokenList *fields, size_t row, size_t count)
{
    const TokenList *told = &fields[FIELD_RESPONSE];
    RowOf all = row_of(&fields[FIELD_IDS], row);
    if (all.count > count && row < told->count && told->items[row] == (double)count)
        all = (RowOf){all.items + (all.count - count), count};
    return all;
}

// All arrays that hold something have room for `more` tokens.
static void reserve(TokenSet *set, size_t more, Arena *arena)
{
    size_t wanted = set->count + more, capacity = set->capacity;
    void **arrays[] = {(void **)&set->values[0], (void **)&set->values[1], (void **)&set->beside,
                       (void **)&set->ids, (void **)&set->mask};
    if (wanted <= capacity)
        return;
    while (capacity < wanted)
        capacity = capacity ? capacity * 2 : 4096;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        size_t size = arrays[i] == (void **)&set->mask ? 1 : sizeof(double);
        if (*arrays[i])
            *arrays[i] = arena_grow(arena, *arrays[i], set->capacity * size, capacity * size);
    }
    set->capacity = capacity;
}

// The arrays that this row is the first to need, as if each token before had told nothing.
static void start_arrays(TokenSet *set, const bool columns[TOKEN_COLUMNS], bool beside, bool ids,
                         bool mask, Arena *arena)
{
    for (int i = 0; i < TOKEN_COLUMNS; i++)
        if (columns[i] && !set->values[i])
            set->values[i] = ARENA_ARRAY(arena, double, set->capacity);
    if (beside && !set->beside) {
        set->beside = ARENA_ARRAY(arena, double, set->capacity);
        for (size_t i = 0; i < set->count; i++)
            set->beside[i] = (double)NAN;
    }
    if (ids && !set->ids) {
        set->ids = ARENA_ARRAY(arena, int64_t, set->capacity);
        for (size_t i = 0; i < set->count; i++)
            set->ids[i] = INT64_MIN;
    }
    if (mask && !set->mask) {
        set->mask = ARENA_ARRAY(arena, uint8_t, set->capacity);
        memset(set->mask, 1, set->count);
    }
}

// How many tokens of the row count: up to the length where it is reported. Lengths stand one a
// sample, whether in one list or in a list each.
static size_t length_of(const TokenList *fields, size_t row, size_t count)
{
    const TokenList *lengths = &fields[FIELD_LENGTH];
    double length = row < lengths->count ? lengths->items[row] : (double)count;
    return length >= 0 && length < (double)count ? (size_t)length : count;
}

static TokenSample *next_sample(TokenSet *set, Arena *arena)
{
    array_reserve(arena, (void **)&set->samples, set->sample_count, &set->sample_capacity,
                  sizeof *set->samples);
    return &set->samples[set->sample_count++];
}

void token_add_missing(TokenSet *set, Arena *arena)
{
    *next_sample(set, arena) = (TokenSample){.first = set->count, .missing = true};
}

void token_key_sample(TokenSet *set, Str id)
{
    uint32_t low = crc32c_more((uint32_t)set->next_key, id.data, id.size);
    uint64_t high = crc32c_more((uint32_t)(set->next_key >> 32) + 1, id.data, id.size);
    set->next_key = id.size ? high << 32 | low : 0;
}

void token_add_other(TokenSet *set, Str name, uint64_t values, Arena *arena)
{
    if (!set->others)
        set->others = names_new(arena);
    names_add(set->others, name);
    set->other_values += values;
}

static bool is_masked(const TokenList *fields, size_t row)
{
    const TokenList *masks = &fields[FIELD_SAMPLE_MASK];
    return row < masks->count && masks->items[row] == 0;
}

static int64_t integer_of(double value)
{
    return number_can_count(value) ? (int64_t)value : INT64_MIN;
}

static void add_sample(TokenSet *set, const TokenList *fields, const TokenList *const columns[2],
                       size_t row, Arena *arena)
{
    size_t count = length_of(fields, row, row_of(columns[0], row).count), at = set->count;
    size_t all = row_of(columns[0], row).count;
    bool has_ids = fields[FIELD_IDS].row_count > 0, has_mask = fields[FIELD_MASK].row_count > 0;
    bool beside = !columns[1] && columns[0] == &fields[FIELD_TRAINING] &&
                  fields[FIELD_GENERATION].row_count > 0;
    reserve(set, count, arena);
    start_arrays(set, (bool[]){columns[0], columns[1]}, beside, has_ids, has_mask, arena);
    for (int i = 0; i < TOKEN_COLUMNS && columns[i]; i++)
        for (size_t k = 0; k < count; k++)
            set->values[i][at + k] = row_of(columns[i], row).items[k];
    for (size_t k = 0; k < count && set->beside; k++)
        set->beside[at + k] =
            beside ? row_of(&fields[FIELD_GENERATION], row).items[k] : (double)NAN;
    for (size_t k = 0; k < count && set->ids; k++)
        set->ids[at + k] = has_ids ? integer_of(ids_of(fields, row, all).items[k]) : INT64_MIN;
    for (size_t k = 0; k < count && set->mask; k++)
        set->mask[at + k] = !has_mask || row_of(&fields[FIELD_MASK], row).items[k] != 0;
    *next_sample(set, arena) = (TokenSample){at, (uint32_t)count, is_masked(fields, row), false,
                                             columns[0]->row_count == 1 ? set->next_key : 0};
    set->count += count;
}

// Every list of the row has the length of its log-probabilities, and what is reported once a sample
// is recorded of each of the line.
static bool fits(const TokenList *fields, const TokenList *values, size_t row, size_t samples)
{
    size_t count = row_of(values, row).count;
    for (int i = FIELD_LENGTH; i <= FIELD_SAMPLE_MASK; i++)
        if (fields[i].count && fields[i].count != samples)
            return false;
    for (int i = 0; i < FIELD_LENGTH; i++) {
        if (fields[i].row_count == 0)
            continue;
        if (row >= fields[i].row_count)
            return false;
        RowOf own = i == FIELD_IDS ? ids_of(fields, row, count) : row_of(&fields[i], row);
        if (own.count != count)
            return false;
    }
    return count < UINT32_MAX;
}

void token_add_choices(TokenSet *set, const TokenChoice *choices, size_t count, Arena *arena)
{
    size_t kept = count < TOKEN_CHOICES ? count : TOKEN_CHOICES;
    *ARRAY_ADD(arena, set->spreads, set->spread_count, set->spread_capacity) =
        (TokenSpread){set->choice_count, (uint32_t)kept};
    for (size_t i = 0; i < kept; i++)
        *ARRAY_ADD(arena, set->choices, set->choice_count, set->choice_capacity) = choices[i];
}

void token_add_samples(TokenSet *set, const TokenAsk *ask, const TokenList *fields,
                       const char *path, uint64_t line, Arena *arena, Notices *notices)
{
    const TokenList *columns[TOKEN_COLUMNS] = {&fields[FIELD_GENERATION], &fields[FIELD_TRAINING]};
    if (!ask->both) {
        bool training = fields[FIELD_TRAINING].row_count > 0;
        columns[0] = training ? columns[1] : columns[0];
        columns[1] = NULL;
    }
    if (columns[0]->row_count == 0 || (columns[1] && columns[1]->row_count == 0)) {
        bool alone = columns[0]->row_count || (columns[1] && columns[1]->row_count);
        notices_partial(notices, WHERE_LINE(path, line), "%s",
                        alone ? tr("the line has log-probabilities of one side alone and is "
                                   "skipped: a second file may hold the other's")
                              : tr("the line has no log-probabilities and is skipped"));
        token_add_missing(set, arena);
        return;
    }
    const TokenList *other = columns[columns[1] != NULL];
    size_t rows[2] = {columns[0]->row_count, other->row_count};
    size_t samples = rows[0] > rows[1] ? rows[0] : rows[1];
    for (size_t row = 0; row < samples; row++) {
        bool alone = row >= rows[0] || row >= rows[1];
        if (!alone && fits(fields, columns[0], row, samples)) {
            add_sample(set, fields, columns, row, arena);
            continue;
        }
        notices_partial(notices, WHERE_LINE(path, line), "%s",
                        alone ? tr("a sample of one side alone is left out")
                              : tr("a sample whose lists are of different lengths is left out"));
        token_add_missing(set, arena);
    }
}
