// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_shape.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "base/word_figure.h"

// A number with so many digits is never near a bound that a reader knows.
enum { SAFE_DIGITS = 15, WORD_BYTES = sizeof(uint64_t) };

typedef enum PieceUse {
    PIECE_END,     // of the line
    PIECE_DIGITS,  // as many digits: part of a date, a time of day, a constant
    PIECE_LOOSE,   // any digits
    PIECE_COUNT,   // a step, an epoch
    PIECE_FIGURE
} PieceUse;

// A number and the text in front of it.
struct ShapePiece {
    uint16_t from, size;  // of the text
    uint8_t use, digits;
    bool padded;     // more blanks may follow the text
    bool grouped;    // "7,282"
    bool alike;      // sign, point and exponent are those of `first`
    Figure first;    // as it was learnt
    Figure *out;     // of its field, or NULL
    int64_t *count;  // of the place, or NULL
};

static bool is_key_letter(char c)
{
    unsigned char letter = (unsigned char)(c | 0x20);
    return (letter >= 'a' && letter <= 'z') || c == '_' || c == '@' || (unsigned char)c >= 0x80;
}

static size_t digits_stop(Str line, size_t at)
{
    while (at < line.size && is_digit(line.data[at]))
        at++;
    return at;
}

static char byte_at(Str line, size_t at)
{
    return at < line.size ? line.data[at] : '\0';
}

// The same for readers that ask whether a number may be a count.
static bool same_class(const Figure *a, const Figure *b)
{
    return number_can_count(a->value) && number_can_count(b->value) && a->exponent == b->exponent &&
           (a->decimals > 0) == (b->decimals > 0) && signbit(a->value) == signbit(b->value);
}

// ---- Finding

// What may be looked at: bytes of the line up to `stop`, others up to `readable`.
typedef struct Reach {
    const char *stop, *readable;
    bool open;  // `stop` is where the text ends: where the line does is not known yet
} Reach;

// At most SAFE_DIGITS digits; NULL: there are none, or more.
static inline const char *read_count(const char *from, const Reach *reach, int64_t *out)
{
    const char *at = from, *stop = reach->stop;
    uint64_t word = reach->readable - at >= 8 ? digits_load(at) : UINT64_MAX;
    int count = digits_leading(word);
    if (count > 0 && count < 8 && count <= stop - at) {
        *out = (int64_t)digits_append(0, word, count);
        return at + count;
    }
    if (count == 8 && reach->readable - at >= 2 * WORD_BYTES && stop - at >= 2 * WORD_BYTES) {
        uint64_t second = digits_load(at + WORD_BYTES);
        int more = digits_leading(second);
        *out = (int64_t)digits_append(digits_append(0, word, 8), second, more);
        return more < 8 ? at + 8 + more : NULL;
    }
    const char *safe = stop - at > SAFE_DIGITS ? at + SAFE_DIGITS : stop;
    int64_t value = 0;
    for (; at < safe && is_digit(*at); at++)
        value = value * 10 + (*at - '0');
    *out = value;
    return at > from && !(at < stop && is_digit(*at)) ? at : NULL;
}

static const char *take_count(const ShapePiece *piece, const char *at, const Reach *reach)
{
    int64_t value;
    at = read_count(at, reach, &value);
    *piece->count = value;
    if (piece->out)
        *piece->out = (Figure){.value = (double)value};
    return at;
}

static const char *take_figure(const ShapePiece *piece, const char *at, const Reach *reach)
{
    Figure *figure = piece->out;
    Scan scan = {{at, (size_t)(reach->stop - at)}, 0};
    size_t size = piece->grouped && scan_grouped(&scan, figure) ? scan.at : 0;
    if (!piece->grouped)
        size = figure_at(scan.text, (size_t)(reach->readable - at), figure);
    if (!size || !isfinite(figure->value) || (piece->alike && !same_class(figure, &piece->first)))
        return NULL;
    return at + size;
}

static const char *take_digits(const ShapePiece *piece, const char *from, const Reach *reach)
{
    const char *at = from, *stop = reach->stop;
    uint64_t word = stop - at >= 8 ? digits_load(at) : 0;
    at += stop - at >= 8 ? digits_leading(word) : 0;
    while (at < stop && is_digit(*at))
        at++;
    bool good = piece->use == PIECE_LOOSE ? at > from : at - from == piece->digits;
    return good ? at : NULL;
}

