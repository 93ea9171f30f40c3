// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_CURVES_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_CURVES_H

#include "compare/invariant/witness_look.h"

// What functions of one variable must do, by Max and Min of one dump: their results and gradients,
// and whether products and they compute in the format of their inputs. Linear in the slots.
void witness_curves(Looking *of);

#endif
