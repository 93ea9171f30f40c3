// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_ROW_NAME_H
#define VERNIER_COMPARE_MAPPING_ROW_NAME_H

#include "read/dump/dump.h"

// The name of a slot in the rows of msProbe and in data mappings: op and path, or the tensor file
// without its extension. Written to `buffer`, which is emptied first.
Str row_name(const Dump *dump, const Op *op, const Slot *slot, StrBuf *buffer);

// "x.0.pt" → "x.0"
Str row_name_cut_extension(Str file);

#endif
