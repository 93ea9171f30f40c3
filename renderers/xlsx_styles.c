// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_styles.h"

// How a style looks. Status styles carry fill, border and ink of the theme.
typedef struct StyleLook {
    Role fill, edge, ink;
    bool bold, dashed, mono, right;
    uint32_t rgb;  // a fill of its own, of no theme
} StyleLook;

static const StyleLook looks[XLSX_FORMATS] = {
    [STYLE_STRONG] = {.bold = true},
    [STYLE_MUTED] = {.ink = ROLE_INK2},
    [STYLE_CODE] = {.mono = true},
    [STYLE_SAME] = {ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, .bold = false},
    [STYLE_PASS] = {ROLE_PASS_FILL, ROLE_PASS_EDGE, ROLE_PASS_INK, .bold = false},
    [STYLE_WARNING] = {ROLE_WARNING_FILL, ROLE_WARNING_EDGE, ROLE_WARNING_INK, .bold = true},
    [STYLE_ERROR] = {ROLE_ERROR_FILL, ROLE_ERROR_EDGE, ROLE_ERROR_INK, .bold = true},
    [STYLE_ERROR_TINT] = {ROLE_ERROR_TINT, ROLE_ERROR_TEDGE, ROLE_ERROR_TINK, .bold = false},
    [STYLE_WARNING_TINT] = {ROLE_WARNING_TINT, ROLE_WARNING_TEDGE, ROLE_WARNING_TINK,
                            .bold = false},
    [STYLE_UNMATCHED] = {ROLE_BAND, ROLE_UNMATCHED_EDGE, ROLE_INK, .dashed = true},
    [STYLE_NO_DATA] = {ROLE_NONE, ROLE_NODATA_EDGE, ROLE_INK3, .dashed = true},
    [STYLE_GOLDEN] = {.ink = ROLE_GOLDEN, .bold = true},
    [STYLE_TARGET] = {.ink = ROLE_TARGET, .bold = true},
    [STYLE_MSPROBE_RED] = {.rgb = 0xFF0000},
    [STYLE_MSPROBE_YELLOW] = {.rgb = 0xFFFF00},
    [XLSX_HEADER] = {.fill = ROLE_PANEL, .ink = ROLE_INK, .bold = true},
    [XLSX_HEADER_NUMBER] = {.fill = ROLE_PANEL, .ink = ROLE_INK, .bold = true, .right = true},
    [XLSX_NOTE] = {.ink = ROLE_INK2},
};

static bool is_header(int format)
{
    return format == XLSX_HEADER || format == XLSX_HEADER_NUMBER;
}

static void add_font(StrBuf *out, const Theme *theme, const StyleLook *look)
{
    strbuf_add(out, look->bold ? STR("<font><b/><sz val=\"11\"/>") : STR("<font><sz val=\"11\"/>"));
    if (look->ink)
        strbuf_printf(out, "<color rgb=\"FF%06X\"/>", theme_rgb(theme, look->ink, false));
    strbuf_printf(out, "<name val=\"%s\"/><family val=\"2\"/></font>",
                  look->mono ? "Consolas" : "Calibri");
}

static void add_fill(StrBuf *out, const Theme *theme, const StyleLook *look)
{
    if (!look->fill && !look->rgb) {
        strbuf_add(out, STR("<fill><patternFill patternType=\"none\"/></fill>"));
        return;
    }
    strbuf_printf(out,
                  "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"FF%06X\"/>"
                  "<bgColor indexed=\"64\"/></patternFill></fill>",
                  look->rgb ? look->rgb : theme_rgb(theme, look->fill, false));
}

static void add_edge(StrBuf *out, const char *side, const char *style, uint32_t rgb)
{
    if (style)
        strbuf_printf(out, "<%s style=\"%s\"><color rgb=\"FF%06X\"/></%s>", side, style, rgb, side);
    else
        strbuf_printf(out, "<%s/>", side);
}

static void add_border(StrBuf *out, const Theme *theme, int format)
{
    static const char *const sides[] = {"left", "right", "top", "bottom"};
    const StyleLook *look = &looks[format];
    const char *around = look->edge ? look->dashed ? "dashed" : "thin" : NULL;
    strbuf_add(out, STR("<border>"));
    for (int side = 0; side < 4; side++) {
        bool rule = is_header(format) && side == 3;
        add_edge(out, sides[side], rule ? "thin" : around,
                 theme_rgb(theme, rule ? ROLE_RULE : look->edge, false));
    }
    strbuf_add(out, STR("<diagonal/></border>"));
}

// The first two fills are the format's own.
static void add_format(StrBuf *out, int format)
{
    strbuf_printf(out,
                  "<xf numFmtId=\"0\" fontId=\"%d\" fillId=\"%d\" borderId=\"%d\" xfId=\"0\" "
                  "applyFont=\"1\" applyFill=\"1\" applyBorder=\"1\"",
                  format, format ? format + 2 : 0, format);
    strbuf_add(out, looks[format].right
                        ? STR(" applyAlignment=\"1\"><alignment horizontal=\"right\"/></xf>")
                        : STR("/>"));
}

Str xlsx_styles(const Theme *theme, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    strbuf_printf(&out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<styleSheet "
                  "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
                  "<fonts count=\"%d\">",
                  XLSX_FORMATS);
    for (int i = 0; i < XLSX_FORMATS; i++)
        add_font(&out, theme, &looks[i]);
    strbuf_printf(&out,
                  "</fonts><fills count=\"%d\"><fill><patternFill patternType=\"none\"/></fill>"
                  "<fill><patternFill patternType=\"gray125\"/></fill>",
                  XLSX_FORMATS + 2);
    for (int i = 0; i < XLSX_FORMATS; i++)
        add_fill(&out, theme, &looks[i]);
    strbuf_printf(&out, "</fills><borders count=\"%d\">", XLSX_FORMATS);
    for (int i = 0; i < XLSX_FORMATS; i++)
        add_border(&out, theme, i);
    strbuf_printf(&out,
                  "</borders><cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" "
                  "fillId=\"0\" borderId=\"0\"/></cellStyleXfs><cellXfs count=\"%d\">",
                  XLSX_FORMATS);
    for (int i = 0; i < XLSX_FORMATS; i++)
        add_format(&out, i);
    strbuf_add(&out, STR("</cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
                         "builtinId=\"0\"/></cellStyles></styleSheet>"));
    return strbuf_str(&out);
}
