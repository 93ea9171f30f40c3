// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/argument_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

Str argument_text(const Dump *dump, const Slot *slot, char buffer[40])
{
    if (slot->value != NAME_NONE && slot->tag[STAT_MAX] != TAG_TEXT)
        return names_text(dump->names, slot->value);
    return slot_stat_text(dump->names, slot, STAT_MAX, buffer);
}

// Addresses in texts like "<ReduceOp at 0x7f…>" differ from run to run.
static Str without_address(Str text)
{
    return str_slice(text, 0, str_find(text, STR(" at 0x"), 0));
}

static bool is_device(Str text)
{
    Str kind = str_slice(text, 0, str_find_char(text, ':', 0));
    return STR_ANY(kind, str_equal_nocase, "npu", "cuda", "cpu");
}

bool argument_same(Str golden, Str target)
{
    if (str_equal(without_address(golden), without_address(target)))
        return true;
    // Where a tensor lives is no setting of the model.
    return is_device(golden) && is_device(target);
}

// A minus is the number's sign where it joins it to nothing: "[-3]", not "layer-3".
static bool is_sign(Str before)
{
    if (!str_ends(before, STR("-")))
        return false;
    unsigned char joined = before.size > 1 ? (unsigned char)before.data[before.size - 2] : ' ';
    return joined < 0x80 && !isalnum(joined) && joined != '_' && joined != '-';
}

// Takes the next number off the text, and what stands before it; false where there is none.
static bool next_number(Str *text, Str *before, double *value)
{
    size_t at = 0;
    while (at < text->size && !is_digit(text->data[at]))
        at++;
    at -= is_sign(str_slice(*text, 0, at));
    *before = str_slice(*text, 0, at);
    size_t digits = number_parse(str_slice(*text, at, text->size), value);
    *text = str_slice(*text, at + digits, text->size);
    return digits > 0;
}

bool text_numbers_apart(Str golden, Str target, double apart[TEXT_PLACES])
{
    memset(apart, 0, TEXT_PLACES * sizeof *apart);
    for (int place = 0;; place += place < TEXT_PLACES - 1) {
        Str before, other;
        double a = 0, b = 0;
        bool more = next_number(&golden, &before, &a);
        if (more != next_number(&target, &other, &b) || !str_equal(before, other))
            return false;
        if (!more)
            return true;
        if (fabs(b - a) > fabs(apart[place]))
            apart[place] = b - a;
    }
}
