// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_words.h"

#include <string.h>

#include "base/line_scan.h"

typedef struct Word {
    const char *chinese, *english;
} Word;

// Of words that begin in the same way the longer one comes first.
static const Word words[] = {
    {"训练集", "train "},
    {"验证集", "val "},
    {"测试集", "test "},
    {"训练", "train "},
    {"验证", "val "},
    {"测试", "test "},
    {"评估", "eval "},
    {"总损失", "total_loss"},
    {"损失函数值", "loss"},
    {"损失函数", "loss"},
    {"损失值", "loss"},
    {"损失", "loss"},
    {"損失", "loss"},
    {"学习率", "lr"},
    {"学習率", "lr"},
    {"學習率", "lr"},
    {"全局梯度范数", "grad_norm"},
    {"梯度范数", "grad_norm"},
    {"全局步数", "global_step"},
    {"全局步", "global_step"},
    {"总步数", "total_steps"},
    {"总轮数", "max_epochs"},
    {"步骤", "step"},
    {"步数", "step"},
    {"步", "step"},
    {"迭代次数", "iter"},
    {"迭代步数", "iter"},
    {"迭代步", "iter"},
    {"迭代", "iter"},
    {"轮次", "epoch"},
    {"轮数", "epoch"},
    {"轮", "epoch"},
    {"周期", "epoch"},
    {"批次", "batch"},
    {"准确率", "accuracy"},
    {"精度", "accuracy"},
    {"困惑度", "ppl"},
    {"剩余时间", "eta"},
    {"耗时", "time"},
    {"用时", "time"},
    {"时间", "time"},
    {"吞吐量", "throughput"},
    {"吞吐", "throughput"},
    {"显存", "memory"},
    {"奖励", "reward"},
    {"에포크", "epoch"},
    {"스텝", "step"},
    {"학습률", "lr"},
    {"학습", "train "},
    {"훈련", "train "},
    {"검증", "val "},
    {"손실", "loss"},
    {"정확도", "accuracy"},
    {"エポック", "epoch"},
    {"ステップ", "step"},
    {"функция потерь", "loss"},
    {"потеря", "loss"},
    {"потери", "loss"},
    {"Потеря", "loss"},
    {"Потери", "loss"},
    {"скорость обучения", "lr"},
    {"эпоха", "epoch"},
    {"Эпоха", "epoch"},
    {"шаг", "step"},
    {"Шаг", "step"},
    {"：", ":"},
    {"，", ","},
    {"＝", "="},
    {"（", "("},
    {"）", ")"},
    {"；", ";"},
    {"、", ","},
    {"【", "["},
    {"】", "]"},
    {"｜", "|"},
    {"／", "/"},
    {"％", "%"},
    {"　", " "},
};

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
static void put_word(Output *out, const char *english)
{
    if (out->size && is_word_byte(out->data[out->size - 1]) && is_word_byte(english[0]))
        put(out, " ", 1);
    put(out, english, strlen(english));
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
            put_word(out, counters[i].english);
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
static bool ends_word(Str text)
{
    static const char *const before[] = {"当前", "每", "累计", "更新", "优化", "优化器", "完成"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (str_ends(text, str_of(before[i])))
            return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_ends(text, str_of(words[i].chinese)))
            return true;
    return false;
}

// A counter inside of another word counts nothing: 同步, 初步, 车轮.
static bool is_inner_counter(Str before, const char *english)
{
    return STR_IN(str_of(english), "step", "iter", "epoch") &&
           (ends_accumulation(before) || (ends_chinese(before) && !ends_word(before)));
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

static bool take_word(Scan *scan, Output *out)
{
    Str before = str_slice(scan->text, 0, scan->at);
    Str rest = str_slice(scan->text, scan->at, scan->text.size);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_starts(rest, str_of(words[i].chinese)) &&
            !is_inner_counter(before, words[i].english) && scan_word(scan, words[i].chinese)) {
            put_word(out, words[i].english);
            return true;
        }
    return false;
}

size_t log_words_english(Str text, char *out, size_t room)
{
    Output english = {out, 0, room};
    Scan scan = scan_of(text);
    while (scan.at < text.size) {
        const char *here = text.data + scan.at;
        if (((unsigned char)*here & 0xC0) == 0xC0 &&
            (take_counter(&scan, &english) || take_is(&scan, &english) ||
             take_word(&scan, &english)))
            continue;
        put(&english, here, 1);
        scan.at++;
    }
    return english.size;
}
