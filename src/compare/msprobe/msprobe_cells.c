// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const char *const fixed_text[] = {
    [MSPROBE_NA] = "N/A",
    [MSPROBE_NONE] = "None",
    [MSPROBE_NAN] = "Nan",
    [MSPROBE_DIFFERS] = "Diff",
    [MSPROBE_UNSUPPORTED] = "unsupported",
    [MSPROBE_SHAPES] = "shape unmatched",
    [MSPROBE_ZERO] = "0",
};

static MsprobeCell cell_of_kind(MsprobeKind kind)
{
    return (MsprobeCell){.kind = kind};
}

static MsprobeCell cell_of_real(double number)
{
    if (isnan(number))
        return cell_of_kind(MSPROBE_NAN);
    return (MsprobeCell){.kind = MSPROBE_REAL, .number = number};
}

static MsprobeCell cell_of_tag(const Dump *dump, const Slot *slot, Stat stat)
{
    const StatValue *value = &slot->stat[stat];
    switch ((StatTag)slot->tag[stat]) {
    case TAG_ABSENT:
    case TAG_NULL:
        return cell_of_kind(MSPROBE_NONE);
    case TAG_BOOL:
        return (MsprobeCell){
            .kind = MSPROBE_BOOL, .number = (double)value->integer, .integer = value->integer};
    case TAG_INT:
        return (MsprobeCell){
            .kind = MSPROBE_INT, .number = (double)value->integer, .integer = value->integer};
    case TAG_UINT:
        return (MsprobeCell){
            .kind = MSPROBE_UINT, .number = (double)value->natural, .natural = value->natural};
    case TAG_REAL:
        return cell_of_real(value->real);
    case TAG_TEXT:
        return (MsprobeCell){.kind = MSPROBE_TEXT, .text = names_text(dump->names, value->text)};
    case TAG_BIGINT: {
        MsprobeCell cell = {.kind = MSPROBE_BIGINT, .text = names_text(dump->names, value->text)};
        if (!number_of_text(cell.text, &cell.number))
            cell.kind = MSPROBE_TEXT;
        return cell;
    }
    }
    return cell_of_kind(MSPROBE_NONE);
}

static bool is_integer(MsprobeKind kind)
{
    return kind == MSPROBE_INT || kind == MSPROBE_UINT || kind == MSPROBE_BIGINT;
}

MsprobeCell msprobe_stat(const Dump *dump, const MsprobeColumns *columns, const Slot *slot,
                         Stat stat)
{
    if (!slot)
        return cell_of_kind(MSPROBE_NA);
    MsprobeCell cell = cell_of_tag(dump, slot, stat);
    if (columns && columns->real[stat] && is_integer(cell.kind))
        return cell_of_real(cell.number);
    return cell;
}

MsprobeColumns msprobe_columns(const Dump *dump)
{
    bool numeric[STAT_COUNT] = {true, true, true, true}, real[STAT_COUNT] = {false};
    for (uint32_t i = 0; i < dump->slot_count; i++)
        for (int stat = 0; stat < STAT_COUNT; stat++) {
            MsprobeKind kind = cell_of_tag(dump, &dump->slots[i], (Stat)stat).kind;
            numeric[stat] = numeric[stat] && (kind == MSPROBE_REAL || is_integer(kind));
            real[stat] = real[stat] || kind == MSPROBE_REAL;
        }
    bool all_numeric = numeric[0] && numeric[1] && numeric[2] && numeric[3];
    bool any_real = real[0] || real[1] || real[2] || real[3];
    MsprobeColumns out;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        out.real[stat] = numeric[stat] && (real[stat] || (all_numeric && any_real));
        out.integer[stat] = numeric[stat] && !out.real[stat];
    }
    return out;
}

