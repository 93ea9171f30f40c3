// SPDX-License-Identifier: Apache-2.0
#include "layout/shard.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/words.h"
#include "layout/wire_compare.h"
#include "layout/wire_mapping.h"
#include "layout/wire_report.h"

#define SHARD_SCHEMA "vernier.shard/1"

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

static void wire_places(Wire *wire, Shard *shard)
{
    WireList list = wire_list(wire, "places", shard->place_count);
    if (wire_reads(wire)) {
        shard->places = ARENA_ARRAY(wire->arena, ShardPlace, list.count);
        shard->place_count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        ShardPlace *place = &shard->places[i];
        wire_item(wire, &list);
        place->step = wire_int(wire, "step", place->step);
        place->rank = wire_int(wire, "rank", place->rank);
        place->bytes = wire_uint(wire, "bytes", place->bytes);
        if (place->bytes > UINT64_MAX / 1024 / 1024)
            wire_bad(wire, "bytes");
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_options(Wire *wire, Shard *shard)
{
    WireList list = wire_list(wire, "options", shard->option_count);
    if (wire_reads(wire)) {
        shard->options = ARENA_ARRAY(wire->arena, ShardOption, list.count);
        shard->option_count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        ShardOption *option = &shard->options[i];
        wire_item(wire, &list);
        option->name = wire_str(wire, "name", option->name);
        option->value = wire_str(wire, "value", option->value);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_criteria_or_none(Wire *wire, Shard *shard)
{
    if (!wire_bool(wire, "has_criteria", shard->criteria != NULL))
        return;
    if (wire_reads(wire))
        shard->criteria = ARENA_NEW(wire->arena, Criteria);
    WireObject object = wire_open(wire, "criteria");
    wire_criteria(wire, shard->criteria);
    wire_close(wire, &object);
}

static void wire_run(Wire *wire, Shard *shard)
{
    shard->lang = wire_str(wire, "lang", shard->lang);
    shard->parts = wire_uint32(wire, "parts", shard->parts);
    shard->golden = wire_str(wire, "golden", shard->golden);
    shard->target = wire_str(wire, "target", shard->target);
    shard->rules = (Rules)wire_choice(wire, "rules", (int)shard->rules, RULES_MSPROBE8 + 1);
    wire_criteria_or_none(wire, shard);
    shard->noise_paths = wire_texts(wire, "noise", shard->noise_paths, &shard->noise_count);
    wire_options(wire, shard);
    wire_notices(wire, "notices", &shard->notices);
    wire_places(wire, shard);
}

Str shard_run(const Shard *shard, Arena *arena)
{
    Shard copy = *shard;
    JsonWriter json;
    Sink *sink = sink_memory(arena);
    json_writer_init(&json, sink);
    Wire wire = wire_writer(&json);
    json_object(&json);
    wire_run(&wire, &copy);
    json_object_end(&json);
    Str text = str_copy(arena, sink_bytes(sink));
    sink_discard(sink);
    return text;
}

// ---- the part

static void wire_written(Wire *wire, ShardPair *pair)
{
    WireList list = wire_list(wire, "written", pair->written_count);
    if (wire_reads(wire)) {
        pair->written = ARENA_ARRAY(wire->arena, ShardFile, list.count);
        pair->written_count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        ShardFile *file = &pair->written[i];
        wire_item(wire, &list);
        file->name = wire_str(wire, "name", file->name);
        file->bytes = wire_uint(wire, "bytes", file->bytes);
        file->crc32c = wire_uint32(wire, "crc32c", file->crc32c);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_pair(Wire *wire, ShardPair *pair)
{
    pair->place = (size_t)wire_uint(wire, "place", pair->place);
    WireObject facts = wire_open(wire, "facts");
    if (wire_reads(wire) && !wire->at)
        wire_bad(wire, "facts");
    wire_facts(wire, &pair->facts);
    wire_close(wire, &facts);
    if (wire_reads(wire))
        notices_init(&pair->notices, wire->arena);
    wire_notices(wire, "notices", &pair->notices);
    wire_cases(wire, &pair->cases);
    wire_layers(wire, &pair->layers);
    wire_name_mapping(wire, "mapping", &pair->mapping);
    wire_layer_mapping(wire, "layer_mapping", &pair->layer_mapping);
    wire_pair_files(wire, &pair->files);
    wire_written(wire, pair);
}

static void wire_pairs(Wire *wire, Shard *shard)
{
    WireList list = wire_list(wire, "pairs", shard->pair_count);
    if (wire_reads(wire)) {
        shard->pairs = ARENA_ARRAY(wire->arena, ShardPair, list.count);
        shard->pair_count = list.count;
    }
    for (size_t i = 0; i < list.count; i++) {
        wire_item(wire, &list);
        wire_pair(wire, &shard->pairs[i]);
        wire_item_end(wire, &list);
    }
    wire_list_end(wire, &list);
}

static void wire_first_slots(Wire *wire, PageParts *parts)
{
    if (!wire_bool(wire, "has_first_slots", parts->first_slots != NULL))
        return;
    if (wire_reads(wire))
        parts->first_slots = ARENA_NEW(wire->arena, Table);
    WireObject object = wire_open(wire, "first_slots");
    wire_table(wire, parts->first_slots);
    wire_close(wire, &object);
}

// One scene a page.
static void wire_picture(Wire *wire, PageFigure *picture)
{
    size_t pages = 0;
    for (const Scene *page = picture->scene; page; page = page->next)
        pages++;
    WireList list = wire_list(wire, "picture", pages);
    const Scene *at = picture->scene;
    Scene *last = NULL;
    for (size_t i = 0; i < list.count; i++) {
        Scene *scene = wire_reads(wire) ? ARENA_NEW(wire->arena, Scene) : NULL;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the list has as many items as there are pages
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

static void wire_main(Wire *wire, Shard *shard)
{
    PageParts *parts = &shard->parts_of_page;
    shard->has_main = wire_bool(wire, "has_main", shard->has_main);
    if (!shard->has_main)
        return;
    wire_blocks(wire, "blocks", &parts->blocks);
    parts->graph = (size_t)wire_uint(wire, "graph", parts->graph);
    parts->graph_pages = (size_t)wire_uint(wire, "graph_pages", parts->graph_pages);
    wire_first_slots(wire, parts);
    wire_picture(wire, &shard->picture);
    check_graph(wire, parts);
}

static void wire_shard(Wire *wire, Shard *shard)
{
    wire_run(wire, shard);
    shard->part = wire_uint32(wire, "part", shard->part);
    shard->arguments = wire_texts(wire, "arguments", shard->arguments, &shard->argument_count);
    shard->output_at = (size_t)wire_uint(wire, "output_at", shard->output_at);
    wire_pairs(wire, shard);
    wire_main(wire, shard);
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
    wire_shard(&wire, &copy);
    // The last value: a file that was cut in a way that still reads as JSON lacks it.
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
               pair->facts.rank == shard->places[i].rank;
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
    wire_shard(&wire, out);
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
    tree_init(&tree, scratch);
    bool good = tree_parse(&tree, file.text)
                    ? read_tree(&tree, path, version, arena, out, err)
                    : broken(path, tr("it is not valid JSON, or it was cut"), err);
    tree_close(&tree);
    tree_release(&tree);
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
