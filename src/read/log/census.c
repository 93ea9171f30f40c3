// SPDX-License-Identifier: Apache-2.0
#include "read/log/census.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/line_scan.h"
#include "base/names.h"
#include "base/number.h"
#include "read/log/line_sections.h"

enum { WINDOW_BYTES = 256 << 10, SHAPE_ROOM = 512, SHAPES_LIMIT = 1024, VALUES_BACK = 64 };

typedef struct LineCut {
    Str line;
    char room[SHAPE_ROOM];
    size_t size;
    CensusNumber numbers[CENSUS_NUMBERS_MAX];
    size_t count;
    bool has_value;  // a number with a point
} LineCut;

typedef struct NumberStory {
    double last, first;
    bool whole, varies, of_many;
    uint32_t rises, falls, stays;
    uint32_t resumes;                     // falls to a value above the first
    uint32_t beside[CENSUS_NUMBERS_MAX];  // it fell and that one rose
} NumberStory;

typedef struct CensusShape {
    uint32_t count, echoes;
    Str sample;  // its first line
    uint64_t first_line, last_line;
    bool has_value;  // a number with a point
    bool says_training, says_evaluation, says_loss;
    bool says_name;  // "test" or "dev", which may also be what the run is called
    uint32_t twins;  // lines next to one of another shape that counts the same and has another loss
    const struct CensusShape *twin;
    size_t number_count;
    NumberStory *numbers;
    // Roles.
    int counter, epoch;  // numbers; -1: none
    bool falls, heading, names_epoch, headed, footer, summary;
} CensusShape;

struct Census {
    Arena *arena;
    Names *names;  // texts of shapes
    CensusShape *shapes;
    size_t shape_count;
    uint64_t first_record;  // line; 0: none
    uint32_t most;          // the commonest shape that counts and holds values; 0: none
    Str wordy;              // the first line without a number that speaks of a loss
    uint64_t wordy_line;
    bool trains;      // records without a counter say that they are of training
    bool names_loss;  // a record says "loss"
    bool called;      // a record says "test" or "dev",
    bool others;      // and one does not
    bool has_echoes;
    int64_t epoch_above;
    bool has_epoch_above;
};

// ---- Cutting