Str msprobe_cell_text(const MsprobeCell *cell, char buffer[MSPROBE_TEXT_BYTES])
{
    int size = 0;
    switch (cell->kind) {
    case MSPROBE_TEXT:
    case MSPROBE_BIGINT:
        return cell->text;
    case MSPROBE_BOOL:
        return cell->integer ? STR("True") : STR("False");
    case MSPROBE_INT:
        size = snprintf(buffer, MSPROBE_TEXT_BYTES, "%" PRId64, cell->integer);
        break;
    case MSPROBE_UINT:
        size = snprintf(buffer, MSPROBE_TEXT_BYTES, "%" PRIu64, cell->natural);
        break;
    case MSPROBE_REAL:
        size = number_python(cell->number, buffer);
        break;
    case MSPROBE_PERCENT:
        size = number_python(cell->number, buffer);
        buffer[size++] = '%';
        buffer[size] = '\0';
        break;
    default:
        return str_of(fixed_text[cell->kind]);
    }
    return (Str){buffer, (size_t)size};
}

bool msprobe_is_number(const MsprobeCell *cell, double *out)
{
    if (cell->kind == MSPROBE_ZERO) {
        *out = 0;
        return true;
    }
    *out = cell->number;
    return cell->kind == MSPROBE_REAL || is_integer(cell->kind);
}

bool msprobe_fraction(const MsprobeCell *cell, double *out)
{
    *out = cell->number / 100;
    return cell->kind == MSPROBE_PERCENT;
}

bool msprobe_same_text(const MsprobeCell *a, const MsprobeCell *b)
{
    if (a->kind == b->kind && a->kind == MSPROBE_REAL)
        return a->number == b->number && signbit(a->number) == signbit(b->number);
    if (a->kind == b->kind && a->kind == MSPROBE_INT)
        return a->integer == b->integer;
    char left[MSPROBE_TEXT_BYTES], right[MSPROBE_TEXT_BYTES];
    return str_equal(msprobe_cell_text(a, left), msprobe_cell_text(b, right));
}

bool msprobe_same_value(const MsprobeCell *a, const MsprobeCell *b)
{
    double x, y;
    bool a_number = msprobe_is_number(a, &x) || a->kind == MSPROBE_BOOL;
    bool b_number = msprobe_is_number(b, &y) || b->kind == MSPROBE_BOOL;
    if (a_number && b_number && !(is_integer(a->kind) && is_integer(b->kind)))
        return x == y;
    return msprobe_same_text(a, b);
}

typedef enum ValueClass {
    CLASS_NUMBER,
    CLASS_NAN,
    CLASS_INF,
    CLASS_NEG_INF,
    CLASS_DEVICE,
    CLASS_NA,
    CLASS_OTHER,
    CLASS_COUNT
} ValueClass;

static bool has_nocase(Str text, Str part)
{
    for (size_t at = 0; at + part.size <= text.size; at++)
        if (str_equal_nocase(str_slice(text, at, at + part.size), part))
            return true;
    return false;
}

static ValueClass class_of_number(double number)
{
    if (isnan(number))
        return CLASS_NAN;
    if (isinf(number))
        return number > 0 ? CLASS_INF : CLASS_NEG_INF;
    return CLASS_NUMBER;
}

static ValueClass class_of(const MsprobeCell *cell, double *number)
{
    if (msprobe_is_number(cell, number))
        return class_of_number(*number);
    if (cell->kind == MSPROBE_NONE || cell->kind == MSPROBE_NAN)
        return CLASS_NAN;
    if (cell->kind == MSPROBE_NA)
        return CLASS_NA;
    if (cell->kind != MSPROBE_TEXT)
        return CLASS_OTHER;
    if (number_of_text(str_trim(cell->text), number))
        return class_of_number(*number);
    if (has_nocase(cell->text, STR("npu")) || has_nocase(cell->text, STR("cpu")) ||
        has_nocase(cell->text, STR("cuda")))
        return CLASS_DEVICE;
    return str_equal(cell->text, STR("N/A")) ? CLASS_NA : CLASS_OTHER;
}

// What is in both cells where the two classes are not two numbers (docs/spec/compare.md §4.1).
typedef enum Outcome { OUT_NUMBER, OUT_NAN, OUT_INF, OUT_NEG_INF, OUT_DIFFERS, OUT_NA } Outcome;

