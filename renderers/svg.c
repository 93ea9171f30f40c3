// SPDX-License-Identifier: Apache-2.0
#include "renderers/svg.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "renderers/svg_path.h"

// Coordinates are written in tenths of a pixel; edges are rounded, not sizes, so that boxes that
// touch in the scene touch in the file.

typedef enum SvgPlace { SVG_FILE, SVG_INLINE } SvgPlace;

typedef struct Svg {
    Markup *to;
    const Scene *scene;
    const Theme *theme;
    Str id;
    bool dark;      // colours of the attributes
    bool recolour;  // and a style for the dark
    char *hex;      // 8 bytes a role
    StrBuf open;    // the tags of open groups: 'g' or 'a'
    SvgPlace place;
} Svg;

static const char *hex_of(const Svg *svg, Role role)
{
    return svg->hex + 8 * (size_t)role;
}

static void write_colour(const Svg *svg, const char *name, Role role)
{
    markup_char(svg->to, ' ');
    markup_raw(svg->to, name);
    markup_raw(svg->to, "=\"");
    markup_str(svg->to, (Str){hex_of(svg, role), 7});
    markup_char(svg->to, '"');
}

static void write_dash(const Svg *svg, const Paint *paint)
{
    markup_raw(svg->to, " stroke-dasharray=\"");
    markup_number(svg->to, paint->dash, 2);
    markup_char(svg->to, ' ');
    markup_number(svg->to, paint->gap > 0 ? paint->gap : paint->dash, 2);
    markup_char(svg->to, '"');
}

static void write_opacity(const Svg *svg, const Paint *paint)
{
    if (paint->fill)
        markup_attribute_number(svg->to, "fill-opacity", paint->opacity, 2);
    if (paint->stroke)
        markup_attribute_number(svg->to, "stroke-opacity", paint->opacity, 2);
}

static void write_paint(const Svg *svg, const Paint *paint, bool can_fill)
{
    if (paint->fill && can_fill)
        write_colour(svg, "fill", paint->fill);
    else if (can_fill)
        markup_raw(svg->to, " fill=\"none\"");
    if (paint->stroke) {
        write_colour(svg, "stroke", paint->stroke);
        if (paint->width > 0 && (paint->width < 1 || paint->width > 1))
            markup_attribute_number(svg->to, "stroke-width", paint->width, 2);
        if (paint->dash > 0)
            write_dash(svg, paint);
        if (paint->round)
            markup_raw(svg->to, " stroke-linecap=\"round\"");
    }
    if (paint->opacity > 0 && paint->opacity < 1)
        write_opacity(svg, paint);
}

// Ends an element that may hold a title.
static void write_end(const Svg *svg, const char *tag, Str title)
{
    if (!title.size) {
        markup_raw(svg->to, "/>\n");
        return;
    }
    markup_raw(svg->to, "><title>");
    markup_text(svg->to, title);
    markup_raw(svg->to, "</title></");
    markup_raw(svg->to, tag);
    markup_raw(svg->to, ">\n");
}

static void write_rect_place(const Svg *svg, const BoxShape *box, double inset)
{
    int64_t left = svg_tenths(box->x + inset);
    int64_t top = svg_tenths(box->y + inset);
    int64_t width = svg_tenths(box->x + box->width - inset) - left;
    int64_t height = svg_tenths(box->y + box->height - inset) - top;
    markup_raw(svg->to, "<rect");
    markup_attribute_tenths(svg->to, "x", left);
    markup_attribute_tenths(svg->to, "y", top);
    markup_attribute_tenths(svg->to, "width", width > 0 ? width : 0);
    markup_attribute_tenths(svg->to, "height", height > 0 ? height : 0);
    if (box->radius - inset > 0)
        markup_attribute_number(svg->to, "rx", box->radius - inset, 2);
}

