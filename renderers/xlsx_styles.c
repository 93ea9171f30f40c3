// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_styles.h"

#include <math.h>
#include <stdlib.h>

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

static lxw_format *make_style(lxw_workbook *book, const Theme *theme, CellStyle style)
{
    if (style == STYLE_MSPROBE_RED || style == STYLE_MSPROBE_YELLOW)
        return make_filled(book, style == STYLE_MSPROBE_RED ? 0xFF0000 : 0xFFFF00);
    return make(book, theme, &looks[style]);
}

NumberFormat xlsx_number_format(const Cell *cell)
{
    if (cell->kind != CELL_NUMBER || !isfinite(cell->number))
        return NUMBER_GENERAL;
    if (str_ends(cell->text, STR("%")))
        return NUMBER_PERCENT;
    if (fabs(cell->number) < 1e15 && floor(cell->number) == cell->number)
        return str_find_char(cell->text, ',', 0) == SIZE_MAX ? NUMBER_GENERAL : NUMBER_THOUSANDS;
    return fabs(cell->number) >= 0.1 && fabs(cell->number) < 1e6 ? NUMBER_FIXED : NUMBER_SCIENTIFIC;
}

bool xlsx_styles(lxw_workbook *book, const Theme *theme, XlsxStyles *out)
{
    static const StyleLook note = {.ink = ROLE_INK2}, link = {.ink = ROLE_GOLDEN};
    static const char *const numbers[NUMBER_FORMATS] = {[NUMBER_WHOLE] = "0\\ ",
                                                        [NUMBER_FIXED] = "0.0000\\ ",
                                                        [NUMBER_SCIENTIFIC] = "0.00E+00\\ ",
                                                        [NUMBER_THOUSANDS] = "#,##0\\ ",
                                                        [NUMBER_PERCENT] = "0.0%\\ "};
    *out = (XlsxStyles){0};
    bool good = true;
    for (int style = 0; style < STYLE_COUNT; style++)
        for (int number = 0; number < NUMBER_FORMATS; number++) {
            if (style == STYLE_PLAIN && number == NUMBER_GENERAL)
                continue;
            lxw_format *format = make_style(book, theme, (CellStyle)style);
            if (format && numbers[number])
                format_set_num_format(format, numbers[number]);
            out->cell[style][number] = format;
            good = good && format;
        }
    out->header = make_header(book, theme);
    out->header_number = make_header(book, theme);
    out->title = make_header(book, theme);
    out->note = make(book, theme, &note);
    out->link = make(book, theme, &link);
    if (out->header_number)
        format_set_align(out->header_number, LXW_ALIGN_RIGHT);
    if (out->title)
        format_set_text_wrap(out->title);
    if (out->link)
        format_set_underline(out->link, LXW_UNDERLINE_SINGLE);
    return good && out->header && out->header_number && out->title && out->note && out->link;
}

// The library's own function also writes the cells: the rows are ours.
lxw_error xlsx_merge_title(lxw_worksheet *sheet, lxw_col_t last)
{
    struct lxw_merged_range *range = calloc(1, sizeof *range);
    if (!range)
        return LXW_ERROR_MEMORY_MALLOC_FAILED;
    range->last_col = last;
    STAILQ_INSERT_TAIL(sheet->merged_ranges, range, list_pointers);
    sheet->merged_range_count++;
    return LXW_NO_ERROR;
}
