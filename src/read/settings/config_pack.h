// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_CONFIG_PACK_H
#define VERNIER_READ_SETTINGS_CONFIG_PACK_H

#include "base/file.h"
#include "base/notice.h"
#include "read/settings/config_items.h"

// What msProbe's config_check packs of one run, a folder or a mounted zip: env, pip,
// dataset/stepN/rankN/dataset.json, weights/stepN/rankN/weight.json, random/rankN.json and
// hyperparameters/*.json.

bool config_pack_is(const char *folder);

// Adds the items of its sections; what is broken costs itself. `settings`: the paths of
// hyperparameters/*, which are configurations like others.
void config_pack_read(const char *folder, Arena *arena, Config *out, FolderList *settings,
                      Notices *notices);

#endif
