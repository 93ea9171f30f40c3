// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_shape.h"

#include <math.h>
#include <string.h>

// A number with so many digits is never near a bound that a reader knows.
enum { SAFE_DIGITS = 15, NO_PIECE = -1 };

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
    bool padded;   // more blanks may follow the text
    bool grouped;  // "7,282"
    bool alike;    // sign, point and exponent are those of the figure
    Figure figure;
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

static bool same_class(const Figure *a, const Figure *b)
{
    return a->exponent == b->exponent && (a->decimals > 0) == (b->decimals > 0) &&
           signbit(a->value) == signbit(b->value);
}

// ---- Finding

// At most SAFE_DIGITS digits.
static bool read_count(Str line, size_t *at, Figure *out)
{
    size_t from = *at, stop = from + SAFE_DIGITS < line.size ? from + SAFE_DIGITS : line.size;
    int64_t value = 0;
    for (; *at < stop && is_digit(line.data[*at]); ++*at)
        value = value * 10 + (line.data[*at] - '0');
    *out = (Figure){.value = (double)value, .text = line.data + from};
    return *at > from && !is_digit(byte_at(line, *at));
}

static bool read_figure(ShapePiece *piece, Str line, size_t *at)
{
    Scan scan = {line, *at};
    Figure figure;
    if (!(piece->grouped ? scan_grouped(&scan, &figure) : scan_figure(&scan, &figure)) ||
        !isfinite(figure.value) || (piece->alike && !same_class(&figure, &piece->figure)))
        return false;
    piece->figure = figure;
    *at = scan.at;
    return true;
}

static bool read_piece(ShapePiece *piece, Str line, size_t *at)
{
    size_t from = *at;
    while (piece->padded && *at < line.size && line.data[*at] == ' ')
        ++*at;
    switch ((PieceUse)piece->use) {
    case PIECE_COUNT:
        return read_count(line, at, &piece->figure);
    case PIECE_FIGURE:
        return read_figure(piece, line, at);
    case PIECE_DIGITS:
        *at = digits_stop(line, from);
        return *at - from == piece->digits;
    case PIECE_LOOSE:
        *at = digits_stop(line, from);
        return *at > from && *at - from <= SAFE_DIGITS;
    case PIECE_END:
        break;
    }
    return *at == line.size;
}

static bool shape_fits(LineShape *shape, Str line)
{
    size_t at = 0;
    for (size_t i = 0; i < shape->piece_count; i++) {
        ShapePiece *piece = &shape->pieces[i];
        if (line.size - at < piece->size ||
            memcmp(line.data + at, shape->text + piece->from, piece->size) != 0)
            return false;
        at += piece->size;
        if (!read_piece(piece, line, &at))
            return false;
    }
    return true;
}

static int64_t count_of(const LineShape *shape, int piece)
{
    return piece == NO_PIECE ? 0 : (int64_t)shape->pieces[piece].figure.value;
}

static void take_numbers(LineShape *shape)
{
    shape->reading.place.step = count_of(shape, shape->step_piece);
    shape->reading.place.epoch = count_of(shape, shape->epoch_piece);
    shape->reading.place.total = count_of(shape, shape->total_piece);
    for (size_t i = 0; i < shape->reading.field_count; i++)
        if (!shape->fields[i].absent)
            shape->fields[i].figure = shape->pieces[shape->field_pieces[i]].figure;
}

LineShape *shapes_find(LineShapes *shapes, Str line, int owner)
{
    for (size_t i = 0; i < SHAPES_MAX; i++) {
        size_t at = (shapes->recent + i) % SHAPES_MAX;
        LineShape *shape = shapes->items[at];
        if (!shape || shape->owner != owner || !shape_fits(shape, line))
            continue;
        take_numbers(shape);
        shapes->recent = at;
        shapes->fitted++;
        return shape;
    }
    return NULL;
}

// ---- Learning

// What is known of a line while its pieces are made.
typedef struct Learning {
    Str line;
    const LineReading *reading;
    LineShape *shape;
    size_t text_size;
    size_t from;  // where the text begins that belongs to the next piece
} Learning;

static bool points_into(Str line, const char *text)
{
    return (uintptr_t)text >= (uintptr_t)line.data &&
           (uintptr_t)text < (uintptr_t)line.data + line.size;
}

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
static const PartField *field_at(const LineShape *shape, const char *text)
{
    for (size_t i = 0; i < shape->reading.field_count; i++)
        if (!shape->fields[i].absent && shape->fields[i].figure.text == text)
            return &shape->fields[i];
    return NULL;
}

static bool is_place(const LogPlace *place, const char *text)
{
    return text == place->step_text || text == place->epoch_text || text == place->total_text;
}

// Counters decide by whether they are whole.
static bool is_counter(Str printed)
{
    static const char *const names[] = {"epoch", "epochs", "batch", "it"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal_nocase(printed, str_of(names[i])))
            return true;
    return false;
}

