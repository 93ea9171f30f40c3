// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_PLAIN_H
#define VERNIER_RENDERERS_PLAIN_H

#include "renderers/renderer.h"

// The ticket as text for mail (renderers/ticket.h): lines of at most PLAIN_COLUMNS but for names
// and code, which are never broken. What is folded elsewhere is left out. A table that is wider
// is a list, a row an item.
extern const Renderer plain_renderer;

enum { PLAIN_COLUMNS = 72 };

#endif
