// SPDX-License-Identifier: Apache-2.0
#include "read/dump/stack.h"

#include "check.h"
#include "temporary.h"

static Arena *arena;
static Names *names;
static Notices notices;

static const char grouped[] =
    "{\"0\": [[\"a\", \"b\"], [\"File /opt/a.py, line 3, in f, \\n x = 1\", \"File m.py, line 4, "
    "in <module>, \\n f()\"]], \"1\": [[\"c\"], []], \"2\": [\"d\", []], \"3\": 4}";

static Stacks *read_text(const char *text)
{
    static const char *const ops[] = {"a", "b", "c", "d"};
    names = names_new(arena);
    notices_init(&notices, arena);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        names_add(names, str_of(ops[i]));
    return stacks_of_text("stack.json", str_of(text), names, arena, &notices);
}

static const StackFrames *find(Stacks *stacks, const char *op)
{
    return stacks_find(stacks, names_find(names, str_of(op)));
}

static void ops_of_a_group_share_one_list(void)
{
    Stacks *stacks = read_text(grouped);
    const StackFrames *a = find(stacks, "a"), *c = find(stacks, "c");
    CHECK(a && a == find(stacks, "b") && a->count == 2);
    CHECK(c && c->count == 0 && c->group > a->group);
    CHECK(find(stacks, "d") == NULL && stacks_find(stacks, NAME_NONE) == NULL);
    CHECK(notices.count == 1 && notices.items[0].count == 2);
    CHECK_TEXT(a->frames[1], "File m.py, line 4, in <module>, \n f()");
}

static void a_flat_file_has_a_list_for_each_op(void)
{
    Stacks *stacks = read_text("{\"a\": [\"File a.py, line 1, in f, \\n y\"], \"b\": [],"
                               " \"c\": [\"The call stack retrieval failed.\"]}");
    CHECK(find(stacks, "a")->count == 1 && find(stacks, "b")->count == 0 && notices.count == 0);
    CHECK(find(stacks, "a")->group != find(stacks, "c")->group);
    CHECK_TEXT(find(stacks, "c")->frames[0], "The call stack retrieval failed.");
}

static void a_file_is_read_at_the_first_question(void)
{
    const char *path = temporary_file("read_stack.json", grouped, sizeof grouped - 1);
    notices_init(&notices, arena);
    names = names_new(arena);
    NameId op = names_add(names, STR("a"));
    Stacks *stacks = stacks_open(path, names, arena, &notices);
    CHECK(stacks_exist(stacks) && notices.count == 0);
    CHECK(stacks_find(stacks, op)->count == 2 && notices.count == 1);
    NameId later = names_add(names, STR("later"));
    CHECK(stacks_find(stacks, later) == NULL);
}

static void an_absent_file_has_no_stacks(void)
{
    notices_init(&notices, arena);
    names = names_new(arena);
    NameId op = names_add(names, STR("a"));
    Stacks *stacks = stacks_open("no-such-stack.json", names, arena, &notices);
    CHECK(!stacks_exist(stacks) && stacks_find(stacks, op) == NULL && notices.count == 0);
    stacks = stacks_open("/dev/null", names, arena, &notices);
    CHECK(stacks_find(stacks, op) == NULL && notices.count == 1);
    CHECK_TEXT(notices.items[0].text, "not a regular file");
}

static void broken_files_keep_their_complete_groups(void)
{
    Stacks *stacks = read_text("{\"0\": [[\"a\"], [\"x\"]], \"1\": [[\"b\"], [");
    CHECK(find(stacks, "a") && !find(stacks, "b") && notices_any_partial(&notices));
    CHECK(notices.items[0].byte == 36);
    stacks = read_text("");
    CHECK(!find(stacks, "a") && notices.count == 1 && !notices_any_partial(&notices));
    stacks = read_text("7");
    CHECK(!find(stacks, "a") && notices_any_partial(&notices));
}

static void frames_are_taken_apart(void)
{
    Frame frame;
    CHECK(
        frame_parse(STR("File /opt/my, line 3 x.py, line 12, in forward, \n return a, b"), &frame));
    CHECK_TEXT(frame.file, "/opt/my, line 3 x.py");
    CHECK(frame.line == 12);
    CHECK_TEXT(frame.function, "forward");
    CHECK_TEXT(frame.source, "return a, b");
    CHECK(frame_parse(STR("File a.py, line 1, in <lambda>"), &frame));
    CHECK_TEXT(frame.function, "<lambda>");
    CHECK(frame.source.size == 0);
}

static void other_texts_are_no_frames(void)
{
    static const char *const texts[] = {"",
                                        "The call stack retrieval failed.",
                                        "File a.py",
                                        "File a.py, line ",
                                        "File a.py, line x, in f",
                                        "File a.py, line 3",
                                        "File a.py, line 3, on f",
                                        "a.py, line 3, in f"};
    Frame frame;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!frame_parse(str_of(texts[i]), &frame));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(ops_of_a_group_share_one_list);
    CHECK_RUN(a_flat_file_has_a_list_for_each_op);
    CHECK_RUN(a_file_is_read_at_the_first_question);
    CHECK_RUN(an_absent_file_has_no_stacks);
    CHECK_RUN(broken_files_keep_their_complete_groups);
    CHECK_RUN(frames_are_taken_apart);
    CHECK_RUN(other_texts_are_no_frames);
    arena_release(arena);
    return CHECK_RESULT;
}
