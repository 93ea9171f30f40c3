// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_SCALAR_NOISE_H
#define VERNIER_COMPARE_JUDGE_SCALAR_NOISE_H

#include "compare/judge/floor.h"

// Floats among the arguments that were computed from tensors (a clip factor, a trust ratio, a mean)
// carry their noise; what a person wrote down (0.1, 1e-05) carries none.

// A number that a person writes has few digits. Source: a float32 has 7 to 9 significant digits and
// shows 15 to 17 of them as a Python float.
enum { SCALAR_DIGITS_WRITTEN = 9 };
// A number of bfloat16 or float16 may have fewer: 0.92578125. Most that a person writes have less
// than this, or are none of that type.
enum { SCALAR_DIGITS_HALF = 6 };
// How many steps of the type two of them may be apart: the rounding of the two sides.
enum { SCALAR_STEPS_HALF = 2 };

// The floor of the relative difference of two floats of one place: that of a norm in the coarsest
// type the run has computed in (at least float32); 0 where one of them has few digits. Where both
// are numbers of the 16-bit type that the run has computed in, not both whole, and one has six
// digits, it is two steps of that type, and 0 for what is further apart.
double scalar_floor(double golden, double target, Precision run);

#endif
