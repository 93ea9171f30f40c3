// SPDX-License-Identifier: Apache-2.0
#include "verdict/figure_text.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "scene/text_width.h"

static Str with_minus(const char *text, Arena *arena)
{
    if (text[0] != '-')
        return str_copy(arena, str_of(text));
    return str_printf(arena, "−%s", text + 1);
}

Str figure_number(double value, int digits, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_significant(value, digits, text);
    return with_minus(text, arena);
}

Str figure_error(double error, Arena *arena)
{
    if (isnan(error))
        return STR("—");
    if (error < 0)
        return STR("=");
    char text[NUMBER_BYTES];
    number_error(error, 3, text);
    return with_minus(text, arena);
}

Str figure_count(uint64_t value, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_count(value, text);
    return str_copy(arena, str_of(text));
}

Str figure_count_or_dot(uint64_t value, Arena *arena)
{
    return value ? figure_count(value, arena) : STR("·");
}

Str figure_step(int64_t step, Arena *arena)
{
    return step < 0 ? str_printf(arena, "%lld", (long long)step)
                    : figure_count((uint64_t)step, arena);
}

Item *figure_decade(Scene *scene, double x, double y, float size, Anchor anchor, Role role,
                    int exponent)
{
    const char *minus = exponent < 0 ? "−" : "";
    int digits = exponent < 0 ? -exponent : exponent;
    Span spans[2] = {
        {.text = STR("10")},
        {.text = str_printf(scene->arena, "%s%d", minus, digits),
         .size = size * 0.76F,
         .raise = 0.36F},
    };
    return scene_spans(scene, x, y, size, anchor, role, spans, 2);
}

static bool may_end_after(uint32_t character, const char *after)
{
    if (utf8_columns(character) == 2)
        return true;
    return character < 0x80 && character != 0 && strchr(after, (int)character) != NULL;
}

// The end of the line that starts at `from`: after the last break that fits. A word that is longer
// than the whole line ends after its last dot, dash, slash or underscore that fits, or anywhere.
// `from` itself when the first word does not fit next to the indent.
static size_t line_end(Str text, size_t from, double room, bool indented, const WrapRule *rule)
{
    double width = 0;
    size_t last_break = from, joint = from;
    for (size_t at = from; at < text.size;) {
        size_t start = at;
        uint32_t character = utf8_next(text, &at);
        Str glyph = str_slice(text, start, at);
        width += text_width(glyph, rule->size, rule->weight);
        if (width > room && character != ' ') {
            if (last_break > from || indented)
                return last_break;
            return joint > from ? joint : start > from ? start : at;
        }
        bool unit = at < text.size && text.data[at] == '%';  // "1 %" stays whole
        if (may_end_after(character, rule->after) && !unit)
            last_break = at;
        if (may_end_after(character, "._-/") && width > room / 2)
            joint = at;
    }
    return text.size;
}

static size_t wrap(Str text, const WrapRule *rule, Arena *arena, Str *out)
{
    size_t count = 0;
    size_t from = 0;
    while (from < text.size && count < rule->lines) {
        double room = rule->width - (count ? 0 : rule->indent);
        bool last = count + 1 == rule->lines;
        size_t end = line_end(text, from, room, count == 0 && rule->indent > 0 && !last, rule);
        if (last && end < text.size) {
            Str rest = str_slice(text, from, text.size);
            out[count++] = text_fit(rest, rule->size, rule->weight, room, arena);
            return count;
        }
        out[count++] = str_trim(str_slice(text, from, end));
        from = end;
    }
    return count;
}

// How many lines end inside a word.
static size_t count_cuts(Str text, const Str *lines, size_t count)
{
    size_t cuts = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const char *end = lines[i].data + lines[i].size;
        cuts += lines[i].size && end < text.data + text.size && *end != ' ';
    }
    return cuts;
}

// The widest of some widths that cuts no more words than the full one, needs no more lines and
// leaves the last line no stump.
static double even_width(Str text, const WrapRule *rule, const Str *whole, size_t count)
{
    enum { MOST_LINES = 8 };
    Arena *scratch = arena_new();
    Str lines[MOST_LINES];
    double width = rule->width;
    size_t cuts = count_cuts(text, whole, count);
    for (int share = 20; share >= 12 && count < MOST_LINES; share--) {
        WrapRule narrow = *rule;
        narrow.width = rule->width * share / 20;
        narrow.lines = count + 1;
        size_t needed = wrap(text, &narrow, scratch, lines);
        if (needed > count || count_cuts(text, lines, needed) > cuts)
            break;
        width = narrow.width;
        if (text_width(lines[needed - 1], rule->size, rule->weight) >= 0.3 * rule->width)
            break;
    }
    arena_release(scratch);
    return width;
}

size_t figure_wrap(Str text, const WrapRule *rule, Arena *arena, Str *out)
{
    size_t count = wrap(text, rule, arena, out);
    bool cut = count == rule->lines && str_find(out[count - 1], STR("…"), 0) != SIZE_MAX;
    if (!rule->even || count < 2 || cut)
        return count;
    WrapRule narrow = *rule;
    narrow.width = even_width(text, rule, out, count);
    return wrap(text, &narrow, arena, out);
}
