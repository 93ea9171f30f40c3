// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CONFIG_ITEMS_H
#define VERNIER_READ_SETTINGS_CONFIG_ITEMS_H

#include "base/arena.h"
#include "base/names.h"
#include "base/words.h"

// A training configuration as one flat list of settings.

typedef enum ConfigFormat {
    CONFIG_YAML,
    CONFIG_JSON,
    CONFIG_SHELL,
    CONFIG_LOG,
    CONFIG_TOML
} ConfigFormat;

typedef struct ConfigItem {
    Str path;       // as written, nested keys joined by dots: "optimizer.betas[1]", "adam-beta2"
    Str key;        // the path in lower case with '_' for '-': what settings are looked up by
    Str value;      // as written, quotes removed; "true" for a flag without a value
    bool flag;      // stands without a value
    bool variable;  // an exported variable of the environment
    const char *section;  // SECTION_*: no setting, and not found by config_find; NULL: a setting
    Str place;            // of a section: "step0, rank1", or empty
    const char *file;
    uint64_t line;  // 0: unknown
} ConfigItem;

// What a side tells of its run besides settings.
#define SECTION_VERSIONS    TR("versions")
#define SECTION_ENVIRONMENT TR("environment")
#define SECTION_PACKAGES    TR("packages")
#define SECTION_DATASET     TR("dataset")
#define SECTION_WEIGHTS     TR("starting weights")
#define SECTION_RANDOM      TR("random calls")

// The last items whose key is a text, or ends with it after a dot: their places plus one, or 0.
typedef struct ConfigPlace {
    uint32_t whole, tail;
} ConfigPlace;

typedef struct Config {
    ConfigFormat format;
    ConfigItem *items;  // in order; of equal keys the last one counts
    size_t count, capacity;
    Names *tails;  // of the keys, for config_find
    ConfigPlace *places;
    size_t place_count;
    bool more_options;  // a script adds options that are in none of its lines
    uint64_t left_out;  // groups that config_enters refused
    uint64_t repeated;  // values that aliases of a file repeat beyond what is taken of it
} Config;

// The last item with this key, or NULL. `key` may be the last parts of a path, at most
// CONFIG_DEPTH_MAX: "optimizer.type" finds "trainer.optimizer.type". Exact paths win over longer
// ones.
const ConfigItem *config_find(const Config *config, Str key);

// Adds a copy of it. Nothing above CONFIG_ITEMS_MAX.
void config_add(Config *config, Arena *arena, ConfigItem item);

// Whether the settings of a group are taken, so many levels below the top: each holds the whole
// path, which may have CONFIG_PATH_MAX bytes. A group that is left out is counted.
bool config_enters(Config *config, Str path, int depth);

enum { CONFIG_ITEMS_MAX = 100000, CONFIG_DEPTH_MAX = 64, CONFIG_PATH_MAX = 1024 };

#endif
