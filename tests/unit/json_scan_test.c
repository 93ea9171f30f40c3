// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "read/json/json_python.h"
#include "read/json/json_scan.h"
#include "read/json/json_tree.h"

static Arena *arena;

static ScanStatus skip(const char *text, size_t *at)
{
    *at = 0;
    return scan_value(str_of(text), at, 0);
}

static void values_are_skipped_whole(void)
{
    static const char *const texts[] = {"{\"a\": [1, \"]}\", {\"b\\\"\": null}]} ",
                                        "\"a\\\\\" ",
                                        "[[[]], {}] ",
                                        "-1.5e3,",
                                        "NaN]",
                                        "\"\\\"\" "};
    size_t at;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(skip(texts[i], &at) == SCAN_OK && at == strlen(texts[i]) - 1);
}

static void cuts_and_crossed_brackets_are_told_with_their_place(void)
{
    size_t at;
    CHECK(skip("[1, [2]", &at) == SCAN_CUT && at == 7);
    CHECK(skip("{\"a\\\"", &at) == SCAN_CUT && at == 5);
    CHECK(skip("12", &at) == SCAN_CUT && skip("", &at) == SCAN_CUT);
    CHECK(skip("[{]}", &at) == SCAN_BAD && at == 2);
    CHECK(skip(",", &at) == SCAN_BAD && at == 0);
}

static void depth_is_bounded_but_the_end_is_found(void)
{
    enum { LEVELS = JSON_DEPTH_MAX };
    char text[2 * LEVELS + 4] = "";
    memset(text, '[', LEVELS);
    memset(text + LEVELS, ']', LEVELS);
    size_t at;
    CHECK(skip(text, &at) == SCAN_OK && at == 2 * LEVELS);
    at = 0;
    CHECK(scan_value(str_of(text), &at, 1) == SCAN_DEEP && at == 2 * LEVELS);
}

static void numbers_end_where_json_says(void)
{
    static const struct {
        const char *text;
        size_t end;
        bool real;
    } cases[] = {
        {"12,", 2, false},  {"-0", 2, false},  {"1.5e-3x", 6, true}, {"1e5", 3, true},
        {"01", 0, false},   {"1.", 1, false},  {"1e", 1, false},     {"-", 0, false},
        {"+1", 0, false},   {".5", 0, false},  {"NaN", 3, true},     {"-Infinity", 9, true},
        {"-NaN", 0, false}, {"Inf", 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool real;
        size_t end = scan_number(str_of(cases[i].text), 0, &real);
        CHECK(end == cases[i].end && (end == 0 || real == cases[i].real));
    }
}

static Str decoded(const char *raw, bool *good)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    *good = scan_decode(str_of(raw), &buf);
    return strbuf_str(&buf);
}

static void escapes_become_utf8(void)
{
    bool good;
    CHECK_TEXT(decoded("a\\n\\t\\\"\\\\\\/\\b\\f\\r", &good), "a\n\t\"\\/\b\f\r");
    CHECK_TEXT(decoded("\\u4e2d\\u00e9\\ud83d\\ude00", &good),
               "\xE4\xB8\xAD\xC3\xA9\xF0\x9F\x98\x80");
    CHECK_TEXT(decoded("\\ud83dx\\ude00", &good), "\xED\xA0\xBDx\xED\xB8\x80");
    CHECK(good);
    static const char *const bad[] = {"\\x", "\\", "\\u12", "\\u12g4", "a\\u"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        decoded(bad[i], &good);
        CHECK(!good);
    }
}

static Str python(const char *json)
{
    JsonTree tree;
    StrBuf out;
    out = strbuf_new(arena);
    if (tree_parse(str_of(json), arena, &tree))
        tree_python(tree.root, &out);
    else
        strbuf_add(&out, STR("(no JSON)"));
    return strbuf_str(&out);
}

