// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_COVERAGE_H
#define VERNIER_COMPARE_COVERAGE_H

#include "compare/judge/comparison.h"
#include "compare/replaced_ops.h"

// How wide a comparison is: what both sides tell, what of it was compared, and what one side has
// not recorded. Plain texts and numbers, kept when the graphs are gone.

typedef enum Side { SIDE_GOLDEN, SIDE_TARGET, SIDE_COUNT } Side;

// Something that one side did not record though the other did.
typedef struct LeftOut {
    Side side;        // that does not have it
    Absence absence;  // from ABSENCE_ROLE on: of slots
    Str name;  // "Tensor.view", "backward", "Norm", "files", "%.6g"; of ABSENCE_NO_EFFECT none
    uint64_t count;  // ops of the other side; or slots
    Rule rule;       // of ops: that settles them; REASON_NONE: slots
} LeftOut;

// The slots that a rule excuses, and the first of them.
typedef struct Excused {
    Reason rule;
    uint64_t slots;
    Str op, slot;                // of golden
    double error, floor, given;  // as in SlotPair and Given; NaN: no number tells
} Excused;

// What a side tells of its tensors.
typedef enum SideContent {
    CONTENT_STRUCTURE,  // shapes and dtypes alone
    CONTENT_FILES,
    CONTENT_CHECKSUMS,
    CONTENT_STATISTICS,
    CONTENT_COUNT
} SideContent;

typedef struct Coverage {
    uint64_t slots[2], told[2];  // golden, target
    uint64_t tensors[2];         // that are not empty
    SideContent content[2];
    uint64_t compared, compared_tensors;
    uint64_t carried;     // of these, beyond their floor and excused because of another value
    uint64_t widened;     // and within it by the room of weights that no dump tells alone
    uint64_t lost;        // slots of which one side lost what the other tells
    uint64_t unrecorded;  // pairs of tensors with elements of which neither side tells a value
    uint64_t ignored;     // pairs of slots that a rule of the criteria leaves out
    uint64_t unmerged;    // pairs of slots that merged ranks with other tokens do not tell together
    uint64_t nan;         // pairs of tensors of which both sides tell NaN and nothing else
    uint64_t nan_alone;   // tensors of the target with NaN or Inf, of which golden records nothing
    Str nan_first;        // the first of them: "Functional.linear.0.backward, output.0"
    bool nan_is_inf;      // it holds Inf and no NaN
    uint64_t moved;       // fewest ops that would have to move for both to run in one order
    bool ends_early[2];   // the side has nothing of the other's last ops, and its file is whole
    bool breaks_off[2];   // its file does not come to its end
    Stated stated[2];     // what the configurations of the dumps state
    uint8_t stated_used[2];  // as in Comparison
    bool rounded[2];         // its numbers were rounded when they were written
    bool sums;               // of the tensors of a side the sums are known and nothing else
    LeftOut *left_out;       // by side, absence, name
    uint32_t left_count;
    Excused *excused;  // by rule
    uint32_t excused_count;
    Replaced *replaced;
    uint32_t replaced_count;
    uint64_t replaced_alone;  // ops on one side only that `replaced` stands for
} Coverage;

// Whether neither side records any value: the structures are compared, ops and shapes.
bool coverage_are_structures(const Comparison *comparison);

// Linear in ops and slots; lives in `arena`.
void coverage_collect(const Comparison *comparison, Arena *arena, Coverage *out);

// What an item of summary.json is: "api", "direction", "role", "level", "range", "unfelt",
// "statistic", "digits".
const char *coverage_word(Absence absence);

// Why it is taken for a setting, or for harmless; not translated.
const char *coverage_why(Absence absence);

// Both lists as one, counts of equal items added; for several pairs.
void coverage_join(Coverage *sum, const Coverage *other, Arena *arena);

// Whether fewer than half of the ops of either side have a partner, though one tool wrote both: a
// setting of the collection leaves ops out of one side, other names leave them out of both.
bool coverage_most_alone(const Comparison *comparison);

// Whether a slot that the rule excuses passes by it, and how many do.
bool coverage_passes_by(Reason rule);
uint64_t coverage_by_rule(const Coverage *coverage);

// Ops on one side only, for whatever reason.
uint64_t coverage_ops_alone(const Coverage *coverage);

// Whether an agreement is none under --strict: replaced ops, ops on one side only, values that pass
// by a rule.
static inline bool coverage_strict_differs(const Coverage *coverage)
{
    return coverage->replaced_count || coverage_ops_alone(coverage) || coverage_by_rule(coverage);
}

// Whether the two sides tell tensors and none of them could be compared with another.
bool coverage_no_tensor(const Coverage *coverage);

#endif
