// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_PART_BOOK_H
#define VERNIER_COMMANDS_MERGE_PART_BOOK_H

#include "base/str.h"

// NULL if the workbook has only the parts and the elements that renderers/xlsx.c leaves, so no
// formula, link, macro or name of one; else why it is not taken, translated.
const char *part_book_refusal(Str bytes);

#endif
