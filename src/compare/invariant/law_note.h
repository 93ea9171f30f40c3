// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_LAW_NOTE_H
#define VERNIER_COMPARE_INVARIANT_LAW_NOTE_H

#include "compare/invariant/law.h"

// How a test says what it found. `rank` and `other` are indices in Evidence.ranks; `other`
// SIZE_MAX: one alone.

// `what` is the tensor or op that breaks the law, `text` says how, translated; the first breaks
// are kept, all are counted.
void law_note_held(LawResult *out, size_t rank, size_t other);
void law_note_broken(const Evidence *of, LawResult *out, size_t rank, size_t other, Str what,
                     Str text);

// One comparison of two tensors that must be equal; SEEN_UNKNOWN counts as nothing.
void law_note_match(const Evidence *of, LawResult *out, size_t rank, size_t other, Str what,
                    const TensorSeen *a, const TensorSeen *b);

// Why nothing could be checked, translated; the first one counts, and the words that the law needs
// where there is none.
void law_note_why(LawResult *out, Str why);

// A dump in which the law is neither known to hold nor to be broken, and why, translated: where it
// holds in others, it is said of how many.
void law_note_open(LawResult *out, size_t rank, Str why);

// What the dumps are to each other: what is below reads it.
void law_relate(Evidence *of);

// The next dump of the same rank, one step later, of checkpoints the next one; SIZE_MAX: none.
size_t law_next_step(const Evidence *of, size_t rank);

// The dump of a rank in the step of the one at `like`; SIZE_MAX: none.
size_t law_dump_at(const Evidence *of, size_t like, int64_t rank);

#endif
