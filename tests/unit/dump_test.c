// SPDX-License-Identifier: Apache-2.0
#include "compare/mapping/row_name.h"
#include "read/dump/dump_source.h"

#include <math.h>
#include <stdlib.h>

#include "base/sink.h"
#include "base/utf8.h"
#include "check.h"
#include "dump_same.h"
#include "read/dump/dump_json.h"
#include "temporary.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump dump;

// Reads the text both ways, which must agree; the records are those of the direct reader.
static bool read_str(const char *path, Str text)
{
    Dump tree;
    Notices tree_notices;
    Error tree_err = {0};
    notices_init(&tree_notices, arena);
    notices_init(&notices, arena);
    err = (Error){0};
    names = names_new(arena);
    bool tree_good = dump_json_read_as_trees(path, text, names_new(arena), arena, &tree,
                                             &tree_notices, &tree_err);
    bool good = dump_read_text(path, text, names, arena, &dump, &notices, &err);
    CHECK(good == tree_good && same_notices(&notices, &tree_notices));
    CHECK(!good || same_dump(&dump, &tree));
    CHECK(strcmp(err.text, tree_err.text) == 0);
    return good;
}

static bool read_text(const char *text)
{
    return read_str("d/dump.json", str_of(text));
}

// A dump whose only op has these fields.
static bool read_op(const char *name, const char *fields)
{
    return read_str("d/dump.json", str_printf(arena, "{\"data\": {\"%s\": {%s}}}", name, fields));
}

static Str text_of(NameId id)
{
    return names_text(names, id);
}

static Str stat_text(uint32_t slot, Stat stat)
{
    static char buffer[40];
    return slot_stat_text(names, &dump.slots[slot], stat, buffer);
}

static Str name_in_rows(uint32_t op, uint32_t slot)
{
    StrBuf name = {.arena = arena};
    return row_name(&dump, &dump.ops[op], &dump.slots[slot], &name);
}

static bool noticed(const char *text)
{
    for (size_t i = 0; i < notices.count; i++)
        if (str_find(notices.items[i].text, str_of(text), 0) != SIZE_MAX)
            return true;
    return false;
}

#define TENSOR                                                                                    \
    "{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [2, 3], \"Max\": 2.5," \
    " \"Min\": -1.0, \"Mean\": 0.5, \"Norm\": 3.0, \"requires_grad\": true}"

static void a_tensor_gives_its_fields(void)
{
    CHECK(read_text("{\"task\": \"statistics\", \"level\": \"L1\", \"data\": {"
                    "\"Torch.add.0.forward\": {\"input_args\": [{\"type\": \"torch.Tensor\","
                    " \"dtype\": \"torch.float32\", \"shape\": [2, 3], \"Max\": Infinity,"
                    " \"Min\": -1, \"Mean\": NaN, \"Norm\": null, \"requires_grad\": true,"
                    " \"md5\": \"b20e96b1\"}], \"input_kwargs\": {}, \"output\": [null]}}}"));
    CHECK(dump.op_count == 1 && dump.slot_count == 2 && notices.count == 0);
    const Slot *slot = &dump.slots[0];
    CHECK(slot->kind == SLOT_TENSOR && slot->requires_grad == TRI_TRUE);
    CHECK(slot->tag[STAT_MIN] == TAG_INT && slot->tag[STAT_NORM] == TAG_NULL);
    CHECK_TEXT(text_of(slot->path), "input.0");
    CHECK_TEXT(text_of(slot->shape), "[2, 3]");
    CHECK_TEXT(text_of(slot->checksum), "b20e96b1");
    CHECK_TEXT(stat_text(0, STAT_MAX), "inf");
    CHECK_TEXT(stat_text(0, STAT_MIN), "-1");
    CHECK_TEXT(stat_text(0, STAT_MEAN), "nan");
    CHECK_TEXT(stat_text(0, STAT_NORM), "None");
    CHECK(dump.slots[1].kind == SLOT_NULL && dump.slots[1].tag[0] == TAG_NULL);
    CHECK(dump.slots[1].dtype == NAME_NONE && dump.slots[1].shape == NAME_NONE);
    CHECK(dump.framework == FRAMEWORK_PYTORCH && dump.has_checksum && !dump.has_data_name);
}

