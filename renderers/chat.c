// SPDX-License-Identifier: Apache-2.0
#include "renderers/chat.h"

#include "base/json_writer.h"
#include "base/utf8.h"
#include "base/words.h"

enum { SENTENCES = 3, LINE_BYTES = 360 };

// How a service sets its text, and the object that holds it.
typedef struct ChatForm {
    const char *bold;             // around the word of the verdict
    const char *line_end;         // NULL: "\n"
    bool escapes;                 // &, < and > are written as entities
    const char *kind_key, *kind;  // {"msgtype": "markdown", …}; NULL: no such key
    const char *holder;           // the object of the text; NULL: the outer one
    const char *title_key;        // in the holder, or NULL
    const char *text_key;         // NULL: no JSON, the text alone
} ChatForm;

static void add_text(StrBuf *out, Str text, const ChatForm *form)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (form->escapes && (c == '&' || c == '<' || c == '>'))
            strbuf_printf(out, "%s", c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
        else
            strbuf_add_char(out, c == '\n' || c == '\t' ? ' ' : c);
    }
}

static void add_cut(StrBuf *out, Str text, const ChatForm *form, Arena *arena)
{
    Str shown = utf8_display(str_trim(text), arena);
    add_text(out, utf8_start(shown, LINE_BYTES), form);
    if (shown.size > LINE_BYTES)
        strbuf_printf(out, "…");
}

static void add_line(StrBuf *out, Str text, const ChatForm *form, Arena *arena)
{
    strbuf_printf(out, "%s", form->line_end ? form->line_end : "\n");
    add_cut(out, text, form, arena);
}

static void add_verdict(StrBuf *out, const Verdict *verdict, const ChatForm *form, Arena *arena)
{
    if (verdict->partial)
        strbuf_printf(out, "%s ", tr("PARTIAL"));
    strbuf_printf(out, "%s" STR_FMT "%s ", form->bold, STR_ARG(verdict->word), form->bold);
    add_cut(out, verdict->rest, form, arena);
}

// The sentences that stand right under the verdict.
static Str message_of(const Report *report, const RenderOptions *options, const ChatForm *form)
{
    Arena *arena = report->arena;
    StrBuf out = strbuf_new(arena);
    size_t said = 0;
    // The title, if there is one, comes first.
    for (size_t i = 0; i < report->count && (!i || report->items[i].kind != BLOCK_HEADING); i++) {
        const Block *block = &report->items[i];
        if (block->kind == BLOCK_VERDICT)
            add_verdict(&out, block->verdict, form, arena);
        else if (block->kind == BLOCK_TEXT && !block->link.size && said++ < SENTENCES)
            add_line(&out, block->text, form, arena);
    }
    if (options->link)
        add_line(&out, str_of(options->link), form, arena);
    return strbuf_str(&out);
}

static bool write(const Report *report, const RenderOptions *options, const ChatForm *form,
                  Sink *out)
{
    JsonWriter json;
    Str message = message_of(report, options, form);
    if (!form->text_key) {
        sink_str(out, message);
        sink_text(out, "\n");
        return true;
    }
    json_writer_init(&json, out);
    json_object(&json);
    if (form->kind_key)
        json_text(json_key(&json, form->kind_key), form->kind);
    if (form->holder)
        json_object(json_key(&json, form->holder));
    if (form->title_key)
        json_text(json_key(&json, form->title_key), "vernier");
    json_str(json_key(&json, form->text_key), message);
    if (form->holder)
        json_object_end(&json);
    json_object_end(&json);
    json_end(&json);
    return true;
}

#define CHAT_RENDERER(service, ...)                                                            \
    static bool write_##service(const Report *report, const RenderOptions *options, Sink *out, \
                                Error *err)                                                    \
    {                                                                                          \
        static const ChatForm form = {__VA_ARGS__};                                            \
        (void)err;                                                                             \
        return write(report, options, &form, out);                                             \
    }                                                                                          \
    const Renderer service##_renderer = {                                                      \
        .name = #service, .suffix = "." #service, .ticket = true, .write_report = write_##service}

CHAT_RENDERER(chat, .bold = "");
CHAT_RENDERER(slack, .bold = "*", .escapes = true, .text_key = "text");
CHAT_RENDERER(dingtalk, .bold = "**", .line_end = "  \n", .kind_key = "msgtype", .kind = "markdown",
              .holder = "markdown", .title_key = "title", .text_key = "text");
CHAT_RENDERER(feishu, .bold = "", .kind_key = "msg_type", .kind = "text", .holder = "content",
              .text_key = "text");
CHAT_RENDERER(wecom, .bold = "**", .kind_key = "msgtype", .kind = "markdown", .holder = "markdown",
              .text_key = "content");