// Letters, digits, '-' and '.' stay, other bytes become "_" and two digits: still unique.
static void write_id(Markup *to, Str id)
{
    for (size_t i = 0; i < id.size; i++) {
        unsigned char c = (unsigned char)id.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.';
        markup_char(to, plain ? (char)c : '_');
        if (!plain) {
            markup_char(to, "0123456789ABCDEF"[c >> 4]);
            markup_char(to, "0123456789ABCDEF"[c & 0xF]);
        }
    }
}

static void write_hatch(const Svg *svg, const Item *item)
{
    double inset = item->paint.stroke ? (item->paint.width > 0 ? item->paint.width : 1) / 2 : 0;
    write_rect_place(svg, &item->as.box, inset);
    markup_raw(svg->to, " fill=\"url(#");
    write_id(svg->to, svg->id);
    markup_raw(svg->to, "-hatch)\"");
    write_end(svg, "rect", item->title);
}

static bool is_circle(const BoxShape *box)
{
    return box->radius > 0 && 2 * box->radius >= box->width && 2 * box->radius >= box->height &&
           fabs(box->width - box->height) < 1e-6;
}

static void write_box(const Svg *svg, const Item *item)
{
    const BoxShape *box = &item->as.box;
    bool circle = is_circle(box);
    if (circle) {
        markup_raw(svg->to, "<circle");
        markup_attribute_tenths(svg->to, "cx", svg_tenths(box->x + box->width / 2));
        markup_attribute_tenths(svg->to, "cy", svg_tenths(box->y + box->height / 2));
        markup_attribute_number(svg->to, "r", box->width / 2, 2);
    } else {
        write_rect_place(svg, box, 0);
    }
    write_paint(svg, &item->paint, true);
    // A box that shows nothing but has a title is an area to point at.
    if (item->title.size && !item->paint.fill)
        markup_raw(svg->to, " pointer-events=\"all\"");
    write_end(svg, circle ? "circle" : "rect", box->hatch ? (Str){"", 0} : item->title);
    if (box->hatch)
        write_hatch(svg, item);
}

static void write_line(const Svg *svg, const Item *item)
{
    const LineShape *line = &item->as.line;
    markup_raw(svg->to, "<line");
    markup_attribute_tenths(svg->to, "x1", svg_tenths(line->x1));
    markup_attribute_tenths(svg->to, "y1", svg_tenths(line->y1));
    markup_attribute_tenths(svg->to, "x2", svg_tenths(line->x2));
    markup_attribute_tenths(svg->to, "y2", svg_tenths(line->y2));
    write_paint(svg, &item->paint, false);
    write_end(svg, "line", item->title);
}

static void write_path(const Svg *svg, const Item *item)
{
    const PathShape *path = &item->as.path;
    if (!path->count || path->steps[0].verb != PATH_MOVE)
        return;
    markup_raw(svg->to, "<path d=\"");
    svg_write_steps(svg->to, path);
    markup_char(svg->to, '"');
    write_paint(svg, &item->paint, true);
    write_end(svg, "path", item->title);
}

// Blanks that XML would join or drop.
static bool needs_preserve(Str text)
{
    if (!text.size)
        return false;
    return text.data[0] == ' ' || text.data[text.size - 1] == ' ' ||
           str_find(text, STR("  "), 0) != SIZE_MAX;
}

void svg_write_families(Markup *markup, Str families)
{
    bool first = true;
    for (Str family; str_split(&families, ',', &family);) {
        family = str_trim(family);
        if (!family.size)
            continue;
        if (!first)
            markup_raw(markup, ", ");
        first = false;
        bool quoted = str_find_char(family, ' ', 0) != SIZE_MAX;
        if (quoted)
            markup_char(markup, '\'');
        for (size_t i = 0; i < family.size; i++)
            if (!strchr("'\"\\<>&;{}", family.data[i]))
                markup_char(markup, family.data[i]);
        if (quoted)
            markup_char(markup, '\'');
    }
}