// The table of leaves in the specification, row by row.
static void scalars_read_as_msprobe_shows_them(void)
{
    static const struct {
        const char *leaf, *dtype, *shape, *stat, *value;
        SlotKind kind;
    } rows[] = {
        {"\"int\", \"value\": 3", "<class 'int'>", "[]", "3", "3", SLOT_SCALAR},
        {"\"int\", \"value\": -0", "<class 'int'>", "[]", "0", "0", SLOT_SCALAR},
        {"\"float\", \"value\": 2.0", "<class 'float'>", "[]", "2.0", "2.0", SLOT_SCALAR},
        {"\"float\", \"value\": 1E-5", "<class 'float'>", "[]", "1e-05", "1e-05", SLOT_SCALAR},
        {"\"float\", \"value\": -Infinity", "<class 'float'>", "[]", "-inf", "-inf", SLOT_SCALAR},
        {"\"bool\", \"value\": true", "<class 'bool'>", "[]", "True", "True", SLOT_SCALAR},
        {"\"str\", \"value\": \"1.5\"", "<class 'str'>", "[]", "1.5", "1.5", SLOT_SCALAR},
        {"\"float\", \"value\": null", "<class 'NoneType'>", "[]", "None", "None", SLOT_SCALAR},
        {"\"torch.device\"", "<class 'NoneType'>", "[]", "None", "", SLOT_OTHER},
        {"\"torch.device\", \"value\": \"npu:0\"", "<class 'str'>", "[]", "npu:0", "npu:0",
         SLOT_SCALAR},
        {"\"odd\", \"value\": [1, null]", "<class 'list'>", "[]", "[1, None]", "[1, None]",
         SLOT_SCALAR},
        {"\"odd\", \"value\": {\"a\": [\"b'c\", 1.50]}", "<class 'dict'>", "[]",
         "{'a': [\"b'c\", 1.5]}", "{'a': [\"b'c\", 1.5]}", SLOT_SCALAR},
        {"\"torch.Size\", \"value\": [1, 2]", "torch.Size", "[1, 2]", "None", "[1, 2]", SLOT_OTHER},
        {"\"slice\", \"value\": [null, 9223372036854775807, null]", "slice", "(3,)", "None",
         "[None, 9223372036854775807, None]", SLOT_OTHER},
        {"\"ellipsis\", \"value\": \"...\"", "ellipsis", "[]", "...", "...", SLOT_OTHER},
        {"\"torch.ProcessGroup\", \"group_ranks\": [0, 1]", "torch.ProcessGroup", "[]", "[0, 1]",
         "[0, 1]", SLOT_OTHER},
        {"\"torch.memory_format\", \"format\": \"channels_last\"", "<class 'NoneType'>", "[]",
         "None", "channels_last", SLOT_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Str fields = str_printf(arena, "\"input_args\": [{\"type\": %s}]", rows[i].leaf);
        CHECK(read_op("Torch.f.0.forward", str_cstr(arena, fields)) && dump.slot_count == 1);
        const Slot *slot = &dump.slots[0];
        CHECK_TEXT(text_of(slot->dtype), rows[i].dtype);
        CHECK_TEXT(text_of(slot->shape), rows[i].shape);
        CHECK_TEXT(text_of(slot->value), rows[i].value);
        for (int stat = 0; stat < STAT_COUNT; stat++)
            CHECK_TEXT(stat_text(0, (Stat)stat), rows[i].stat);
        CHECK(slot->kind == rows[i].kind);
    }
}

static void ranks_as_arguments_are_text(void)
{
    CHECK(read_op("Distributed.send.0.forward",
                  "\"input_kwargs\": {\"dst\": {\"type\": \"int\", \"value\": 1},"
                  " \"tag\": {\"type\": \"int\", \"value\": 1}}"));
    CHECK_TEXT(text_of(dump.slots[0].dtype), "int");
    CHECK(dump.slots[0].tag[0] == TAG_TEXT && dump.slots[1].tag[0] == TAG_INT);
    CHECK_TEXT(stat_text(0, STAT_MAX), "1");
}

static void groups_come_in_the_order_of_the_rows(void)
{
    CHECK(read_op("Module.fc.Linear.forward.0",
                  "\"output\": [" TENSOR "], \"parameters\": {\"weight\": " TENSOR ","
                  " \"bias\": null}, \"input_kwargs\": {\"x\": " TENSOR "},"
                  " \"is_recompute\": true, \"input_args\": [[" TENSOR ", {}, null], []]"));
    static const char *const want[] = {"input.0.0",         "input.0.2",       "input.x",
                                       "parameters.weight", "parameters.bias", "output.0"};
    static const SlotGroup groups[] = {GROUP_INPUT,      GROUP_INPUT,      GROUP_KWARGS,
                                       GROUP_PARAMETERS, GROUP_PARAMETERS, GROUP_OUTPUT};
    CHECK(dump.slot_count == 6 && dump.ops[0].kind == OP_MODULE);
    CHECK(dump.ops[0].recompute == TRI_TRUE && dump.ops[0].is_nan == TRI_ABSENT);
    for (uint32_t i = 0; i < dump.slot_count && i < 6; i++) {
        CHECK_TEXT(text_of(dump.slots[i].path), want[i]);
        CHECK(dump.slots[i].group == groups[i]);
    }
    CHECK_TEXT(name_in_rows(0, 2), "Module.fc.Linear.forward.0.input.x");
}

static void gradient_lists_add_no_index(void)
{
    CHECK(
        read_op("Module.fc.Linear.parameters_grad", "\"weight\": [" TENSOR "], \"bias\": [null]"));
    CHECK(dump.slot_count == 2 && dump.slots[0].group == GROUP_GRADS);
    CHECK_TEXT(text_of(dump.slots[0].path), "weight");
    CHECK_TEXT(text_of(dump.slots[1].path), "bias");
    CHECK(dump.slots[1].kind == SLOT_NULL && dump.ops[0].kind == OP_GRADS);
}

static void old_backward_keys_are_arriving_and_produced_gradients(void)
{
    CHECK(read_op("Torch.mul.0.backward", "\"grad_input\": [" TENSOR "], \"grad_output\": [null]"));
    CHECK(dump.slots[0].group == GROUP_INPUT && dump.slots[0].kind == SLOT_NULL);
    CHECK(dump.slots[1].group == GROUP_OUTPUT);
    CHECK_TEXT(text_of(dump.slots[1].path), "output.0");
}

static void marks_of_an_entry_are_read(void)
{
    static const struct {
        const char *text;
        Tristate want;
    } cases[] = {{"0", TRI_FALSE},     {"1", TRI_TRUE},   {"true", TRI_TRUE},
                 {"null", TRI_ABSENT}, {"1.5", TRI_TRUE}, {"0.0", TRI_FALSE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Str fields = str_printf(arena, "\"is_nan\": %s, \"is_recompute\": false", cases[i].text);
        CHECK(read_op("Torch.f.0.forward", str_cstr(arena, fields)));
        CHECK(dump.ops[0].is_nan == cases[i].want && dump.ops[0].recompute == TRI_FALSE);
    }
}

static void debug_items_are_trees(void)
{
    CHECK(read_str("d/debug.json", STR("{\"level\": \"debug\", \"data\": {\"x.0.debug\": " TENSOR
                                       ", \"y.1\": [null, {\"a\": " TENSOR "}]}}")));
    CHECK(dump.op_count == 2 && dump.ops[1].kind == OP_DEBUG && dump.slot_count == 3);
    CHECK_TEXT(name_in_rows(0, 0), "x.0.debug");
    CHECK_TEXT(name_in_rows(1, 2), "y.1.1.a");
}

static void a_file_name_gives_the_row_its_name(void)
{
    CHECK(read_op("Torch.f.0.forward",
                  "\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\","
                  " \"shape\": [], \"data_name\": \"Torch.f.0.forward.kwargs.x.pt\"},"
                  " {\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [],"
                  " \"data_name\": \"-1\"}]"));
    CHECK_TEXT(name_in_rows(0, 0), "Torch.f.0.forward.kwargs.x");
    CHECK_TEXT(name_in_rows(0, 1), "Torch.f.0.forward.input.1");
    CHECK(dump.has_data_name && dump.slots[1].data_name == NAME_NONE);
    CHECK_TEXT(dump.task, "tensor");
    CHECK(dump.slots[0].tag[0] == TAG_ABSENT);
}

static void integers_stay_exact(void)
{
    CHECK(read_op("Torch.f.0.forward",
                  "\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.int64\","
                  " \"shape\": [9007199254740993], \"Max\": 9223372036854775807,"
                  " \"Min\": -9223372036854775808, \"Mean\": 18446744073709551615,"
                  " \"Norm\": 340282366920938463463374607431768211456}]"));
    static const StatTag tags[] = {TAG_INT, TAG_INT, TAG_UINT, TAG_BIGINT};
    static const char *const texts[] = {"9223372036854775807", "-9223372036854775808",
                                        "18446744073709551615",
                                        "340282366920938463463374607431768211456"};
    for (int i = 0; i < STAT_COUNT; i++) {
        CHECK(dump.slots[0].tag[i] == tags[i]);
        CHECK_TEXT(stat_text(0, (Stat)i), texts[i]);
    }
    CHECK_TEXT(text_of(dump.slots[0].shape), "[9007199254740993]");
    double value;
    CHECK(slot_stat(&dump.slots[0], STAT_MEAN, &value) && value == 18446744073709551615.0);
    CHECK(!slot_stat(&dump.slots[0], STAT_NORM, &value));
}

static void odd_numbers_are_kept(void)
{
    CHECK(read_op("Torch.f.0.forward",
                  "\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\","
                  " \"shape\": [1], \"Max\": 1e999, \"Min\": -0.0, \"Mean\": 1e-320,"
                  " \"Norm\": -1e-999}, {\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\","
                  " \"shape\": [1], \"Max\": \"nan\", \"Min\": \"-inf\", \"Mean\": \"1.50\","
                  " \"Norm\": \"npu:0\"}, {\"type\": \"torch.Tensor\", \"dtype\": \"torch.bool\","
                  " \"shape\": [1], \"Max\": true, \"Min\": false, \"Mean\": null}]"));
    static const char *const want[3][STAT_COUNT] = {{"inf", "-0.0", "1e-320", "-0.0"},
                                                    {"nan", "-inf", "1.5", "npu:0"},
                                                    {"True", "False", "None", "None"}};
    for (uint32_t slot = 0; slot < 3; slot++)
        for (int stat = 0; stat < STAT_COUNT; stat++)
            CHECK_TEXT(stat_text(slot, (Stat)stat), want[slot][stat]);
    CHECK(dump.slots[1].tag[STAT_NORM] == TAG_TEXT && dump.slots[2].tag[STAT_NORM] == TAG_ABSENT);
}

static void names_that_differ_stay_different(void)
{
    CHECK(read_text("{\"data\": {\"a\\ud800\": {\"input\": [null]}, \"a\\ud801\": {},"
                    " \"a\\u0000b\": {}, \"a\\u0000c\": {}, \"\\ud83d\\ude00\": {}, \"\": {}}}"));
    CHECK(dump.op_count == 6 && notices.count == 0);
    CHECK_TEXT(text_of(dump.ops[0].name), "a\xED\xA0\x80");
    CHECK_TEXT(utf8_display(text_of(dump.ops[0].name), arena),
               "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(str_equal(text_of(dump.ops[2].name), (Str){"a\0b", 3}));
    CHECK_TEXT(text_of(dump.ops[4].name), "\xF0\x9F\x98\x80");
}

static void the_last_of_repeated_keys_counts_at_the_place_of_the_first(void)
{
    CHECK(read_text("{\"data\": {\"a\": {\"input\": [null, null]}, \"b\": {\"input\": [null]},"
                    " \"a\": {\"output\": [" TENSOR "]}, \"a\": {\"output\": [null]},"
                    " \"c\": {\"input\": [{\"type\": \"int\", \"value\": 1, \"value\": 2}],"
                    " \"input\": [{\"type\": \"int\", \"value\": 1, \"value\": 3}]}}}"));
    CHECK(dump.op_count == 3 && dump.slot_count == 3 && notices.count == 2);
    CHECK_TEXT(text_of(dump.ops[0].name), "a");
    CHECK(dump.ops[0].slot_count == 1 && dump.slots[0].kind == SLOT_NULL);
    CHECK_TEXT(text_of(dump.slots[0].path), "output.0");
    CHECK(notices.items[0].count == 2 && notices.items[0].byte == 64);
    CHECK_TEXT(stat_text(2, STAT_MAX), "3");
}

static void messages_between_processes_carry_their_fields(void)
{
    CHECK(read_op(
        "Distributed.batch_isend_irecv.0.forward",
        "\"input_args\": [[{\"class_type\": \"torch.distributed.P2POp\", \"tensor\": " TENSOR
        ", \"op\": \"isend\", \"peer\": 1, \"tag\": 0, \"group_id\": null},"
        " {\"class_type\": \"torch.distributed.P2POp\", \"op\": \"irecv\"}]]"));
    CHECK(dump.slot_count == 2 && dump.extra_count == 5 && dump.slots[0].kind == SLOT_TENSOR);
    CHECK_TEXT(text_of(dump.extras[0].key), "op");
    CHECK_TEXT(text_of(dump.extras[0].text), "isend");
    CHECK_TEXT(text_of(dump.extras[1].text), "1");
    CHECK(dump.extras[4].slot == 1 && dump.slots[1].kind == SLOT_NULL);
    CHECK_TEXT(text_of(dump.slots[1].path), "input.0.1");
}

static void distributed_tensors_carry_their_layout(void)
{
    CHECK(read_op("Torch.f.0.forward",
                  "\"input_args\": [{\"type\": \"torch.distributed.tensor.DTensor\", \"dtype\":"
                  " \"torch.float32\", \"shape\": [4], \"device_mesh\": [0, 1], \"placements\":"
                  " [{\"Shard\": {\"dim\": 0}}, {\"Replicate\": {}}]}]"));
    CHECK(dump.extra_count == 2);
    CHECK_TEXT(text_of(dump.extras[1].key), "placements");
    CHECK_TEXT(text_of(dump.extras[1].text), "[{'Shard': {'dim': 0}}, {'Replicate': {}}]");
}

static void extras_move_with_their_slots(void)
{
    CHECK(read_op("Module.fc.Linear.forward.0",
                  "\"output\": [{\"type\": \"a.Tensor\", \"dtype\": \"f\", \"placements\": 1},"
                  " null], \"parameters\": {\"w\": {\"type\": \"a.Tensor\", \"dtype\": \"f\","
                  " \"device_mesh\": [0], \"placements\": 2}}, \"input_args\": [null]"));
    CHECK(dump.slot_count == 4 && dump.extra_count == 3);
    CHECK(dump.extras[0].slot == 1 && dump.extras[1].slot == 1 && dump.extras[2].slot == 2);
    CHECK_TEXT(text_of(dump.extras[1].text), "2");
    CHECK_TEXT(text_of(dump.extras[2].text), "1");
}

static void a_users_dictionary_with_a_type_is_no_leaf(void)
{
    CHECK(read_op("Torch.f.0.forward", "\"input_args\": [{\"type\": \"x\", \"t\": " TENSOR "}]"));
    CHECK(dump.slot_count == 1 && noticed("plain value"));
    CHECK_TEXT(text_of(dump.slots[0].path), "input.0.t");
}

static void the_framework_is_told_from_the_types_where_it_is_missing(void)
{
    CHECK(read_op("Mint.f.0.forward", "\"input_args\": [{\"type\": \"mindspore.Tensor\","
                                      " \"dtype\": \"Float32\", \"shape\": []}]"));
    CHECK(dump.framework == FRAMEWORK_MINDSPORE);
    CHECK_TEXT(dump.task, "statistics");
    CHECK(read_text("{\"framework\": \"mindtorch\", \"task\": \"tensor\", \"data\": {}}"));
    CHECK(dump.framework == FRAMEWORK_MINDTORCH && notices.count == 0);
    CHECK_TEXT(dump.task, "tensor");
}

static void bad_entries_cost_themselves(void)
{
    CHECK(read_text("{\"data\": {\"Module\": 1, \"a\": {\"input\": [nul]}, \"b\": {\"input\": "
                    "[null]}, \"c\": {\"input\": [1 2]}, \"d\\x\": {}, \"e\": {\"input\": [null]}"
                    "}, \"new_key\": 3}"));
    CHECK(dump.op_count == 2 && dump.slot_count == 2);
    CHECK(noticed("expected an object as entry") && noticed("no valid JSON; it is left out"));
    CHECK(noticed("name of an entry") && noticed("key of the header"));
    CHECK(notices_any_partial(&notices) && dump.partial_at == -1);
    CHECK(notices.items[1].byte == 23 && notices.items[1].count == 2);
}

static void endless_nesting_is_refused_with_its_place(void)
{
    enum { LEVELS = 1000000 };
    StrBuf buf;
    buf = strbuf_new(arena);
    strbuf_add(&buf, STR("{\"data\": {\"a\": {\"input\": "));
    for (int i = 0; i < LEVELS; i++)
        strbuf_add_char(&buf, '[');
    for (int i = 0; i < LEVELS; i++)
        strbuf_add_char(&buf, ']');
    strbuf_add(&buf, STR("}, \"b\": {\"input\": [null]}}}"));
    CHECK(read_str("d/dump.json", strbuf_str(&buf)));
    CHECK(dump.op_count == 1 && noticed("512 levels") && notices.items[0].byte == 10);
}

static void marks_and_line_ends_of_editors_are_accepted(void)
{
    CHECK(read_text("{\r\n\"data\": {\r\n\"a\": {\r\n\"input\": [\r\nnull\r\n]\r\n}"
                    "\r\n}\r\n}\r\n"));
    CHECK(dump.op_count == 1 && notices.count == 0 && dump.ops[0].offset == 14);
}

static void what_follows_the_document_is_named_with_its_byte(void)
{
    CHECK(read_text("{\"data\": {}} {\"data\": {\"a\": {}}}"));
    CHECK(dump.op_count == 0 && notices.count == 1 && notices.items[0].byte == 13);
    CHECK(notices_any_partial(&notices));
    CHECK(read_str("d/dump.json", (Str){"{\"data\": {\"a\": {}}}\0\0\0", 22}));
    CHECK(dump.op_count == 1 && noticed("NUL bytes") && notices.items[0].byte == 19);
}

static void files_without_data_are_errors_in_words(void)
{
    static const struct {
        Str text;
        const char *want;
    } cases[] = {
        {{"", 0}, "empty file"},
        {{" \n", 2}, "empty file"},
        {{"\0\0\0\0", 4}, "empty file"},
        {{"{\"task\": \"tensor\"}", 18}, "expected an object 'data', found none"},
        {{"{\"data\": 1}", 11}, "expected an object 'data', found none"},
        {{"{\"task\": \"ten", 13}, "the file breaks off before its 'data'"},
        {{"{", 1}, "the file breaks off before its 'data'"},
        {{"1 ", 2}, "expected a JSON object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!read_str("d/dump.json", cases[i].text));
        CHECK_TEXT(str_of(err.text), cases[i].want);
        CHECK_TEXT(str_of(err.file), "d/dump.json");
    }
}

static void a_million_members_take_linear_time(void)
{
    enum { COUNT = 1000000 };
    StrBuf buf;
    buf = strbuf_new(arena);
    strbuf_add(&buf, STR("{\"data\": {"));
    for (int i = 0; i < COUNT / 2; i++)
        strbuf_add(&buf, STR("\"\": {}, "));
    strbuf_add(&buf, STR("\"a\": {\"input_kwargs\": {"));
    for (int i = 0; i < COUNT / 2; i++)
        strbuf_printf(&buf, "\"k%d\": null, ", i % (COUNT / 4));
    strbuf_add(&buf, STR("\"z\": null}}}}"));
    CHECK(read_str("d/dump.json", strbuf_str(&buf)));
    CHECK(dump.op_count == 2 && dump.slot_count == COUNT / 4 + 1);
}

static void a_huge_key_survives(void)
{
    enum { SIZE = 10 << 20 };
    char *key = arena_alloc(arena, SIZE + 1);
    memset(key, 'k', SIZE);
    Str text = str_printf(arena,
                          "{\"data\": {\"%s\": {\"input\": [null]}, \"b\": {\"input_kwargs\": "
                          "{\"%s\": [null, null], \"c\": null}}}}",
                          key, key);
    CHECK(read_str("d/dump.json", text));
    CHECK(dump.op_count == 2 && dump.slot_count == 2 && noticed("1024 bytes"));
    CHECK(text_of(dump.ops[0].name).size == SIZE && arena_bytes(arena) < 800u << 20);
}

static void shapes_are_counted_or_refused(void)
{
    static const struct {
        const char *shape;
        uint64_t want;
    } cases[] = {
        {"[]", 1},
        {"[2, 3]", 6},
        {"[7]", 7},
        {"[0, 5]", 0},
        {"[-1]", 0},
        {"[4294967296, 4294967296]", 0},
        {"[4294967296, 4294967295]", UINT64_MAX - 4294967295u},
        {"[ 2 ,\t3 ]", 6},
        {"[2, ]", 0},
        {"[2,,3]", 0},
        {"(3,)", 0},
        {"[1.5]", 0},
        {"None", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(shape_elements(str_of(cases[i].shape)) == cases[i].want);
}

static void only_files_are_opened(void)
{
    CHECK(!dump_read("no-such-file.json", names, arena, &dump, &notices, &err) && err.text[0]);
    CHECK(!dump_read("/dev/null", names, arena, &dump, &notices, &err));
    CHECK_TEXT(str_of(err.text), "not a regular file");
    CHECK(folder_make("read_dump_empty_folder", &err));
    CHECK(!dump_read("read_dump_empty_folder", names, arena, &dump, &notices, &err));
    CHECK_TEXT(str_of(err.text), "not a regular file");
    const char *path = temporary_file("read_dump_empty.json", "", 0);
    CHECK(!dump_read(path, names, arena, &dump, &notices, &err));
    CHECK_TEXT(str_of(err.text), "empty file");
    CHECK(err.hint[0]);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_tensor_gives_its_fields);
    CHECK_RUN(scalars_read_as_msprobe_shows_them);
    CHECK_RUN(ranks_as_arguments_are_text);
    CHECK_RUN(groups_come_in_the_order_of_the_rows);
    CHECK_RUN(gradient_lists_add_no_index);
    CHECK_RUN(old_backward_keys_are_arriving_and_produced_gradients);
    CHECK_RUN(marks_of_an_entry_are_read);
    CHECK_RUN(debug_items_are_trees);
    CHECK_RUN(a_file_name_gives_the_row_its_name);
    CHECK_RUN(integers_stay_exact);
    CHECK_RUN(odd_numbers_are_kept);
    CHECK_RUN(names_that_differ_stay_different);
    CHECK_RUN(the_last_of_repeated_keys_counts_at_the_place_of_the_first);
    CHECK_RUN(messages_between_processes_carry_their_fields);
    CHECK_RUN(distributed_tensors_carry_their_layout);
    CHECK_RUN(extras_move_with_their_slots);
    CHECK_RUN(a_users_dictionary_with_a_type_is_no_leaf);
    CHECK_RUN(the_framework_is_told_from_the_types_where_it_is_missing);
    CHECK_RUN(bad_entries_cost_themselves);
    CHECK_RUN(endless_nesting_is_refused_with_its_place);
    CHECK_RUN(marks_and_line_ends_of_editors_are_accepted);
    CHECK_RUN(what_follows_the_document_is_named_with_its_byte);
    CHECK_RUN(files_without_data_are_errors_in_words);
    CHECK_RUN(a_million_members_take_linear_time);
    CHECK_RUN(a_huge_key_survives);
    CHECK_RUN(shapes_are_counted_or_refused);
    CHECK_RUN(only_files_are_opened);
    arena_release(arena);
    return CHECK_RESULT;
}
