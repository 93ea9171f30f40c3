// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_ARGUMENT_TEXT_H
#define VERNIER_COMPARE_JUDGE_ARGUMENT_TEXT_H

#include "read/dump/dump.h"

// Arguments and shapes as texts.

// What an argument is, as its dump shows it.
Str argument_text(const Dump *dump, const Slot *slot, char buffer[40]);

// Devices and addresses of objects do not count.
bool argument_same(Str golden, Str target);

// Numbers of a text are distinguished by their place; those further on share the last.
enum { TEXT_PLACES = 64 };

// How far the numbers of two texts are apart, by place. False where the texts differ in more than
// their numbers.
bool text_numbers_apart(Str golden, Str target, double apart[TEXT_PLACES]);

#endif
