// SPDX-License-Identifier: Apache-2.0
#include "verdict/figure_text.h"

#include "check.h"
#include "scene/text_width.h"
#include "verdict/verdict_text.h"

enum { LINES = 2 };

// At 10 px; the width that `widest` needs.
static size_t wrapped(Arena *arena, const char *text, const char *widest, const char *after,
                      Str *out)
{
    WrapRule rule = {.size = 10,
                     .weight = 400,
                     .width = text_width(str_of(widest), 10, 400) + 0.1,
                     .after = after,
                     .lines = LINES,
                     .even = true};
    return figure_wrap(str_of(text), &rule, arena, out);
}

static void no_word_stands_alone_on_the_last_line_that_there_is(void)
{
    Arena *arena = arena_new();
    Str lines[LINES];
    CHECK(wrapped(arena, "printed losses cannot be compared with it",
                  "printed losses cannot be compared with", " ", lines) == 2);
    CHECK_TEXT(lines[0], "printed losses cannot be");
    CHECK_TEXT(lines[1], "compared with it");
    arena_release(arena);
}

static void a_name_is_cut_for_no_even_lines(void)
{
    Arena *arena = arena_new();
    Str lines[LINES];
    CHECK(wrapped(arena, "layers.1.mlp.linear.weight, rank 2, step 17",
                  "layers.1.mlp.linear.weight, rank 2, step", " ./", lines) == 2);
    CHECK(str_starts(lines[0], STR("layers.1.mlp.linear.weight,")));
    arena_release(arena);
}

static void a_number_stays_with_its_per_cent(void)
{
    Arena *arena = arena_new();
    Str lines[LINES];
    CHECK(wrapped(arena, "the losses differ by 12 % over all", "the losses differ by 12", " ",
                  lines) == 2);
    CHECK(str_starts(lines[1], STR("12 %")));
    arena_release(arena);
}

static void a_relative_difference_is_written_alike_in_sentences_and_cells(void)
{
    static const struct {
        double error;
        const char *sentence, *cell;
    } cases[] = {{2.914e-5, "2.9e-05", "2.91e-05"},
                 {0.00126, "1.3e-03", "1.26e-03"},
                 {0.0306, "3.1e-02", "3.06e-02"},
                 {0.09996, "0.10", "0.100"},
                 {0.153, "0.15", "0.153"},
                 {1, "1.0", "1.00"},
                 {0, "0", "0"},
                 {3.4e38, "3.4e+38", "3.40e+38"}};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_TEXT(verdict_number(cases[i].error, arena), cases[i].sentence);
        CHECK_TEXT(figure_error(cases[i].error, arena), cases[i].cell);
    }
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_relative_difference_is_written_alike_in_sentences_and_cells);
    CHECK_RUN(no_word_stands_alone_on_the_last_line_that_there_is);
    CHECK_RUN(a_name_is_cut_for_no_even_lines);
    CHECK_RUN(a_number_stays_with_its_per_cent);
    return CHECK_RESULT;
}
