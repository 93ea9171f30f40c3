// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_HTML_BLOCKS_H
#define VERNIER_RENDERERS_HTML_BLOCKS_H

#include "renderers/markup.h"
#include "renderers/renderer.h"

// The blocks of a report as HTML elements, in order.
void html_write_blocks(Markup *out, const Report *report, const RenderOptions *options);

// One table, with its header and its note.
void html_write_table(Markup *out, Table *table);

// The chip that stands before a status: "E", "W", "✓", "=", "U", "·". Nothing for other styles.
void html_write_chip(Markup *out, CellStyle style);

// An anchor made of letters, digits and '-' alone; other bytes become '-'.
void html_write_id(Markup *out, Str id);

#endif
