// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_FACTS_WIRE_H
#define VERNIER_EXPORT_FACTS_WIRE_H

#include "base/json_writer.h"
#include "read/json/json_tree.h"

// JSON written and read by the same functions, so that both directions agree by construction. Each
// function takes the value that stands under a key: writing puts it there and returns it, reading
// returns what the file has. Zeros and empty texts are left out and read back as such.
//     pair->step = wire_int(wire, "step", pair->step);
// A value of the wrong kind or out of its range makes the whole bad; reading goes on with zeros.

typedef struct Wire {
    JsonWriter *out;     // writing, else NULL
    JsonTree *tree;      // reading
    const JsonNode *at;  // the open object, NULL: an object that is not there
    Arena *arena;        // texts that are read
    bool bad;
    const char *bad_key;  // the first key of a bad value
} Wire;

Wire wire_writer(JsonWriter *out);
Wire wire_reader(JsonTree *tree, Arena *arena);

// Else it writes.
bool wire_reads(const Wire *wire);
// The whole is bad; the first key counts.
void wire_bad(Wire *wire, const char *key);

Str wire_str(Wire *wire, const char *key, Str value);
int64_t wire_int(Wire *wire, const char *key, int64_t value);
uint64_t wire_uint(Wire *wire, const char *key, uint64_t value);
uint32_t wire_uint32(Wire *wire, const char *key, uint32_t value);
double wire_number(Wire *wire, const char *key, double value);  // NaN and infinities as texts
bool wire_bool(Wire *wire, const char *key, bool value);
int wire_choice(Wire *wire, const char *key, int value, int count);  // 0 … count - 1

// An object under a key. What stands between belongs to it.
typedef struct WireObject {
    const JsonNode *outer;
} WireObject;
WireObject wire_open(Wire *wire, const char *key);
void wire_close(Wire *wire, const WireObject *object);

// A list of objects under a key; `count` is that of the file when reading. Items come in order,
// each between wire_item and wire_item_end.
typedef struct WireList {
    const JsonNode *outer, *next;
    size_t count;
} WireList;
WireList wire_list(Wire *wire, const char *key, size_t count);
void wire_item(Wire *wire, WireList *list);
void wire_item_end(Wire *wire, const WireList *list);
void wire_list_end(Wire *wire, const WireList *list);

// A list of texts.
Str *wire_texts(Wire *wire, const char *key, Str *items, size_t *count);

#endif