// After the number of the piece, or NULL where it is none.
static inline const char *take_piece(const ShapePiece *piece, const char *at, const Reach *reach)
{
    const char *stop = reach->stop;
    while (piece->padded && at < stop && *at == ' ')
        at++;
    switch ((PieceUse)piece->use) {
    case PIECE_COUNT:
        return take_count(piece, at, reach);
    case PIECE_FIGURE:
        return take_figure(piece, at, reach);
    case PIECE_DIGITS:
    case PIECE_LOOSE:
        return take_digits(piece, at, reach);
    case PIECE_END:
        break;
    }
    bool ends = reach->open ? at < stop && (*at == '\n' || *at == '\r') : at == stop;
    return ends ? at : NULL;
}

static bool same_text(const LineShape *shape, const ShapePiece *piece, const char *at,
                      const Reach *reach)
{
    ptrdiff_t size = piece->size;
    return reach->stop - at >= size && memcmp(at, shape->text + piece->from, (size_t)size) == 0;
}

static bool points_into(Str line, const char *text)
{
    return (uintptr_t)text >= (uintptr_t)line.data &&
           (uintptr_t)text < (uintptr_t)line.data + line.size;
}

// After the line at `at` that has the shape, or NULL.
static const char *shape_fits(LineShape *shape, const char *at, const Reach *reach)
{
    const ShapePiece *piece = shape->pieces, *end = piece + shape->piece_count;
    for (; piece < end && at; piece++)
        at = same_text(shape, piece, at, reach) ? take_piece(piece, at + piece->size, reach) : NULL;
    return at;
}

static LineShape *find_shape(LineShapes *shapes, Str *line, const Reach *reach, int owner)
{
    size_t at = shapes->recent;
    for (size_t i = 0; i < SHAPES_MAX; i++, at = (at + 1) % SHAPES_MAX) {
        LineShape *shape = shapes->items[at];
        const char *end =
            shape && shape->owner == owner ? shape_fits(shape, line->data, reach) : NULL;
        if (!end)
            continue;
        line->size = (size_t)(end - line->data);
        shapes->recent = at;
        shapes->fitted++;
        return shape;
    }
    return NULL;
}

LineShape *shapes_find(LineShapes *shapes, Str line, int owner)
{
    Str text = points_into(shapes->text, line.data) ? shapes->text : line;
    Reach reach = {line.data + line.size, text.data + text.size, false};
    return find_shape(shapes, &line, &reach, owner);
}

LineShape *shapes_find_ahead(LineShapes *shapes, size_t at, int owner, Str *line)
{
    const char *stop = shapes->text.data + shapes->text.size;
    *line = str_slice(shapes->text, at, shapes->text.size);
    return find_shape(shapes, line, &(Reach){stop, stop, true}, owner);
}

bool shape_store(const LineShape *shape, int64_t step, uint64_t line)
{
    const LineReading *reading = &shape->reading;
    part_begin(reading->part, step, reading->kind, line);
    part_add_again(reading->part, reading->fields, reading->field_count, reading->beside_loss);
    return part_end(reading->part);
}

// ---- Learning

// What is known of a line while its pieces are made.
typedef struct Learning {
    Str line;
    const LineReading *reading;
    LineShape *shape;
    size_t text_size;
    size_t from;   // where the text begins that belongs to the next piece
    size_t found;  // fields and counts whose number was found
} Learning;

static bool add_piece(Learning *learning, size_t at, ShapePiece piece)
{
    LineShape *shape = learning->shape;
    size_t size = at - learning->from;
    if (shape->piece_count == SHAPE_PIECES_MAX)
        return false;
    piece.padded = learning->reading->padded && piece.use >= PIECE_COUNT && size &&
                   learning->line.data[at - 1] == ' ';
    while (piece.padded && size > 1 && learning->line.data[learning->from + size - 2] == ' ')
        size--;
    piece.from = (uint16_t)learning->text_size;
    piece.size = (uint16_t)size;
    memcpy(shape->text + learning->text_size, learning->line.data + learning->from, size);
    learning->text_size += size;
    shape->pieces[shape->piece_count++] = piece;
    return true;
}

