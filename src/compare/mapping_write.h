// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_WRITE_H
#define VERNIER_COMPARE_MAPPING_WRITE_H

#include "base/sink.h"
#include "compare/judge/comparison.h"

// The pairs of a comparison as a data mapping: what names do not tell, for review and to be given
// back with --data-mapping.

// Adds the rows whose partner has another name, and as "N/A" the rows of ops of the target without
// a partner, so that the mapping gives the same pairs again. Texts live in `arena`.
void mapping_collect(const Comparison *comparison, Arena *arena, NameMapping *out);

// Adds the entries of `from` that `out` does not have. Gives how many it has with another partner:
// the first one stays. `seen` knows the entries of `out`, one table for all calls.
size_t mapping_join(NameMapping *out, const NameMapping *from, Names *seen, Arena *arena);

// As YAML, in the order of the entries.
void mapping_write(const NameMapping *mapping, Sink *out);

// The modules that golden has under another path as a layer mapping, to be given back with
// --layer-mapping. Rules are added in the order of the target's modules; of two for one child the
// first stays. `seen` knows the entries of `out`, one table for all calls.
void mapping_collect_layers(const Comparison *comparison, Arena *arena, LayerMapping *out);
void mapping_add_layer(LayerMapping *out, Str layer, Str target, Str golden, Names *seen,
                       Arena *arena);
void mapping_write_layers(const LayerMapping *mapping, Sink *out);

// A name as YAML, in quotes where it needs them.
void mapping_write_name(Str text, Sink *out);

#endif
