// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_HTML_H
#define VERNIER_RENDERERS_HTML_H

#include "renderers/renderer.h"

// A report as one HTML file from the templates page.html and page.css: complete by itself, without
// script, light and dark by the reader's setting. With options->page_linked the style sheet is the
// file page.css next to it (html_write_style) and figures are SVG files next to it, for hosts that
// forbid inline styles.
extern const Renderer html_renderer;

bool html_write_style(const RenderOptions *options, Sink *out, Error *err);

#endif