// The field whose number begins there, or NULL.
static PartField *field_at(const LineShape *shape, const char *text)
{
    for (size_t i = 0; i < shape->reading.field_count; i++)
        if (!shape->fields[i].absent && shape->fields[i].figure.text == text)
            return &shape->fields[i];
    return NULL;
}

// The count of the place whose digits begin there, or NULL.
static int64_t *count_at(LogPlace *place, const char *text)
{
    return place->has_step && text == place->step_text      ? &place->step
           : place->has_epoch && text == place->epoch_text  ? &place->epoch
           : place->total_text && text == place->total_text ? &place->total
                                                            : NULL;
}

// Counters decide by whether they are whole.
static bool is_counter(Str printed)
{
    static const char *const names[] = {"epoch", "epochs",      "batch",
                                        "it",    "global_step", "num_updates"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal_nocase(printed, str_of(names[i])))
            return true;
    return false;
}

// Of finite numbers.
static bool same_figure(const Figure *a, const Figure *b)
{
    return a->value == b->value && signbit(a->value) == signbit(b->value) &&
           a->decimals == b->decimals && a->exponent == b->exponent;
}

// Between two numbers: how many digits stand around it may say what both are, as in "10:05".
static bool is_glue(const Learning *learning, size_t at)
{
    Str line = learning->line;
    char c = byte_at(line, at);
    bool mark = c == ':' || c == '-' || c == '.' || (c == ',' && !learning->reading->table);
    return mark && at > 0 && is_digit(line.data[at - 1]) && is_digit(byte_at(line, at + 1));
}

// What comes after a number must end it whatever its digits are.
static bool ends_number(const Learning *learning, size_t at, bool counts)
{
    char c = byte_at(learning->line, at);
    return !is_glue(learning, at) && c != '.' && !(counts && (c | 0x20) == 'e');
}

// The number as the reader took it, again: where it ends, or NULL.
static const char *learn_figure(ShapePiece *piece, Str rest)
{
    Scan scan = scan_of(rest);
    const Figure *want = piece->out;
    if (!scan_figure(&scan, &piece->first) || !same_figure(&piece->first, want)) {
        scan.at = 0;
        piece->grouped = true;
        if (!scan_grouped(&scan, &piece->first) || !same_figure(&piece->first, want))
            return NULL;
    }
    return isfinite(want->value) ? rest.data + scan.at : NULL;
}

static const char *learn_count(ShapePiece *piece, Str rest)
{
    int64_t value;
    const char *end = rest.data + rest.size;
    const char *stop = read_count(rest.data, &(Reach){end, end, false}, &value);
    piece->use = PIECE_COUNT;
    piece->first = (Figure){.value = (double)value};
    bool good =
        stop && value == *piece->count && (!piece->out || same_figure(&piece->first, piece->out));
    return good ? stop : NULL;
}

static bool learn_number(Learning *learning, size_t *at, const PartField *field, ShapePiece piece)
{
    Str line = learning->line, rest = str_slice(line, *at, line.size);
    if (*at && is_glue(learning, *at - 1))
        return false;
    const char *end = piece.count ? learn_count(&piece, rest) : learn_figure(&piece, rest);
    size_t stop = end ? (size_t)(end - line.data) : 0;
    if (!end || !ends_number(learning, stop, piece.count != NULL))
        return false;
    // A letter may be the unit of a number without exponent.
    piece.alike = field && (is_counter(field->printed) || is_key_letter(byte_at(line, stop)));
    if (!add_piece(learning, *at, piece))
        return false;
    learning->found += (size_t)(piece.out != NULL) + (size_t)(piece.count != NULL);
    learning->from = *at = stop;
    return true;
}

static bool is_fixed(const Learning *learning, size_t at)
{
    const char *text = learning->line.data + at;
    for (size_t i = 0; i < learning->reading->fixed_count; i++)
        if (points_into(learning->reading->fixed[i], text))
            return true;
    for (size_t i = 0; i < learning->shape->reading.field_count; i++)
        if (points_into(learning->shape->fields[i].printed, text))
            return true;
    return false;
}

// In a word such as "rank7", "1.0e-06", "loss_1": what it says may depend on the digits.
static bool in_word(Str line, size_t at)
{
    while (at > 0 && (is_digit(line.data[at - 1]) || is_key_letter(line.data[at - 1]) ||
                      memchr("-./", line.data[at - 1], 3)))
        if (is_key_letter(line.data[--at]))
            return true;
    return false;
}

