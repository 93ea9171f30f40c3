// SPDX-License-Identifier: Apache-2.0
#include "read/log/lines.h"

#include <string.h>

#include "base/text_decode.h"
#include "base/utf8.h"
#include "read/log/log_words.h"

void lines_open(Lines *lines, Str text, Arena *arena)
{
    *lines = (Lines){.text = text, .arena = arena, .next_line = 1, .object = {.arena = arena}};
}

// How many bytes the escape sequence at `at` takes (ECMA-48): CSI, OSC, or two bytes.
static size_t escape_size(Str text, size_t at)
{
    size_t i = at + 1;
    if (i >= text.size)
        return 1;
    if (text.data[i] == '[') {
        i++;
        while (i < text.size && text.data[i] >= 0x20 && text.data[i] <= 0x3F)
            i++;
        bool final = i < text.size && text.data[i] >= 0x40 && text.data[i] <= 0x7E;
        return i - at + final;
    }
    if (text.data[i] == ']') {
        for (i++; i < text.size; i++) {
            if (text.data[i] == '\a')
                return i + 1 - at;
            if (text.data[i] == '\x1B')
                return i + (i + 1 < text.size && text.data[i + 1] == '\\' ? 2 : 0) - at;
        }
        return i - at;
    }
    return 2;
}

static Str without_escapes(Lines *lines, Str line)
{
    if (lines->capacity < line.size) {
        lines->scratch = arena_grow(lines->arena, lines->scratch, lines->capacity, line.size);
        lines->capacity = line.size;
    }
    size_t size = 0;
    for (size_t i = 0; i < line.size;) {
        if (line.data[i] == '\x1B') {
            i += escape_size(line, i);
            continue;
        }
        lines->scratch[size++] = line.data[i++];
    }
    return (Str){lines->scratch, size};
}

Str text_without_escapes(Str text, Arena *arena)
{
    Lines whole = {.arena = arena};
    return without_escapes(&whole, text);
}

enum { WORD_GROWS = 4 };

static Str in_english(Lines *lines, Str line)
{
    size_t room = WORD_GROWS * line.size;
    if (lines->english_capacity < room) {
        lines->english = arena_grow(lines->arena, lines->english, lines->english_capacity, room);
        lines->english_capacity = room;
    }
    return (Str){lines->english, log_words_english(lines->words, line, lines->english, room)};
}

// The next such byte at or after `from`, or the size of the text. What was found is kept, so that
// a text with few or many of them is searched once.
static size_t next_of(Str text, char c, size_t from, size_t *kept)
{
    if (*kept < from || from == 0) {
        const char *found = memchr(text.data + from, c, text.size - from);
        *kept = found ? (size_t)(found - text.data) : text.size;
    }
    return *kept;
}

// Gives the next piece as it is in the file.
static Str next_piece(Lines *lines)
{
    Str text = lines->text;
    size_t from = lines->at, feed = next_of(text, '\n', from, &lines->feed);
    size_t carriage = next_of(text, '\r', from, &lines->carriage);
    bool returns = carriage < feed;
    size_t stop = returns ? carriage : feed;
    lines->line = lines->next_line;
    lines->continued = returns && stop + 1 != feed && stop + 1 < text.size;
    lines->at = lines->continued ? stop + 1 : feed + 1;
    lines->next_line += !lines->continued;
    return str_slice(text, from, stop);
}

bool lines_next(Lines *lines, Str *out)
{
    while (lines->at < lines->text.size) {
        size_t from = lines->at;
        Str line = next_piece(lines);
        if (line.size > LINE_BYTES_MAX) {
            if (lines->long_count++ == 0)
                lines->long_line = lines->line;
            continue;
        }
        if (next_of(lines->text, '\x1B', from, &lines->escape) < from + line.size)
            line = without_escapes(lines, line);
        if (lines->words && line.size)
            line = in_english(lines, line);
        size_t own = line_prefix_size(lines->prefix, line);
        lines->dropped = str_slice(line, 0, own);
        line = str_slice(line, own, line.size);
        *out = line;
        return true;
    }
    return false;
}

// Of processes that a runtime numbers each prints its own lines.
static uint64_t hash_of(const Lines *lines, Str line)
{
    Str texts[] = {lines->prefix == PREFIX_TASK ? lines->dropped : STR(""), str_trim(line)};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < texts[k].size; i++)
            hash = (hash ^ (unsigned char)texts[k].data[i]) * UINT64_C(1099511628211);
    return hash;
}

enum { FOLD_MAX = 64, LINES_BACK = 8 };

// The last lines that differ, and how often each came.
typedef struct LastLines {
    uint64_t hashes[LINES_BACK], counts[LINES_BACK];
    size_t next;
} LastLines;

// How often the line came, with this time. Of the one that it drives out *gone is the count.
static uint64_t count_line(LastLines *last, uint64_t hash, uint64_t *gone)
{
    *gone = 0;
    for (size_t i = 0; i < LINES_BACK; i++)
        if (last->counts[i] && last->hashes[i] == hash)
            return ++last->counts[i];
    size_t at = last->next++ % LINES_BACK;
    *gone = last->counts[at];
    last->hashes[at] = hash;
    return last->counts[at] = 1;
}

