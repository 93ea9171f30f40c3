// SPDX-License-Identifier: Apache-2.0
#include "report/compare/op_index.h"

#include <string.h>

#include "check.h"
#include "compare/compare.h"
#include "compare/value_flow.h"
#include "graph_text.h"

static Arena *arena;
static Notices notices;

#define TENSOR                                                                                  \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,8],\"Max\":%g,\"Min\"" \
    ":-1.5,\"Mean\":0.01,\"Norm\":%g,\"requires_grad\":false}"

// A chain of ops, each of which takes what the one before gave. The outputs from `from` on are
// twice as large.
typedef struct Chain {
    const char *const *names;
    size_t count, from;
} Chain;

static Graph build(const char *file, const Chain *chain)
{
    Graph graph;
    StrBuf data = strbuf_new(arena);
    double last = 1;
    for (size_t i = 0; i < chain->count; i++) {
        double out = (double)(i + 3) * (i >= chain->from ? 2 : 1);
        strbuf_printf(&data, "%s\"%s\":{\"input_args\":[" TENSOR "],\"input_kwargs\":{},",
                      i ? "," : "{", chain->names[i], last, last);
        strbuf_printf(&data, "\"output\":[" TENSOR "]}", out, out);
        last = out;
    }
    strbuf_add_char(&data, '}');
    GraphText text = {.construct = "{}", .data = str_cstr(arena, strbuf_str(&data))};
    graph_text_build(file, &text, GRAPH_VERNIER, arena, &graph, &notices);
    return graph;
}

static Comparison compare(const char *const *names, size_t count, size_t from)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    Comparison out;
    CompareOptions options = {0};
    graphs[0] = build("golden", &(Chain){names, count, count});
    graphs[1] = build("target", &(Chain){names, count, from});
    compare_graphs(&graphs[0], &graphs[1], &options, arena, &out);
    return out;
}

static Str line(Str text, size_t number)
{
    Str out = {"", 0};
    for (size_t i = 0; i <= number; i++)
        str_split(&text, '\n', &out);
    return out;
}

static void a_difference_is_followed_to_the_op_that_gave_it(void)
{
    static const char *const names[] = {"Functional.linear.0.forward", "Functional.gelu.0.forward",
                                        "Functional.linear.1.forward", "Functional.gelu.1.forward"};
    Comparison comparison = compare(names, 4, 1);
    uint32_t *givers = value_flow_givers(&comparison, arena);
    CHECK(givers[0] == PAIR_NONE && givers[1] == PAIR_NONE);  // agrees, starts
    CHECK(givers[2] == 1 && givers[3] == 2);
    Str index = op_index_text(&comparison, arena);
    CHECK(str_equal(line(index, 0), STR("4 4")));
    CHECK(str_equal(line(index, 3), STR("SE2e")));
    CHECK(str_equal(line(index, 6), STR(" 1 1 ")));
}

static void names_are_forms_and_numbers_that_count_on(void)
{
    static const char *const names[] = {"Functional.a.0.forward",   "Functional.b#1.0.forward",
                                        "Functional.a.1.forward",   "Functional.a.2.forward",
                                        "Functional.a.007.forward", "Functional.a.7.forward"};
    Comparison comparison = compare(names, 6, 6);
    Str index = op_index_text(&comparison, arena);
    CHECK(str_equal(line(index, 2), STR("1:0 2 1:1 1 3 1:5 ")));
    CHECK(str_equal(line(index, 3), STR("6S")));
    CHECK(str_equal(line(index, 7), STR("0")));  // "=" needs no text
    CHECK(str_equal(line(index, 8), STR("3")));
    CHECK(str_equal(line(index, 9), STR("#Functional.a.#.forward")));
    CHECK(str_equal(line(index, 10), STR("=Functional.b#1.0.forward")));
    CHECK(str_equal(line(index, 11), STR("#Functional.a.007.forward")));
}

static void an_index_that_would_be_too_long_says_how_much_it_holds(void)
{
    enum { COUNT = 800, BYTES = 2000 };
    const char **names = ARENA_ARRAY(arena, const char *, COUNT);
    char *letters = ARENA_ARRAY(arena, char, BYTES + 1);
    memset(letters, 'x', BYTES);
    for (int i = 0; i < COUNT; i++)  // no two of one form
        names[i] =
            str_printf(arena, "Functional.%s%c%c.0.forward", letters, 'a' + i % 26, 'a' + i / 26)
                .data;
    Comparison comparison = compare(names, COUNT, COUNT);
    Str index = op_index_text(&comparison, arena), head = line(index, 0);
    CHECK(index.size < OP_INDEX_BYTES);
    CHECK(str_starts(head, STR("800 ")) && !str_equal(head, STR("800 800")));
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_difference_is_followed_to_the_op_that_gave_it);
    CHECK_RUN(names_are_forms_and_numbers_that_count_on);
    CHECK_RUN(an_index_that_would_be_too_long_says_how_much_it_holds);
    arena_release(arena);
    return CHECK_RESULT;
}
