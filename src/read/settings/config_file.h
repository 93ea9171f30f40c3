// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CONFIG_FILE_H
#define VERNIER_READ_SETTINGS_CONFIG_FILE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/settings/config_items.h"

// Training configurations of every dialect as one flat list of settings: YAML (MindFormers,
// MindSpeed MM), JSON (HF config.json, DeepSpeed), TOML (torchtitan; by its suffix), shell scripts
// and argument files with --key value, logs in which a program printed its arguments, its whole
// configuration as a dict or its versions, and packs of msProbe's config_check (config_pack.h).

// Adds the settings of one file; the format is found from the content. Fails if the file is not
// readable or holds no setting.
bool config_read(const char *path, Arena *arena, Config *out, Notices *notices, Error *err);

// For the readers of the formats.
bool config_read_yaml(const char *path, Str text, Arena *arena, Config *out, Error *err);
void config_read_toml(const char *path, Str text, Arena *arena, Config *out);
void config_read_log(const char *path, Str text, Arena *arena, Config *out);
size_t config_log_settings(Str text);  // 0: it is no such log
void config_read_shell(const char *path, Str text, Arena *arena, Config *out, Notices *notices);

#endif
