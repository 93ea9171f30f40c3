// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_SECTIONS_H
#define VERNIER_REPORT_KIT_SECTIONS_H

#include "base/notice.h"
#include "scene/report.h"

// Parts that many pages and tickets have: a heading with what stands under it.

// Headings are translated already. Nothing is added for a table that is NULL or has no rows, for an
// empty code, without notices.
void section_table(Report *out, const char *id, const char *heading, Table *table);
void section_code(Report *out, const char *heading, Str code);
void section_problems(Report *out, const char *id, const char *heading, const Notices *notices);

// The same folded, with a summary line.
void section_folded(Report *out, Str summary, Table *table);

// Adds the first page of a picture, and those that follow while the report stays small enough to be
// opened; says how many are left out.
void section_figure(Report *out, const PageFigure *figure);

#endif
