// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PICKLE_H
#define VERNIER_READ_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Reads a pickle as data. Names of Python objects become symbols, and only those of a given list
// are taken; a call becomes a record of the symbol and its arguments. Nothing is ever imported or
// called. Opcodes outside the list, and more than 64 KiB, 10,000 opcodes, 4,096 values on the stack
// or 4,096 memo entries are refused, with the opcode and the byte.

enum {
    PICKLE_BYTES_MAX = 64 * 1024,
    PICKLE_OPCODES_MAX = 10000,
    PICKLE_STACK_MAX = 4096,
    PICKLE_MEMO_MAX = 4096
};

typedef struct PickleSymbol {
    const char *module, *name;
    bool callable;            // REDUCE may be applied
    bool creatable;           // NEWOBJ may be applied
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

typedef struct PickleValue {
    PickleKind kind;
    uint64_t at;      // byte of its opcode in the file
    uint32_t symbol;  // index in the list
    int64_t integer;
    double real;
    Str text;  // borrowed from the file
    struct PickleValue **items;
    size_t count, capacity;
} PickleValue;

// Reads one pickle at *at in `bytes` (the whole file), and moves *at behind its STOP. Values live
// in `arena`; they may share parts, but hold no cycle of tuples and calls.
bool pickle_read(const char *path, Str bytes, size_t *at, const PickleSymbol *symbols,
                 size_t symbol_count, Arena *arena, PickleValue **out, Error *err);

#endif
