// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_formats.h"

#include "base/file.h"
#include "check.h"
#include "read/dump/dump_source.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump got;

static bool reads(Str text)
{
    notices_init(&notices, arena);
    names = names_new(arena);
    return dump_read_text("dump.pkl", text, names, arena, &got, &notices, &err);
}

static Str name(NameId id)
{
    return names_text(names, id);
}

static void old_names_get_todays_form(void)
{
    CHECK(reads(
        STR("[\"Functional_linear_0_forward_input.0\", 1, [], \"torch.float32\", [3, 2], [1.5, "
            "-1.0, 0.25, 2.0]]\n"
            "[\"Functional_linear_0_forward_input.1\", 1, [], \"<class 'int'>\", \"[]\", [3, 3, 3, "
            "3]]\n"
            "\n"
            "[\"Functional_linear_0_forward_output\", 1, [], \"torch.int64\", [3], [4, 1, 2, "
            "\"Nan\"]]\n"
            "[\"Functional_linear_0_forward_stack_info\", [[\"a.py\", \"3\", \"f\", \"x\"]]]\n"
            "[\"Tensor___add___2_backward_output.1\", 1, [], \"torch.bool\", [2], []]\n"
            "[\"layer1.forward_net.conv_Conv2d_0_forward_input.0\", 1, \"abcd1234\", "
            "\"torch.float16\", [], []]\n")));
    CHECK(got.op_count == 3 && got.slot_count == 5 && notices.count == 0);
    CHECK_TEXT(name(got.ops[0].name), "Functional.linear.0.forward");
    CHECK_TEXT(name(got.ops[1].name), "Tensor.__add__.2.backward");
    CHECK_TEXT(name(got.ops[2].name), "Module.layer1.forward_net.conv.Conv2d.forward.0");
    CHECK(got.ops[2].kind == OP_MODULE && got.ops[1].direction == DIR_BACKWARD);
    CHECK_TEXT(name(got.slots[0].shape), "[3, 2]");
    CHECK(got.slots[0].stat[STAT_MEAN].real == 0.25 && got.slots[0].stat[STAT_NORM].real == 2);
    CHECK(got.slots[1].kind == SLOT_SCALAR && got.slots[1].stat[STAT_MAX].integer == 3);
    CHECK_TEXT(name(got.slots[1].type), "int");
    CHECK_TEXT(name(got.slots[1].value), "3");
    CHECK_TEXT(name(got.slots[2].path), "output.0");
    CHECK(got.slots[2].tag[STAT_NORM] == TAG_NULL && got.slots[3].tag[STAT_MAX] == TAG_ABSENT);
    CHECK_TEXT(name(got.slots[4].checksum), "abcd1234");
    CHECK_TEXT(got.level, "mix");
}

static void bad_lines_cost_themselves(void)
{
    CHECK(reads(STR("[\"Torch_relu_0_forward_input.0\", 1, [], \"torch.float32\", [2], [1, 2, 3]]\n"
                    "[\"garbage\n{}\n[1, 2]\n[\"nothing\", 1, [], 2, 3, 4]\n"
                    "[\"Torch_relu_0_forward_output\", 1, [], \"torch.float32\", [2], [1, 2, 3]]\n"
                    "[\"Torch_relu_1_forw")));
    CHECK(got.op_count == 1 && got.slot_count == 2 && got.partial_at > 0);
    CHECK(notices.count == 2 && notices.items[0].line == 7);
    CHECK(notices.items[1].line == 2 && str_starts(notices.items[1].text, STR("4 lines")));
}

static void a_real_pickle_is_refused(void)
{
    CHECK(!reads(STR("\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.")));
    CHECK(strstr(err.text, "pickle of Python objects"));
    CHECK(!reads(STR("cos\nsystem\n(S'id'\ntR.")));
    CHECK(!reads(STR("")));
    CHECK(!reads(STR("[]\n")));
}

static void the_sample_of_the_old_tool_is_read(void)
{
    File file;
    if (!file_open(SHARED_DIR "/data/peer-fixtures/ptdbg-pkl-lines/npu_test.pkl", &file, &err))
        CHECK_SKIP("the sample set");
    CHECK(reads(file.text) && got.op_count == 3 && got.slot_count == 8);
    file_close(&file);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(old_names_get_todays_form);
    CHECK_RUN(bad_lines_cost_themselves);
    CHECK_RUN(a_real_pickle_is_refused);
    CHECK_RUN_SHARED(the_sample_of_the_old_tool_is_read);
    arena_release(arena);
    return CHECK_RESULT;
}
