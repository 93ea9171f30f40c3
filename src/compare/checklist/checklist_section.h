// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_CHECKLIST_CHECKLIST_SECTION_H
#define VERNIER_COMPARE_CHECKLIST_CHECKLIST_SECTION_H

#include "compare/checklist/checklist.h"

// Rows that no table has: what the sides tell besides settings (versions, packages, environment,
// data, starting weights, random calls: SECTION_* of read/settings/config_items.h), and settings
// that exclude each other.

// Adds to the rows of the table: one for whatever differs, and one a section for how much is equal.
// A package, a variable or a call that one side alone has is a difference; a section that one side
// alone has is none. Then a row of advice for each pair of settings that do not work together.
void checklist_add_sections(const Config *golden, const Config *target, Arena *arena,
                            Checklist *out);

#endif
