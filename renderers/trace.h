// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_TRACE_H
#define VERNIER_RENDERERS_TRACE_H

#include "renderers/renderer.h"

// A picture as text, one line an item, indented by groups: the debugger's view, and what layout
// tests compare. Numbers have one place after the point.
//     box 20.5 60.5 20 20 fill=error.fill stroke=error.edge width=2 'title'
//     text 20 40 start 22 "DIVERGES"[error.text 700] "  at "
extern const Renderer trace_renderer;

#endif
