// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_WORDS_H
#define VERNIER_READ_LOG_LOG_WORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

// Training logs in Chinese, "步数：100，损失：2.31", "第 1 轮，第 5/12 步 损失 2.3": the words of
// training and the wide marks as the English ones, so that one reader serves both.

// True if the Chinese word for loss is in the text, or the English one before a wide mark.
bool log_words_chinese(Str text);

// The words, and where in their rows those are that begin with the same character.
typedef struct LogWords {
    Str rows;
    struct {
        uint32_t from, stop;
    } starts[256];
} LogWords;

LogWords *log_words_open(Arena *arena);

// The text with those words and marks in English, as long as `out` is large enough for it; other
// characters stay. Gives the size; a word of three bytes becomes at most 12. NULL: no index.
size_t log_words_english(const LogWords *words, Str text, char *out, size_t room);

#endif