static bool is_word_char(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static char byte_at(Str line, size_t at)
{
    return at < line.size ? line.data[at] : '\0';
}

// "E1", "ep12", "epoch3": a short name of a counter grown together with its number.
static bool is_grown(Str line, size_t at)
{
    static const char *const words[] = {"e", "ep", "epoch", "step", "iter", "it"};
    size_t from = at;
    while (from > 0 && is_letter(line.data[from - 1]))
        from--;
    if (from > 0 && (is_word_char(line.data[from - 1]) || line.data[from - 1] == '.'))
        return false;
    Str word = str_slice(line, from, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(word, str_of(words[i])))
            return true;
    return false;
}

static bool begins_number(Str line, size_t at)
{
    char before = at ? line.data[at - 1] : ' ';
    return is_digit(line.data[at]) && !is_digit(before) &&
           !((is_word_char(before) || before == '@') && !is_grown(line, at));
}

// The number that begins at `at`, with its sign, point and exponent.
static size_t cut_number(Str line, size_t at, CensusNumber *out)
{
    size_t stop = at;
    while (is_digit(byte_at(line, stop)))
        stop++;
    bool point = byte_at(line, stop) == '.' && is_digit(byte_at(line, stop + 1));
    size_t whole = stop;
    for (stop += point; is_digit(byte_at(line, stop));)
        stop++;
    char e = byte_at(line, stop), sign = byte_at(line, stop + 1);
    bool signs = sign == '-' || sign == '+';
    bool exponent = (e == 'e' || e == 'E') && is_digit(byte_at(line, stop + 1 + signs));
    for (stop += exponent ? (size_t)1 + signs : 0; is_digit(byte_at(line, stop));)
        stop++;
    bool minus = at > 0 && line.data[at - 1] == '-' &&
                 (at < 2 || !(is_word_char(line.data[at - 2]) || line.data[at - 2] == '-'));
    Figure figure;
    out->text = str_slice(line, at - minus, stop);
    out->value = figure_of_text(out->text, &figure) ? figure.value : NAN;
    out->whole = !minus && stop == whole && number_can_count(out->value);
    char before = at ? line.data[at - 1] : ' ', behind = byte_at(line, stop);
    bool joined = (behind == ':' || behind == '-' || behind == '.') &&
                  is_digit(byte_at(line, stop + 1)) && is_digit(byte_at(line, stop + 2));
    bool joins = at > 1 && (before == ':' || before == '-' || before == '.' || before == ',') &&
                 is_digit(line.data[at - 2]) && stop - at >= 2;
    out->clock = joined || joins;
    return stop;
}

// "nan", "inf" as a word.
static size_t cut_word_number(Str line, size_t at, CensusNumber *out)
{
    Scan scan = {line, at};
    Figure figure;
    char c = (char)(line.data[at] | 0x20);
    if ((c != 'n' && c != 'i') || (at && is_word_char(line.data[at - 1])) ||
        !scan_figure(&scan, &figure) || is_word_char(byte_at(line, scan.at)))
        return 0;
    *out = (CensusNumber){.text = str_slice(line, at, scan.at), .value = figure.value};
    return scan.at;
}

static Str word_before(Str line, size_t at)
{
    while (at > 0 && !is_letter(line.data[at - 1]))
        at--;
    size_t stop = at;
    while (at > 0 && is_letter(line.data[at - 1]))
        at--;
    return str_slice(line, at, stop);
}

static void add_number(LineCut *cut, const CensusNumber *number, Str line, size_t at)
{
    if (cut->count == CENSUS_NUMBERS_MAX || number->clock)
        return;
    CensusNumber *out = &cut->numbers[cut->count++];
    *out = *number;
    out->word = word_before(line, (size_t)(number->text.data - line.data));
    cut->has_value = cut->has_value || !number->whole;
    size_t from = at;
    while (from > 0 && line.data[from - 1] == ' ')
        from--;
    out->divides = from > 0 && line.data[from - 1] == '/' && cut->count > 1 && number->whole;
    if (out->divides)
        cut->numbers[cut->count - 2].of_many = cut->numbers[cut->count - 2].whole;
}

// Numbers become '0', rows of blanks one blank, after a bracket none.
static void cut_line(Str line, LineCut *cut)
{
    cut->line = line;
    cut->size = cut->count = 0;
    cut->has_value = false;
    for (size_t at = 0; at < line.size && cut->size < SHAPE_ROOM;) {
        CensusNumber number = {0};
        size_t stop = begins_number(line, at)    ? cut_number(line, at, &number)
                      : is_letter(line.data[at]) ? cut_word_number(line, at, &number)
                                                 : 0;
        if (stop) {
            add_number(cut, &number, line, at);
            cut->room[cut->size++] = '0';
            at = stop;
            continue;
        }
        char c = line.data[at++], before = cut->size ? cut->room[cut->size - 1] : '\0';
        bool blank = c == ' ' || c == '\t';
        bool again = (blank && (before == ' ' || before == '(' || before == '[')) ||
                     (c == '-' && before == '-');
        if (!again)
            cut->room[cut->size++] = c == '\t' ? ' ' : c;
    }
}

// ---- Counting

static void note_words(CensusShape *shape, Str text)
{
    for (size_t at = 0, stop; at < text.size; at = stop + 1) {
        for (stop = at; stop < text.size && (is_word_char(text.data[stop]));)
            stop++;
        Str word = str_slice(text, at, stop);
        shape->says_training = shape->says_training || str_equal_nocase(word, STR("train")) ||
                               str_equal_nocase(word, STR("training"));
        bool name = str_equal_nocase(word, STR("test")) || str_equal_nocase(word, STR("dev"));
        shape->says_name = shape->says_name || name;
        shape->says_evaluation = shape->says_evaluation || is_evaluation_word(word);
    }
    static const char *const losses[] = {"loss", "Loss", "LOSS", "xent", "objf", "entropy"};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        shape->says_loss = shape->says_loss || str_find(text, str_of(losses[i]), 0) != SIZE_MAX;
}

static CensusShape *shape_of(Census *census, const LineCut *cut)
{
    Str text = {cut->room, cut->size};
    NameId id = names_find(census->names, text);
    if (id == NAME_NONE && names_count(census->names) >= SHAPES_LIMIT)
        return NULL;
    if (id == NAME_NONE) {
        id = names_add(census->names, text);
        CensusShape *shape =
            &ARRAY_REACH(census->arena, census->shapes, census->shape_count, id)[id];
        *shape = (CensusShape){.number_count = cut->count, .counter = -1, .epoch = -1};
        note_words(shape, text);
        shape->numbers = ARENA_ARRAY(census->arena, NumberStory, cut->count ? cut->count : 1);
        shape->sample = str_copy(census->arena, str_slice(cut->line, 0, SHAPE_ROOM));
    }
    return &census->shapes[id];
}

static void count_number(CensusShape *shape, const LineCut *cut, size_t at)
{
    NumberStory *story = &shape->numbers[at];
    const CensusNumber *number = &cut->numbers[at];
    if (shape->count == 0)
        *story = (NumberStory){.first = number->value, .last = number->value, .whole = true};
    story->whole = story->whole && number->whole;
    story->of_many = number->of_many;
    if (shape->count == 0)
        return;
    story->rises += number->value > story->last;
    story->stays += number->value == story->last;
    story->varies = story->varies || number->value != story->last;
    if (!(number->value < story->last))
        return;
    story->falls++;
    story->resumes += number->value > story->first;
    for (size_t i = 0; i < shape->number_count; i++)
        story->beside[i] += cut->numbers[i].value > shape->numbers[i].last;
}

static void count_line(Census *census, const LineCut *cut, uint64_t line)
{
    CensusShape *shape = shape_of(census, cut);
    if (!shape)
        return;
    for (size_t i = 0; i < shape->number_count; i++)
        count_number(shape, cut, i);
    for (size_t i = 0; i < shape->number_count; i++)
        shape->numbers[i].last = cut->numbers[i].value;
    shape->has_value = shape->has_value || cut->has_value;
    shape->first_line = shape->count ? shape->first_line : line;
    shape->last_line = line;
    shape->count++;
}

// Whole numbers that are equal one by one, and a loss that is not.
static bool are_twins(const LineCut *a, const LineCut *b)
{
    size_t i = 0, k = 0;
    bool other = false;
    for (; i < a->count && a->numbers[i].whole && k < b->count && b->numbers[k].whole; i++, k++)
        if (a->numbers[i].value != b->numbers[k].value)
            return false;
    bool leads = (i == a->count || !a->numbers[i].whole) && (k == b->count || !b->numbers[k].whole);
    for (size_t m = i; i && leads && m < a->count; m++)
        for (size_t n = k; n < b->count; n++)
            other = other || (str_equal_nocase(a->numbers[m].word, STR("loss")) &&
                              str_equal_nocase(b->numbers[n].word, STR("loss")) &&
                              a->numbers[m].value != b->numbers[n].value);
    return other;
}

static void count_twins(Census *census, const LineCut *cut, const LineCut *before)
{
    CensusShape *shape = shape_of(census, cut), *other = shape_of(census, before);
    if (!shape || !other || shape == other || !are_twins(cut, before))
        return;
    shape->twins++;
    other->twins++;
    shape->twin = other;
    other->twin = shape;
}

// The values with a point of the last lines, to know again what a line repeats.
typedef struct Values {
    struct Value {
        char text[24], word[16];
        size_t size, word_size;
    } items[VALUES_BACK];
    const CensusShape *shapes[VALUES_BACK];
    size_t next;
} Values;

enum { VALUE_BYTES_LEAST = 5 };

static bool is_told(const Values *values, const CensusNumber *number, const CensusShape *own)
{
    Str word = str_slice(number->word, 0, sizeof values->items[0].word);
    for (size_t i = 0; i < VALUES_BACK; i++) {
        const struct Value *value = &values->items[i];
        if (values->shapes[i] && values->shapes[i] != own &&
            values->shapes[i]->says_evaluation >= own->says_evaluation &&
            str_equal((Str){value->text, value->size}, number->text) &&
            str_equal_nocase((Str){value->word, value->word_size}, word))
            return true;
    }
    return false;
}

// Whether each value of the line is in a line of another shape above.
static void count_echo(Census *census, const LineCut *cut, Values *values)
{
    CensusShape *shape = shape_of(census, cut);
    size_t told = 0, all = 0;
    bool unlike = false;  // a value of its own that no other is by chance
    if (!shape)
        return;
    for (size_t i = 0; i < cut->count; i++) {
        const CensusNumber *number = &cut->numbers[i];
        if (number->whole)
            continue;
        all++;
        bool again = is_told(values, number, shape);
        told += again;
        unlike = unlike || (again && number->text.size >= VALUE_BYTES_LEAST);
    }
    shape->echoes += unlike && told == all;
    if (unlike && told == all)
        return;
    for (size_t i = 0; i < cut->count; i++) {
        struct Value *value = &values->items[values->next];
        Str text = cut->numbers[i].text,
            word = str_slice(cut->numbers[i].word, 0, sizeof value->word);
        if (cut->numbers[i].whole || text.size > sizeof value->text)
            continue;
        memcpy(value->text, text.data, text.size);
        memcpy(value->word, word.data, word.size);
        value->size = text.size;
        value->word_size = word.size;
        values->shapes[values->next] = shape;
        values->next = (values->next + 1) % VALUES_BACK;
    }
}

// ---- Roles

// A whole number that rises from line to line; where a run resumes, or shows an earlier record
// again, it falls seldom, and not to its beginning.
static bool is_counter(const CensusShape *shape, size_t at)
{
    enum { RISES_LEAST = 4 };
    const NumberStory *story = &shape->numbers[at];
    return story->whole && story->rises > 0 && story->falls == story->resumes &&
           story->rises >= RISES_LEAST * story->falls;
}

static bool is_inner(const CensusShape *shape, size_t at, int *epoch)
{
    const NumberStory *story = &shape->numbers[at];
    if (!story->whole || story->falls == 0 || story->rises < story->falls)
        return false;
    for (size_t i = 0; i < shape->number_count; i++)
        if (i != at && is_counter(shape, i) && story->beside[i] == story->falls &&
            shape->numbers[i].rises <= story->falls + 1) {
            *epoch = (int)i;
            return true;
        }
    return false;
}

static void find_counters(CensusShape *shape)
{
    shape->counter = shape->epoch = -1;
    shape->falls = false;
    for (size_t i = 0; i < shape->number_count && shape->counter < 0; i++)
        if (is_inner(shape, i, &shape->epoch)) {
            shape->counter = (int)i;
            shape->falls = true;
        }
    size_t most = 0;
    for (size_t i = 0; i < shape->number_count && !shape->falls; i++)
        if (is_counter(shape, i) && shape->numbers[i].rises > most) {
            most = shape->numbers[i].rises;
            shape->counter = (int)i;
        }
    // One that falls and has no epoch next to it may have a heading.
    for (size_t i = 0; i < shape->number_count && shape->counter < 0; i++)
        if (shape->numbers[i].whole && shape->numbers[i].falls &&
            (shape->numbers[i].rises >= 2 * shape->numbers[i].falls || shape->numbers[i].of_many)) {
            shape->counter = (int)i;
            shape->falls = true;
        }
}

static bool is_record(const CensusShape *shape)
{
    if (shape->count < CENSUS_RECORDS_LEAST || !shape->has_value)
        return false;
    for (size_t i = 0; i < shape->number_count; i++)
        if (!shape->numbers[i].whole && shape->numbers[i].varies)
            return true;
    return false;
}

static bool only_counts(const CensusShape *shape)
{
    return !shape->has_value && shape->counter >= 0 && shape->count > 1 && !shape->falls;
}

// A line that only counts is the heading of records that count nothing, or begin anew with it.
static void pair_headings(Census *census)
{
    size_t end = names_count(census->names) + 1;
    for (size_t h = 1; h < end; h++) {
        CensusShape *head = &census->shapes[h];
        if (!only_counts(head))
            continue;
        for (size_t i = 1; i < end; i++) {
            CensusShape *shape = &census->shapes[i];
            if (!is_record(shape) || head->first_line > shape->last_line)
                continue;
            bool anew = shape->falls && shape->epoch < 0;
            uint32_t falls = anew ? shape->numbers[shape->counter].falls + 1 : 0;
            bool below = shape->counter < 0 && shape->count == head->count &&
                         head->first_line < shape->first_line;
            bool epoch = anew && falls <= head->count && head->count <= falls + 1;
            head->heading = head->heading || below;
            shape->headed = shape->headed || below;
            head->names_epoch = head->names_epoch || epoch;
        }
    }
}

// Of the lines of a block that only count, the first heads its records.
static void find_footers(Census *census)
{
    const CensusShape *first = NULL;
    size_t end = names_count(census->names) + 1;
    for (size_t i = 1; i < end; i++) {
        const CensusShape *shape = &census->shapes[i];
        if (shape->heading && (!first || shape->first_line < first->first_line))
            first = shape;
    }
    for (size_t i = 1; first && i < end; i++) {
        CensusShape *shape = &census->shapes[i];
        shape->footer = shape != first && only_counts(shape) && shape->count <= first->count &&
                        first->count <= shape->count + 1 && shape->first_line < first->last_line;
        shape->heading = shape->heading && !shape->footer;
    }
}

// A record that counts one by one, and seldom among those of the commonest shape, has a counter of
// its own: that of epochs.
static void find_summaries(Census *census)
{
    const CensusShape *most = NULL;
    size_t end = names_count(census->names) + 1;
    for (size_t i = 1; i < end; i++) {
        const CensusShape *shape = &census->shapes[i];
        if (!is_record(shape) || shape->counter < 0 || (most && shape->count <= most->count))
            continue;
        most = shape;
        census->most = (uint32_t)i;
    }
    for (size_t i = 1; most && i < end; i++) {
        CensusShape *shape = &census->shapes[i];
        if (!is_record(shape) || shape->counter < 0 || shape->falls ||
            2 * shape->count > most->count)
            continue;
        const NumberStory *story = &shape->numbers[shape->counter];
        shape->summary = story->stays == 0 && story->last - story->first < shape->count;
    }
}

static void find_roles(Census *census)
{
    for (size_t i = 1; i <= names_count(census->names); i++) {
        CensusShape *shape = &census->shapes[i];
        find_counters(shape);
        census->has_echoes =
            census->has_echoes || (shape->count > 1 && shape->echoes == shape->count);
        if (!is_record(shape))
            continue;
        census->trains = census->trains || (shape->says_training && shape->counter < 0);
        census->names_loss = census->names_loss || shape->says_loss;
        census->called = census->called || shape->says_name;
        census->others = census->others || !shape->says_name;
        if (census->first_record == 0 || shape->first_line < census->first_record)
            census->first_record = shape->first_line;
    }
    pair_headings(census);
    find_footers(census);
    find_summaries(census);
}

static void note_wordy(Census *census, Str line, uint64_t number)
{
    bool loss = str_find(line, STR("loss"), 0) != SIZE_MAX;
    if (!loss || census->wordy_line)
        return;
    census->wordy = str_copy(census->arena, str_slice(line, 0, SHAPE_ROOM));
    census->wordy_line = number;
}

Str census_closest(const Census *census, CensusNumbers *out)
{
    const CensusShape *best = NULL;
    uint64_t most = 0;
    for (size_t i = 1; i <= names_count(census->names); i++) {
        const CensusShape *shape = &census->shapes[i];
        uint64_t rank = (uint64_t)shape->says_loss + (shape->counter >= 0) + is_record(shape);
        uint64_t weight = (rank << 32 | shape->count) + 1;
        if (weight > most) {
            most = weight;
            best = shape;
        }
    }
    *out = (CensusNumbers){.line = census->wordy_line};
    if (!best)
        return census->wordy;
    LineCut cut;
    cut_line(best->sample, &cut);
    memcpy(out->items, cut.numbers, sizeof out->items);
    out->count = cut.count;
    out->line = best->first_line;
    if (best->counter >= 0 && (size_t)best->counter < cut.count)
        out->counter = &out->items[best->counter];
    if (out->counter && best->epoch >= 0 && best->epoch < best->counter)
        out->epoch = &out->items[best->epoch];
    return best->sample;
}

Census *census_take(const Lines *opened, Arena *arena)
{
    Census *census = ARENA_NEW(arena, Census);
    Arena *scratch = arena_new();
    Values *values = ARENA_NEW(scratch, Values);
    LineCut *cuts = ARENA_ARRAY(scratch, LineCut, 2), *cut = cuts, *before = NULL;
    Lines lines = *opened;
    Str line;
    census->arena = arena;
    census->names = names_new(arena);
    lines.text = str_slice(lines.text, 0, WINDOW_BYTES);
    lines.arena = scratch;
    while (lines_next(&lines, &line)) {
        cut_line(line, cut);
        if (cut->count == 0) {
            note_wordy(census, line, lines.line);
            continue;
        }
        count_line(census, cut, lines.line);
        count_echo(census, cut, values);
        if (before)
            count_twins(census, cut, before);
        before = cut;
        cut = cut == cuts ? cuts + 1 : cuts;
    }
    arena_release(scratch);
    find_roles(census);
    return census;
}

static LogPlace place_of(const CensusShape *shape, const LineCut *cut)
{
    LogPlace place = {.has_step = shape->counter >= 0, .has_epoch = shape->epoch >= 0};
    if (place.has_step) {
        const CensusNumber *number = &cut->numbers[shape->counter];
        place.step = (int64_t)number->value;
        place.step_text = number->text.data;
        if (number->of_many) {
            place.total = (int64_t)number[1].value;
            place.total_text = number[1].text.data;
        }
    }
    if (place.has_epoch) {
        place.epoch = (int64_t)cut->numbers[shape->epoch].value;
        place.epoch_text = cut->numbers[shape->epoch].text.data;
    }
    return place;
}

// Words decide between shapes: a record that does not say it is of training is of an evaluation
// where others do, or where a longer line of the same counters is next to each.
static bool is_other(const Census *census, const CensusShape *shape)
{
    const CensusShape *twin = shape->twin;
    bool beside = twin && shape->twins >= shape->count && twin->count > shape->count &&
                  twin->number_count > shape->number_count;
    bool trains = census->trains && shape->counter < 0 && !shape->headed && is_record(shape);
    return (beside || trains) && !shape->says_training;
}

static bool leads(const CensusShape *shape)
{
    for (size_t i = 0; shape->counter >= 0 && i < shape->number_count; i++)
        if (i != (size_t)shape->counter && shape->numbers[i].whole &&
            shape->numbers[i].rises >= shape->numbers[shape->counter].rises)
            return false;
    return shape->counter >= 0;
}

bool census_sets_aside(const Census *census, uint64_t line)
{
    return census->has_echoes || line < census->first_record;
}

bool census_is_called(const Census *census)
{
    return census->called && !census->others;
}

bool census_names_loss(const Census *census)
{
    return census->names_loss || census->first_record == 0;
}

// The line begins as the commonest record does, with its counters and a value, and ends earlier or
// goes on: "13: loss=2.5" among "14: loss=2.5, norm=1.5".
static bool begins_as_most(const Census *census, const LineCut *cut)
{
    const CensusShape *most = &census->shapes[census->most];
    Str text = names_text(census->names, census->most);
    size_t at = 0, numbers = 0,
           least = (size_t)(most->counter > most->epoch ? most->counter : most->epoch) + 1;
    for (; at < cut->size && at < text.size && cut->room[at] == text.data[at]; at++)
        numbers += text.data[at] == '0';
    return (at == cut->size || at == text.size) && numbers > least && cut->count > least;
}

bool census_role(Census *census, Str line, CensusRole *out)
{
    LineCut cut;
    cut_line(line, &cut);
    NameId id = names_find(census->names, (Str){cut.room, cut.size});
    bool seldom =
        id == NAME_NONE || (census->shapes[id].counter < 0 && !census->shapes[id].heading);
    bool alike = seldom && census->most && cut.has_value && begins_as_most(census, &cut);
    id = alike ? census->most : id;
    if (id == NAME_NONE)
        return false;
    const CensusShape *shape = &census->shapes[id];
    *out = (CensusRole){.count = shape->count,
                        .counts = shape->counter >= 0,
                        .falls = shape->falls,
                        .is_above =
                            census->first_record &&
                            shape->last_line<census->first_record, .is_echo = shape->count> 1 &&
                            shape->echoes == shape->count,
                        .is_heading = shape->heading,
                        .has_heading = shape->headed,
                        .names_epoch = shape->names_epoch,
                        .is_once = shape->counter < 0 || shape->numbers[shape->counter].stays == 0,
                        .leads = leads(shape),
                        .is_summary = shape->summary,
                        .is_most = id == census->most,
                        .is_footer = shape->footer,
                        .is_other = is_other(census, shape),
                        .is_record = is_record(shape) && !alike,
                        .place = place_of(shape, &cut)};
    if (shape->names_epoch) {
        census->has_epoch_above = true;
        census->epoch_above = out->place.step;
    }
    if (out->falls && !out->place.has_epoch) {
        out->place.has_epoch = census->has_epoch_above;
        out->place.epoch = census->epoch_above;
    }
    return true;
}
