// SPDX-License-Identifier: Apache-2.0
#include "renderers/canvas_text.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "renderers/fonts.h"
#ifdef VERNIER_OWN_FONTS
#include "renderers/own_fonts.h"
#endif

struct Pen {
    Arena *arena;
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *sans, *mono;
    bool no_fonts;
    bool mono_set;  // the font that the layout has
    double size;
    int weight;
};

static void set_font(Pen *pen, bool mono, double size, int weight)
{
    PangoFontDescription *font = mono ? pen->mono : pen->sans;
    bool same = pen->mono_set == mono && pen->size <= size && pen->size >= size;
    if (same && pen->weight == weight)
        return;
    pen->mono_set = mono;
    pen->size = size;
    pen->weight = weight;
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_font_description_set_weight(font, (PangoWeight)weight);
    pango_layout_set_font_description(pen->layout, font);
}

// Metrics without hints, so that a picture at scale 2 has the proportions of one at scale 1.
static void set_options(PangoContext *context)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context, FALSE);
    pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
    const char *language = words_lang() == LANG_ZH ? "zh-cn" : "en";
    pango_context_set_language(context, pango_language_from_string(language));
}

static PangoFontDescription *describe(Str families, Arena *arena)
{
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family(font, str_cstr(arena, families));
    return font;
}

Pen *pen_new(const Theme *theme)
{
#ifdef VERNIER_OWN_FONTS
    own_fonts_use();
#endif
    Arena *arena = arena_new();
    Pen *pen = ARENA_NEW(arena, Pen);
    pen->arena = arena;
    // Of the thread: finding the fonts takes longer than drawing most pictures.
    pen->context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    set_options(pen->context);
    pen->layout = pango_layout_new(pen->context);
    pango_layout_set_auto_dir(pen->layout, FALSE);
    pango_layout_set_single_paragraph_mode(pen->layout, TRUE);
    pen->sans = describe(theme->sans, arena);
    pen->mono = describe(theme->mono, arena);
    set_font(pen, false, 12, 400);
    pango_layout_set_text(pen->layout, "vernier 0", -1);
    pen->no_fonts = pango_layout_get_unknown_glyphs_count(pen->layout) > 0;
    return pen;
}

void pen_release(Pen *pen)
{
    pango_font_description_free(pen->sans);
    pango_font_description_free(pen->mono);
    g_object_unref(pen->layout);
    g_object_unref(pen->context);
    arena_release(pen->arena);
}

void canvas_report_fonts(const Canvas *canvas, FontReport *fonts)
{
    if (!fonts)
        return;
    fonts->missing += canvas->missing_glyphs;
    fonts->no_fonts = fonts->no_fonts || canvas->pen->no_fonts;
}

bool fonts_have(const Theme *theme, const char *sample)
{
    Pen *pen = pen_new(theme);
    pango_layout_set_text(pen->layout, sample, -1);
    bool all = !pen->no_fonts && pango_layout_get_unknown_glyphs_count(pen->layout) == 0;
    pen_release(pen);
    return all;
}

void pen_follow(Pen *pen, cairo_t *cairo)
{
    pango_cairo_update_context(cairo, pen->context);
}

// A text of one style, ready to be measured and shown.
typedef struct Run {
    Str text;
    double size, dx, raise;
    int weight;
    bool mono;
    Role role;
} Run;

static Run run_of(const Item *item, const Span *span, Arena *arena)
{
    const TextShape *text = &item->as.text;
    return (Run){.text = utf8_in_order(utf8_display(span->text, arena), arena),
                 .size = (double)(span->size > 0 ? span->size : text->size),
                 .dx = (double)span->dx,
                 .raise = (double)(span->raise * text->size),
                 .weight = span->weight   ? span->weight
                           : text->weight ? text->weight
                                          : 400,
                 .mono = text->mono || span->mono,
                 .role = span->role ? span->role : item->paint.fill};
}

