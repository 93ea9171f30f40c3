// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "base/json_writer.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "fuzz_input.h"
#include "markup_check.h"
#include "read/json/python_literal.h"
#include "renderers/cell_text.h"
#include "renderers/csv.h"
#include "renderers/markdown.h"
#include "renderers/markup.h"

// Any bytes as a name that is written: into text and attributes of XML and HTML, JSON, CSV,
// Markdown and the terminal. The name never leaves its place, and where the format can say it, the
// name that comes back is the name that went in.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Wanted {
    Str text;
    int texts, attributes;
} Wanted;

static void see_tag(void *state, Str element, Str attribute, Str value)
{
    Wanted *wanted = state;
    demand(str_equal(element, STR("t")));
    if (attribute.size) {
        demand(str_equal(attribute, STR("a")) && str_equal(value, wanted->text));
        wanted->attributes++;
    }
}

static void see_text(void *state, Str element, Str text)
{
    Wanted *wanted = state;
    (void)element;
    demand(str_equal(text, wanted->text));
    wanted->texts++;
}

static Str finish(Sink *sink)
{
    Error err;
    Str bytes = sink_bytes(sink);
    demand(sink_commit(sink, &err));
    return bytes;
}

static void check_markup(Str name, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Markup markup;
    Wanted wanted = {.text = utf8_display(name, arena)};
    MarkupVisitor visitor = {see_tag, see_text, &wanted};
    markup_init(&markup, sink);
    markup_raw(&markup, "<t");
    markup_attribute(&markup, "a", name);
    markup_raw(&markup, ">");
    markup_text(&markup, name);
    markup_raw(&markup, "</t>");
    markup_flush(&markup);
    demand(markup_well_formed(finish(sink), arena, &visitor));
    demand(wanted.attributes == 1 && wanted.texts == (wanted.text.size ? 1 : 0));
}

// What JSON can hold of a name: bytes that are no UTF-8 become U+FFFD.
static Str repaired(Str text, Arena *arena)
{
    StrBuf out;
    out = strbuf_new(arena);
    for (size_t at = 0; at < text.size;) {
        char bytes[4];
        int count = utf8_write(utf8_next(text, &at), bytes);
        strbuf_add(&out, (Str){bytes, (size_t)count});
    }
    return strbuf_str(&out);
}

static void check_json(Str name, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    JsonWriter json;
    json_writer_init(&json, sink);
    json_str(&json, name);
    json_end(&json);
    Str bytes = finish(sink);
    demand(utf8_valid(bytes));
    for (size_t i = 0; i + 1 < bytes.size; i++)
        demand((unsigned char)bytes.data[i] >= 0x20);
    LiteralReader reader = literal_open(bytes, 0, arena);
    Literal value = literal_value(&reader);
    demand(value.kind == LITERAL_TEXT && str_equal(value.text, repaired(name, arena)));
}

static bool starts_formula(Str text)
{
    return text.size && strchr("=+-@\t", text.data[0]);
}

// Whether `text` is `plain` with apostrophes put in.
static bool is_with_apostrophes(Str text, Str plain)
{
    size_t at = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (at < plain.size && text.data[i] == plain.data[at])
            at++;
        else if (text.data[i] != '\'')
            return false;
    }
    return at == plain.size;
}

// The rule of renderers/csv.h backwards.
static void check_csv(Str name, Arena *arena)
{
    Str clean = cell_clean(name, arena), neutral = csv_neutral(clean, arena);
    double number;
    demand(!starts_formula(neutral) || number_of_text(neutral, &number));
    demand(is_with_apostrophes(neutral, clean));
    demand(utf8_valid(neutral));
}

// Outside of code nothing is left that Markdown reads.
static void check_markdown(Str name, bool in_table, Arena *arena)
{
    Str text = markdown_inline(name, in_table, arena);
    demand(str_find_char(text, '\n', 0) == SIZE_MAX && utf8_valid(text));
    for (size_t i = 0; i < text.size;) {
        if (text.data[i] != '`') {
            demand(!strchr("*_[]<>|\\&~$#", text.data[i]));
            i++;
            continue;
        }
        size_t fence = 0, run = 0;
        for (; i < text.size && text.data[i] == '`'; i++)
            fence++;
        for (; i < text.size && (run != fence || text.data[i] == '`'); i++) {
            run = text.data[i] == '`' ? run + 1 : 0;
            demand(!in_table || text.data[i] != '|' || text.data[i - 1] == '\\');
        }
        demand(run == fence);
    }
}

static void check_terminal(Str name, Arena *arena)
{
    Str shown = utf8_display(name, arena);
    for (size_t at = 0; at < shown.size;) {
        uint32_t c = utf8_next(shown, &at);
        demand(c >= 0x20 && !(c >= 0x7F && c < 0xA0) && !(c >= 0x202A && c <= 0x202E) &&
               c != 0x2028 && c != 0x2029);
    }
}

static bool is_mark(char c)
{
    return (unsigned char)c >= 0x80 || strchr(" \t\r\n'\"`,;:|()[]{}<>=", c);
}

// The folder is never left as a path of its own; inside a longer name it is another folder.
static void check_redacted(Str name, Arena *arena)
{
    Str folder = STR("/data/golden");
    Redaction redaction = {0};
    redact_add(&redaction, arena, folder, STR("golden"));
    Str cut = redact_text(&redaction, name, arena);
    for (size_t at = 0; (at = str_find(cut, folder, at)) != SIZE_MAX; at++) {
        size_t end = at + folder.size;
        bool begins = at == 0 || is_mark(cut.data[at - 1]);
        bool ends = end == cut.size || cut.data[end] == '/' || is_mark(cut.data[end]);
        demand(!begins || !ends);
    }
    redact_path(&redaction, name, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str name = fuzz_copy(data, size);
    check_markup(name, arena);
    check_json(name, arena);
    check_csv(name, arena);
    check_markdown(name, false, arena);
    check_markdown(name, true, arena);
    check_terminal(name, arena);
    check_redacted(name, arena);
    demand(check_failures == 0);
    free((void *)name.data);
    arena_release(arena);
    return 0;
}
