// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_FACTS_FIELDS_H
#define VERNIER_EXPORT_FACTS_FIELDS_H

#include <stddef.h>

#include "export/facts/wire.h"
#include "trend/history/history_state.h"

// The fields of a struct, listed once: summary.json, shard files and history are walked from the
// list, so that none of them can forget a field.
//     static const Field worst_op[] = {
//         FIELD(WorstOp, target, NULL_ABSENT),
//         CHOICE("status", WorstOp, status, status_of, STATUS_COUNT, 0),
//     };

typedef enum FieldKind {
    FIELD_STR,
    FIELD_TEXT,  // const char *
    FIELD_NUMBER,
    FIELD_FLOAT,
    FIELD_BOOL,
    FIELD_INT,
    FIELD_UINT,
    FIELD_UINT32,
    FIELD_SMALL,   // an int from 0 to `limit` - 1
    FIELD_BYTE,    // the same in a uint8_t
    FIELD_CHOICE,  // an enumeration of `limit` values
    FIELD_TEXTS,   // Str *, with a count
    FIELD_RECORD,  // a struct, or fields of the same struct that stand together under a key
    FIELD_OTHER,   // a pointer to a struct, NULL: absent
    FIELD_LIST,    // a pointer to structs, with a count
    FIELD_ROW,     // structs in place: `limit` of them, or a count of at most `limit`
    FIELD_CODE     // what no list tells: functions of its own
} FieldKind;

typedef enum FieldRule {
    NULL_ABSENT = 1,  // null in summary.json where it is absent: an empty text, 0, a negative whole
                      // number, false, a struct whose first field is absent
    OMIT_ABSENT = 2,  // left out there
    TELL_NAN = 4,     // "NaN" there; otherwise null
    AT_LEAST_0 = 8,   // what is negative is written as 0 there
    SHARD_ONLY = 16,  // not in summary.json
    SUMMARY_ONLY = 32,  // derived: not in shards
    FLAT = 64,          // on one line of summary.json
    IN_HISTORY = 128,   // a figure that --history keeps under this key
    COORDINATE = 256,   // a length of a picture: bad in a shard unless it is finite and below 1e9
    INLINE = 512        // a struct whose fields stand among those around it
} FieldRule;

typedef struct Field Field;

typedef struct Fields {
    const Field *items;
    size_t count, size;  // of the struct, in bytes
} Fields;

struct Field {
    const char *key;
    FieldKind kind;
    unsigned rules;
    size_t at;                            // in the struct
    size_t limit;                         // see FieldKind
    const char *(*word)(unsigned value);  // of a choice, for summary.json; NULL writes null
    const Fields *fields;                 // of a struct
    size_t count_at, count_size;          // count_size 0: there is no count
    void (*walk)(Wire *wire, const char *key, void *member);  // FIELD_CODE: shard
    void (*tell)(JsonWriter *json, const void *member);       // and summary.json, key included
};

// Types and members cannot are in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FIELDS(T, list)                             \
    {                                               \
        list, sizeof list / sizeof *list, sizeof(T) \
    }

#define MEMBER_SIZE(T, member) sizeof(((T *)0)->member)
#define MEMBER_KIND(T, member) \
    _Generic(((T *)0)->member,      \
        Str: FIELD_STR,             \
        const char *: FIELD_TEXT,   \
        double: FIELD_NUMBER,       \
        float: FIELD_FLOAT,         \
        bool: FIELD_BOOL,           \
        int64_t: FIELD_INT,         \
        uint64_t: FIELD_UINT,       \
        uint32_t: FIELD_UINT32)

#define FIELD_AS(name, T, member, flags)                                                           \
    {                                                                                              \
        .key = (name), .kind = MEMBER_KIND(T, member), .rules = (flags), .at = offsetof(T, member) \
    }
#define FIELD(T, member, flags) FIELD_AS(#member, T, member, flags)
#define CHOICE(name, T, member, word_of, values, flags)                                   \
    {                                                                                     \
        .key = (name), .kind = FIELD_CHOICE, .rules = (flags), .at = offsetof(T, member), \
        .limit = (values), .word = (word_of)                                              \
    }
#define SMALL(T, member, values)                                                          \
    {                                                                                     \
        .key = #member, .kind = FIELD_SMALL, .at = offsetof(T, member), .limit = (values) \
    }
#define BYTE(T, member, values)                                                          \
    {                                                                                    \
        .key = #member, .kind = FIELD_BYTE, .at = offsetof(T, member), .limit = (values) \
    }
#define FIELD_COUNTED(name, sort, T, member, number, most, list, flags)             \
    {                                                                               \
        .key = (name), .kind = (sort), .rules = (flags), .at = offsetof(T, member), \
        .limit = (most), .fields = (list), .count_at = offsetof(T, number),         \
        .count_size = MEMBER_SIZE(T, number)                                        \
    }
#define TEXTS(name, T, member, number, most, flags) \
    FIELD_COUNTED(name, FIELD_TEXTS, T, member, number, most, NULL, flags)
#define LIST(name, T, member, number, list, flags) \
    FIELD_COUNTED(name, FIELD_LIST, T, member, number, SIZE_MAX, list, flags)
#define ROW(name, T, member, number, list, flags)     \
    FIELD_COUNTED(name, FIELD_ROW, T, member, number, \
                  MEMBER_SIZE(T, member) / MEMBER_SIZE(T, member[0]), list, flags)
#define ROW_OF_ALL(name, T, member, list, flags)                                       \
    {                                                                                  \
        .key = (name), .kind = FIELD_ROW, .rules = (flags), .at = offsetof(T, member), \
        .limit = MEMBER_SIZE(T, member) / MEMBER_SIZE(T, member[0]), .fields = (list)  \
    }
#define RECORD(name, T, member, list, flags)                                              \
    {                                                                                     \
        .key = (name), .kind = FIELD_RECORD, .rules = (flags), .at = offsetof(T, member), \
        .fields = (list)                                                                  \
    }
#define PART(name, list, flags)                                                 \
    {                                                                           \
        .key = (name), .kind = FIELD_RECORD, .rules = (flags), .fields = (list) \
    }
#define OTHER(name, T, member, list, flags)                                              \
    {                                                                                    \
        .key = (name), .kind = FIELD_OTHER, .rules = (flags), .at = offsetof(T, member), \
        .fields = (list)                                                                 \
    }
#define WALKED(name, T, member, function)                                                  \
    {                                                                                      \
        .key = (name), .kind = FIELD_CODE, .rules = SHARD_ONLY, .at = offsetof(T, member), \
        .walk = (function)                                                                 \
    }
// `function` gets the whole struct.
#define TOLD(function)                                                           \
    {                                                                            \
        .key = "", .kind = FIELD_CODE, .rules = SUMMARY_ONLY, .tell = (function) \
    }
// NOLINTEND(bugprone-macro-parentheses)

// Writes the fields into the open object of summary.json.
void fields_tell(const Fields *fields, const void *record, JsonWriter *json);

// `count` structs as an array under a key.
void fields_tell_list(const Fields *fields, const char *key, const void *items, size_t count,
                      unsigned rules, JsonWriter *json);

// Writes the fields into the open object of a shard, or reads them from it.
void fields_walk(const Fields *fields, void *record, Wire *wire);

// Adds a copy of `fact` for each field IN_HISTORY that is a number; false if none is.
bool fields_remember(const Fields *fields, const void *record, HistoryFact fact, Arena *arena,
                     HistoryNight *out);

#endif
