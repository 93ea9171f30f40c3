// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_FRAGMENT_H
#define VERNIER_RENDERERS_FRAGMENT_H

#include "renderers/renderer.h"

// The ticket as elements of HTML to be pasted into an editor, Confluence's for one
// (renderers/ticket.h): no page around them, no style, class, script or picture; well-formed XML
// inside one <div>.
extern const Renderer fragment_renderer;

#endif
