// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_TENSOR_SEEN_H
#define VERNIER_COMPARE_INVARIANT_TENSOR_SEEN_H

#include "compare/judge/told_digits.h"
#include "read/dump/dump.h"

// What a dump tells of one tensor, kept when the dump is let go, and whether two of them can be the
// same tensor.

typedef struct TensorSeen {
    Str dtype, shape;         // as in the dump; empty shape: there is no tensor
    Str checksum;             // or empty
    double stat[STAT_COUNT];  // where its bit is set
    uint8_t known;            // 1 << Stat
    ToldRounding rounding;    // of the dump's statistics
    uint64_t elements;
} TensorSeen;

typedef enum SeenMatch {
    SEEN_EQUAL,
    SEEN_DIFFERENT,
    SEEN_UNKNOWN  // what both tell is equal, and too little to call them equal; or one holds NaN
} SeenMatch;

// A shape or dtype that one does not tell differs from none. By checksums where both have one of
// the same kind, else by statistics: Max and Min to the last bit, Mean and Norm within `tolerance`
// of the norm (of norm / sqrt(n) for Mean), since the order of a sum is not that of another device.
// With `tolerance` above SEEN_TOLERANCE Max and Min too, of the larger magnitude.
#define SEEN_TOLERANCE 5e-7
// Half a step of the last digit that each tells comes on top; with a tolerance of 0, and for Max
// and Min, only where the one dump is rounded otherwise than the other.
SeenMatch tensor_seen_match(const TensorSeen *a, const TensorSeen *b, double tolerance);

// Half a step of the last digit that the dump tells of `stat`; 0: not rounded.
double tensor_seen_blur(const TensorSeen *seen, Stat stat);
bool tensor_seen_rounded(const TensorSeen *seen);

// One step of its dtype at 1.0, which its values and its statistics were rounded to: of float32
// where the dtype is finer or no float, since writers add up in float32.
double tensor_seen_step(const TensorSeen *seen);

bool tensor_seen_is_float(const TensorSeen *seen);
bool tensor_seen_finite(const TensorSeen *seen);    // all that is known of it is finite
bool tensor_seen_nan(const TensorSeen *seen);       // a statistic that is known is NaN
bool tensor_seen_has_ends(const TensorSeen *seen);  // Max and Min are known
bool tensor_seen_zero(const TensorSeen *seen);      // Max and Min are known and 0
bool tensor_seen_constant(const TensorSeen *seen);  // Max and Min are known and equal
// Whether its statistics could hardly be those of another tensor: a checksum, or Mean and Norm of
// at least SEEN_ELEMENTS elements that are not all equal.
enum { SEEN_ELEMENTS = 4 };
bool tensor_seen_rich(const TensorSeen *seen);

// Root mean square, from Norm; NaN where that is not known.
double tensor_seen_rms(const TensorSeen *seen);

// "Norm 1.2345678", or Max where that is all there is.
Str tensor_seen_text(const TensorSeen *seen, Arena *arena);
// The statistic in which two differ most visibly, of both: "Norm 1.25 against 1.26".
Str tensor_seen_difference(const TensorSeen *a, const TensorSeen *b, Arena *arena);

#endif
