// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_MARKUP_H
#define VERNIER_RENDERERS_MARKUP_H

#include <string.h>

#include "base/sink.h"
#include "base/str.h"

// Writes XML and HTML to a sink through a buffer of its own, since pictures consist of very many
// very short pieces.
enum { MARKUP_BYTES = 8192 };

typedef struct Markup {
    Sink *out;
    size_t used;
    char buffer[MARKUP_BYTES];
} Markup;

void markup_init(Markup *markup, Sink *out);
void markup_flush(Markup *markup);

// As it is. In the header, because the compiler then writes short pieces without a call.
void markup_large(Markup *markup, Str text);
static inline void markup_str(Markup *markup, Str text)
{
    if (text.size > MARKUP_BYTES - markup->used) {
        markup_large(markup, text);
    } else if (text.size) {
        memcpy(markup->buffer + markup->used, text.data, text.size);
        markup->used += text.size;
    }
}
static inline void markup_raw(Markup *markup, const char *text)
{
    markup_str(markup, (Str){text, strlen(text)});
}
static inline void markup_char(Markup *markup, char c)
{
    if (markup->used == MARKUP_BYTES)
        markup_flush(markup);
    markup->buffer[markup->used++] = c;
}

// A text of the user: made fit for display (utf8_display), then & < > " ' escaped, so that it is
// safe between tags and in quoted attributes, and well-formed XML 1.0 whatever its bytes are.
void markup_text(Markup *markup, Str text);
// The same for a text that is only looked at: see utf8_in_order.
void markup_shown(Markup *markup, Str text);

// With at most `digits` places after the point.
void markup_number(Markup *markup, double value, int digits);
void markup_int(Markup *markup, int64_t value);

// A number given in tenths, without a zero before the point: 5 gives ".5", -12 gives "-1.2".
void markup_tenths(Markup *markup, int64_t tenths);

// ` name="value"`
void markup_attribute(Markup *markup, const char *name, Str value);
void markup_attribute_number(Markup *markup, const char *name, double value, int digits);
// The value in tenths, as markup_tenths.
void markup_attribute_tenths(Markup *markup, const char *name, int64_t tenths);

// Whether it may be the target of a link: "#anchor" of the page or the name of a file next to it.
bool markup_is_local(Str link);

#endif
