// SPDX-License-Identifier: Apache-2.0
#include "read/dump.h"

#include "check.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump dump;

static bool read_text(const char *text)
{
    names = names_new(arena);
    notices_init(&notices, arena);
    return dump_read_text("d/dump.json", str_of(text), false, names, arena, &dump, &notices, &err);
}

static Str slot_path(uint32_t slot)
{
    return names_text(names, dump.slots[slot].path);
}

static void a_tensor_gives_its_fields(void)
{
    CHECK(read_text("{\"task\": \"statistics\", \"level\": \"L1\", \"data\": {"
                    "\"Torch.add.0.forward\": {\"input_args\": [{\"type\": \"torch.Tensor\","
                    " \"dtype\": \"torch.float32\", \"shape\": [2, 3], \"Max\": Infinity,"
                    " \"Min\": -1, \"Mean\": NaN, \"Norm\": null, \"requires_grad\": true,"
                    " \"md5\": \"b20e96b1\"}], \"input_kwargs\": {}, \"output\": [null]}}}"));
    CHECK(dump.op_count == 1 && dump.slot_count == 2 && notices.count == 0);
    const Slot *slot = &dump.slots[0];
    char buffer[40];
    CHECK(slot->kind == SLOT_TENSOR && slot->requires_grad == TRI_TRUE);
    CHECK_TEXT(slot_path(0), "input.0");
    CHECK_TEXT(names_text(names, slot->shape), "[2, 3]");
    CHECK_TEXT(names_text(names, slot->checksum), "b20e96b1");
    CHECK_TEXT(slot_stat_text(names, slot, STAT_MAX, buffer), "inf");
    CHECK_TEXT(slot_stat_text(names, slot, STAT_MIN, buffer), "-1");
    CHECK_TEXT(slot_stat_text(names, slot, STAT_MEAN, buffer), "nan");
    CHECK_TEXT(slot_stat_text(names, slot, STAT_NORM, buffer), "None");
    CHECK(dump.slots[1].kind == SLOT_NULL && dump.slots[1].tag[0] == TAG_NULL);
    CHECK(dump.framework == FRAMEWORK_PYTORCH && dump.has_checksum && !dump.has_data_name);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_tensor_gives_its_fields);
    arena_release(arena);
    return check_failures != 0;
}
