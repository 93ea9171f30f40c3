// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_PICKLE_H
#define VERNIER_READ_TENSOR_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Reads a pickle as data. Names of Python objects become symbols, and only those of a given list
// are taken; a call becomes a record of the symbol and its arguments. Nothing is ever imported or
// called. Opcodes outside the list, and what goes beyond the bounds, are refused, with the opcode
// and the byte.

// Of one pickle: its bytes, its opcodes, values on the stack and memo entries.
typedef struct PickleBounds {
    size_t bytes, opcodes, stack, memo;
} PickleBounds;

extern const PickleBounds pickle_of_tensor;      // 64 KiB, 10,000, 4,096, 4,096
extern const PickleBounds pickle_of_checkpoint;  // 64 MiB, else 4 million

// What a symbol may be used for.
enum {
    PICKLE_CALLABLE = 1,    // REDUCE may be applied
    PICKLE_CREATABLE = 2,   // NEWOBJ may be applied
    PICKLE_MAKES_DICT = 4,  // either gives an empty dict
};

typedef struct PickleSymbol {
    const char *module, *name;
    uint8_t use;              // of the above
    uint8_t meaning, detail;  // the caller's own
} PickleSymbol;

typedef enum PickleKind {
    PICKLE_NONE,
    PICKLE_BOOL,     // integer
    PICKLE_INT,      // integer
    PICKLE_REAL,     // real
    PICKLE_TEXT,     // text
    PICKLE_SYMBOL,   // symbol
    PICKLE_TUPLE,    // items
    PICKLE_LIST,     // items
    PICKLE_DICT,     // items: key, value, key, value …
    PICKLE_STORAGE,  // items of the persistent id
    PICKLE_CALL,     // symbol, and items: the arguments
    PICKLE_MARK      // never in a result
} PickleKind;

// Checkpoints have millions of them.
typedef struct PickleValue {
    PickleKind kind;
    uint32_t symbol;  // index in the list
    uint64_t at;      // byte of its opcode in the file
    union {
        int64_t integer;
        double real;
        Str text;  // borrowed from the file
        struct {
            struct PickleValue **items;
            size_t count, capacity;
        };
    };
} PickleValue;

typedef struct PickleValues {
    PickleValue **items;
    size_t count, capacity;
} PickleValues;

typedef struct PickleReader {
    const char *path;
    Str bytes;  // the whole file
    const PickleSymbol *symbols;
    size_t symbol_count;
    const PickleBounds *bounds;
    Arena *arena;
    PickleValues storages;  // every PICKLE_STORAGE so far, in order
    Error *err;
} PickleReader;

// Reads one pickle at *at, and moves *at after its STOP. Values live in the reader's arena; they
// may share parts, but hold no cycle of tuples and calls (lists and dicts can).
bool pickle_read(PickleReader *reader, size_t *at, PickleValue **out);

#endif
