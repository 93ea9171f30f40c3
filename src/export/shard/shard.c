// SPDX-License-Identifier: Apache-2.0
#include "export/shard/shard.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/words.h"
#include "export/facts/compare_fields.h"
#include "export/facts/scene_fields.h"

#define SHARD_SCHEMA "vernier.shard/2"

enum { SHARD_PARTS_MAX = 1000000 };

// ---- plan

typedef struct PlanItem {
    uint64_t bytes;
    size_t place;
} PlanItem;

static int larger_first(const void *a, const void *b)
{
    const PlanItem *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

// A heap of parts, the one with least first; of equals the lower number.
typedef struct PlanHeap {
    uint64_t *load;  // by part
    uint32_t *items;
    size_t count;
} PlanHeap;

static bool goes_first(const PlanHeap *heap, uint32_t a, uint32_t b)
{
    return heap->load[a] != heap->load[b] ? heap->load[a] < heap->load[b] : a < b;
}

static void sink_top(PlanHeap *heap)
{
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap->count; child++)
            if (goes_first(heap, heap->items[child], heap->items[least]))
                least = child;
        if (least == at)
            return;
        uint32_t moved = heap->items[at];
        heap->items[at] = heap->items[least];
        heap->items[least] = moved;
        at = least;
    }
}

void shard_plan(const ShardPlace *places, size_t count, uint32_t parts, uint32_t *part_of)
{
    Arena *scratch = arena_new();
    PlanItem *items = ARENA_ARRAY(scratch, PlanItem, count);
    PlanHeap heap = {.load = ARENA_ARRAY(scratch, uint64_t, parts),
                     .items = ARENA_ARRAY(scratch, uint32_t, parts),
                     .count = parts};
    for (size_t i = 0; i < count; i++)
        items[i] = (PlanItem){places[i].bytes, i};
    for (uint32_t i = 0; i < parts; i++)
        heap.items[i] = i;
    qsort(items, count, sizeof *items, larger_first);
    for (size_t i = 0; i < count; i++) {
        uint32_t part = heap.items[0];
        part_of[items[i].place] = part;
        // A pair without bytes still costs something, so that such pairs are spread as well. The
        // sizes of files cannot add up to 2^64.
        heap.load[part] += items[i].bytes + 1;
        sink_top(&heap);
    }
    arena_release(scratch);
}

// ---- the run, which is the same in all parts

static void walk_notices(Wire *wire, const char *key, void *member)
{
    static const Field fields[] = {LIST("notices", Notices, items, count, &notice_fields, 0),
                                   RECORD("account", Notices, account, &account_fields, 0)};
    static const Fields list = FIELDS(Notices, fields);
    Notices *notices = member;
    (void)key;
    if (wire_reads(wire))
        notices_init(notices, wire->arena);
    fields_walk(&list, notices, wire);
    if (wire_reads(wire))
        notices->capacity = notices->count;
}

static const Field place[] = {
    FIELD(ShardPlace, step, 0),  FIELD(ShardPlace, stage, 0),   FIELD(ShardPlace, rank, 0),
    FIELD(ShardPlace, bytes, 0), FIELD(ShardPlace, content, 0),
};
static const Fields place_fields = FIELDS(ShardPlace, place);

static const Field option[] = {FIELD(ShardOption, name, 0), FIELD(ShardOption, value, 0)};
static const Fields option_fields = FIELDS(ShardOption, option);

static const Field run_list[] = {
    FIELD(Shard, lang, 0),
    FIELD(Shard, parts, 0),
    FIELD(Shard, golden, 0),
    FIELD(Shard, target, 0),
    CHOICE("rules", Shard, rules, NULL, RULES_COUNT, 0),
    OTHER("criteria", Shard, criteria, &criteria_fields, 0),
    FIELD(Shard, judged_by, 0),
    TEXTS("noise", Shard, noise_paths, noise_count, SIZE_MAX, 0),
    LIST("options", Shard, options, option_count, &option_fields, 0),
    WALKED("notices", Shard, notices, walk_notices),
    LIST("places", Shard, places, place_count, &place_fields, 0),
};
static const Fields run_fields = FIELDS(Shard, run_list);

Str shard_run(const Shard *shard, Arena *arena)
{
    Shard copy = *shard;
    JsonWriter json;
    Sink *sink = sink_memory(arena);
    json_writer_init(&json, sink);
    Wire wire = wire_writer(&json);
    json_object(&json);
    fields_walk(&run_fields, &copy, &wire);
    json_object_end(&json);
    Str text = str_copy(arena, sink_bytes(sink));
    sink_discard(sink);
    return text;
}

