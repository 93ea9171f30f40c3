// SPDX-License-Identifier: Apache-2.0
#include "scene/text_width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "scene/font_widths.h"

// Widths are summed in 1/2048 em, the unit of the font, so that sums are exact.
enum { EM = 2048, MONO_WIDTH = 1233, EMOJI_WIDTH = EM * 5 / 4, FIRST_EMOJI = 0x1F000 };

static const Str ellipsis = {"\xE2\x80\xA6", 3};

typedef struct Face {
    bool bold, mono;
} Face;

static int64_t font_width(uint32_t c, Face face)
{
    for (const FontBlock *block = font_blocks; block->last; block++)
        if (c >= block->first && c <= block->last)
            return (face.bold ? block->bold : block->regular)[c - block->first];
    return 0;
}

// utf8_display shows these as "\x1B" or "\u202E"; the escapes are given the width of capitals.
static int escape_chars(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0))
        return 4;
    bool bidi = (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
                c == 0x200F || c == 0xFEFF;
    bool none = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
    return bidi ? 6 : none ? 8 : 0;
}

static int64_t char_width(uint32_t c, Face face)
{
    int escaped = escape_chars(c);
    if (escaped)
        return escaped * char_width('M', face);
    int columns = utf8_columns(c);
    if (c >= FIRST_EMOJI && c < 0x20000)
        return EMOJI_WIDTH;
    if (columns != 1)
        return columns ? EM : 0;
    if (face.mono)
        return MONO_WIDTH;
    int64_t width = font_width(c, face);
    return width ? width : EM;
}

static int64_t units(Str text, Face face)
{
    int64_t sum = 0;
    for (size_t at = 0; at < text.size;)
        sum += char_width(utf8_next(text, &at), face);
    return sum;
}

double text_width(Str text, double size, int weight)
{
    return (double)units(text, (Face){.bold = weight >= 600}) * size / EM;
}

double text_width_mono(Str text, double size)
{
    return (double)units(text, (Face){.mono = true}) * size / EM;
}

// A text to be cut: its bytes are UTF-8 without control characters.
typedef struct Fit {
    Str text;
    Face face;
    int64_t room;  // for what is left of the text, without the ellipses
} Fit;

// End of the longest head that is at most `room` wide.
static size_t head_end(const Fit *fit, size_t from, int64_t room)
{
    size_t end = from;
    for (size_t at = from; at < fit->text.size;) {
        room -= char_width(utf8_next(fit->text, &at), fit->face);
        if (room < 0)
            break;
        end = at;
    }
    return end;
}

// Start of the longest tail, not before `from`, that is at most `room` wide and does not begin with
// a combining mark.
static size_t tail_start(const Fit *fit, size_t from, int64_t room)
{
    size_t start = fit->text.size;
    for (size_t at = start; at > from;) {
        do
            at--;
        while (at > from && ((unsigned char)fit->text.data[at] & 0xC0) == 0x80);
        size_t after = at;
        int64_t width = char_width(utf8_next(fit->text, &after), fit->face);
        room -= width;
        if (room < 0)
            break;
        if (width > 0)
            start = at;
    }
    return start;
}

// The head takes `part` of `whole` of the room, the tail what is left, and the head again what the
// tail could not use.
static Str cut(const Fit *fit, int part, int whole, Arena *arena)
{
    size_t head = head_end(fit, 0, fit->room * part / whole);
    int64_t left = fit->room - units(str_slice(fit->text, 0, head), fit->face);
    size_t tail = tail_start(fit, head, left);
    if (part > 0) {
        left -= units(str_slice(fit->text, tail, fit->text.size), fit->face);
        head = head_end(fit, head, left);
    }
    Str front = str_concat(arena, str_slice(fit->text, 0, head), ellipsis);
    return str_concat(arena, front, str_slice(fit->text, tail, fit->text.size));
}

static size_t count_chars(Str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.size; count++)
        utf8_next(text, &at);
    return count;
}

// True if the text has to be cut and something legible can be left of it; else *out is the result.
static bool must_cut(Str text, double size, int weight, double width, Arena *arena, Fit *fit,
                     Str *out)
{
    *fit = (Fit){.text = utf8_display(text, arena), .face = {.bold = weight >= 600}};
    *out = fit->text;
    double room = size > 0 && width > 0 ? width * EM / size : 0;
    if ((double)units(fit->text, fit->face) <= room)
        return false;
    fit->room = (int64_t)fmin(room, 1e15) - units(ellipsis, fit->face);
    *out = (Str){"", 0};
    return fit->room > 0 && count_chars(cut(fit, 1, 2, arena)) >= 4;
}

Str text_fit(Str text, double size, int weight, double width, Arena *arena)
{
    Fit fit;
    Str whole;
    return must_cut(text, size, weight, width, arena, &fit, &whole) ? cut(&fit, 1, 2, arena)
                                                                    : whole;
}

