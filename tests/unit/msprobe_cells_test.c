// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_cells.h"

#include <math.h>

#include "check.h"
#include "read/dump/dump_source.h"

static MsprobeCell real(double number)
{
    return (MsprobeCell){.kind = isnan(number) ? MSPROBE_NAN : MSPROBE_REAL, .number = number};
}

static MsprobeCell text(const char *words)
{
    return (MsprobeCell){.kind = MSPROBE_TEXT, .text = str_of(words)};
}

static MsprobeCell integer(int64_t value)
{
    return (MsprobeCell){.kind = MSPROBE_INT, .number = (double)value, .integer = value};
}

static Str shown(const MsprobeCell *cell)
{
    static char buffers[8][MSPROBE_TEXT_BYTES];
    static int at;
    at = (at + 1) % 8;
    return msprobe_cell_text(cell, buffers[at]);
}

// The difference cell; both cells have the same text unless both values are numbers.
static Str difference(MsprobeCell target, MsprobeCell golden)
{
    static MsprobeDifference both;
    both = msprobe_difference(MSPROBE_FORMULA_26, &target, &golden, false);
    return shown(&both.difference);
}

static Str relative(MsprobeFormula formula, MsprobeCell target, MsprobeCell golden)
{
    static MsprobeDifference both;
    both = msprobe_difference(formula, &target, &golden, false);
    return shown(&both.relative);
}

enum { CLASSES = 7 };

static void the_class_table_holds_in_both_orders(void)
{
    static const char *const want[CLASSES][CLASSES] = {
        {"1.0", "Nan", "-inf", "inf", "Diff", "N/A", "Diff"},
        {"Nan", "0", "Nan", "Nan", "Diff", "N/A", "Diff"},
        {"inf", "Nan", "0", "inf", "Diff", "N/A", "Diff"},
        {"-inf", "Nan", "-inf", "0", "Diff", "N/A", "Diff"},
        {"Diff", "Diff", "Diff", "Diff", "N/A", "N/A", "Diff"},
        {"N/A", "N/A", "N/A", "N/A", "N/A", "0", "N/A"},
        {"Diff", "Diff", "Diff", "Diff", "Diff", "N/A", "Diff"},
    };
    MsprobeCell target[CLASSES] = {real(3),
                                   real((double)NAN),
                                   real((double)INFINITY),
                                   real(-(double)INFINITY),
                                   text("npu:0"),
                                   (MsprobeCell){.kind = MSPROBE_NA},
                                   text("mean")};
    MsprobeCell golden[CLASSES] = {real(2),
                                   real((double)NAN),
                                   real((double)INFINITY),
                                   real(-(double)INFINITY),
                                   text("cuda:0"),
                                   (MsprobeCell){.kind = MSPROBE_NA},
                                   text("sum")};
    for (int n = 0; n < CLASSES; n++)
        for (int b = 0; b < CLASSES; b++)
            CHECK_TEXT(difference(target[n], golden[b]), want[n][b]);
}

static void the_relative_error_is_a_percent_or_says_why_not(void)
{
    CHECK_TEXT(relative(MSPROBE_FORMULA_26, real(1.6), real(1)), "60.00000000000001%");
    CHECK_TEXT(relative(MSPROBE_FORMULA_26, real(1), real(0)), "inf");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, real(1), real(0)), "N/A");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, real(0), real(0)), "N/A");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, real(10.1), real(10)), "0.9999999999999963%");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, real((double)INFINITY), real(-(double)INFINITY)),
               "nan%");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, real((double)NAN), real(1)), "Nan");
    CHECK_TEXT(relative(MSPROBE_FORMULA_8, text("mean"), real(1)), "N/A");
}

static void integers_and_reals_of_one_value_are_unequal_texts(void)
{
    CHECK_TEXT(difference(integer(3), real(3)), "0.0");
    CHECK_TEXT(difference(integer(3), integer(3)), "0");
    MsprobeCell three = integer(3), real_three = real(3);
    CHECK(!msprobe_same_text(&three, &real_three));
    CHECK(msprobe_same_value(&three, &real_three));
}

