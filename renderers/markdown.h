// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_MARKDOWN_H
#define VERNIER_RENDERERS_MARKDOWN_H

#include "renderers/renderer.h"

// GitHub and GitLab Markdown for tickets (renderers/ticket.h). Words that could be markup, a link,
// a mention or an issue number become code, in which nothing is interpreted; so no text of a dump
// can leave its place.
extern const Renderer markdown_renderer;

// One line of Markdown that shows `text`. With `in_table` pipes are escaped too.
Str markdown_inline(Str text, bool in_table, Arena *arena);

#endif
