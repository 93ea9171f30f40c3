// SPDX-License-Identifier: Apache-2.0
#include "renderers/trace.h"

#include "base/utf8.h"
#include "renderers/markup.h"

typedef struct Trace {
    Markup to;
    Arena *arena;
    int depth;
} Trace;

static void word(Trace *trace, const char *text)
{
    markup_raw(&trace->to, text);
}

static void number(Trace *trace, double value)
{
    markup_char(&trace->to, ' ');
    markup_number(&trace->to, value, 1);
}

static void named(Trace *trace, const char *name, double value)
{
    if (value > 0 || value < 0) {
        word(trace, name);
        markup_number(&trace->to, value, 2);
    }
}

static void role(Trace *trace, const char *name, Role which)
{
    if (which) {
        word(trace, name);
        word(trace, role_name(which));
    }
}

static void quoted(Trace *trace, char quote, Str text)
{
    markup_char(&trace->to, quote);
    markup_str(&trace->to, utf8_display(text, trace->arena));
    markup_char(&trace->to, quote);
}

static void write_paint(Trace *trace, const Paint *paint)
{
    role(trace, " fill=", paint->fill);
    role(trace, " stroke=", paint->stroke);
    named(trace, " width=", (double)paint->width);
    named(trace, " dash=", (double)paint->dash);
    named(trace, " opacity=", (double)paint->opacity);
    named(trace, " round=", paint->round);
}

static void write_box(Trace *trace, const Item *item)
{
    const BoxShape *box = &item->as.box;
    word(trace, "box");
    number(trace, box->x);
    number(trace, box->y);
    number(trace, box->width);
    number(trace, box->height);
    named(trace, " radius=", box->radius);
    write_paint(trace, &item->paint);
    word(trace, box->hatch ? " hatch" : "");
}

static void write_line(Trace *trace, const Item *item)
{
    word(trace, "line");
    number(trace, item->as.line.x1);
    number(trace, item->as.line.y1);
    number(trace, item->as.line.x2);
    number(trace, item->as.line.y2);
    write_paint(trace, &item->paint);
}

static void write_path(Trace *trace, const Item *item)
{
    static const char *const verbs[] = {" M", " L", " C", " Z"};
    word(trace, "path");
    for (size_t i = 0; i < item->as.path.count; i++) {
        const PathStep *step = &item->as.path.steps[i];
        word(trace, verbs[step->verb]);
        if (step->verb == PATH_CURVE) {
            number(trace, step->x1);
            number(trace, step->y1);
            number(trace, step->x2);
            number(trace, step->y2);
        }
        if (step->verb != PATH_CLOSE) {
            number(trace, step->x);
            number(trace, step->y);
        }
    }
    write_paint(trace, &item->paint);
}

static void write_span(Trace *trace, const Span *span)
{
    markup_char(&trace->to, ' ');
    quoted(trace, '"', span->text);
    if (!span->role && !span->weight && !(span->size > 0) && !(span->dx > 0) &&
        !(span->raise > 0) && !span->mono)
        return;
    word(trace, "[");
    role(trace, "", span->role);
    named(trace, " weight=", span->weight);
    named(trace, " size=", (double)span->size);
    named(trace, " dx=", (double)span->dx);
    named(trace, " raise=", (double)span->raise);
    word(trace, span->mono ? " mono]" : "]");
}

static void write_text(Trace *trace, const Item *item)
{
    static const char *const anchors[] = {" start", " middle", " end"};
    const TextShape *text = &item->as.text;
    word(trace, "text");
    number(trace, text->x);
    number(trace, text->y);
    word(trace, anchors[text->anchor]);
    number(trace, (double)text->size);
    if (text->weight != 400)
        named(trace, " weight=", text->weight);
    role(trace, " ", item->paint.fill);
    word(trace, text->mono ? " mono" : "");
    word(trace, text->vertical ? " vertical" : "");
    for (size_t i = 0; i < text->count; i++)
        write_span(trace, &text->spans[i]);
}

static void write_group(Trace *trace, const Item *item)
{
    word(trace, "group ");
    quoted(trace, '"', item->as.group.id);
    if (item->as.group.link.size) {
        markup_char(&trace->to, ' ');
        quoted(trace, '"', item->as.group.link);
    }
}

static void write_item(Trace *trace, const Item *item)
{
    trace->depth -= item->kind == ITEM_GROUP_END && trace->depth > 0;
    for (int i = 0; i < trace->depth; i++)
        word(trace, "  ");
    switch (item->kind) {
    case ITEM_BOX:
        write_box(trace, item);
        break;
    case ITEM_LINE:
        write_line(trace, item);
        break;
    case ITEM_PATH:
        write_path(trace, item);
        break;
    case ITEM_TEXT:
        write_text(trace, item);
        break;
    case ITEM_GROUP:
        write_group(trace, item);
        trace->depth++;
        break;
    case ITEM_GROUP_END:
        word(trace, "end");
        break;
    }
    if (item->title.size) {
        markup_char(&trace->to, ' ');
        quoted(trace, '\'', item->title);
    }
    markup_char(&trace->to, '\n');
}

static bool write_scene(const Scene *scene, const RenderOptions *options, Sink *out, Error *err)
{
    (void)options, (void)err;
    Trace trace = {.arena = arena_new()};
    markup_init(&trace.to, out);
    word(&trace, "scene ");
    quoted(&trace, '"', scene->id);
    number(&trace, scene->width);
    number(&trace, scene->height);
    markup_char(&trace.to, ' ');
    quoted(&trace, '\'', scene->title);
    markup_char(&trace.to, '\n');
    for (size_t i = 0; i < scene->count; i++)
        write_item(&trace, &scene->items[i]);
    markup_flush(&trace.to);
    arena_release(trace.arena);
    return true;
}

const Renderer trace_renderer = {
    .name = "trace",
    .suffix = ".trace",
    .write_scene = write_scene,
};
