// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_WORDS_H
#define VERNIER_BASE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// Every word a user reads, in the language of the run. The English text is the key; the other
// languages are in templates/words.LANG, and a test fails on a word that is missing there.

typedef enum Lang { LANG_EN, LANG_ZH } Lang;

// Chooses the language of the process. Both are called while no thread runs.
// `catalogue` is the text of the word file, which is copied:
//     en: cannot open the file: %s
//     zh: 无法打开文件：%s
// with \n, \" and \\ as in C. Lines that are not such pairs are skipped.
void words_use(Lang lang, Str catalogue);
Lang words_lang(void);
// Another language from here on: where the chosen one cannot be shown, or a sentence is reported in
// each. Texts given before stay valid.
void words_speak(Lang lang);

// The text in the chosen language; `english` itself where there is none. Works for printf formats:
// the translation has the same directives in the same order (checked by the test).
const char *tr(const char *english) __attribute__((format_arg(1)));

// The text for so many things: `one` for 1, else `many`. Both have the same directives.
const char *tr_count(uint64_t count, const char *one, const char *many)
    __attribute__((format_arg(2), format_arg(3)));

// Marks a text in a table of constants for translation; tr() is called where it is shown.
#define TR(text) text

#endif
