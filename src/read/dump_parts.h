// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PARTS_H
#define VERNIER_READ_DUMP_PARTS_H

#include "read/dump.h"
#include "read/json_scan.h"
#include "read/json_tree.h"

// What the parts of the dump reader share: dump.c walks the file, dump_direct.c reads entries of
// known shapes from the text, dump_tree.c reads any entry from a cJSON tree, dump_slot.c turns a
// leaf into a slot. Both ways give the same records.

// One dump while it is read.
typedef struct Reader {
    Dump *dump;
    Names *names;
    Arena *arena;    // of the records
    Arena *scratch;  // until the dump is read
    Notices *notices;
    Str text;
    size_t skipped;  // bytes of the file before `text`
    size_t op_capacity, slot_capacity, extra_capacity;
    JsonTree tree;
    StrBuf path;     // a slot path being composed
    StrBuf decoded;  // a string being decoded
    StrBuf python;   // a Python text being composed
    bool debug_file;
    bool repeated_ops;  // some op stands in for an earlier one
    uint32_t *op_of_name;
    size_t op_of_name_count;
    Framework first_type;  // told from the first tensor type
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

// What `value` of a leaf is; decides the dtype that the peer shows for it.
typedef enum ValueClass {
    VALUE_NONE,  // absent or null
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STR,
    VALUE_LIST,
    VALUE_DICT
} ValueClass;

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

// The fields of one leaf as they stand in the file. Absent fields are zero.
typedef struct Leaf {
    NameId type;
    NameId dtype;     // NAME_NONE: absent, null or empty
    NameId shape;     // Python text
    NameId checksum;  // text of md5
    NameId data_name;
    NameId ranks;        // Python text of group_ranks
    NameId format;       // of a memory format
    NameId value;        // Python text
    NameId value_shape;  // of a list: as numpy gives its shape, "(3,)"
    bool has_value;      // also if it is null
    ValueClass value_class;
    Datum value_datum;
    Datum stat[STAT_COUNT];
    Tristate requires_grad;
    NameId extra[EXTRA_KEYS];
} Leaf;

// Where a byte of the text is, for messages.
Where reader_where(const Reader *reader, size_t at);

// A slot for a leaf or for null.
void reader_add_leaf(Reader *reader, SlotGroup group, NameId path, const Leaf *leaf);
void reader_add_null(Reader *reader, SlotGroup group, NameId path);
void reader_add_extras(Reader *reader, const NameId extra[EXTRA_KEYS]);  // to the slot added last

// The path of a member: "input" and "dim" give "input.dim". NAME_NONE, with a notice, where it gets
// longer than any real one.
NameId reader_child_path(Reader *reader, NameId parent, Str segment, size_t at);

// The number in `digits` (as scan_number accepts it); exact integers keep their class. `real` reads
// what is no integer.
Datum datum_of_number(Names *names, Str digits, bool is_real, double real);

// A string in the place of a statistic: a number if all of it is one, else text.
Datum datum_of_text(Names *names, Str text);

// Whether a leaf of this type is one of the dumper's, not a user's dictionary with a key "type".
bool leaf_type_known(Str type);

// The op of the entry `name` at byte `at`; its slots follow. Bookkeeping of repeated names.
Op *reader_begin_op(Reader *reader, Str name, size_t at);
void reader_drop_op(Reader *reader);  // the last one: its entry was bad
void reader_end_op(Reader *reader);

// Reads the entry that is the text [from, to) into the op begun last. False if it is no JSON.
bool dump_tree_entry(Reader *reader, Op *op, size_t from, size_t to);

#endif