static const uint8_t outcomes[CLASS_COUNT][CLASS_COUNT] = {
    [CLASS_NUMBER] = {OUT_NUMBER, OUT_NAN, OUT_NEG_INF, OUT_INF, OUT_DIFFERS, OUT_NA, OUT_DIFFERS},
    [CLASS_NAN] = {OUT_NAN, OUT_NAN, OUT_NAN, OUT_NAN, OUT_DIFFERS, OUT_NA, OUT_DIFFERS},
    [CLASS_INF] = {OUT_INF, OUT_NAN, OUT_INF, OUT_INF, OUT_DIFFERS, OUT_NA, OUT_DIFFERS},
    [CLASS_NEG_INF] = {OUT_NEG_INF, OUT_NAN, OUT_NEG_INF, OUT_NEG_INF, OUT_DIFFERS, OUT_NA,
                       OUT_DIFFERS},
    [CLASS_DEVICE] = {OUT_DIFFERS, OUT_DIFFERS, OUT_DIFFERS, OUT_DIFFERS, OUT_NA, OUT_NA,
                      OUT_DIFFERS},
    [CLASS_NA] = {OUT_NA, OUT_NA, OUT_NA, OUT_NA, OUT_NA, OUT_NA, OUT_NA},
    [CLASS_OTHER] = {OUT_DIFFERS, OUT_DIFFERS, OUT_DIFFERS, OUT_DIFFERS, OUT_DIFFERS, OUT_NA,
                     OUT_DIFFERS},
};

static MsprobeCell cell_of_outcome(Outcome outcome)
{
    switch (outcome) {
    case OUT_NAN:
        return cell_of_kind(MSPROBE_NAN);
    case OUT_INF:
        return cell_of_real(INFINITY);
    case OUT_NEG_INF:
        return cell_of_real(-INFINITY);
    case OUT_DIFFERS:
        return cell_of_kind(MSPROBE_DIFFERS);
    default:
        return cell_of_kind(MSPROBE_NA);
    }
}

static double power_of_ten(int64_t exponent)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (exponent < (int64_t)(sizeof exact / sizeof *exact))
        return exact[exponent];
    char text[16];
    double out = (double)INFINITY;
    int size = snprintf(text, sizeof text, "1e%d", exponent > 400 ? 400 : (int)exponent);
    number_parse((Str){text, (size_t)size}, &out);
    return out;
}

static double scale(double digits, int64_t exponent)
{
    if (exponent >= 0)
        return digits == 0 ? 0 : digits * power_of_ten(exponent);
    if (exponent < -308)
        return digits / power_of_ten(-308 - exponent) / 1e308;
    return digits / power_of_ten(-exponent);
}

double msprobe_read_number(Str text)
{
    enum { DIGITS = 17 };
    size_t at = text.size && (text.data[0] == '-' || text.data[0] == '+');
    bool negative = at && text.data[0] == '-';
    double digits = 0;
    int64_t exponent = 0, written = 0;
    int count = 0;
    for (bool point = false; at < text.size; at++) {
        if (text.data[at] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(text.data[at]))
            break;
        if (count < DIGITS) {
            digits = digits * 10 + (text.data[at] - '0');
            count++;
            exponent -= point;
        } else {
            exponent += !point;
        }
    }
    at += at + 1 < text.size && text.data[at + 1] == '+';
    if (at + 1 < text.size && str_to_int64(str_slice(text, at + 1, text.size), &written))
        exponent += written > 100000 ? 100000 : written < -100000 ? -100000 : written;
    double value = scale(digits, exponent);
    return negative ? -value : value;
}

// The difference of two numbers; printed as an integer where both columns hold integers.
static MsprobeCell subtract(double target, double golden, bool integers)
{
    double difference = target - golden;
    if (integers && fabs(difference) < 9007199254740992.0)
        return (MsprobeCell){
            .kind = MSPROBE_INT, .number = difference, .integer = (int64_t)difference};
    return cell_of_real(difference);
}

