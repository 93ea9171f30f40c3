// SPDX-License-Identifier: Apache-2.0
#include "base/array.h"
#include "base/file.h"
#include "check.h"
#include "dump_same.h"
#include "read/dump/construct.h"
#include "read/dump/dump_json.h"
#include "read/dump/dump_source.h"
#include "read/dump/stack.h"

// Real files: the direct reader and the tree give the same records for each.

typedef struct Reading {
    Arena *arena;
    Dump dump;
    Notices notices;
    Error err;
    bool good;
} Reading;

static Reading read_file(const char *path, bool as_trees)
{
    Reading out = {.arena = arena_new()};
    Names *names = names_new(out.arena);
    notices_init(&out.notices, out.arena);
    if (!as_trees) {
        out.good = dump_read(path, names, out.arena, &out.dump, &out.notices, &out.err);
        return out;
    }
    File file;
    out.good = file_open(path, &file, &out.err);
    if (!out.good)
        return out;
    out.good = dump_json_read_as_trees(path, file.text, names, out.arena, &out.dump, &out.notices,
                                       &out.err);
    file_close(&file);
    return out;
}

static void check_dump(const char *path)
{
    Reading direct = read_file(path, false), tree = read_file(path, true);
    bool same = direct.good == tree.good && same_notices(&direct.notices, &tree.notices) &&
                (!direct.good || same_dump(&direct.dump, &tree.dump));
    bool told = direct.good || (direct.err.text[0] && direct.err.file[0]);
    for (size_t i = 0; i < direct.notices.count; i++)
        told = told && direct.notices.items[i].file.size && direct.notices.items[i].byte >= 0;
    if (!same || !told)
        fprintf(stderr, "%s\n", path);
    CHECK(same && told);
    arena_release(direct.arena);
    arena_release(tree.arena);
}

static void check_construct(const char *path)
{
    Arena *arena = arena_new();
    Construct construct;
    Notices notices;
    notices_init(&notices, arena);
    construct_read(path, names_new(arena), arena, &construct, &notices);
    CHECK(notices.count == 0);
    arena_release(arena);
}

// Every frame of a stack can be taken apart.
static void check_stacks(const char *dump_path, const char *path, size_t *found)
{
    Reading reading = read_file(dump_path, false);
    Notices notices;
    notices_init(&notices, reading.arena);
    if (!reading.good) {
        arena_release(reading.arena);
        return;
    }
    const Dump *dump = &reading.dump;
    Stacks *stacks = stacks_open(path, dump->names, reading.arena, &notices);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const StackFrames *frames = stacks_find(stacks, dump->ops[i].name);
        Frame frame;
        *found += frames != NULL;
        for (uint32_t k = 0; frames && k < frames->count; k++)
            CHECK(frame_parse(frames->frames[k], &frame) && frame.file.size && frame.line > 0 &&
                  frame.function.size && frame.source.size);
    }
    CHECK(notices.count == 0);
    arena_release(reading.arena);
}

typedef struct Walk {
    Arena *arena;
    size_t dumps, constructs, stacks;
} Walk;

static void visit(Walk *walk, const char *folder, Str name)
{
    const char *path = path_join(walk->arena, folder, name);
    if (str_equal(name, STR("construct.json"))) {
        check_construct(path);
        walk->constructs++;
    } else if (str_equal(name, STR("stack.json"))) {
        check_stacks(path_join(walk->arena, folder, STR("dump.json")), path, &walk->stacks);
    } else if (str_ends(name, STR(".json"))) {
        check_dump(path);
        walk->dumps++;
    }
}

// All folders below, breadth first.
static Walk walk_folder(const char *root)
{
    Walk walk = {.arena = arena_new()};
    FolderList pending = {0};
    *ARRAY_PUSH(walk.arena, &pending) = str_of(root);
    for (size_t i = 0; i < pending.count; i++) {
        FolderList list;
        Error err;
        const char *folder = str_cstr(walk.arena, pending.items[i]);
        if (file_kind(folder) != FILE_FOLDER || !folder_list(folder, walk.arena, &list, &err))
            continue;
        for (size_t k = 0; k < list.count; k++) {
            const char *path = path_join(walk.arena, folder, list.items[k]);
            bool skip = str_equal(list.items[k], STR("dump_tensor_data")) ||
                        str_equal(list.items[k], STR("reference"));
            if (file_kind(path) == FILE_FOLDER && !skip)
                *ARRAY_PUSH(walk.arena, &pending) = str_of(path);
            else
                visit(&walk, folder, list.items[k]);
        }
    }
    return walk;
}

static void the_samples_read_the_same_both_ways(void)
{
    Walk walk = walk_folder(TEST_SOURCE_DIR "/samples");
    CHECK(walk.dumps > 0 && walk.constructs > 0 && walk.stacks > 0);
    arena_release(walk.arena);
}

static void shared_dumps_read_the_same_both_ways(void)
{
    static const char *const folders[] = {SHARED_DIR "/data/dumps", SHARED_DIR "/data/noise",
                                          SHARED_DIR "/data/peer-fixtures"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (file_kind(folders[i]) != FILE_FOLDER)
            CHECK_SKIP("the sample set");
        Walk walk = walk_folder(folders[i]);
        CHECK(walk.dumps > 5 && walk.stacks > 0);
        arena_release(walk.arena);
    }
}

int main(void)
{
    CHECK_RUN(the_samples_read_the_same_both_ways);
    CHECK_RUN_SHARED(shared_dumps_read_the_same_both_ways);
    return CHECK_RESULT;
}
