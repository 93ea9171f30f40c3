// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_DIRECT_H
#define VERNIER_READ_DUMP_DUMP_DIRECT_H

#include "read/dump/dump_parts.h"

// Inside of the direct reader: dump_direct.c walks an entry, dump_leaf.c reads its leaves. All
// positions are pointers into the text of the reader, not beyond `safe`; NULL means that the entry
// is none of the known shapes.

// A text met before: its id is found without hashing all of it into the names.
typedef struct Memo {
    const char *raw;
    uint32_t size;
    uint32_t salt;  // what kind of text it is
    NameId id;
    uint32_t items;  // of a list
} Memo;

// Salts from SALT_PATH on are the id of the path above a key.
enum { SALT_TEXT, SALT_VALUE, SALT_PATH };
enum { MEMO_COUNT = 1024 };

// The path of a list item.
typedef struct IndexPath {
    NameId parent, path;
    uint32_t index;
} IndexPath;
enum { INDEX_PATHS = 512 };

// The beginning of a tensor as Python writes it, from the key "type" to the colon of "Max", met
// before: most tensors differ from an earlier one in their numbers alone.
typedef struct Opening {
    const char *raw;
    size_t size;
    NameId type, dtype, shape;
} Opening;
enum { OPENINGS = 512, OPENING_BYTES_MAX = 256 };

// What stood last between one field of a tensor and the value of the next.
typedef struct Seam {
    uint64_t words[3], masks[3];
    size_t size;  // 0: not known
} Seam;
enum { SEAM_MIN, SEAM_MEAN, SEAM_NORM, SEAM_GRAD, SEAMS };

struct Direct {
    Reader *reader;
    const char *text;
    const char *safe;
    NameId known_type;  // the type seen last that leaf_type_known accepts
    NameId field_paths[ENTRY_FIELDS];
    void *room;  // for what is put into another order
    size_t room_size;
    Seam seams[SEAMS];
    Opening openings[OPENINGS];
    Memo memos[MEMO_COUNT];
    IndexPath index_paths[INDEX_PATHS];
};

// The place of a text in the memos; *found tells whether it is this text that is there. If not,
// the caller sets raw and id, or leaves raw NULL.
Memo *direct_memo(Direct *direct, Str raw, uint32_t salt, bool *found);

// A string without escapes; gives the place after its closing quote.
const char *direct_string(const Direct *direct, const char *at, Str *out);

// The id of a text that may well have come before.
NameId direct_text(Direct *direct, Str text);

// A number, word or null.
const char *direct_datum(Direct *direct, const char *at, Datum *out);

// The Python text of the value at `at`, and how many items a list or object has.
const char *direct_python(Direct *direct, const char *at, NameId *text, uint32_t *items);

// The Python text of any value.
const char *direct_any(Direct *direct, const char *at, NameId *text);

// The field `value` of a leaf.
const char *direct_value(Direct *direct, const char *at, Slot *slot, Leaf *leaf);

// The leaf whose first key is "type", `at` on its first quote, as the next slot; gives the place
// after its closing bracket, which may be after `safe`.
const char *direct_leaf(Direct *direct, const char *at, SlotGroup group, NameId path);

#endif