// "…middle…" from byte `from` on, which is moved back to the start of a character.
static Str cut_from(const Fit *fit, size_t from, Arena *arena)
{
    while (from > 0 && ((unsigned char)fit->text.data[from] & 0xC0) == 0x80)
        from--;
    size_t end = head_end(fit, from, fit->room - units(ellipsis, fit->face));
    Str cut_text = str_slice(fit->text, from, end);
    if (from > 0)
        cut_text = str_concat(arena, ellipsis, cut_text);
    return end < fit->text.size ? str_concat(arena, cut_text, ellipsis) : cut_text;
}

// "…middle…" up to byte `to`, which is moved on to the end of a character.
static Str cut_to(const Fit *fit, size_t to, Arena *arena)
{
    while (to < fit->text.size && ((unsigned char)fit->text.data[to] & 0xC0) == 0x80)
        to++;
    Fit before = *fit;
    before.text.size = to;
    size_t from = tail_start(&before, 0, fit->room - units(ellipsis, fit->face));
    Str cut_text = str_slice(fit->text, from, to);
    if (from > 0)
        cut_text = str_concat(arena, ellipsis, cut_text);
    return to < fit->text.size ? str_concat(arena, cut_text, ellipsis) : cut_text;
}

// "head…~2": the last resort.
static Str cut_numbered(const Fit *fit, size_t number, Arena *arena)
{
    Str mark = str_printf(arena, "\xE2\x80\xA6~%zu", number);
    int64_t room = fit->room - units(str_slice(mark, ellipsis.size, mark.size), fit->face);
    size_t end = head_end(fit, 0, room);
    return end ? str_concat(arena, str_slice(fit->text, 0, end), mark) : cut(fit, 1, 2, arena);
}

typedef struct Label {
    Fit fit;
    Str out;
    size_t index;
    bool is_cut;
} Label;

static int compare_labels(const void *left, const void *right)
{
    const Label *a = left;
    const Label *b = right;
    int order = str_compare(a->out, b->out);
    if (!order)
        order = str_compare(a->fit.text, b->fit.text);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static size_t common_head(Str a, Str b)
{
    size_t size = 0;
    while (size < a.size && size < b.size && a.data[size] == b.data[size])
        size++;
    return size;
}

static size_t common_tail(Str a, Str b)
{
    size_t size = 0;
    while (size < a.size && size < b.size && a.data[a.size - 1 - size] == b.data[b.size - 1 - size])
        size++;
    return size;
}

// The ways to cut, tried in this order: head to tail 1:1, 3:1, 1:3, all head, all tail, around the
// first and the last difference, numbered.
enum { WAY_EVEN, WAY_HEAD, WAY_TAIL, WAY_ALL_HEAD, WAY_ALL_TAIL, WAY_FIRST, WAY_LAST, WAY_NUMBER };

// *number counts the numbered texts of all groups.
static void cut_group(Label *labels, size_t count, int way, size_t *number, Arena *arena)
{
    static const int head_part[] = {2, 3, 1, 4, 0};
    size_t head = common_head(labels[0].fit.text, labels[count - 1].fit.text);
    size_t tail = SIZE_MAX;
    for (size_t i = 1; i < count; i++) {
        size_t same = common_tail(labels[0].fit.text, labels[i].fit.text);
        if (!str_equal(labels[0].fit.text, labels[i].fit.text) && same < tail)
            tail = same;
    }
    Str before = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        Label *label = &labels[i];
        *number += !str_equal(before, label->fit.text);
        before = label->fit.text;
        if (!label->is_cut)
            continue;
        if (way < WAY_FIRST)
            label->out = cut(&label->fit, head_part[way], 4, arena);
        else if (way == WAY_FIRST)
            label->out = cut_from(&label->fit, head > 2 ? head - 2 : 0, arena);
        else if (way == WAY_LAST)
            label->out = cut_to(&label->fit, before.size - tail, arena);
        else
            label->out = cut_numbered(&label->fit, *number, arena);
    }
}

static bool recut_groups(Label *labels, size_t count, int way, Arena *arena)
{
    bool any = false;
    size_t number = 0;
    qsort(labels, count, sizeof *labels, compare_labels);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && str_equal(labels[to].out, labels[from].out); to++)
            ;
        if (!labels[from].out.size || str_equal(labels[from].fit.text, labels[to - 1].fit.text))
            continue;
        cut_group(labels + from, to - from, way, &number, arena);
        any = true;
    }
    return any;
}

void text_fit_distinct(const Str *texts, size_t count, double size, int weight, double width,
                       Arena *arena, Str *out)
{
    if (!count)
        return;
    Arena *scratch = arena_new();
    Label *labels = ARENA_ARRAY(scratch, Label, count);
    for (size_t i = 0; i < count; i++) {
        Label *label = &labels[i];
        label->index = i;
        label->is_cut = must_cut(texts[i], size, weight, width, scratch, &label->fit, &label->out);
        if (label->is_cut)
            label->out = cut(&label->fit, 1, 2, scratch);
    }
    for (int way = WAY_HEAD; way <= WAY_NUMBER; way++)
        if (!recut_groups(labels, count, way, scratch))
            break;
    for (size_t i = 0; i < count; i++)
        out[labels[i].index] = str_copy(arena, labels[i].out);
    arena_release(scratch);
}
