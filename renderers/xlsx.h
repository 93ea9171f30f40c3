// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_H
#define VERNIER_RENDERERS_XLSX_H

#include "renderers/renderer.h"

// Workbooks: one sheet a table, more when it has over 1,048,575 rows. Texts are always texts, never
// formulas, links or dates; NaN and infinities are texts; texts over 32,767 characters end with
// "…". Rows are written as they come: memory does not grow with the table.
extern const Renderer xlsx_renderer;

#endif
