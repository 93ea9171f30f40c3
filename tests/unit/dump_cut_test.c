// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "check.h"
#include "dump_same.h"
#include "read/dump/construct.h"
#include "read/dump/dump_json.h"
#include "read/dump/dump_source.h"
#include "read/dump/stack.h"

// Files of a run that died, or that still writes: cut at every byte, the complete part is read.

static const char folder[] = TEST_SOURCE_DIR "/samples/gpt/golden/step0/rank0";

static Arena *kept;  // of the whole file

static Str open_start(const char *name, size_t size, File *file)
{
    Error err;
    const char *path = path_join(kept, folder, str_of(name));
    if (!file_open(path, file, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        check_failures++;
        return (Str){"", 0};
    }
    return str_slice(file->text, 0, size);
}

static bool first_ops_same(const Dump *part, const Dump *whole)
{
    if (part->op_count > whole->op_count)
        return false;
    for (uint32_t i = 0; i < part->op_count; i++) {
        const Op *op = &part->ops[i];
        if (!same_op(part, op, whole, &whole->ops[i]))
            return false;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (!same_slot(part, &part->slots[k], whole, &whole->slots[k]))
                return false;
    }
    return true;
}

// Reads the first `size` bytes and gives how many ops there were.
static uint32_t read_cut(Str text, size_t size, bool as_trees, const Dump *whole)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err = {0};
    Dump part = {0};
    notices_init(&notices, arena);
    bool good = (as_trees ? dump_json_read_as_trees : dump_json_read)(
        "dump.json", str_slice(text, 0, size), names_new(arena), arena, &part, &notices, &err);
    if (good) {
        CHECK(part.partial_at == (int64_t)size && notices_any_partial(&notices));
        CHECK(notices.count == 1 && notices.items[0].byte == part.partial_at);
        CHECK(first_ops_same(&part, whole));
    } else {
        CHECK(err.text[0] && err.hint[0]);
    }
    uint32_t count = part.op_count;
    arena_release(arena);
    return count;
}

static void complete_entries_are_kept_wherever_a_dump_is_cut(void)
{
    enum { BYTES = 9000 };
    File file;
    Notices notices;
    Error err;
    Dump whole;
    Str text = open_start("dump.json", BYTES, &file);
    notices_init(&notices, kept);
    CHECK(dump_json_read_as_trees("dump.json", file.text, names_new(kept), kept, &whole, &notices,
                                  &err));
    CHECK(whole.partial_at == -1 && notices.count == 0);
    uint32_t last = 0;
    for (size_t size = 0; size < text.size; size++) {
        uint32_t count = read_cut(text, size, false, &whole);
        CHECK(count == last || count == last + 1);
        if (size % 16 == 0)
            CHECK(read_cut(text, size, true, &whole) == count);
        last = count;
    }
    CHECK(last > 5 && whole.ops[last - 1].offset < BYTES);
    file_close(&file);
}

static void complete_nodes_are_kept_wherever_a_construct_is_cut(void)
{
    File file;
    Str text = open_start("construct.json", 2000, &file);
    uint32_t last = 0;
    for (size_t size = 0; size < text.size; size++) {
        Arena *arena = arena_new();
        Notices notices;
        Error err;
        Construct part;
        notices_init(&notices, arena);
        CHECK(construct_read_text("construct.json", str_slice(text, 0, size), names_new(arena),
                                  arena, &part, &notices, &err));
        CHECK(notices_any_partial(&notices) == (size > 0));
        CHECK(part.count == last || part.count == last + 1);
        last = part.count;
        arena_release(arena);
    }
    CHECK(last > 5);
    file_close(&file);
}

static void complete_groups_are_kept_wherever_stacks_are_cut(void)
{
    File file;
    Str text = open_start("stack.json", 6000, &file);
    size_t last = 0;
    for (size_t size = 0; size < text.size; size++) {
        Arena *arena = arena_new();
        Names *names = names_new(arena);
        Notices notices;
        notices_init(&notices, arena);
        NameId op = names_add(names, STR("Functional.embedding.0.forward"));
        Stacks *stacks =
            stacks_of_text("stack.json", str_slice(text, 0, size), names, arena, &notices);
        size_t found = stacks_find(stacks, op) != NULL;
        CHECK(notices_any_partial(&notices) == (size > 0) && found >= last);
        last = found;
        arena_release(arena);
    }
    CHECK(last == 1);
    file_close(&file);
}

int main(void)
{
    kept = arena_new();
    CHECK_RUN(complete_entries_are_kept_wherever_a_dump_is_cut);
    CHECK_RUN(complete_nodes_are_kept_wherever_a_construct_is_cut);
    CHECK_RUN(complete_groups_are_kept_wherever_stacks_are_cut);
    arena_release(kept);
    return CHECK_RESULT;
}
