// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_FACTS_SCENE_FIELDS_H
#define VERNIER_EXPORT_FACTS_SCENE_FIELDS_H

#include "export/facts/fields.h"
#include "scene/report.h"

// Scenes, tables and the blocks of a page in shard files. What is read is checked so that
// renderers can rely on it: coordinates, enumerations, the nesting of groups, ids and names of
// files.

void wire_scene(Wire *wire, Scene *scene);  // one page

// A table that is read has rows of its own. A table that is written is read to its end and rewound.
void wire_table(Wire *wire, Table *table);

// Blocks without a verdict.
void wire_blocks(Wire *wire, Report *report);

#endif
