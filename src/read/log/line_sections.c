// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_sections.h"

#include "read/known_rows.h"

bool is_evaluation_word(Str word)
{
    // "valid_1" is one of several.
    while (word.size && (is_digit(word.data[word.size - 1]) || word.data[word.size - 1] == '_'))
        word.size--;
    return word.size && known_group_has("evaluation", word);
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

static bool is_name_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '.' || c == '-';
}

LinePhase line_phase(Str text, LinePhase before)
{
    for (size_t at = 0; at < text.size;) {
        size_t from = at;
        while (at < text.size && is_name_byte(text.data[at]))
            at++;
        Str word = str_slice(text, from, at);
        before = is_evaluation_word(word) ? PHASE_EVALUATION
                 : is_training_word(word) ? PHASE_TRAINING
                                          : before;
        at += at == from;
    }
    return before;
}

// The text after the last ": ", "] " or " - " that a logger puts in front, and blanks.
static Str without_logger(Str line)
{
    size_t from = 0, mark = 0;
    for (size_t at = 1; at + 1 < line.size; at++) {
        if (line.data[at] != ' ')
            continue;
        mark = line.data[at - 1] == ' ' ? mark : at - 1;
        if (is_letter(line.data[at + 1]) &&
            (line.data[mark] == ':' || line.data[mark] == ']' ||
             (line.data[mark] == '-' && mark > 0 && line.data[mark - 1] == ' ')))
            from = at + 1;
    }
    return str_slice(line, from, line.size);
}

LineHeading line_heading(Str line)
{
    enum { HEADING_BYTES = 120 };
    bool evaluates = false, trains = false, alone = true, counts = false, number = false;
    line = str_trim(line);
    if (line.size > HEADING_BYTES)
        return HEADING_NONE;
    // "INFO:tensorflow:***** Eval results *****"
    size_t frame = str_find(line, STR(":***"), 0);
    line = without_logger(str_slice(line, frame == SIZE_MAX ? 0 : frame, line.size));
    for (size_t at = 0; at < line.size; at++) {
        size_t from = at;
        number = number || is_digit(line.data[at]);
        while (at < line.size && is_letter(line.data[at]))
            at++;
        if (at == from)
            continue;
        Str word = str_slice(line, from, at);
        bool evaluation = is_evaluation_word(word);
        evaluates = evaluates || evaluation;
        trains = trains || is_training_word(word);
        counts = counts || STR_IN(word, "epoch", "Epoch", "step", "Step", "iter");
        alone = alone && (evaluation || is_training_word(word) || known_group_has("filler", word));
    }
    alone = alone && (counts || !number);
    if (trains)
        return alone && !evaluates ? HEADING_TRAINING : HEADING_END;
    if (evaluates)
        return alone ? HEADING_EVALUATION : HEADING_NONE;
    return alone && counts && number ? HEADING_END : HEADING_NONE;
}

bool line_sections(Str line, const Pair *pairs, size_t count, Pair training[PAIRS_MAX],
                   size_t *training_count, Pair evaluation[PAIRS_MAX], size_t *evaluation_count)
{
    bool trains = false, evaluates = false;
    LinePhase phase = PHASE_NONE;
    size_t behind = 0;
    *training_count = *evaluation_count = 0;
    if (line.size == 0 || !measures_twice(pairs, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t from = (size_t)(pairs[i].key.data - line.data);
        phase = line_phase(str_slice(line, behind, from), phase);
        bool of_evaluation = phase == PHASE_EVALUATION;
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