// ---- the part

static const Field written[] = {
    FIELD(ShardFile, name, 0),
    FIELD(ShardFile, bytes, 0),
    FIELD(ShardFile, crc32c, 0),
};
static const Fields written_fields = FIELDS(ShardFile, written);

static const Field pair_list[] = {
    FIELD(ShardPair, place, 0),
    RECORD("facts", ShardPair, facts, &pair_whole_fields, 0),
    WALKED("notices", ShardPair, notices, walk_notices),
    LIST("cases", ShardPair, cases.items, cases.count, &junit_case_fields, 0),
    LIST("layers", ShardPair, layers.items, layers.count, &layer_fields, 0),
    RECORD("mapping", ShardPair, mapping, &name_mapping_fields, 0),
    RECORD("layer_mapping", ShardPair, layer_mapping, &layer_mapping_fields, 0),
    LIST("files", ShardPair, files.items, files.count, &pair_file_fields, 0),
    LIST("written", ShardPair, written, written_count, &written_fields, 0),
};
static const Fields pair_list_fields = FIELDS(ShardPair, pair_list);

static void walk_table(Wire *wire, const char *key, void *member)
{
    Table **table = member;
    if (!wire_reads(wire) && !*table)
        return;
    WireObject object = wire_open(wire, key);
    if (wire_reads(wire) && wire->at)
        *table = ARENA_NEW(wire->arena, Table);
    if (*table)
        wire_table(wire, *table);
    wire_close(wire, &object);
}

// One scene a page.
static void walk_picture(Wire *wire, const char *key, void *member)
{
    PageFigure *picture = member;
    size_t pages = 0;
    for (const Scene *page = picture->scene; page; page = page->next)
        pages++;
    WireList list = wire_list(wire, key, pages);
    const Scene *at = picture->scene;
    Scene *last = NULL;
    for (size_t i = 0; i < list.count; i++) {
        Scene *scene = wire_reads(wire) ? ARENA_NEW(wire->arena, Scene) : NULL;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the list has an item a page
        Scene copy = scene ? *scene : *at;
        wire_item(wire, &list);
        wire_scene(wire, &copy);
        wire_item_end(wire, &list);
        if (!scene) {
            at = at->next;
            continue;
        }
        *scene = copy;
        if (last)
            last->next = scene;
        else
            picture->scene = scene;
        last = scene;
    }
    wire_list_end(wire, &list);
    picture->file = wire_str(wire, "picture_file", picture->file);
    for (size_t i = 0; wire_reads(wire) && i < picture->file.size; i++)
        if (picture->file.data[i] == '/' || picture->file.data[i] == '\\')
            wire_bad(wire, "picture_file");
}

static void walk_blocks(Wire *wire, const char *key, void *member)
{
    (void)key;
    wire_blocks(wire, member);
}

static const Field main_list[] = {
    WALKED("blocks", Shard, parts_of_page.blocks, walk_blocks),
    FIELD_AS("graph", Shard, parts_of_page.graph, 0),
    FIELD_AS("graph_pages", Shard, parts_of_page.graph_pages, 0),
    WALKED("first_slots", Shard, parts_of_page.first_slots, walk_table),
    WALKED("tree", Shard, parts_of_page.tree, walk_table),
    WALKED("picture", Shard, picture, walk_picture),
};
static const Fields main_fields = FIELDS(Shard, main_list);

static const Field shard_list[] = {
    FIELD(Shard, part, 0),      TEXTS("arguments", Shard, arguments, argument_count, SIZE_MAX, 0),
    FIELD(Shard, output_at, 0), LIST("pairs", Shard, pairs, pair_count, &pair_list_fields, 0),
    FIELD(Shard, has_main, 0),
};
static const Fields shard_fields = FIELDS(Shard, shard_list);

// The blocks that the ticket shows are there, and are figures.
static void check_graph(Wire *wire, const PageParts *parts)
{
    size_t count = parts->blocks.count;
    bool good = parts->graph_pages == 0 ||
                (parts->graph < count && parts->graph_pages <= count - parts->graph);
    for (size_t i = 0; good && i < parts->graph_pages; i++)
        good = parts->blocks.items[parts->graph + i].kind == BLOCK_FIGURE;
    if (!good)
        wire_bad(wire, "graph");
}

