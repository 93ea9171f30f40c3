// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/settings/criteria_file.h"
#include "read/settings/mapping_file.h"

// Any bytes as each of the mapping files and as a file of criteria: what was read is found again.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const NameMapping *mapping, Arena *arena)
{
    for (size_t i = 0; i < mapping->count; i++) {
        const NamePair *found = mapping_find(mapping, mapping->items[i].target);
        demand(found && str_equal(found->target, mapping->items[i].target));
        mapping_cell_key(mapping, mapping->items[i].target, true, arena);
    }
}

static void check_criteria(const Criteria *criteria)
{
    static const Str texts[] = {
        {"Functional.linear.3.forward", 27}, {"", 0}, {"aaaaaaaaaaaaaaab", 16}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        criteria_ignore(criteria, texts[i], texts[i], texts[i]);
        for (int metric = 0; metric < CRITERIA_METRICS; metric++)
            criteria_limit(criteria, (CriteriaMetric)metric, texts[i], texts[i], texts[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    NameMapping names = {0};
    ApiMapping apis = {0};
    LayerMapping layers = {0};
    Criteria criteria = {0};
    char path[64];
    notices_init(&notices, arena);
    fuzz_file("mapping.yaml", data, size, path);
    if (mapping_read_names(path, arena, &names, &notices, &err))
        check_names(&names, arena);
    if (mapping_read_apis(path, arena, &apis, &notices, &err))
        for (size_t i = 0; i < apis.count; i++)
            demand(mapping_find_api(&apis, apis.items[i].target_api));
    if (mapping_read_layers(path, arena, &layers, &notices, &err))
        for (size_t i = 0; i < layers.count; i++)
            demand(mapping_find_layer(&layers, layers.items[i].layer));
    if (criteria_read(path, arena, &criteria, &notices, &err))
        check_criteria(&criteria);
    remove(path);
    arena_release(arena);
    return 0;
}
