// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_OUTLINE_H
#define VERNIER_PICTURE_COMPARE_OUTLINE_H

#include "compare/judge/comparison.h"

// The hierarchy as the pictures show it: cut into sections (forward and backward of each micro
// step, and what runs after the last backward op), root and groups left out, nodes without any data
// left out. All views share it, so that they agree.

typedef enum SectionKind { SECTION_FORWARD, SECTION_BACKWARD, SECTION_AFTER } SectionKind;

typedef struct Section {
    SectionKind kind;
    uint32_t micro_step;
    uint32_t first, count;  // its top rows in Outline.tops
    uint32_t ops;
    uint32_t counts[STATUS_COUNT];  // ops by status
    Status worst;
} Section;

typedef struct Outline {
    const Comparison *comparison;
    uint32_t *tops;  // tree rows at the top level, by section, in execution order
    uint32_t top_count;
    Section *sections;  // by micro step, forward before backward, SECTION_AFTER last
    uint32_t section_count;
    uint32_t *section_of;  // by tree row; PAIR_NONE for root and groups
    uint32_t *row_of_op;   // by op pair; PAIR_NONE for an op that is not in the tree
    bool many_micro_steps;
} Outline;

// Linear in the tree.
void outline_build(const Comparison *comparison, Arena *arena, Outline *out);

// The shown children of a row: PAIR_NONE at the end.
uint32_t outline_first(const Outline *outline, uint32_t row);
uint32_t outline_next(const Outline *outline, uint32_t row);

// Levels of the shown rows, 0 without any. Linear in the tree.
uint32_t outline_depth(const Outline *outline);

uint32_t row_ops(const TreeNode *row);  // ops in its subtree

// "Forward", "Backward, micro step 1", translated.
Str section_name(const Outline *outline, const Section *section, Arena *arena);

// Where the rows of a further page belong: "continued: Forward › blocks.2 › attn", for a page that
// begins with this row; PAIR_NONE: with the section.
Str outline_continued(const Outline *outline, const Section *section, uint32_t row, Arena *arena);

// The numbered discs, the same in every view.
typedef enum FlagKind { FLAG_FIRST, FLAG_LARGEST, FLAG_NONFINITE, FLAG_UNMATCHED } FlagKind;
enum { FLAG_MAX = 4 };
typedef struct Flag {
    FlagKind kind;
    int number;  // 1: first divergence
    uint32_t op, row;
    uint32_t alike;  // ops whose error reads the same, of FLAG_LARGEST: the first of them has it
} Flag;
typedef struct Flags {
    Flag items[FLAG_MAX];
    size_t count;
} Flags;

// The op that the verdict names: of an op that was replaced the target's.
uint32_t divergence_op(const Comparison *comparison);

// In order of their numbers; none without a divergence.
void flags_find(const Outline *outline, Flags *out);
const Flag *flags_at(const Flags *flags, uint32_t row);  // NULL: none
const char *flag_word(FlagKind kind);                    // marked for tr
Str flag_text(const Flag *flag, Arena *arena);           // "largest error in 195 ops", translated

#endif