// Of how often lines came: the number that most have, and of which nearly all are multiples. A log
// that stands still has fewer lines than that.
static uint64_t common_count(const uint64_t lines[FOLD_MAX + 1])
{
    enum { LINES_MANY = 8 };
    uint64_t all = 0;
    for (size_t count = 1; count <= FOLD_MAX; count++)
        all += lines[count];
    for (size_t fold = all < FOLD_MAX ? all : FOLD_MAX - 1; fold > 1; fold--) {
        uint64_t whole = 0;
        for (size_t count = fold; count < FOLD_MAX; count += fold)
            whole += lines[count];
        if (2 * lines[fold] < all)
            continue;
        if (whole == all || (all >= LINES_MANY && 5 * whole >= 4 * all))
            return fold;
    }
    return 0;
}

static uint64_t fold_of(Lines lines)
{
    enum { WINDOW_BYTES = 256 << 10 };
    uint64_t found[FOLD_MAX + 1] = {0}, gone;
    LastLines last = {.next = 0};
    bool whole = lines.text.size <= WINDOW_BYTES;
    Str line;
    lines.text = str_slice(lines.text, 0, WINDOW_BYTES);
    while (lines_next(&lines, &line)) {
        if (str_trim(line).size == 0)
            continue;
        count_line(&last, hash_of(&lines, line), &gone);
        found[gone < FOLD_MAX ? gone : FOLD_MAX]++;
    }
    for (size_t i = 0; whole && i < LINES_BACK; i++)
        found[last.counts[i] < FOLD_MAX ? last.counts[i] : FOLD_MAX]++;
    return common_count(found);
}

uint64_t text_unfold(Str text, Arena *arena, Str *out, uint64_t *left_out)
{
    Arena *scratch = arena_new();
    Lines lines;
    Str line;
    lines_open(&lines, text, scratch);
    lines.prefix = line_prefix_find(text);
    uint64_t fold = fold_of(lines), gone;
    LastLines last = {.next = 0};
    char *room = fold ? arena_alloc(arena, text.size) : NULL;
    size_t size = 0;
    *left_out = 0;
    for (size_t from = 0; fold && lines_next(&lines, &line); from = lines.at) {
        Str whole = str_slice(text, from, lines.at);
        if (count_line(&last, hash_of(&lines, line), &gone) % fold != 1) {
            ++*left_out;
            continue;
        }
        memcpy(room + size, whole.data, whole.size);
        size += whole.size;
    }
    if (fold)
        *out = (Str){room, size};
    arena_release(scratch);
    return fold;
}

enum { OBJECT_LINES_MAX = 64, OBJECT_BYTES_MAX = 16384 };

// How many brackets of an object stay open.
static int open_brackets(Str line)
{
    int open = 0;
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i];
        open += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return open;
}

// A key with its value, a text, a bracket or a lone value. Anything else is no part of an object
// over several lines, and neither is an object that begins in the line: that is the next one. The
// objects of a list are records, each of its own.
static bool is_object_line(Str line, Str above)
{
    if (line.size == 0)
        return true;
    if (line.data[0] == '{')
        return !str_ends(above, STR("[")) && (line.size == 1 || line.data[1] == '}');
    if (memchr("\"'[]})", line.data[0], 6))
        return true;
    if (str_ends(line, STR(",")))
        line.size--;
    for (size_t i = 0; i < line.size; i++)
        if (memchr(" \t:=,|;", line.data[i], 7))
            return false;
    return true;
}

bool lines_join_object(Lines *lines, Str *line)
{
    size_t blanks = 0;
    while (blanks < line->size && (unsigned char)line->data[blanks] <= ' ')
        blanks++;
    if (blanks == line->size || line->data[blanks] != '{')
        return false;
    Str next = str_trim(*line);
    char last = next.size ? next.data[next.size - 1] : ' ';
    if (lines->at < lines->no_object || next.size == 0 || next.data[0] != '{' ||
        (last != ',' && last != '{'))
        return false;
    StrBuf *object = &lines->object;
    Lines ahead = *lines;
    size_t first = next.size, from = lines->at;
    int open = open_brackets(next);
    object->size = 0;
    strbuf_add(object, next);
    for (int i = 0; i < OBJECT_LINES_MAX && open > 0 && object->size < OBJECT_BYTES_MAX; i++) {
        from = ahead.at;
        if (!lines_next(&ahead, &next) || !is_object_line(str_trim(next), strbuf_str(object)))
            break;
        from = ahead.at;
        if (!str_ends(strbuf_str(object), STR("{")))
            strbuf_add_char(object, ' ');
        strbuf_add(object, str_trim(next));
        open += open_brackets(next);
    }
    bool whole = open == 0;
    // The line may have stood in the memory that lines ahead took.
    *line = str_slice(strbuf_str(object), 0, whole ? object->size : first);
    ahead.object = *object;
    ahead.line = lines->line;
    lines->scratch = ahead.scratch;
    lines->capacity = ahead.capacity;
    lines->english = ahead.english;
    lines->english_capacity = ahead.english_capacity;
    lines->no_object = from;
    if (whole)
        *lines = ahead;
    return whole;
}

Str text_plain(Str bytes, Arena *arena)
{
    Str text = text_decode(bytes, arena);
    if (memchr(text.data, '\x1B', text.size))
        text = text_without_escapes(text, arena);
    LinePrefix prefix = line_prefix_find(text);
    return prefix ? line_prefix_drop(prefix, text, arena) : text;
}