static void write_family(const Svg *svg, bool mono)
{
    markup_raw(svg->to, " font-family=\"");
    svg_write_families(svg->to, mono ? svg->theme->mono : svg->theme->sans);
    markup_char(svg->to, '"');
}

static void write_weight(const Svg *svg, int weight)
{
    markup_raw(svg->to, " font-weight=\"");
    markup_int(svg->to, weight);
    markup_char(svg->to, '"');
}

static bool differs(float a, float b)
{
    return a < b || a > b;
}

// `raised` is how far above the base line the pen is, px.
static void write_span(const Svg *svg, const Item *item, const Span *span, double *raised)
{
    const TextShape *text = &item->as.text;
    double raise = (double)(span->raise * text->size);
    double dy = *raised - raise;
    *raised = raise;
    bool sized = span->size > 0 && differs(span->size, text->size);
    bool coloured = span->role && span->role != item->paint.fill;
    bool weighted = span->weight && span->weight != (text->weight ? text->weight : 400);
    bool moved = differs(span->dx, 0) || fabs(dy) > 0.01;
    bool spaced = needs_preserve(span->text);
    bool mono = span->mono && !text->mono;
    if (!sized && !coloured && !weighted && !moved && !spaced && !mono) {
        markup_shown(svg->to, span->text);
        return;
    }
    markup_raw(svg->to, "<tspan");
    if (differs(span->dx, 0))
        markup_attribute_number(svg->to, "dx", (double)span->dx, 2);
    if (fabs(dy) > 0.01)
        markup_attribute_number(svg->to, "dy", dy, 2);
    if (sized)
        markup_attribute_number(svg->to, "font-size", (double)span->size, 2);
    if (coloured)
        write_colour(svg, "fill", span->role);
    if (weighted)
        write_weight(svg, span->weight);
    if (mono)
        write_family(svg, true);
    if (spaced)
        markup_raw(svg->to, " xml:space=\"preserve\"");
    markup_char(svg->to, '>');
    markup_shown(svg->to, span->text);
    markup_raw(svg->to, "</tspan>");
}

static void write_text_place(const Svg *svg, const Item *item)
{
    const TextShape *text = &item->as.text;
    markup_attribute_tenths(svg->to, "x", svg_tenths(text->x));
    markup_attribute_tenths(svg->to, "y", svg_tenths(text->y));
    markup_attribute_number(svg->to, "font-size", (double)text->size, 2);
    write_paint(svg, &item->paint, true);
    if (text->weight && text->weight != 400)
        write_weight(svg, text->weight);
    if (text->anchor != ANCHOR_START)
        markup_raw(svg->to, text->anchor == ANCHOR_MIDDLE ? " text-anchor=\"middle\""
                                                          : " text-anchor=\"end\"");
    if (text->mono)
        write_family(svg, true);
    if (text->vertical) {
        markup_raw(svg->to, " transform=\"rotate(-90 ");
        svg_write_pair(svg->to, svg_tenths(text->x), svg_tenths(text->y), false);
        markup_raw(svg->to, ")\"");
    }
}

static void write_text(const Svg *svg, const Item *item)
{
    const TextShape *text = &item->as.text;
    markup_raw(svg->to, "<text");
    write_text_place(svg, item);
    markup_char(svg->to, '>');
    if (item->title.size) {
        markup_raw(svg->to, "<title>");
        markup_text(svg->to, item->title);
        markup_raw(svg->to, "</title>");
    }
    double raised = 0;
    for (size_t i = 0; i < text->count; i++)
        write_span(svg, item, &text->spans[i], &raised);
    markup_raw(svg->to, "</text>\n");
}

// A file next to the page is next to the picture in it; a picture of its own goes elsewhere alone.
static bool is_link(const Svg *svg, const Item *item)
{
    if (item->kind != ITEM_GROUP || item->as.group.link.size < 2)
        return false;
    Str link = item->as.group.link;
    return link.data[0] == '#' || (svg->place == SVG_INLINE && markup_is_local(link));
}