static void walk_shard(Wire *wire, Shard *shard)
{
    fields_walk(&run_fields, shard, wire);
    for (size_t i = 0; i < shard->place_count; i++)
        if (shard->places[i].bytes > UINT64_MAX / 1024 / 1024)
            wire_bad(wire, "bytes");
    fields_walk(&shard_fields, shard, wire);
    if (!shard->has_main)
        return;
    fields_walk(&main_fields, shard, wire);
    check_graph(wire, &shard->parts_of_page);
}

void shard_write(const Shard *shard, Sink *out)
{
    Shard copy = *shard;
    JsonWriter json;
    json_writer_init(&json, out);
    Wire wire = wire_writer(&json);
    json_object(&json);
    wire_str(&wire, "schema", STR(SHARD_SCHEMA));
    wire_str(&wire, "version", shard->version);
    walk_shard(&wire, &copy);
    // The last value: a file that was cut in a way that still reads as JSON does not have it.
    wire_bool(&wire, "complete", true);
    json_object_end(&json);
    json_end(&json);
}

// ---- reading

// Each pair of this part once, in the order of the places, and no other.
static bool follows_plan(const Shard *shard)
{
    Arena *scratch = arena_new();
    uint32_t *part_of = ARENA_ARRAY(scratch, uint32_t, shard->place_count);
    shard_plan(shard->places, shard->place_count, shard->parts, part_of);
    size_t next = 0;
    bool good = true;
    for (size_t i = 0; i < shard->place_count && good; i++) {
        if (part_of[i] + 1 != shard->part)
            continue;
        const ShardPair *pair = next < shard->pair_count ? &shard->pairs[next++] : NULL;
        good = pair && pair->place == i && pair->facts.step == shard->places[i].step &&
               pair->facts.rank == shard->places[i].rank &&
               str_equal(pair->facts.stage, shard->places[i].stage);
    }
    arena_release(scratch);
    return good && next == shard->pair_count;
}

static bool broken(const char *path, const char *what, Error *err)
{
    error_set(err, ERR_INPUT, WHERE_FILE(path), tr("this is no whole shard file: %s"), what);
    return error_hint(err, "%s", tr("run this part again: vernier compare ... --shard I/N"));
}

static bool check_version(Wire *wire, const char *path, const char *version, Shard *shard,
                          Error *err)
{
    Str schema = wire_str(wire, "schema", (Str){"", 0});
    shard->version = wire_str(wire, "version", (Str){"", 0});
    if (!str_starts(schema, STR("vernier.shard/")))
        return broken(path, tr("it has another schema"), err);
    if (str_equal(schema, STR(SHARD_SCHEMA)) && str_equal(shard->version, str_of(version)))
        return true;
    error_set(err, ERR_INPUT, WHERE_FILE(path),
              tr("this shard was written by vernier " STR_FMT ", this is %s"),
              STR_ARG(shard->version), version);
    return error_hint(err, "%s", tr("run all parts and the merge with one version"));
}

static bool read_tree(JsonTree *tree, const char *path, const char *version, Arena *arena,
                      Shard *out, Error *err)
{
    Wire wire = wire_reader(tree, arena);
    if (!check_version(&wire, path, version, out, err))
        return false;
    walk_shard(&wire, out);
    if (wire.bad)
        return broken(
            path, str_cstr(arena, str_printf(arena, tr("wrong value of '%s'"), wire.bad_key)), err);
    if (!wire_bool(&wire, "complete", false))
        return broken(path, tr("its end is missing"), err);
    if (out->part == 0 || out->part > out->parts || out->parts > SHARD_PARTS_MAX)
        return broken(path, tr("wrong number of the part"), err);
    return follows_plan(out) || broken(path, tr("its pairs are not those of this part"), err);
}

bool shard_read(const char *path, const char *version, Arena *arena, Shard *out, Error *err)
{
    File file;
    *out = (Shard){.part = 0};
    notices_init(&out->notices, arena);
    if (!file_open(path, &file, err))
        return false;
    Arena *scratch = arena_new();
    JsonTree tree;
    bool good = tree_parse(file.text, scratch, &tree)
                    ? read_tree(&tree, path, version, arena, out, err)
                    : broken(path, tr("it is not valid JSON, or it was cut"), err);
    arena_release(scratch);
    file_close(&file);
    return good;
}

Str shard_file_name(uint32_t part, uint32_t parts, Arena *arena)
{
    return str_printf(arena, "shard-%u-of-%u.json", part, parts);
}

bool shard_is_file_name(Str name)
{
    return str_starts(name, STR("shard-")) && str_find(name, STR("-of-"), 0) != SIZE_MAX &&
           str_ends(name, STR(".json"));
}
