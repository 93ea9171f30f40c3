// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_WIRE_COMPARE_H
#define VERNIER_LAYOUT_WIRE_COMPARE_H

#include "compare/layer_facts.h"
#include "layout/junit.h"
#include "layout/wire.h"

// What is kept of compared pairs, on the wire (layout/wire.h): facts, notices, JUnit cases, layers,
// files,
// criteria.

void wire_facts(Wire *wire, PairFacts *facts);
// Reading appends to `notices`, which must be initialised.
void wire_notices(Wire *wire, const char *key, Notices *notices);
void wire_cases(Wire *wire, JunitCases *cases);
void wire_layers(Wire *wire, LayerFacts *layers);
void wire_pair_files(Wire *wire, PairFiles *files);
void wire_criteria(Wire *wire, Criteria *criteria);

#endif
