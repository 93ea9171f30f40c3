// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_words.h"

#include <string.h>

#include "base/line_scan.h"
#include "read/known_rows.h"

enum { WORD_MAX = 24 };  // bytes of the longest word

typedef struct Word {
    const char *chinese, *english;
} Word;

// What is counted after "第 N".
static const Word counters[] = {{"步", "step"},      {"轮", "epoch"}, {"个epoch", "epoch"},
                                {"次迭代", "iter"},  {"批", "batch"}, {"个批次", "batch"},
                                {"个周期", "epoch"}, {"代", "epoch"}};

// "Loss：2.5": a wide mark after the English word.
static bool is_loss_marked(Str text, Str mark)
{
    for (size_t at = 0; (at = str_find(text, mark, at)) != SIZE_MAX; at++)
        if (at >= 4 && str_equal_nocase(str_slice(text, at - 4, at), STR("loss")))
            return true;
    return false;
}

bool log_words_chinese(Str text)
{
    static const char *const losses[] = {"损失", "損失", "손실", "отер"};
    static const Str marks[] = {{"：", 3}, {"＝", 3}, {"为", 3}, {"是", 3}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (str_find(text, str_of(losses[i]), 0) != SIZE_MAX)
            return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (is_loss_marked(text, marks[i]))
            return true;
    return false;
}

typedef struct Output {
    char *data;
    size_t size, room;
} Output;

static void put(Output *out, const char *text, size_t size)
{
    if (size > out->room - out->size)
        return;
    memcpy(out->data + out->size, text, size);
    out->size += size;
}

static bool is_word_byte(char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

// A word stands apart from a letter or digit in front of it.
static void put_word(Output *out, Str english)
{
    if (out->size && english.size && is_word_byte(out->data[out->size - 1]) &&
        is_word_byte(english.data[0]))
        put(out, " ", 1);
    put(out, english.data, english.size);
}

// "第 5/12 步": "step: 5/12 ".
static bool take_counter(Scan *scan, Output *out)
{
    Scan at = *scan;
    int64_t number;
    if (!scan_word(&at, "第"))
        return false;
    scan_blanks(&at);
    size_t from = at.at;
    if (!scan_uint(&at, &number))
        return false;
    Scan slash = at;
    scan_blanks(&slash);
    if (scan_char(&slash, '/')) {
        scan_blanks(&slash);
        at = scan_uint(&slash, &number) ? slash : at;
    }
    size_t stop = at.at;
    scan_blanks(&at);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (scan_word(&at, counters[i].chinese)) {
            put_word(out, str_of(counters[i].english));
            put(out, ": ", 2);
            put(out, scan->text.data + from, stop - from);
            put(out, " ", 1);
            *scan = at;
            return true;
        }
    return false;
}

// Whether the text ends with a Chinese character, U+4E00 to U+9FFF.
static bool ends_chinese(Str text)
{
    if (text.size < 3)
        return false;
    const unsigned char *last = (const unsigned char *)text.data + text.size - 3;
    unsigned code = (last[0] & 0x0FU) << 12 | (last[1] & 0x3FU) << 6 | (last[2] & 0x3FU);
    return (last[0] & 0xF0) == 0xE0 && code >= 0x4E00 && code <= 0x9FFF;
}

// Steps over which gradients are summed: 梯度累计步数, 梯度累积更新步数, 梯度累计 步数.
static bool ends_accumulation(Str text)
{
    Str whole = text;
    while (text.size && (text.data[text.size - 1] == ' ' || ends_chinese(text)))
        text.size -= text.data[text.size - 1] == ' ' ? 1 : 3;
    return str_find(str_slice(whole, text.size, whole.size), STR("梯度累"), 0) != SIZE_MAX;
}

// Whether a word of the list ends there, as 训练 does in 训练步数, or one that says which count it is.
static bool ends_word(Str words, Str text)
{
    static const char *const before[] = {"当前", "每", "累计", "更新", "优化", "优化器", "完成"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (str_ends(text, str_of(before[i])))
            return true;
    for (size_t at = text.size > WORD_MAX ? text.size - WORD_MAX : 0; at < text.size; at++)
        if (known_row(words, str_slice(text, at, text.size)).size)
            return true;
    return false;
}

// A counter inside of another word counts nothing: 同步, 初步, 车轮.
static bool is_inner_counter(Str words, Str before, Str english)
{
    return STR_IN(english, "step", "iter", "epoch") &&
           (ends_accumulation(before) || (ends_chinese(before) && !ends_word(words, before)));
}

// "loss为2.5"
static bool take_is(Scan *scan, Output *out)
{
    bool named = out->size && is_word_byte(out->data[out->size - 1]);
    if (!named || !(scan_word(scan, "为") || scan_word(scan, "是")))
        return false;
    put(out, ":", 1);
    return true;
}

// Of the first three bytes.
static size_t start_of(Str text)
{
    size_t hash = 0;
    for (size_t i = 0; i < 3; i++)
        hash = hash * 31 + (i < text.size ? (unsigned char)text.data[i] : 0);
    return hash % 256;
}

LogWords *log_words_open(Arena *arena)
{
    LogWords *words = ARENA_NEW(arena, LogWords);
    words->rows = known_rows("log.words").text;
    Str rest = words->rows, line;
    while (str_split(&rest, '\n', &line)) {
        size_t slot = start_of(line), from = (size_t)(line.data - words->rows.data);
        if (words->starts[slot].stop == 0)
            words->starts[slot].from = (uint32_t)from;
        words->starts[slot].stop = (uint32_t)(from + line.size);
    }
    return words;
}

static bool take_word(const LogWords *words, Str rows, Scan *scan, Output *out)
{
    Str before = str_slice(scan->text, 0, scan->at), key;
    Str rest = str_slice(scan->text, scan->at, scan->text.size), own = rows;
    if (words)
        own =
            str_slice(rows, words->starts[start_of(rest)].from, words->starts[start_of(rest)].stop);
    Str row = known_prefix(own, rest, &key), english = known_word(&row);
    if (key.size == 0 || is_inner_counter(rows, before, english))
        return false;
    scan->at += key.size;
    bool blank = row.size || str_equal(english, STR("+"));
    put_word(out, str_equal(english, STR("+")) ? STR("") : english);
    put(out, " ", blank);
    return true;
}

size_t log_words_english(const LogWords *words, Str text, char *out, size_t room)
{
    Output english = {out, 0, room};
    Scan scan = scan_of(text);
    Str rows = words ? words->rows : known_rows("log.words").text;
    while (scan.at < text.size) {
        const char *here = text.data + scan.at;
        if (((unsigned char)*here & 0xC0) == 0xC0 &&
            (take_counter(&scan, &english) || take_is(&scan, &english) ||
             take_word(words, rows, &scan, &english)))
            continue;
        put(&english, here, 1);
        scan.at++;
    }
    return english.size;
}