static bool has_links(const Svg *svg)
{
    for (size_t i = 0; i < svg->scene->count; i++)
        if (is_link(svg, &svg->scene->items[i]))
            return true;
    return false;
}

static void open_group(Svg *svg, const Item *item)
{
    const GroupShape *group = &item->as.group;
    bool link = is_link(svg, item);
    strbuf_add_char(&svg->open, link ? 'a' : 'g');
    markup_raw(svg->to, link ? "<a" : "<g");
    if (group->id.size) {
        markup_raw(svg->to, " id=\"");
        write_id(svg->to, svg->id);
        markup_char(svg->to, '-');
        write_id(svg->to, group->id);
        markup_char(svg->to, '"');
    }
    if (link)
        markup_attribute(svg->to, "href", group->link);
    markup_char(svg->to, '>');
    if (item->title.size) {
        markup_raw(svg->to, "<title>");
        markup_text(svg->to, item->title);
        markup_raw(svg->to, "</title>");
    }
    markup_char(svg->to, '\n');
}

static void close_group(Svg *svg)
{
    if (svg->open.size)
        markup_raw(svg->to, svg->open.data[--svg->open.size] == 'a' ? "</a>\n" : "</g>\n");
}

static void write_item(Svg *svg, const Item *item)
{
    switch (item->kind) {
    case ITEM_BOX:
        write_box(svg, item);
        break;
    case ITEM_LINE:
        write_line(svg, item);
        break;
    case ITEM_PATH:
        write_path(svg, item);
        break;
    case ITEM_TEXT:
        write_text(svg, item);
        break;
    case ITEM_GROUP:
        open_group(svg, item);
        break;
    case ITEM_GROUP_END:
        close_group(svg);
        break;
    }
}

typedef struct RolesUsed {
    bool fill[ROLE_COUNT], stroke[ROLE_COUNT], hatch;
} RolesUsed;

static RolesUsed roles_used(const Scene *scene)
{
    RolesUsed used = {.fill = {[ROLE_PAPER] = true}};
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        used.fill[item->paint.fill] = true;
        used.stroke[item->paint.stroke] = true;
        if (item->kind == ITEM_BOX && item->as.box.hatch)
            used.hatch = used.fill[ROLE_HATCHLINE] = true;
        for (size_t k = 0; item->kind == ITEM_TEXT && k < item->as.text.count; k++)
            used.fill[item->as.text.spans[k].role] = true;
    }
    return used;
}

