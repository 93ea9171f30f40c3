// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_H
#define VERNIER_READ_DUMP_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/names.h"

// One dump as records, whatever format it was read from (read/dump/dump_source.h):
// ops in the order of the file, each with its slots flattened as docs/spec/dump-format.md §3.9 and
// docs/spec/compare.md §2.1 say. Nothing keeps the text.

typedef enum Stat { STAT_MAX, STAT_MIN, STAT_MEAN, STAT_NORM, STAT_COUNT } Stat;

// What is in place of a statistic. TEXT is a string that is no number ("npu:0"); BIGINT an
// integer beyond 64 bits, kept as its digits.
typedef enum StatTag {
    TAG_ABSENT,
    TAG_NULL,
    TAG_BOOL,
    TAG_INT,
    TAG_UINT,  // above INT64_MAX
    TAG_REAL,
    TAG_TEXT,
    TAG_BIGINT
} StatTag;

typedef union StatValue {
    double real;       // TAG_REAL
    int64_t integer;   // TAG_INT; TAG_BOOL as 0 or 1
    uint64_t natural;  // TAG_UINT
    NameId text;       // TAG_TEXT, TAG_BIGINT
} StatValue;

typedef enum SlotGroup {
    GROUP_INPUT,       // input_args, input; of 1.0.1 backward entries grad_output
    GROUP_KWARGS,      // input_kwargs; shown as .input.<keyword>
    GROUP_PARAMETERS,  // parameters
    GROUP_OUTPUT,      // output; of 1.0.1 backward entries grad_input
    GROUP_GRADS,       // parameters_grad entries
    GROUP_DEBUG,       // debug.json items
    GROUP_COUNT
} SlotGroup;

// Whether the op gave it rather than took it.
static inline bool group_is_result(SlotGroup group)
{
    return group == GROUP_OUTPUT || group == GROUP_GRADS || group == GROUP_DEBUG;
}

typedef enum SlotKind {
    SLOT_NULL,  // JSON null: None, an ignored argument, a gradient that never came; without texts,
                // its statistics are TAG_NULL
    SLOT_TENSOR,  // has dtype and shape: tensors of all frameworks, numpy arrays
    SLOT_SCALAR,  // int, float, bool, str and every other leaf with a value
    SLOT_OTHER    // torch.Size, slice, ellipsis, ProcessGroup, memory_format, …
} SlotKind;

typedef enum Tristate { TRI_ABSENT, TRI_FALSE, TRI_TRUE } Tristate;

// One leaf value. The texts are those that msProbe's reports show (docs/spec/compare.md §2.1).
typedef struct Slot {
    NameId path;       // below the op: "input.0", "input.dim", "output.1.2", "parameters.weight",
                       // for gradients the parameter name, "weight"; NAME_NONE: the op itself is
                       // the value, as in debug.json
    NameId type;       // "torch.Tensor", "int", …
    NameId dtype;      // "torch.float32"; without a dtype field "<class 'int'>", "torch.Size", …
    NameId shape;      // as Python prints it: "[2, 3]", "[]", "(3,)" of a slice
    NameId checksum;   // field md5 as text, or NAME_NONE
    NameId data_name;  // file of the tensor; NAME_NONE for none, "" and "-1"
    NameId value;      // Python text of `value` (of group_ranks, format) for leaves that have one
    uint8_t kind;      // SlotKind
    uint8_t group;     // SlotGroup
    uint8_t requires_grad;  // Tristate
    uint8_t counted;        // Nonfinite (read/dump/slot_content.h): what its writer counts or flags
    uint8_t tag[STAT_COUNT];  // StatTag
    uint32_t parts;  // of merged ranks: how many parts of this shape the tensor has; 0: it is one
    StatValue stat[STAT_COUNT];
} Slot;

// `parts` of a tensor whose statistics cannot be told from those of its ranks.
#define SLOT_UNMERGED UINT32_MAX
// `parts` of a tensor that one of its ranks lost.
#define SLOT_LACKING (UINT32_MAX - 1)

typedef enum OpKind { OP_API, OP_MODULE, OP_GRADS, OP_DEBUG, OP_OTHER } OpKind;
typedef enum Direction { DIR_NONE, DIR_FORWARD, DIR_BACKWARD, DIRECTION_COUNT } Direction;

typedef struct Op {
    NameId name;  // the key in `data`
    uint32_t first_slot, slot_count;
    uint64_t offset;    // byte of the key in the file
    int32_t call;       // the number in the name, -1 without one
    uint8_t kind;       // OpKind
    uint8_t direction;  // Direction
    uint8_t recompute;  // Tristate: field is_recompute
    uint8_t is_nan;     // Tristate: field is_nan of nan_check dumps
} Op;

