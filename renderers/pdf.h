// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_PDF_H
#define VERNIER_RENDERERS_PDF_H

#include "renderers/renderer.h"

// A picture as a PDF file of one page, its text selectable. One px is 0.75 pt.
extern const Renderer pdf_renderer;

#endif