// Each right side is what str(json.loads(left)) prints.
static void values_print_as_in_python(void)
{
    static const char *const cases[][2] = {
        {"[1, 2.50, -0, -0.0, 1e400]", "[1, 2.5, 0, -0.0, inf]"},
        {"[true, false, null, NaN, -Infinity]", "[True, False, None, nan, -inf]"},
        {"{\"a\": [], \"b\": {}, \"a\": [[1]]}", "{'a': [[1]], 'b': {}}"},
        {"\"it's\"", "it's"},
        {"[\"it's\", \"\\\"\", \"'\\\"\", \"\\\\\"]", "[\"it's\", '\"', '\\'\"', '\\\\']"},
        {"[\"\\n\\u0000\\u007f\\u00e9\\u200b\\ud800\\ud83d\\ude00\\u00a0\"]",
         "['\\n\\x00\\x7f\xC3\xA9\\u200b\\ud800\xF0\x9F\x98\x80\\xa0']"},
        {"[123456789012345678901234567890, 1e16, 1e-5, 0.0001]",
         "[123456789012345678901234567890, 1e+16, 1e-05, 0.0001]"},
        {"{\"\\u0061\": 1, \"a\": 2}", "{'a': 2}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(python(cases[i][0]), cases[i][1]);
}

static void what_is_no_json_gives_no_tree(void)
{
    static const char *const cases[] = {"",     "[1,]",      "[1 2]", "{\"a\" 1}", "[nul]",
                                        "[01]", "[\"\\x\"]", "[1] 2", "{a: 1}",    "[+1]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(python(cases[i]), "(no JSON)");
}

static void strings_keep_every_character(void)
{
    JsonTree tree;
    CHECK(tree_parse(STR("[\"\x01"
                         "0\", \"\\u00010\", \"a\\u0000b\"]"),
                     arena, &tree));
    for (size_t i = 0; i < 3; i++)
        CHECK(tree_item(tree.root, i)->kind == JSON_STRING);
    CHECK(tree_item(tree.root, 0)->text.size == 2 && tree_item(tree.root, 1)->text.size == 2);
    CHECK(tree_item(tree.root, 2)->text.size == 3 && !tree_item(tree.root, 3));
}

// More members than are looked through one by one, the first, a middle and the last key repeated.
static void of_many_members_a_repeated_one_counts_once(void)
{
    StrBuf text;
    JsonTree tree;
    text = strbuf_new(arena);
    strbuf_add_char(&text, '{');
    for (int i = 0; i < 100; i++)
        strbuf_printf(&text, "\"k%d\": {\"in\": %d}, ", i, i);
    strbuf_add(&text, STR("\"k0\": 1, \"k50\": [], \"k99\": \"z\", \"k50\": 2}"));
    CHECK(tree_parse(strbuf_str(&text), arena, &tree));
    CHECK(tree_count(tree.root) == 100 && tree.repeated == 4);
    CHECK_TEXT(tree.root->child->key, "k0");
    CHECK_TEXT(tree.root->child->text, "1");
    CHECK_TEXT(tree_member(tree.root, STR("k50"))->text, "2");
    CHECK_TEXT(tree_item(tree.root, 99)->text, "z");
    CHECK(tree_member(tree_member(tree.root, STR("k7")), STR("in")) != NULL);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(values_are_skipped_whole);
    CHECK_RUN(cuts_and_crossed_brackets_are_told_with_their_place);
    CHECK_RUN(depth_is_bounded_but_the_end_is_found);
    CHECK_RUN(numbers_end_where_json_says);
    CHECK_RUN(escapes_become_utf8);
    CHECK_RUN(values_print_as_in_python);
    CHECK_RUN(what_is_no_json_gives_no_tree);
    CHECK_RUN(strings_keep_every_character);
    CHECK_RUN(of_many_members_a_repeated_one_counts_once);
    arena_release(arena);
    return CHECK_RESULT;
}
