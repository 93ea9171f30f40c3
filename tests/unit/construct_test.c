// SPDX-License-Identifier: Apache-2.0
#include "read/dump/construct.h"

#include <string.h>

#include "check.h"
#include "temporary.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Construct construct;

static bool read_text(const char *text)
{
    names = names_new(arena);
    notices_init(&notices, arena);
    return construct_read_text("construct.json", str_of(text), names, arena, &construct, &notices,
                               &err);
}

static Str text_of(NameId id)
{
    return names_text(names, id);
}

static void all_forms_of_a_parent_are_read(void)
{
    CHECK(read_text("{\"a\": \"b\", \"b\": null, \"c\": \"\", \"d\": [\"b\", 2], \"e\": [null, -1],"
                    " \"megatron_micro_step_number\": 3, \"f\\u00e9\": \"f\\ud83d\\ude00\"}"));
    CHECK(construct.count == 6 && construct.last_micro_step == 3 && notices.count == 0);
    static const char *const parents[] = {"b", "", "", "b", "", "f\xF0\x9F\x98\x80"};
    static const int32_t steps[] = {-1, -1, -1, 2, -1, -1};
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_TEXT(text_of(construct.entries[i].parent), parents[i]);
        CHECK(construct.entries[i].micro_step == steps[i]);
    }
    CHECK(construct.entries[1].parent == NAME_NONE && construct.entries[2].parent == NAME_NONE);
    CHECK_TEXT(text_of(construct.entries[5].child), "f\xC3\xA9");
}

static void the_last_of_repeated_nodes_counts_at_the_place_of_the_first(void)
{
    CHECK(read_text("{\"a\": \"x\", \"b\": null, \"a\": \"y\", \"a\": [\"z\", 1]}"));
    CHECK(construct.count == 2 && notices.count == 1 && notices.items[0].count == 2);
    CHECK_TEXT(text_of(construct.entries[0].child), "a");
    CHECK_TEXT(text_of(construct.entries[0].parent), "z");
    CHECK(construct.entries[0].micro_step == 1 && notices.items[0].byte == 22);
}

static void odd_values_cost_themselves(void)
{
    CHECK(
        read_text("{\"a\": 1, \"b\": {}, \"c\": [], \"d\": [\"x\"], \"e\": [\"x\", 1.5],"
                  " \"f\": [\"x\", 1, 2], \"g\": \"x\\q\", \"h\": true, \"\": null, \"i\": null}"));
    CHECK(construct.count == 1 && notices.count == 1 && notices.items[0].count == 9);
    CHECK(notices_any_partial(&notices) && notices.items[0].byte == 1);
}

static void an_absent_or_empty_file_is_no_structure(void)
{
    names = names_new(arena);
    notices_init(&notices, arena);
    construct_read("no-such-construct.json", names, arena, &construct, &notices);
    CHECK(construct.count == 0 && notices.count == 0 && construct.last_micro_step == -1);
    const char *path = temporary_file("read_construct_empty.json", "", 0);
    construct_read(path, names, arena, &construct, &notices);
    CHECK(construct.count == 0 && notices.count == 1 && !notices_any_partial(&notices));
    CHECK(read_text("{}") && construct.count == 0 && notices.count == 0);
}

static void what_is_no_object_is_refused(void)
{
    CHECK(!read_text("[\"a\"]"));
    CHECK_TEXT(str_of(err.text), "expected a JSON object");
}

static void a_file_that_holds_something_else_is_told_and_costs_only_itself(void)
{
    static const char *const texts[] = {"null", "[]", "7", "\"a\"", "[{\"a\": null}]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        notices_init(&notices, arena);
        const char *path = temporary_file("read_construct_other.json", texts[i], strlen(texts[i]));
        construct_read(path, names_new(arena), arena, &construct, &notices);
        CHECK(construct.count == 0 && construct.last_micro_step == -1);
        CHECK(notices.count == 1 && notices_any_partial(&notices));
        CHECK_TEXT(notices.items[0].text, "expected a JSON object");
    }
    notices_init(&notices, arena);
    construct_read("/dev/null", names_new(arena), arena, &construct, &notices);
    CHECK(construct.count == 0 && notices_any_partial(&notices));
    CHECK_TEXT(notices.items[0].text, "not a regular file");
}

static void a_broken_file_keeps_its_complete_nodes(void)
{
    CHECK(read_text("{\"a\": \"x\", \"b\": [\"y\", 1"));
    CHECK(construct.count == 1 && notices_any_partial(&notices) && notices.items[0].byte == 23);
    CHECK(read_text("{\"a\": \"x\" \"b\": null}"));
    CHECK(construct.count == 1 && notices_any_partial(&notices) && notices.items[0].byte == 10);
    CHECK(read_text("{\"a\": \"x\"} {}") && construct.count == 1 && notices.items[0].byte == 11);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(all_forms_of_a_parent_are_read);
    CHECK_RUN(the_last_of_repeated_nodes_counts_at_the_place_of_the_first);
    CHECK_RUN(odd_values_cost_themselves);
    CHECK_RUN(an_absent_or_empty_file_is_no_structure);
    CHECK_RUN(what_is_no_object_is_refused);
    CHECK_RUN(a_file_that_holds_something_else_is_told_and_costs_only_itself);
    CHECK_RUN(a_broken_file_keeps_its_complete_nodes);
    arena_release(arena);
    return CHECK_RESULT;
}
