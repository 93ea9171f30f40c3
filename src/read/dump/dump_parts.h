// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_PARTS_H
#define VERNIER_READ_DUMP_DUMP_PARTS_H

#include "base/notice.h"
#include "read/dump/dump.h"
#include "read/json/json_scan.h"

// What the parts of the dump reader share: dump_json.c walks the file, dump_direct.c reads entries
// of known shapes from the text, dump_tree.c reads any entry from a JSON tree, dump_slot.c turns
// a leaf into a slot. Both ways give the same records.

// What `value` of a leaf is; decides the dtype that msProbe shows for it.
typedef enum ValueClass {
    VALUE_NONE,  // absent or null
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STR,
    VALUE_LIST,
    VALUE_DICT,
    VALUE_CLASS_COUNT
} ValueClass;

// One dump while it is read.
typedef struct Reader {
    Dump *dump;
    Names *names;
    Arena *arena;    // of the records
    Arena *scratch;  // until the dump is read
    Notices *notices;
    Str text;
    size_t op_capacity, slot_capacity, extra_capacity;
    StrBuf path;     // a slot path being composed
    StrBuf decoded;  // a string being decoded
    StrBuf python;   // a Python text being composed
    bool debug_file;
    bool repeated_ops;    // some op takes the place of an earlier one
    uint32_t text_stats;  // tensors of the entry being read with text for a statistic
    uint32_t *op_of_name;
    size_t op_of_name_count;
    NameId class_names[VALUE_CLASS_COUNT], empty_list;
    struct Direct *direct;  // NULL: every entry goes through a tree
} Reader;

// The fields of an entry that hold slots, in the order of the rows of an op.
typedef struct EntryField {
    Str key;
    SlotGroup group;
    Str path;
} EntryField;
enum { ENTRY_FIELDS = 7 };
extern const EntryField entry_fields[ENTRY_FIELDS];

// A number, word or string in the place of a statistic or value.
typedef struct Datum {
    StatTag tag;
    StatValue stat;
} Datum;

typedef enum ExtraKey {
    EXTRA_OP,
    EXTRA_PEER,
    EXTRA_TAG,
    EXTRA_GROUP_ID,
    EXTRA_DEVICE_MESH,
    EXTRA_PLACEMENTS,
    EXTRA_LAYOUT,
    EXTRA_KEYS
} ExtraKey;
extern const Str extra_keys[EXTRA_KEYS];

// What a leaf has next to the fields that go into its slot as they stand. Absent fields are zero.
typedef struct Leaf {
    bool has_value;  // also if it is null
    ValueClass value_class;
    Datum value_datum;   // of a number or word
    NameId value_shape;  // of a list: as numpy gives its shape, "(3,)"
    NameId ranks;        // Python text of group_ranks
    NameId format;       // of a memory format
    bool has_extra;
    NameId extra[EXTRA_KEYS];
} Leaf;

// Where a byte of the text is, for messages.
Where reader_where(const Reader *reader, size_t at);

// Makes room for more than `count` items of `size` bytes; an op was begun before.
void *reader_more(Reader *reader, void *items, size_t size, size_t count, size_t *capacity);

// The next slot, zeroed and not yet counted.
Slot *reader_next_slot(Reader *reader);

// Counts the next slot. Its type, dtype, shape, four statistics, checksum, data name, requires_grad
// and value text are in it as in the file, NAME_NONE for what is absent or empty; the rest is
// filled in, and for a leaf that is no tensor the texts and statistics that msProbe shows for it.
void reader_keep_leaf(Reader *reader, SlotGroup group, NameId path, const Leaf *leaf);
void reader_add_null(Reader *reader, SlotGroup group, NameId path);
void reader_add_extras(Reader *reader, const Leaf *leaf);  // to the slot added last

// The path of a member: "input" and "dim" give "input.dim". NAME_NONE, with a notice, where it gets
// longer than any real one.
NameId reader_child_path(Reader *reader, NameId parent, Str segment, size_t at);

// The number in `digits` (as scan_number accepts it); exact integers keep their class. `real` reads
// what is no integer.
Datum datum_of_number(Names *names, Str digits, bool is_real, double real);

// A string in the place of a statistic: a number if all of it is one, else text.
Datum datum_of_text(Names *names, Str text);

// The shape that numpy gives a list: "(3,)".
NameId list_shape(Names *names, uint64_t items);

// Whether a leaf of this type is one of the dumper's, not a user's dictionary with a key "type".
bool leaf_type_known(Str type);

// The direct reader, for entries of the shapes that dumps are made of. `text` is the text of the
// reader; `safe` is the place of a '}' in it with DIRECT_PADDING readable bytes after, up to which
// entries are read. It remembers texts that repeat, by their place in the text.
typedef struct Direct Direct;
enum { DIRECT_PADDING = 320 };
Direct *direct_new(Reader *reader, size_t safe);

// Reads the entry at `at` into the op begun last; gives the place after it. 0: the entry has
// another shape, or is broken, or reaches beyond `safe`; slots added so far are to be taken back.
size_t direct_entry(Direct *direct, Op *op, size_t at);

// Reads the entry that is the text [from, to) into the op begun last. False if it is no JSON.
bool dump_tree_entry(Reader *reader, Op *op, size_t from, size_t to);

#endif
