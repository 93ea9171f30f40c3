// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_formats.h"

#include "check.h"
#include "read/dump/dump_source.h"
#include "read/dump/op_name.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump got;

static bool reads(const char *text)
{
    notices_init(&notices, arena);
    names = names_new(arena);
    return dump_read_text("x_debug_tree_SUMMARY.json", str_of(text), names, arena, &got, &notices,
                          &err);
}

static Str name(NameId id)
{
    return names_text(names, id);
}

#define TENSOR(max)                                                                     \
    "{\"shape\": \"torch.Size([1, 4])\", \"dtype\": \"torch.bfloat16\", "               \
    "\"mean\": \"tensor(1.2500e-01, dtype=torch.bfloat16)\", \"std\": \"tensor(2.)\", " \
    "\"min\": \"tensor(-inf)\", \"max\": \"tensor(" max ", device='cuda:0')\"}"

static void a_module_is_an_op_behind_those_it_calls(void)
{
    CHECK(reads("{\"module_path\": \"Net\", \"inputs\": {\"args\": [" TENSOR(
        "5.0000e-01") "], "
                      "\"kwargs\": {\"mask\": \"None\", \"more\": {\"scale\": \"2.5\", \"mode\": "
                      "\"relu\"}}}, "
                      "\"children\": [{\"module_path\": \"Net.norm\", \"outputs\": " TENSOR(
                          "3.0000e+00") "}]}"));
    CHECK(got.op_count == 2 && got.slot_count == 5 && notices.count == 0);
    CHECK_TEXT(name(got.ops[0].name), "Net.norm");
    CHECK_TEXT(name(got.ops[1].name), "Net");
    CHECK(got.ops[0].kind == OP_MODULE && got.ops[0].direction == DIR_FORWARD);
    CHECK_TEXT(op_name_of(names, got.ops[0].name).path, "norm");
    CHECK_TEXT(op_name_of(names, got.ops[1].name).type_name, "Net");
    CHECK_TEXT(name(got.slots[0].path), "output.0");
    CHECK(got.slots[0].stat[STAT_MAX].real == 3 && got.slots[0].stat[STAT_MEAN].real == 0.125);
    CHECK(got.slots[0].stat[STAT_MIN].real < -1e300 && got.slots[0].tag[STAT_NORM] == TAG_ABSENT);
    CHECK_TEXT(name(got.slots[1].path), "input.0");
    CHECK_TEXT(name(got.slots[1].shape), "[1, 4]");
    CHECK_TEXT(name(got.slots[1].dtype), "torch.bfloat16");
    CHECK_TEXT(name(got.slots[2].path), "input.mask");
    CHECK(got.slots[2].kind == SLOT_NULL && got.slots[3].kind == SLOT_SCALAR);
    CHECK_TEXT(name(got.slots[3].path), "input.more.scale");
    CHECK(got.slots[3].stat[STAT_MAX].real == 2.5 && got.slots[4].tag[STAT_MAX] == TAG_TEXT);
}

static void the_hierarchy_is_that_of_the_file(void)
{
    Construct construct;
    Stacks *stacks;
    CHECK(reads("{\"module_path\": \"Net\", \"children\": [{\"module_path\": \"Net.a\", "
                "\"outputs\": \"1\"}, "
                "{\"module_path\": \"Net.a\", \"outputs\": [\"2\", [\"3\"]]}]}"));
    dump_read_hierarchy(&got, "no such folder", arena, &construct, &stacks, &notices);
    CHECK(construct.count == 3 && !stacks && notices.count == 0);
    CHECK(construct.entries[0].parent == NAME_NONE);
    CHECK(construct.entries[2].parent == construct.entries[0].child);
    CHECK_TEXT(name(construct.entries[2].child), "Net.a#1");
    CHECK(got.ops[1].call == 1 && op_name_of(names, got.ops[1].name).stem.size == 5);
    CHECK_TEXT(name(got.slots[2].path), "output.1.0");
}

static void layers_that_pruning_took_are_named(void)
{
    CHECK(reads(
        "{\"module_path\": \"N\", \"children\": [{\"module_path\": \"N.h.0\", \"outputs\": \"1\"}, "
        "{\"module_path\": \"N.h.3\", \"outputs\": \"1\"}, {\"module_path\": \"N.g.9\", "
        "\"outputs\": \"1\"}]}"));
    CHECK(got.left_out_count == 2);
    CHECK_TEXT(name(got.left_out[0]), "N.h.1");
    CHECK_TEXT(name(got.left_out[1]), "N.h.2");
    CHECK(reads(
        "{\"module_path\": \"N\", \"children\": [{\"module_path\": \"N.h.0\", \"outputs\": \"1\"}, "
        "{\"module_path\": \"N.h.1\", \"outputs\": \"1\"}]}"));
    CHECK(got.left_out_count == 0);
}

#define VALUE(path, file)                                                                      \
    "{\"module_path\": \"" path "\", \"outputs\": {\"shape\": \"torch.Size([])\", \"dtype\": " \
    "\"torch.float32\", \"value\": \"" file "\"}}"

static void only_files_beside_the_tree_are_named(void)
{
    static const char tree[] = "{\"module_path\": \"N\", \"children\": ["  //
        VALUE("N.a", "./../x.safetensors") ", "                            //
        VALUE("N.b", "/x.safetensors") ", "                                //
        VALUE("N.c", "./x.npy") ", "                                       //
        VALUE("N.d", "./d.safetensors") ", "                               //
        VALUE("N.d", "./d.safetensors") "]}";
    CHECK(reads(tree));
    CHECK(got.slot_count == 5 && got.has_data_name && got.tensors_beside);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(got.slots[i].data_name == NAME_NONE);  // the second call wrote over the first's file
    CHECK_TEXT(name(got.slots[4].data_name), "d.safetensors");
}

static void what_is_no_whole_tree_is_refused(void)
{
    static const char *const cases[] = {"{\"module_path\": \"N\"}",
                                        "{\"module_path\": 3, \"outputs\": \"1\"}",
                                        "{\"module_path\": \"N\", \"outputs\": \"1\"",
                                        "{\"module_path\": \"N\", \"outputs\": \"1\"} x"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(!reads(cases[i]) && err.text[0]);
    CHECK(!debug_tree_is("x", STR("{\"data\": {}, \"module_path\": \"N\"}")));
    CHECK(!debug_tree_is("x", STR("")) && !debug_tree_is("x", STR("{\"module_path")));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_module_is_an_op_behind_those_it_calls);
    CHECK_RUN(the_hierarchy_is_that_of_the_file);
    CHECK_RUN(layers_that_pruning_took_are_named);
    CHECK_RUN(only_files_beside_the_tree_are_named);
    CHECK_RUN(what_is_no_whole_tree_is_refused);
    arena_release(arena);
    return check_failures != 0;
}
