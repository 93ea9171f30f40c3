// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_sections.h"

bool is_evaluation_word(Str word)
{
    static const char *const words[] = {"valid", "val",        "validation", "eval",    "test",
                                        "dev",   "evaluation", "validate",   "evaluate"};
    for (size_t i = 0; word.size && i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(word, str_of(words[i])))
            return true;
    return false;
}

static bool is_training_word(Str word)
{
    return str_equal_nocase(word, STR("train")) || str_equal_nocase(word, STR("training"));
}

static bool measures_twice(const Pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; pairs[i].facts.measure && k < i; k++)
            if (pairs[k].facts.measure && str_equal_nocase(pairs[i].key, pairs[k].key))
                return true;
    return false;
}

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

// Whether what follows the text between two keys is of an evaluation: by the last word there that
// says so, else as `before`.
static bool section_behind(Str between, bool before)
{
    for (size_t at = 0; at < between.size;) {
        size_t from = at;
        while (at < between.size && is_letter(between.data[at]))
            at++;
        Str word = str_slice(between, from, at);
        before = (before || is_evaluation_word(word)) && !is_training_word(word);
        at += at == from;
    }
    return before;
}

bool line_is_evaluation_heading(Str line, bool before)
{
    enum { HEADING_BYTES = 80 };
    bool evaluates = false;
    line = str_trim(line);
    if (line.size == 0 || line.size > HEADING_BYTES)
        return before;
    for (size_t at = 0; at < line.size; at++) {
        size_t from = at;
        while (at < line.size && is_letter(line.data[at]))
            at++;
        Str word = str_slice(line, from, at);
        if (is_training_word(word))
            return false;
        evaluates = evaluates || is_evaluation_word(word) ||
                    STR_IN(word, "Validating", "Evaluating", "Testing");
    }
    return evaluates || before;
}

bool line_sections(Str line, const Pair *pairs, size_t count, Pair training[PAIRS_MAX],
                   size_t *training_count, Pair evaluation[PAIRS_MAX], size_t *evaluation_count)
{
    bool of_evaluation = false, trains = false, evaluates = false;
    size_t behind = 0;
    *training_count = *evaluation_count = 0;
    if (line.size == 0 || !measures_twice(pairs, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t from = (size_t)(pairs[i].key.data - line.data);
        of_evaluation = section_behind(str_slice(line, behind, from), of_evaluation);
        behind = from + pairs[i].key.size;
        if (of_evaluation)
            evaluation[(*evaluation_count)++] = pairs[i];
        else
            training[(*training_count)++] = pairs[i];
        trains = trains || (!of_evaluation && pairs[i].facts.measure);
        evaluates = evaluates || (of_evaluation && pairs[i].facts.measure);
    }
    return trains && evaluates;
}
