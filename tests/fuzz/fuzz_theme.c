// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "renderers/template.h"
#include "scene/theme.h"

// Any bytes as a theme and as a template of --templates: refused with a reason, or used.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool give_value(void *state, Str name, Markup *out)
{
    (void)state;
    markup_text(out, name);
    return name.size < 8;
}

static bool give_item(void *state, Str list, size_t index, bool *known)
{
    (void)state;
    *known = list.size < 8;
    return index < 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size);
    Theme theme;
    Error err;
    if (!theme_read(text, "fuzz.theme", &theme, &err))
        demand(err.text[0]);
    Sink *sink = sink_memory(arena);
    Markup markup;
    markup_init(&markup, sink);
    TemplateSource source = {give_value, give_item, NULL};
    if (!template_write(text, "page.html", &source, &markup, &err))
        demand(err.text[0]);
    markup_flush(&markup);
    demand(sink_commit(sink, &err));
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
