// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_styles.h"

// How a style looks. Status styles carry fill, border and ink of the theme.
typedef struct StyleLook {
    Role fill, edge, ink;
    bool bold, dashed, mono;
} StyleLook;

static const StyleLook looks[STYLE_COUNT] = {
    [STYLE_STRONG] = {.bold = true},
    [STYLE_MUTED] = {.ink = ROLE_INK2},
    [STYLE_CODE] = {.mono = true},
    [STYLE_SAME] = {ROLE_SAME_FILL, ROLE_SAME_EDGE, ROLE_SAME_INK, .bold = false},
    [STYLE_PASS] = {ROLE_PASS_FILL, ROLE_PASS_EDGE, ROLE_PASS_INK, .bold = false},
    [STYLE_PASS_TINT] = {ROLE_NONE, ROLE_PASS_EDGE, ROLE_PASS_INK, .bold = false},
    [STYLE_WARNING] = {ROLE_WARNING_FILL, ROLE_WARNING_EDGE, ROLE_WARNING_INK, .bold = true},
    [STYLE_ERROR] = {ROLE_ERROR_FILL, ROLE_ERROR_EDGE, ROLE_ERROR_INK, .bold = true},
    [STYLE_ERROR_TINT] = {ROLE_ERROR_TINT, ROLE_ERROR_TEDGE, ROLE_ERROR_TINK, .bold = false},
    [STYLE_WARNING_TINT] = {ROLE_WARNING_TINT, ROLE_WARNING_TEDGE, ROLE_WARNING_TINK,
                            .bold = false},
    [STYLE_UNMATCHED] = {ROLE_BAND, ROLE_UNMATCHED_EDGE, ROLE_INK, .dashed = true},
    [STYLE_NO_DATA] = {ROLE_NONE, ROLE_NODATA_EDGE, ROLE_INK3, .dashed = true},
    [STYLE_GOLDEN] = {.ink = ROLE_GOLDEN, .bold = true},
    [STYLE_TARGET] = {.ink = ROLE_TARGET, .bold = true},
};

static void set_fill(lxw_format *format, uint32_t rgb)
{
    format_set_pattern(format, LXW_PATTERN_SOLID);
    format_set_bg_color(format, rgb);
}

static void set_border(lxw_format *format, uint32_t rgb, bool dashed)
{
    format_set_border(format, dashed ? LXW_BORDER_DASHED : LXW_BORDER_THIN);
    format_set_border_color(format, rgb);
}

static lxw_format *make(lxw_workbook *book, const Theme *theme, const StyleLook *look)
{
    lxw_format *format = workbook_add_format(book);
    if (!format)
        return NULL;
    if (look->fill)
        set_fill(format, theme_rgb(theme, look->fill, false));
    if (look->edge)
        set_border(format, theme_rgb(theme, look->edge, false), look->dashed);
    if (look->ink)
        format_set_font_color(format, theme_rgb(theme, look->ink, false));
    if (look->bold)
        format_set_bold(format);
    if (look->mono)
        format_set_font_name(format, "Consolas");
    return format;
}

static lxw_format *make_header(lxw_workbook *book, const Theme *theme)
{
    static const StyleLook look = {.fill = ROLE_PANEL, .ink = ROLE_INK, .bold = true};
    lxw_format *format = make(book, theme, &look);
    if (!format)
        return NULL;
    format_set_bottom(format, LXW_BORDER_THIN);
    format_set_bottom_color(format, theme_rgb(theme, ROLE_RULE, false));
    return format;
}

static lxw_format *make_filled(lxw_workbook *book, uint32_t rgb)
{
    lxw_format *format = workbook_add_format(book);
    if (format)
        set_fill(format, rgb);
    return format;
}

bool xlsx_styles(lxw_workbook *book, const Theme *theme, XlsxStyles *out)
{
    static const StyleLook note = {.ink = ROLE_INK2};
    *out = (XlsxStyles){0};
    bool good = true;
    for (int style = STYLE_PLAIN + 1; style < STYLE_MSPROBE_RED; style++) {
        out->cell[style] = make(book, theme, &looks[style]);
        good = good && out->cell[style];
    }
    out->cell[STYLE_MSPROBE_RED] = make_filled(book, 0xFF0000);
    out->cell[STYLE_MSPROBE_YELLOW] = make_filled(book, 0xFFFF00);
    out->header = make_header(book, theme);
    out->header_number = make_header(book, theme);
    out->note = make(book, theme, &note);
    if (out->header_number)
        format_set_align(out->header_number, LXW_ALIGN_RIGHT);
    return good && out->cell[STYLE_MSPROBE_RED] && out->cell[STYLE_MSPROBE_YELLOW] && out->header &&
           out->header_number && out->note;
}
