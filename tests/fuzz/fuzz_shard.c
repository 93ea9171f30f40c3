// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "commands/merge/merge_shards.h"
#include "fuzz_input.h"
#include "renderers/svg.h"

// Any bytes as the file of a shard: refused with a reason, or read; what was read and written again
// says the same, its picture can be drawn, and merge takes or leaves it.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const version = "fuzz";

static Str written(const Shard *shard, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    shard_write(shard, sink);
    Str text = str_copy(arena, sink_bytes(sink));
    sink_discard(sink);
    return text;
}

static void draw(const Scene *scene, Arena *arena)
{
    Sink *page = sink_memory(arena);
    Theme theme = {0};
    RenderOptions options = {.theme = &theme};
    Markup markup;
    markup_init(&markup, page);
    svg_write_inline(&markup, scene, &options);
    markup_flush(&markup);
    sink_discard(page);
}

static void check_again(const Shard *shard, Arena *arena)
{
    char path[64];
    Shard again;
    Error err;
    Str once = written(shard, arena);
    fuzz_file("again.json", (const uint8_t *)once.data, once.size, path);
    demand(shard_read(path, version, arena, &again, &err));
    Str twice = written(&again, arena);
    demand(str_equal(once, twice));
    demand(str_equal(shard_run(shard, arena), shard_run(&again, arena)));
    unlink(path);
}

// The same file under two names: doubled, of one run.
static void join(const char *path, Arena *arena)
{
    ShardPaths paths = {0};
    ShardSet set;
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    for (int i = 0; i < 2; i++)
        demand(merge_find_shards(str_of(path), arena, &paths, &err));
    if (merge_read_shards(&paths, version, arena, &set, &notices, &err))
        demand(set.any && set.part_count == set.any->parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    Arena *arena = arena_new();
    Shard shard;
    Error err;
    fuzz_file("shard.json", data, size, path);
    if (shard_read(path, version, arena, &shard, &err)) {
        check_again(&shard, arena);
        if (shard.picture.scene)
            draw(shard.picture.scene, arena);
        join(path, arena);
    } else {
        demand(err.text[0] != '\0');
    }
    unlink(path);
    arena_release(arena);
    return 0;
}
