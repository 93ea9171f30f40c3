// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_TEXT_COLUMNS_H
#define VERNIER_BASE_TEXT_COLUMNS_H

#include "base/str.h"

// Text measured in columns of a terminal or of a mail.

size_t columns_of(Str text);

// Where the first character begins that does not fit; the size of the text if all do.
size_t columns_head(Str text, size_t columns);

// Where the first character begins from which on the text is at most `columns` wide to its end.
size_t columns_tail(Str text, size_t columns);

// At most that wide, cut in the middle: "blocks.2…output".
Str columns_fit(Str text, size_t columns, Arena *arena);

#endif