// Large values show what the detour over texts costs.
static void numbers_are_read_back_with_17_digits_scaled_in_double(void)
{
    CHECK(msprobe_read_number(STR("45.254722595214844")) - 45.254722595214844 > 0);
    CHECK(msprobe_read_number(STR("-0.0062191677279770374")) == -0.0062191677279770);
    CHECK(msprobe_read_number(STR("1e+16")) == 1e16);
    CHECK(msprobe_read_number(STR("1e-07")) == 1e-7);
    CHECK(msprobe_read_number(STR("123456789012345678901")) == 123456789012345680000.0);
    CHECK(msprobe_read_number(STR("1e-320")) == 1e-320);
    CHECK(isinf(msprobe_read_number(STR("1e999999999999"))));
    CHECK(msprobe_read_number(STR("")) == 0);
    CHECK_TEXT(difference(real(45.25471878051758), real(45.254722595214844)),
               "-3.814697272730427e-06");
}

static void values_without_checksum_get_crc_32_of_their_python_text(void)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"type\":\"int\",\"value\":3}", "6dd28e9b"},
        {"{\"type\":\"int\",\"value\":4}", "f3b61b38"},
        {"{\"type\":\"str\",\"value\":\"x\"}", "8cdc1683"},
        {"{\"type\":\"str\",\"value\":\"cpu\"}", "ba80502e"},
        {"{\"type\":\"torch.Size\",\"value\":[2,2]}", "26699d2f"},
        {"{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":1}",
         "00000000"},
        {"{\"type\":\"torch.memory_format\",\"format\":\"contiguous_format\"}", "00000000"},
        {"null", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena *arena = arena_new();
        Notices notices;
        Error err;
        Dump dump;
        char buffer[MSPROBE_TEXT_BYTES];
        notices_init(&notices, arena);
        Str json = str_printf(arena, "{\"data\":{\"Torch.f.0.forward\":{\"input_args\":[%s]}}}",
                              cases[i].json);
        CHECK(dump_read_text("t", json, names_new(arena), arena, &dump, &notices, &err));
        CHECK(dump.slot_count == 1);
        if (dump.slot_count == 1)
            CHECK_TEXT(msprobe_checksum(&dump, &dump.slots[0], buffer), cases[i].want);
        arena_release(arena);
    }
}

static MsprobeColumns columns_of(const char *values)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Dump dump;
    notices_init(&notices, arena);
    Str json =
        str_printf(arena, "{\"data\":{\"Torch.f.0.forward\":{\"input_args\":[%s]}}}", values);
    CHECK(dump_read_text("t", json, names_new(arena), arena, &dump, &notices, &err));
    MsprobeColumns columns = msprobe_columns(&dump);
    arena_release(arena);
    return columns;
}

#define LEAF(max, norm)                                                               \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.int64\",\"shape\":[2],\"Max\":" max \
    ",\"Min\":0,\"Mean\":1,\"Norm\":" norm "}"

static void columns_of_numbers_become_real_only_without_a_text(void)
{
    MsprobeColumns integers = columns_of(LEAF("1", "2"));
    CHECK(integers.integer[STAT_MAX] && !integers.real[STAT_MAX]);
    MsprobeColumns mixed = columns_of(LEAF("1", "2") "," LEAF("1", "2.5"));
    CHECK(mixed.real[STAT_NORM] && mixed.real[STAT_MAX] && !mixed.integer[STAT_MAX]);
    MsprobeColumns with_none = columns_of(LEAF("1", "2") "," LEAF("1", "2.5") ",null");
    CHECK(!with_none.real[STAT_NORM] && !with_none.integer[STAT_MAX]);
}

int main(void)
{
    CHECK_RUN(the_class_table_holds_in_both_orders);
    CHECK_RUN(the_relative_error_is_a_percent_or_says_why_not);
    CHECK_RUN(integers_and_reals_of_one_value_are_unequal_texts);
    CHECK_RUN(numbers_are_read_back_with_17_digits_scaled_in_double);
    CHECK_RUN(values_without_checksum_get_crc_32_of_their_python_text);
    CHECK_RUN(columns_of_numbers_become_real_only_without_a_text);
    return CHECK_RESULT;
}
