// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_MAPPING_FILE_H
#define VERNIER_READ_SETTINGS_MAPPING_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"
#include "base/notice.h"
#include "base/str.h"
#include "read/settings/fragments.h"

// msProbe's mapping files, which say what the names of the target are called in the golden run
// (docs/matching.md). Their grammar is msProbe's, both spellings of it; what does not fit is an
// Error with file and line. All texts live in the arena.

typedef struct NamePair {
    Str target, golden;
    uint64_t line;
} NamePair;

// Which items have a name, the first of the file first.
typedef struct NamePlaces {
    Names *names;
    uint32_t *first, *next;  // by id, by item: one more than the item; 0: none
    size_t first_room, next_room;
} NamePlaces;

// In the order of the file.
typedef struct NameMapping {
    NamePair *items;
    size_t count, capacity;
    NamePlaces by_target;
    size_t longest;          // bytes of the longest target name
    Fragments *parts;        // the target names, to find them in others
    uint32_t *item_of_part;  // the first item of each
} NameMapping;

// Data mapping: one object, row name of the target: row name of the golden run.
// Cell mapping: one object, text of the target: text of the golden run.
bool mapping_read_names(const char *path, Arena *arena, NameMapping *out, Notices *notices,
                        Error *err);
const NamePair *mapping_find(const NameMapping *mapping, Str target);  // NULL: not in it

// The longest entry that stands at the start of `rest` as whole parts between points, or NULL.
const NamePair *mapping_find_start(const NameMapping *mapping, Str rest);

// The key of a row of the target under a cell mapping: "N/A" for rows of APIs; the first "Cell"
// becomes "Module"; then the module path with its class is replaced whole, or else, if
// `substrings`, the first occurrence of every target text in file order, one after the other.
Str mapping_cell_key(const NameMapping *mapping, Str row, bool substrings, Arena *arena);

// API mapping: one API under another name, whose arguments are in another order.
typedef enum ApiGroup {
    API_INPUT,
    API_OUTPUT,
    API_PARAMETERS,
    API_PARAMETERS_GRAD,
    API_GROUPS
} ApiGroup;

typedef struct ApiRule {
    Str target_api, golden_api;    // "Functional.gelu"
    NamePair *groups[API_GROUPS];  // "0" → "1", in file order
    size_t group_counts[API_GROUPS];
    uint64_t line;
} ApiRule;

typedef struct ApiMapping {
    ApiRule *items;
    size_t count, capacity;
    NamePlaces by_target;  // by target_api
} ApiMapping;

// A list of objects, or one object alone, with ms_api, pt_api and the lists ms_args/pt_args,
// ms_outputs/pt_outputs (or ms_output/pt_output), ms_parameters/…, ms_parameters_grad/…. An object
// whose lists differ in length is left out, with a notice.
bool mapping_read_apis(const char *path, Arena *arena, ApiMapping *out, Notices *notices,
                       Error *err);
const ApiRule *mapping_find_api(const ApiMapping *mapping, Str target_api);

// Layer mapping: for a class of layers (or TopLayer) what its children are called.
typedef struct LayerRule {
    Str layer;        // class name, or "TopLayer"
    NamePair *items;  // child paths, longest target first
    size_t count, capacity;
    NameMapping children;  // the same, to find them in
} LayerRule;

typedef struct LayerMapping {
    LayerRule *items;
    size_t count, capacity;
    NamePlaces by_layer;
} LayerMapping;

// An object of objects. `Cell` is the old name of TopLayer; a class in parentheses after a path is
// cut off.
bool mapping_read_layers(const char *path, Arena *arena, LayerMapping *out, Notices *notices,
                         Error *err);
const LayerRule *mapping_find_layer(const LayerMapping *mapping, Str layer);

#endif