static void write_rule(Markup *to, const char *before, const char *name, const Theme *theme,
                       Role role)
{
    char light[8], dark[8];
    if (theme_rgb(theme, role, false) == theme_rgb(theme, role, true))
        return;
    const char *parts[] = {before,
                           "[",
                           name,
                           "=\"",
                           theme_hex(theme, role, false, light),
                           "\"]{",
                           name,
                           ":",
                           theme_hex(theme, role, true, dark),
                           "}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        markup_raw(to, parts[i]);
}

void svg_write_dark_rules(Markup *markup, const Theme *theme)
{
    for (int role = ROLE_NONE + 1; role < ROLE_COUNT; role++) {
        write_rule(markup, "svg ", "fill", theme, (Role)role);
        write_rule(markup, "svg ", "stroke", theme, (Role)role);
    }
}

static void write_style(const Svg *svg, const RolesUsed *used)
{
    markup_raw(svg->to, "<style>@media screen and (prefers-color-scheme:dark){");
    for (int role = ROLE_NONE + 1; role < ROLE_COUNT; role++) {
        if (used->fill[role])
            write_rule(svg->to, "", "fill", svg->theme, (Role)role);
        if (used->stroke[role])
            write_rule(svg->to, "", "stroke", svg->theme, (Role)role);
    }
    markup_raw(svg->to, "}</style>\n");
}

static void write_hatch_pattern(const Svg *svg)
{
    markup_raw(svg->to, "<defs><pattern id=\"");
    write_id(svg->to, svg->id);
    markup_raw(svg->to, "-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                        "patternTransform=\"rotate(45)\"><rect width=\"1.8\" height=\"5\"");
    write_colour(svg, "fill", ROLE_HATCHLINE);
    markup_raw(svg->to, "/></pattern></defs>\n");
}

static void write_root(const Svg *svg)
{
    int64_t width = svg_tenths(ceil(svg->scene->width));
    int64_t height = svg_tenths(ceil(svg->scene->height));
    markup_raw(svg->to, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    markup_attribute_tenths(svg->to, "width", width);
    markup_attribute_tenths(svg->to, "height", height);
    markup_raw(svg->to, " viewBox=\"0 0 ");
    svg_write_pair(svg->to, width, height, false);
    markup_char(svg->to, '"');
    write_family(svg, false);
    if (words_lang() == LANG_ZH)
        markup_raw(svg->to, " lang=\"zh\"");
    // Of an image nothing inside can be reached.
    markup_raw(svg->to, has_links(svg) ? " role=\"group\">\n<title>" : " role=\"img\">\n<title>");
    markup_text(svg->to, svg->scene->title);
    markup_raw(svg->to, "</title>\n");
    if (svg->scene->description.size) {
        markup_raw(svg->to, "<desc>");
        markup_text(svg->to, svg->scene->description);
        markup_raw(svg->to, "</desc>\n");
    }
}

static void write_ground(const Svg *svg)
{
    markup_raw(svg->to, "<rect");
    markup_attribute_tenths(svg->to, "width", svg_tenths(ceil(svg->scene->width)));
    markup_attribute_tenths(svg->to, "height", svg_tenths(ceil(svg->scene->height)));
    write_colour(svg, "fill", ROLE_PAPER);
    markup_raw(svg->to, "/>\n");
}

static void write_picture(Svg *svg)
{
    Arena *arena = arena_new();
    svg->open = strbuf_new(arena);
    char hex[ROLE_COUNT][8];
    for (int role = 0; role < ROLE_COUNT; role++)
        theme_hex(svg->theme, (Role)role, svg->dark, hex[role]);
    svg->hex = hex[0];
    RolesUsed used = roles_used(svg->scene);
    write_root(svg);
    if (svg->recolour)
        write_style(svg, &used);
    if (used.hatch)
        write_hatch_pattern(svg);
    if (svg->place == SVG_FILE)
        write_ground(svg);
    for (size_t i = 0; i < svg->scene->count; i++)
        write_item(svg, &svg->scene->items[i]);
    while (svg->open.size)
        close_group(svg);
    markup_raw(svg->to, "</svg>\n");
    arena_release(arena);
}

void svg_write_inline(Markup *markup, const Scene *scene, const RenderOptions *options)
{
    Svg svg = {.to = markup,
               .scene = scene,
               .theme = options->theme,
               .id = scene->id.size ? scene->id : STR("figure"),
               .dark = options->mode == THEME_DARK,
               .place = SVG_INLINE};
    write_picture(&svg);
}

static bool write_scene(const Scene *scene, const RenderOptions *options, Sink *out, Error *err)
{
    (void)err;
    Markup markup;
    markup_init(&markup, out);
    Svg svg = {.to = &markup,
               .scene = scene,
               .theme = options->theme,
               .id = scene->id.size ? scene->id : STR("figure"),
               .dark = options->mode == THEME_DARK,
               .recolour = options->mode == THEME_AUTO,
               .place = SVG_FILE};
    write_picture(&svg);
    markup_flush(&markup);
    return true;
}

const Renderer svg_renderer = {
    .name = "svg",
    .suffix = ".svg",
    .write_scene = write_scene,
};
