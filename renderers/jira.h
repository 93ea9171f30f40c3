// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_JIRA_H
#define VERNIER_RENDERERS_JIRA_H

#include "renderers/renderer.h"

// The ticket in Jira's wiki markup (renderers/ticket.h). What is folded elsewhere is left out.
extern const Renderer jira_renderer;

// The text with every character escaped that could be markup, a link or a smiley: what Jira shows
// is `text`.
Str jira_escape(Str text, Arena *arena);

#endif
