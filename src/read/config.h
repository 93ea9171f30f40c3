// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_CONFIG_H
#define VERNIER_READ_CONFIG_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// Training configurations of every dialect as one flat list of settings: YAML (MindFormers, MindSpeed
// MM), JSON (HF config.json, DeepSpeed), shell scripts and argument files with --key value, and logs
// in which a Megatron-like program printed its arguments.

typedef enum ConfigFormat { CONFIG_YAML, CONFIG_JSON, CONFIG_SHELL, CONFIG_LOG } ConfigFormat;

typedef struct ConfigItem {
    Str path;       // as written, nested keys joined by dots: "optimizer.betas[1]", "adam-beta2"
    Str key;        // the path in lower case with '_' for '-': what settings are looked up by
    Str value;      // as written, quotes removed; "true" for a flag without a value
    bool flag;      // stands without a value
    bool variable;  // an exported variable of the environment
    const char *file;
    uint64_t line;  // 0: unknown
} ConfigItem;

typedef struct Config {
    ConfigFormat format;
    ConfigItem *items;  // in order; of equal keys the last one counts
    size_t count, capacity;
} Config;

// Adds the settings of one file; the format is found from the content. Fails if the file is not
// readable or holds no setting.
bool config_read(const char *path, Arena *arena, Config *out, Notices *notices, Error *err);

// The last item with this key, or NULL. `key` may be the last parts of a path: "optimizer.type"
// finds "trainer.optimizer.type". Exact paths win over longer ones.
const ConfigItem *config_find(const Config *config, Str key);

// For the readers of the formats.
void config_add(Config *config, Arena *arena, ConfigItem item);
bool config_read_yaml(const char *path, Str text, Arena *arena, Config *out, Error *err);
void config_read_shell(const char *path, Str text, Arena *arena, Config *out, Notices *notices);

enum { CONFIG_ITEMS_MAX = 100000, CONFIG_DEPTH_MAX = 64 };

#endif
