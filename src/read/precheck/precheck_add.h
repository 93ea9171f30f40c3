// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_PRECHECK_PRECHECK_ADD_H
#define VERNIER_READ_PRECHECK_PRECHECK_ADD_H

#include "read/precheck/precheck.h"

// Adds what a row of the file at work says of an API and direction: of several rows the worst
// stands. `apart`: findings of one API with other texts here stay apart. Texts are copied.
void precheck_add(Precheck *out, Arena *arena, const PrecheckFinding *row, const char *apart);

// What a word of a table says: "pass", "False", "SKIP". False if it is none; *out is then without a
// verdict.
bool precheck_word(Str word, PrecheckStatus *out);

// "Functional.linear.8.forward.output.0": the API, its direction, "output.0". A name without a
// direction is plain.
void precheck_split(Str name, PrecheckFinding *out);

#endif
