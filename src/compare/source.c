// SPDX-License-Identifier: Apache-2.0
#include "compare/source.h"

#include "compare/floor.h"
#include "read/op_name.h"

// The positional inputs that are weights, by the name of the API. Source: the signatures of
// torch.nn.functional; mindspore.mint has the same.
typedef struct WeightPlaces {
    Str api;
    const char *paths[4];
} WeightPlaces;

static const WeightPlaces weight_places[] = {
    {{"linear", 6},            {"input.1", "input.2"}                      },
    {{"conv1d", 6},            {"input.1", "input.2"}                      },
    {{"conv2d", 6},            {"input.1", "input.2"}                      },
    {{"conv3d", 6},            {"input.1", "input.2"}                      },
    {{"conv_transpose1d", 16}, {"input.1", "input.2"}                      },
    {{"conv_transpose2d", 16}, {"input.1", "input.2"}                      },
    {{"embedding", 9},         {"input.1"}                                 },
    {{"layer_norm", 10},       {"input.2", "input.3"}                      },
    {{"group_norm", 10},       {"input.2", "input.3"}                      },
    {{"rms_norm", 8},          {"input.2"}                                 },
    {{"npu_rms_norm", 12},     {"input.1"}                                 },
    {{"batch_norm", 10},       {"input.1", "input.2", "input.3", "input.4"}},
    {{"prelu", 5},             {"input.1"}                                 },
};

// A set of slots by their four statistics, or by their checksums where a dump has nothing else; open
// addressing.
typedef struct ValuePlace {
    uint32_t slot;   // + 1; 0: empty
    uint32_t check;  // of the hash: tells most others apart without a look at the slot
} ValuePlace;

typedef struct ValueSet {
    const Dump *dump;
    ValuePlace *places;
    size_t mask;
} ValueSet;

static bool has_statistics(const Slot *slot)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (slot->tag[i] > TAG_NULL)
            return true;
    return false;
}

// A dump of structure tells no values: nothing is known again.
static bool has_values(const Slot *slot)
{
    return has_statistics(slot) || slot->checksum != NAME_NONE;
}

static uint64_t hash_values(const Slot *slot)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < STAT_COUNT; i++) {
        hash ^= slot->stat[i].natural + slot->tag[i];
        hash *= 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
    }
    return has_statistics(slot) ? hash : (hash ^ slot->checksum) * 0xFF51AFD7ED558CCDu;
}

static bool equal_values(const Slot *a, const Slot *b)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->tag[i] != b->tag[i] || a->stat[i].natural != b->stat[i].natural)
            return false;
    return has_statistics(a) || a->checksum == b->checksum;
}

// For tensors of one group; a small table stays in the cache.
static void set_init(ValueSet *set, const Dump *dump, SlotGroup group, Arena *arena)
{
    size_t size = 64, count = 0;
    for (uint32_t i = 0; i < dump->slot_count; i++)
        count += dump->slots[i].group == group;
    while (size < count * 2)
        size *= 2;
    *set =
        (ValueSet){.dump = dump, .places = ARENA_ARRAY(arena, ValuePlace, size), .mask = size - 1};
}

// Where the slot is or would be; `hash` is hash_values.
static ValuePlace *set_place(const ValueSet *set, const Slot *slot, uint64_t hash)
{
    size_t place = hash & set->mask;
    for (; set->places[place].slot; place = (place + 1) & set->mask) {
        const ValuePlace *at = &set->places[place];
        if (at->check == (uint32_t)(hash >> 32) &&
            equal_values(&set->dump->slots[at->slot - 1], slot))
            break;
    }
    return &set->places[place];
}

static void set_add(ValueSet *set, uint32_t slot)
{
    const Slot *record = &set->dump->slots[slot];
    if (!has_values(record))
        return;
    uint64_t hash = hash_values(record);
    ValuePlace *place = set_place(set, record, hash);
    if (!place->slot)
        *place = (ValuePlace){slot + 1, (uint32_t)(hash >> 32)};
}

