// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_TOKEN_SET_H
#define VERNIER_READ_TOKEN_TOKEN_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"

// Log-probabilities of tokens by sample, from whatever file an engine or trainer wrote:
//     .jsonl  a sample a line, or several: lists of numbers by name (NeMo-RL, and the like)
//     .npy    [samples, tokens], or one sample
//     .csv    a token a row, with a column of its sample
// Names of columns are found by what frameworks call them, or given.

typedef struct TokenSample {
    size_t first;    // of its tokens in the arrays
    uint32_t count;  // its length; padding to the right is gone where the file tells it
    bool masked;     // the whole sample is not to be counted
    bool missing;    // it could not be read; it keeps the place of those after it
    uint64_t key;    // of its id; 0: it has none
} TokenSample;

enum { TOKEN_COLUMNS = 2, TOKEN_CHOICES = 64 };

// A token that the model could have given, and its log-probability.
typedef struct TokenChoice {
    int64_t id;
    double value;
} TokenChoice;

// Of one token, in the choices of the set.
typedef struct TokenSpread {
    size_t first;
    uint32_t count;
} TokenSpread;

typedef struct TokenSet {
    TokenSample *samples;
    size_t sample_count, sample_capacity;
    double *values[TOKEN_COLUMNS];  // log-probabilities; [1] NULL: one column
    double *beside;                 // of one column compared: the file's other; NULL: it has none
    int64_t *ids;                   // NULL: not told
    uint8_t *mask;                  // 1: counted; NULL: no sample tells
    size_t count, capacity;         // tokens
    TokenSpread *spreads;           // by token; those beyond spread_count have none
    size_t spread_count, spread_capacity;
    TokenChoice *choices;
    size_t choice_count, choice_capacity;
    uint64_t bytes;
    Names *others;  // columns of numbers that are compared with nothing; NULL: none
    uint64_t other_values;
    uint64_t next_key;  // while reading: of the sample at hand
    bool texts;         // some ids stand for texts
    bool array;         // .npy: no names of columns, mask and ids in files of their own
} TokenSet;

typedef struct TokenAsk {
    Str columns[TOKEN_COLUMNS];  // names wanted; empty: by the usual names
    bool both;                   // two columns of one file are wanted
    const char *mask;            // of .npy: a file of the same shape, or NULL
    const char *ids;
    bool mapped;  // the text is that of a mapped file: what was read may be let go
} TokenAsk;

#endif
