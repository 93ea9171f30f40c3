// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_NUMBER_LIST_H
#define VERNIER_BASE_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/notice.h"
#include "base/str.h"

// Which numbers to take: "0,2-5" → ranges. Empty list: all.
typedef struct NumberRange {
    int64_t first, last;
} NumberRange;
typedef struct NumberList {
    NumberRange *items;
    size_t count, capacity;
} NumberList;
// "2-5", "2:5" and "2..5" are one range; without a mark both are the text. False: it has none.
bool number_range_split(Str text, Str *first, Str *last);

bool number_list_parse(Str text, Arena *arena, NumberList *out);
bool number_list_has(const NumberList *list, int64_t number);

// Notes, as what was asked for and not done, each range of steps or ranks that holds none of the
// numbers.
void number_list_note_missing(const NumberList *asked, bool ranks, const int64_t *numbers,
                              size_t count, const char *path, Notices *notices);

#endif