// Fields of few leaves: op, peer, tag, group_id of point-to-point operations and process groups,
// device_mesh, placements, layout. In the order of the slots.
typedef struct SlotExtra {
    uint32_t slot;
    NameId key, text;  // Python text
} SlotExtra;

typedef enum Framework {
    FRAMEWORK_UNKNOWN,
    FRAMEWORK_PYTORCH,
    FRAMEWORK_MINDSPORE,
    FRAMEWORK_MINDTORCH,
    FRAMEWORK_COUNT
} Framework;

typedef struct Dump {
    Str path;  // of the JSON file
    Names *names;
    Str task, level;  // as written; task is distinguished from the content where it is missing
    Str versions;     // of the software, as the header tells them: "torch 2.1.0, msprobe 26.0"
    Framework framework;
    Op *ops;
    uint32_t op_count;
    Slot *slots;
    uint32_t slot_count;
    SlotExtra *extras;
    uint32_t extra_count;
    uint64_t bytes;      // size of the file
    int64_t partial_at;  // byte where the file breaks off, or -1
    bool has_checksum;   // some tensor carries md5
    bool has_data_name;  // some tensor names a file
    bool adds_grads;     // the header says that gradients include what was there before
    bool some_inputs;    // ops may have inputs, such as keywords, that were not recorded
    bool sums;           // of each tensor its sum is known and no other statistic
    bool printed;        // its numbers were rounded to be read by people
    bool hashed;         // its norms are hashes, in which NaN and Inf count as numbers
    bool merged;         // is_merged: several ranks in one
    uint32_t shares;     // of a merged dump: ranks that held shares of its tensors; 0: not known
    uint32_t batches, experts;  // of a merged dump: ranks with other tokens; that hold all experts
    uint32_t sequences;         // of these batches: parts of each sequence
    bool
        experts_unsure;  // of a merged dump: which number its experts have in the model is not sure
    uint32_t merged_ranks;              // of a merged dump: how many ranks; 0: not known
    const struct DumpFormat *format;    // how it was read; NULL: made, not read
    const struct Construct *construct;  // a hierarchy that the file itself holds, else NULL
    bool tensors_beside;                // tensor files next to the file, not in dump_tensor_data
    const NameId *left_out;  // modules that a setting of the collection leaves out, by path
    uint32_t left_out_count;
    // Values that the reader saw, and those of them that are no slots: fields that describe a slot,
    // and slots of a name that comes again. seen = slot_count + described + repeated.
    uint64_t seen, described, repeated;
    bool *unread;  // by NameId: the file has an entry of this name that cannot be read
    size_t unread_names;
} Dump;

const char *framework_text(Framework framework);  // "pytorch", "mindspore", "mindtorch", "unknown"

// A member of a header that tells a version ("versions", or a name that ends in "_version") is
// added to dump->versions; false: it tells none.
bool dump_add_version(Dump *dump, Str key, Str value, Arena *arena);

// Fields that describe a slot, and are no values of it.
static inline void dump_describe(Dump *dump, uint64_t fields)
{
    dump->seen += fields;
    dump->described += fields;
}

static inline bool slot_is_result(const Slot *slot)
{
    return group_is_result((SlotGroup)slot->group);
}

static inline bool slot_is_output_tensor(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && slot->group == GROUP_OUTPUT;
}

// The op that a slot is in.
static inline const Op *dump_op_with(const Dump *dump, uint32_t slot)
{
    uint32_t low = 0, high = dump->op_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (dump->ops[middle].first_slot <= slot)
            low = middle;
        else
            high = middle;
    }
    return &dump->ops[low];
}

// The group of its place in a call: an input by keyword and one of that name by position are the
// same.
static inline SlotGroup slot_place_group(const Slot *slot)
{
    return slot->group == GROUP_KWARGS ? GROUP_INPUT : (SlotGroup)slot->group;
}

// The statistic as a double: bool as 0/1. False for absent, null, text.
static inline bool slot_stat(const Slot *slot, Stat stat, double *out)
{
    switch (slot->tag[stat]) {
    case TAG_BOOL:
    case TAG_INT:
        *out = (double)slot->stat[stat].integer;
        return true;
    case TAG_UINT:
        *out = (double)slot->stat[stat].natural;
        return true;
    case TAG_REAL:
        *out = slot->stat[stat].real;
        return true;
    default:
        return false;
    }
}

// The statistic as msProbe's cell shows it before rounding: "3", "2.0", "True", "None", "nan",
// "inf", the text itself. `buffer` holds numbers.
Str slot_stat_text(const Names *names, const Slot *slot, Stat stat, char buffer[40]);

// What else is recorded of the slot under that key; without data if nothing is.
Str slot_extra(const Dump *dump, uint32_t slot, Str key);

// The number of elements of a tensor from its shape text; 1 for "[]"; 0 if it cannot be read.
uint64_t shape_elements(Str shape);
size_t shape_dimensions(Str shape);  // 1 where it has none

#endif