// |difference / golden * 100|, evaluated in this order.
static MsprobeCell percent(double difference, double golden)
{
    double value = difference / golden * 100;
    return (MsprobeCell){.kind = MSPROBE_PERCENT, .number = fabs(value)};
}

static double reread(const MsprobeCell *cell)
{
    char buffer[MSPROBE_TEXT_BYTES];
    return msprobe_read_number(str_trim(msprobe_cell_text(cell, buffer)));
}

static MsprobeDifference difference_26(const MsprobeCell *target, const MsprobeCell *golden,
                                       bool integers, bool over_text)
{
    if (msprobe_same_text(target, golden))
        return (MsprobeDifference){cell_of_kind(MSPROBE_ZERO), cell_of_kind(MSPROBE_ZERO)};
    double n = 0, b = 0;
    ValueClass target_class = class_of(target, &n), golden_class = class_of(golden, &b);
    Outcome outcome = (Outcome)outcomes[target_class][golden_class];
    if (outcome != OUT_NUMBER)
        return (MsprobeDifference){cell_of_outcome(outcome), cell_of_outcome(outcome)};
    if (over_text) {
        n = reread(target);
        b = reread(golden);
    }
    MsprobeDifference out = {.difference = subtract(n, b, integers)};
    out.relative = b == 0 ? cell_of_real(INFINITY) : percent(n - b, b);
    return out;
}

// A number, or a NaN in whatever spelling.
static bool counts_in_8(const MsprobeCell *cell, double *number)
{
    if (msprobe_is_number(cell, number))
        return true;
    *number = NAN;
    return cell->kind == MSPROBE_NAN ||
           (cell->kind == MSPROBE_TEXT && str_equal_nocase(cell->text, STR("nan")));
}

static MsprobeDifference difference_8(const MsprobeCell *target, const MsprobeCell *golden)
{
    MsprobeDifference out = {cell_of_kind(MSPROBE_NA), cell_of_kind(MSPROBE_NA)};
    double n, b;
    if (!counts_in_8(target, &n) || !counts_in_8(golden, &b))
        return out;
    if (isnan(n - b))
        return (MsprobeDifference){cell_of_kind(MSPROBE_NAN), cell_of_kind(MSPROBE_NAN)};
    out.difference = subtract(n, b, is_integer(target->kind) && is_integer(golden->kind));
    if (b != 0)
        out.relative = percent(n - b, b);
    return out;
}

MsprobeDifference msprobe_difference(MsprobeFormula formula, const MsprobeCell *target,
                                     const MsprobeCell *golden, bool integers)
{
    if (formula == MSPROBE_FORMULA_8)
        return difference_8(target, golden);
    return difference_26(target, golden, integers, formula == MSPROBE_FORMULA_26);
}

static bool names_a_rank(Str path)
{
    return STR_IN(str_behind(path, '.'), "src", "dst", "group_src", "group_dst");
}

Str msprobe_checksum(const Dump *dump, const Slot *slot, char buffer[MSPROBE_TEXT_BYTES])
{
    if (slot->checksum != NAME_NONE)
        return names_text(dump->names, slot->checksum);
    if (slot->kind == SLOT_NULL)
        return (Str){NULL, 0};
    Str value = names_text(dump->names, slot->value);
    if (str_equal(names_text(dump->names, slot->type), STR("torch.memory_format")))
        value = (Str){NULL, 0};  // it has a format and no value
    bool bare = slot->kind == SLOT_SCALAR || slot->kind == SLOT_OTHER;
    if (bare && (names_a_rank(names_text(dump->names, slot->path)) ||
                 str_equal(names_text(dump->names, slot->type), STR("torch.ProcessGroup"))))
        return value;
    unsigned long crc = crc32(0, NULL, 0);
    for (size_t at = 0; at < value.size; at += 1u << 20) {
        Str part = str_slice(value, at, at + (1u << 20));
        crc = crc32(crc, (const unsigned char *)part.data, (unsigned)part.size);
    }
    int size = snprintf(buffer, MSPROBE_TEXT_BYTES, "%08lx", crc);
    return (Str){buffer, (size_t)size};
}
