// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_TEMPLATE_H
#define VERNIER_RENDERERS_TEMPLATE_H

#include "renderers/markup.h"

// Templates know {{name}}, which is replaced by a value, and {{#list}}…{{/list}}, which is repeated
// for every item of a list; nothing else. Lists may hold lists, up to 8 deep. Escaping is the
// business of whoever writes the values.

typedef struct TemplateSource {
    // Writes the value of `name` to `out`; false if there is none of that name.
    bool (*value)(void *state, Str name, Markup *out);
    // Goes to item `index` (from 0, in order) of the list; `*known` is false if there is no such
    // list. False at its end.
    bool (*next)(void *state, Str list, size_t index, bool *known);
    void *state;
} TemplateSource;

// `name` is for the messages. Fails on unknown names and lists, and on lists that do not end, with
// the line.
bool template_write(Str text, const char *name, const TemplateSource *source, Markup *out,
                    Error *err);

// The file `name` of `folder` (--templates) if it is there, else the one compiled into the program.
// `folder` may be NULL. The text lives in `arena`.
bool template_find(const char *folder, const char *name, Arena *arena, Str *out, Error *err);

#endif