static bool set_has(const ValueSet *set, const Slot *slot)
{
    return has_values(slot) && set_place(set, slot, hash_values(slot))->slot != 0;
}

static const WeightPlaces *find_places(Str api)
{
    for (size_t i = 0; i < sizeof weight_places / sizeof *weight_places; i++)
        if (str_equal(api, weight_places[i].api))
            return &weight_places[i];
    return NULL;
}

static bool is_weight_place(const WeightPlaces *places, Str path)
{
    for (size_t i = 0; places && i < 4 && places->paths[i]; i++)
        if (str_equal(path, str_of(places->paths[i])))
            return true;
    return false;
}

typedef struct Finder {
    const Dump *dump;
    ValueSet parameters;  // values of all slots of group parameters
    ValueSet outputs;     // values given by ops so far
    uint32_t ahead;       // slots before this one are on their way to the cache
} Finder;

enum { SLOTS_AHEAD = 24 };

// The sets of a large dump do not fit the cache: their places are asked for before they are needed.
static void call_ahead(Finder *finder, const Op *op)
{
    uint32_t end = op->first_slot + op->slot_count, last = finder->dump->slot_count;
    end = last - end > SLOTS_AHEAD ? end + SLOTS_AHEAD : last;
    for (; finder->ahead < end; finder->ahead++) {
        const Slot *slot = &finder->dump->slots[finder->ahead];
        if (slot->kind != SLOT_TENSOR)
            continue;
        uint64_t hash = hash_values(slot);
        __builtin_prefetch(&finder->outputs.places[hash & finder->outputs.mask]);
        __builtin_prefetch(&finder->parameters.places[hash & finder->parameters.mask]);
    }
}

static SourceKind kind_of(const Finder *finder, const Op *op, const Slot *slot,
                          const WeightPlaces *places)
{
    const Names *names = finder->dump->names;
    if (slot->kind == SLOT_SCALAR || slot->kind == SLOT_OTHER)
        return slot->group == GROUP_OUTPUT ? SOURCE_COMPUTED : SOURCE_ARGUMENT;
    if (slot->kind != SLOT_TENSOR || slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS ||
        slot->group == GROUP_DEBUG || op->direction == DIR_BACKWARD)
        return SOURCE_COMPUTED;
    if (slot->group == GROUP_PARAMETERS)
        return SOURCE_PARAMETER;
    if (set_has(&finder->outputs, slot))
        return SOURCE_COMPUTED;
    if (precision_of(names_text(names, slot->dtype)) == PRECISION_EXACT)
        return SOURCE_INDEX;
    if (op->kind == OP_API && (set_has(&finder->parameters, slot) ||
                               is_weight_place(places, names_text(names, slot->path))))
        return SOURCE_PARAMETER;
    return SOURCE_COMPUTED;
}

uint8_t *source_find(const Dump *dump, Arena *arena)
{
    uint8_t *kinds = ARENA_ARRAY(arena, uint8_t, dump->slot_count);
    Arena *scratch = arena_new();
    Finder finder = {.dump = dump};
    set_init(&finder.parameters, dump, GROUP_PARAMETERS, scratch);
    set_init(&finder.outputs, dump, GROUP_OUTPUT, scratch);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].group == GROUP_PARAMETERS && dump->slots[i].kind == SLOT_TENSOR)
            set_add(&finder.parameters, i);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        call_ahead(&finder, op);
        OpName name = op_name_parse(names_text(dump->names, op->name));
        const WeightPlaces *places = op->kind == OP_API ? find_places(name.type_name) : NULL;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            kinds[k] = (uint8_t)kind_of(&finder, op, &dump->slots[k], places);
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (dump->slots[k].group == GROUP_OUTPUT && dump->slots[k].kind == SLOT_TENSOR)
                set_add(&finder.outputs, k);
    }
    arena_release(scratch);
    return kinds;
}