// The stroke font knows ASCII alone.
static const char *as_ascii(Str text, size_t *missing, Arena *arena)
{
    static const struct {
        uint32_t from;
        const char *to;
    } likeness[] = {{0x2026, "..."}, {0x2212, "-"}, {0x00B7, "."}, {0x00D7, "x"}, {0x2013, "-"},
                    {0x2014, "-"},   {0x203A, ">"}, {0x2192, ">"}, {0x200E, ""}};
    StrBuf buf = strbuf_new(arena);
    for (size_t at = 0; at < text.size;) {
        uint32_t c = utf8_next(text, &at);
        const char *like = "?";
        for (size_t i = 0; i < sizeof likeness / sizeof *likeness; i++)
            if (likeness[i].from == c)
                like = likeness[i].to;
        if (c < 0x80)
            strbuf_add_char(&buf, (char)c);
        else
            strbuf_add(&buf, str_of(like));
        *missing += c >= 0x80 && *like == '?';
    }
    return str_cstr(arena, strbuf_str(&buf));
}

static void prepare_stroke_font(const Canvas *canvas, const Run *run)
{
    cairo_select_font_face(canvas->cairo, "@cairo:", CAIRO_FONT_SLANT_NORMAL,
                           run->weight >= 600 ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, run->size);
}

static PangoLayoutLine *prepare(Pen *pen, const Run *run)
{
    set_font(pen, run->mono, run->size, run->weight);
    pango_layout_set_text(pen->layout, run->text.data,
                          run->text.size < INT32_MAX ? (int)run->text.size : 0);
    return pango_layout_get_line_readonly(pen->layout, 0);
}

static double run_width(const Canvas *canvas, const Run *run, Arena *arena)
{
    if (!run->text.size)
        return 0;
    if (canvas->pen->no_fonts) {
        cairo_text_extents_t extents;
        prepare_stroke_font(canvas, run);
        cairo_text_extents(canvas->cairo, as_ascii(run->text, &(size_t){0}, arena), &extents);
        return extents.x_advance;
    }
    PangoRectangle logical;
    pango_layout_line_get_extents(prepare(canvas->pen, run), NULL, &logical);
    return (double)logical.width / PANGO_SCALE;
}

static void show_run(Canvas *canvas, const Run *run, double x, float opacity, Arena *arena)
{
    if (!run->text.size || !run->role)
        return;
    canvas_set_role(canvas, run->role, opacity);
    cairo_move_to(canvas->cairo, x, -run->raise);
    if (canvas->pen->no_fonts) {
        prepare_stroke_font(canvas, run);
        cairo_show_text(canvas->cairo, as_ascii(run->text, &canvas->missing_glyphs, arena));
        return;
    }
    PangoLayoutLine *line = prepare(canvas->pen, run);
    canvas->missing_glyphs += (size_t)pango_layout_get_unknown_glyphs_count(canvas->pen->layout);
    pango_cairo_show_layout_line(canvas->cairo, line);
}

void canvas_text(Canvas *canvas, const Item *item)
{
    const TextShape *text = &item->as.text;
    Arena *arena = arena_new();
    double *widths = ARENA_ARRAY(arena, double, text->count);
    double whole = 0;
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, text->x, text->y);
    if (text->vertical) {
        cairo_rotate(canvas->cairo, -acos(0));
        pen_follow(canvas->pen, canvas->cairo);
    }
    for (size_t i = 0; text->anchor != ANCHOR_START && i < text->count; i++) {
        Run run = run_of(item, &text->spans[i], arena);
        widths[i] = run_width(canvas, &run, arena);
        whole += run.dx + widths[i];
    }
    double x = text->anchor == ANCHOR_MIDDLE ? -whole / 2 : text->anchor == ANCHOR_END ? -whole : 0;
    for (size_t i = 0; i < text->count; i++) {
        Run run = run_of(item, &text->spans[i], arena);
        x += run.dx;
        show_run(canvas, &run, x, item->paint.opacity, arena);
        if (i + 1 < text->count)
            x += text->anchor == ANCHOR_START ? run_width(canvas, &run, arena) : widths[i];
    }
    cairo_restore(canvas->cairo);
    if (text->vertical)
        pen_follow(canvas->pen, canvas->cairo);
    arena_release(arena);
}

#ifdef VERNIER_SANITIZED
// fontconfig loses 288 bytes whenever it reads its configuration, cairo 768 a PDF that embeds a CJK
// font.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libcairo\n";
}

// Silently: standard error belongs to the program.
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif
