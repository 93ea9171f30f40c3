// SPDX-License-Identifier: Apache-2.0
// The cells that most tables hold, each in one place.
#include "report/kit/cell.h"

#include <math.h>

#include "base/words.h"
#include "verdict/figure_text.h"

CellStyle style_of_status(Status status, bool inherited)
{
    switch (status) {
    case STATUS_SAME:
        return STYLE_SAME;
    case STATUS_PASS:
        return inherited ? STYLE_PASS_TINT : STYLE_PASS;
    case STATUS_WARNING:
        return inherited ? STYLE_WARNING_TINT : STYLE_WARNING;
    case STATUS_ERROR:
        return inherited ? STYLE_ERROR_TINT : STYLE_ERROR;
    case STATUS_UNMATCHED:
        return STYLE_UNMATCHED;
    default:
        return STYLE_NO_DATA;
    }
}

// Translated.
static Str translated_status(Status status)
{
    static const char *const words[STATUS_COUNT] = {
        [STATUS_NO_DATA] = TR("no data"), [STATUS_SAME] = TR("same"),
        [STATUS_PASS] = TR("pass"),       [STATUS_WARNING] = TR("warning"),
        [STATUS_ERROR] = TR("error"),     [STATUS_UNMATCHED] = TR("unmatched")};
    return str_of(tr(words[status]));
}

Cell cell_word(const char *word)
{
    return cell_text(str_of(tr(word)));
}

Cell cell_code(Str text)
{
    return cell_styled(STYLE_CODE, text);
}

Cell cell_strong(Str text)
{
    return cell_styled(STYLE_STRONG, text);
}

Cell cell_dash(void)
{
    return cell_text(STR("—"));
}

Cell cell_side(bool target)
{
    return target ? cell_styled(STYLE_TARGET, str_of(tr("target")))
                  : cell_styled(STYLE_GOLDEN, str_of(tr("golden")));
}

Cell cell_status(Status status, bool inherited)
{
    return cell_styled(style_of_status(status, inherited), translated_status(status));
}

Cell cell_linked(Cell cell, Str link)
{
    cell.link = link;
    return cell;
}

Cell cell_titled(Cell cell, Str title)
{
    cell.title = title;
    return cell;
}

Cell cell_in(Cell cell, CellStyle style)
{
    cell.style = style;
    return cell;
}

Cell cell_count(uint64_t count, Arena *arena)
{
    return cell_number_as((double)count, figure_count(count, arena));
}

Cell cell_count_or_dot(uint64_t count, Arena *arena)
{
    return cell_number_as((double)count, figure_count_or_dot(count, arena));
}

Cell cell_int(int64_t number, Arena *arena)
{
    return cell_number_as((double)number, str_printf(arena, "%lld", (long long)number));
}

Cell cell_step(int64_t step, Arena *arena)
{
    return step < 0 ? cell_int(step, arena) : cell_count((uint64_t)step, arena);
}

Cell cell_value(double value)
{
    if (isfinite(value))
        return cell_number(value);
    return cell_text(isnan(value) ? STR("NaN") : value > 0 ? STR("Inf") : STR("-Inf"));
}

Cell cell_digits(double value, int digits, Arena *arena)
{
    return cell_number_as(value, figure_number(value, digits, arena));
}

Cell cell_figure(double value, Arena *arena)
{
    Str shown = isnan(value) ? STR("—") : figure_number(value, 3, arena);
    return isfinite(value) ? cell_number_as(value, shown) : cell_text(shown);
}

Cell cell_percent(double share, Arena *arena)
{
    if (!isfinite(share))
        return cell_dash();
    Str shown = figure_number(100 * share, 3, arena);
    return cell_number_as(share, str_printf(arena, STR_FMT " %%", STR_ARG(shown)));
}

Cell cell_op_error(ErrorWord word, double error, Arena *arena)
{
    return word == ERROR_WORD_NONE ? cell_error(error, arena) : cell_word(error_word(word));
}

Cell cell_error(double error, Arena *arena)
{
    Str shown = figure_error(error, arena);
    return isfinite(error) && error >= 0 ? cell_number_as(error, shown) : cell_text(shown);
}
