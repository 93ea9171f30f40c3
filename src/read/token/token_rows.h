// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_TOKEN_ROWS_H
#define VERNIER_READ_TOKEN_TOKEN_ROWS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "read/token/token_set.h"

// What the readers of tokens share: the names that frameworks give to columns, and how samples are
// put together from them.

typedef enum TokenField {
    FIELD_GENERATION,  // what the engine that sampled gives
    FIELD_TRAINING,    // what the trainer gives
    FIELD_IDS,
    FIELD_MASK,
    FIELD_LENGTH,       // of the sample, without padding
    FIELD_SAMPLE_MASK,  // 0: the sample is not counted
    FIELD_RESPONSE,     // tokens at the end of the sample that log-probabilities are of
    FIELD_SAMPLE,       // of a table: which sample the row is of
    FIELD_INDEX,        // and which of its tokens
    FIELD_COUNT
} TokenField;

// Numbers that a line has under one name, in rows: a list of lists has several.
typedef struct TokenList {
    double *items;
    size_t count, capacity;
    size_t *ends;  // of each row, in items
    size_t row_count, row_capacity;
} TokenList;

// Which field a column is; FIELD_COUNT: none. With names asked for only these are values.
TokenField token_field_of(const TokenAsk *ask, Str name);

// The number that stands for the text of a token; the set is marked as one of texts.
double token_text_id(TokenSet *set, Str text);

void token_list_add(TokenList *list, double value, Arena *arena);
void token_list_end_row(TokenList *list, Arena *arena);

// Adds the samples of one line; `line` is named in notices.
void token_add_samples(TokenSet *set, const TokenAsk *ask, const TokenList *fields,
                       const char *path, uint64_t line, Arena *arena, Notices *notices);

// Adds what the next token could have been, the most probable first: at most TOKEN_CHOICES.
void token_add_choices(TokenSet *set, const TokenChoice *choices, size_t count, Arena *arena);

// The sample at hand has this id, or one of several; an empty text begins the next one.
void token_key_sample(TokenSet *set, Str id);

// Values under a name that is no field: they are set aside, and the name is said.
void token_add_other(TokenSet *set, Str name, uint64_t values, Arena *arena);

// Of what cannot be read, so that the samples after it keep their numbers.
void token_add_missing(TokenSet *set, Arena *arena);

bool token_read_lines(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices);
bool token_read_table(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices, Error *err);

#endif
