// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_PART_PAGE_H
#define VERNIER_COMMANDS_MERGE_PART_PAGE_H

#include "base/str.h"
#include "renderers/renderer.h"

// NULL if the page is the template of this run, so its style, its script and the policy that admits
// no other, around elements and attributes that renderers/html.c writes, with links to files next
// to it alone; else why it is not taken, translated. Linear in the size of the page.
const char *part_page_refusal(Str bytes, const RenderOptions *options);

#endif