static bool same_figure(const Figure *a, const Figure *b)
{
    return memcmp(&a->value, &b->value, sizeof a->value) == 0 && a->decimals == b->decimals &&
           a->exponent == b->exponent;
}

// Between two numbers: how many digits stand around it may say what both are, as in "10:05".
static bool is_glue(const Learning *learning, size_t at)
{
    Str line = learning->line;
    char c = byte_at(line, at);
    bool mark = c == ':' || c == '-' || c == '.' || (c == ',' && !learning->reading->table);
    return mark && at > 0 && is_digit(line.data[at - 1]) && is_digit(byte_at(line, at + 1));
}

// What stands behind a number must end it whatever its digits are.
static bool ends_number(const Learning *learning, size_t at, bool counts)
{
    char c = byte_at(learning->line, at);
    return !is_glue(learning, at) && c != '.' && !(counts && (c | 0x20) == 'e');
}

static bool learn_number(Learning *learning, size_t *at, const PartField *field)
{
    Str line = learning->line;
    const LogPlace *place = &learning->reading->place;
    ShapePiece piece = {.use = PIECE_FIGURE};
    size_t stop = *at;
    bool counts = is_place(place, line.data + *at);
    if (*at && is_glue(learning, *at - 1))
        return false;
    if (counts) {
        piece.use = PIECE_COUNT;
        if (!read_count(line, &stop, &piece.figure))
            return false;
    } else {
        Scan scan = {line, *at};
        scan_figure(&scan, &piece.figure);
        if (!same_figure(&piece.figure, &field->figure)) {
            scan.at = *at;
            scan_grouped(&scan, &piece.figure);
            piece.grouped = true;
        }
        stop = scan.at;
        // A letter may be the unit of a number without exponent.
        piece.alike = is_counter(field->printed) || is_key_letter(byte_at(line, stop));
    }
    if ((field && !same_figure(&piece.figure, &field->figure)) || !isfinite(piece.figure.value) ||
        !ends_number(learning, stop, counts) || !add_piece(learning, *at, piece))
        return false;
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
        const PartField *field = field_at(learning->shape, line.data + at);
        if (field || is_place(&learning->reading->place, line.data + at)) {
            if (is_fixed(learning, at) || !learn_number(learning, &at, field))
                return false;
        } else if (!is_digit(line.data[at])) {
            at++;
        } else if (!learn_digits(learning, &at)) {
            return false;
        }
    }
    return add_piece(learning, line.size, (ShapePiece){.use = PIECE_END});
}

static int piece_of(const LineShape *shape, const char *text)
{
    for (size_t i = 0; i < shape->piece_count; i++)
        if (text && shape->pieces[i].figure.text == text)
            return (int)i;
    return NO_PIECE;
}

// Every number of the record has its piece, and gives what the reader took.
static bool learn_numbers(LineShape *shape, const LogPlace *place)
{
    shape->step_piece = piece_of(shape, place->step_text);
    shape->epoch_piece = piece_of(shape, place->epoch_text);
    shape->total_piece = piece_of(shape, place->total_text);
    for (size_t i = 0; i < shape->reading.field_count; i++) {
        int piece = piece_of(shape, shape->fields[i].figure.text);
        if (piece == NO_PIECE && !shape->fields[i].absent)
            return false;
        shape->field_pieces[i] = (uint8_t)(shape->fields[i].absent ? 0 : piece);
    }
    return (!place->has_step ||
            (shape->step_piece != NO_PIECE && count_of(shape, shape->step_piece) == place->step)) &&
           (!place->has_epoch || (shape->epoch_piece != NO_PIECE &&
                                  count_of(shape, shape->epoch_piece) == place->epoch)) &&
           count_of(shape, shape->total_piece) == place->total;
}

static LineShape *shape_new(Arena *arena)
{
    LineShape *shape = ARENA_NEW(arena, LineShape);
    shape->text = ARENA_ARRAY(arena, char, SHAPE_BYTES_MAX);
    shape->pieces = ARENA_ARRAY(arena, ShapePiece, SHAPE_PIECES_MAX);
    shape->fields = ARENA_ARRAY(arena, PartField, SHAPE_PIECES_MAX);
    shape->field_pieces = ARENA_ARRAY(arena, uint8_t, SHAPE_PIECES_MAX);
    return shape;
}

static bool shape_learn(LineShape *shape, Str line, const LineReading *reading)
{
    Learning learning = {.line = line, .reading = reading, .shape = shape};
    shape->reading = *reading;
    shape->reading.fields = shape->fields;
    shape->piece_count = 0;
    memcpy(shape->fields, reading->fields, reading->field_count * sizeof *reading->fields);
    return learn_pieces(&learning) && learn_numbers(shape, &reading->place);
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