// Digits that are no number of the record.
static bool learn_digits(Learning *learning, size_t *at)
{
    Str line = learning->line;
    size_t from = *at, stop = digits_stop(line, from);
    char before = from ? line.data[from - 1] : '\0', behind = byte_at(line, stop);
    bool grouped = behind == ',' && is_digit(byte_at(line, stop + 1)) && before != ':';
    bool table = learning->reading->table;
    *at = stop;
    if (stop - from > SAFE_DIGITS || is_fixed(learning, from) || in_word(line, from) ||
        (grouped && !table))
        return true;
    bool loose = before == ' ' && (behind == '.' || behind == ':') && !table;
    ShapePiece piece = {.use = loose ? PIECE_LOOSE : PIECE_DIGITS,
                        .digits = (uint8_t)(stop - from)};
    if (!add_piece(learning, from, piece))
        return false;
    learning->from = stop;
    return true;
}

static bool learn_pieces(Learning *learning)
{
    Str line = learning->line;
    for (size_t at = 0; at < line.size;) {
        PartField *field = field_at(learning->shape, line.data + at);
        ShapePiece piece = {.use = PIECE_FIGURE,
                            .out = field ? &field->figure : NULL,
                            .count = count_at(&learning->shape->reading.place, line.data + at)};
        if (piece.out || piece.count) {
            if (is_fixed(learning, at) || !learn_number(learning, &at, field, piece))
                return false;
        } else if (!is_digit(line.data[at])) {
            at++;
        } else if (!learn_digits(learning, &at)) {
            return false;
        }
    }
    return add_piece(learning, line.size, (ShapePiece){.use = PIECE_END});
}

// So many numbers the record has; all of them must have been found, each in a place of its own.
static size_t figures_held(const LineShape *shape)
{
    const LogPlace *place = &shape->reading.place;
    return shape->present + place->has_step + place->has_epoch + (place->total_text != NULL);
}

static LineShape *shape_new(Arena *arena)
{
    LineShape *shape = ARENA_NEW(arena, LineShape);
    shape->text = ARENA_ARRAY(arena, char, SHAPE_BYTES_MAX);
    shape->pieces = ARENA_ARRAY(arena, ShapePiece, SHAPE_PIECES_MAX);
    shape->fields = ARENA_ARRAY(arena, PartField, SHAPE_PIECES_MAX);
    return shape;
}

static bool shape_learn(LineShape *shape, Str line, const LineReading *reading)
{
    Learning learning = {.line = line, .reading = reading, .shape = shape};
    shape->reading = *reading;
    shape->reading.fields = shape->fields;
    shape->piece_count = 0;
    memcpy(shape->fields, reading->fields, reading->field_count * sizeof *reading->fields);
    shape->present = 0;
    for (size_t i = 0; i < reading->field_count; i++)
        shape->present += !reading->fields[i].absent;
    return learn_pieces(&learning) && learning.found == figures_held(shape);
}

LineShape *shapes_learn(LineShapes *shapes, Str line, const LineReading *reading, int owner,
                        Arena *arena)
{
    enum { ATTEMPTS = 64, SELDOM = 16 };
    bool vain = shapes->attempts++ > ATTEMPTS + shapes->fitted && shapes->attempts % SELDOM;
    if (vain || line.size > SHAPE_BYTES_MAX || reading->field_count == 0 ||
        reading->field_count > SHAPE_PIECES_MAX)
        return NULL;
    if (!shapes->spare)
        shapes->spare = shape_new(arena);
    LineShape *shape = shapes->spare;
    if (!shape_learn(shape, line, reading))
        return NULL;
    shape->owner = owner;
    shapes->spare = shapes->items[shapes->next];
    shapes->items[shapes->next] = shape;
    shapes->recent = shapes->next;
    shapes->next = (shapes->next + 1) % SHAPES_MAX;
    return shape;
}

LineReading line_reading(const LogPlace *place, Part *part)
{
    return (LineReading){.plain = true,
                         .place = *place,
                         .part = part,
                         .kind = part->kind,
                         .beside_loss = part->beside_loss,
                         .fields = part->fields,
                         .field_count = part->ended_count};
}
