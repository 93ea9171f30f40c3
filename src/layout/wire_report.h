// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_WIRE_REPORT_H
#define VERNIER_LAYOUT_WIRE_REPORT_H

#include "layout/wire.h"
#include "scene/report.h"

// Pictures, tables and blocks of a report on the wire (layout/wire.h), so that a page can be put
// together where the dumps are not. What is read is checked: groups and folds are closed, roles and
// styles exist, coordinates are finite.

void wire_scene(Wire *wire, Scene *scene);
void wire_table(Wire *wire, Table *table);  // rows all; rewound after writing
// Every kind of block but the verdict, which belongs to the whole report.
void wire_blocks(Wire *wire, const char *key, Report *report);

#endif
