// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OTHER_WORDS_H
#define VERNIER_COMMANDS_MACHINERY_OTHER_WORDS_H

#include "base/error.h"
#include "base/words.h"

// What other programs, msProbe among them, call a thing that vernier has under another name.

typedef enum OtherWords {
    OTHER_COMMAND,       // to be proposed
    OTHER_SAME_COMMAND,  // of the same meaning, taken for it; words that are added follow the name
    OTHER_OPTION,        // to be proposed
    OTHER_SYNONYM,       // with its dashes: the option has the same meaning and is taken for it
    OTHER_NEEDLESS,      // with its dashes: what it asks for the command of this name does anyway
    OTHER_FORMAT,
    OTHER_VALUE
} OtherWords;

// The index-th name of vernier's that is meant: "threshold" is "criteria", then "limits" as an
// option. '_' is '-', case is no difference. Empty beyond the last.
Str other_word(OtherWords of, Str typed, size_t index);

// A dash that is no '-' begins the word, as text processors and Chinese keyboards write it; its
// size in bytes, 0: none.
size_t other_dash(Str word);
// Says what is typed instead of such a word. False: it is none.
bool other_dash_hint(Str word, Error *err);

#define OTHER_COMMA_TEXT TR("its commas are of full width: type ','")

// The rest of a list from its first comma of full width on; empty: it has none.
Str other_comma(Str list);

#endif
