// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_WIRE_MAPPING_H
#define VERNIER_LAYOUT_WIRE_MAPPING_H

#include "layout/wire.h"
#include "read/mapping.h"

// What was inferred of names, as JSON that a part of a comparison leaves for `vernier merge`.

void wire_name_mapping(Wire *wire, const char *key, NameMapping *mapping);
void wire_layer_mapping(Wire *wire, const char *key, LayerMapping *mapping);

#endif
