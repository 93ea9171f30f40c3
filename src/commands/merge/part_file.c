// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/part_file.h"

#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "commands/merge/part_book.h"
#include "commands/merge/part_svg.h"
#include "read/dump/place_name.h"
#include "read/json/json_tree.h"
#include "renderers/csv.h"
#include "renderers/html.h"
#include "renderers/renderer.h"

// ---- names

typedef struct PairFileName {
    const char *base;
    bool picture, book;  // neither: one table
} PairFileName;

static bool is_written_by(const Renderer *renderer, const PairFileName *file)
{
    if (file->picture)
        return renderer->write_scene != NULL;
    return renderer->write_tables && renderer->one_table == !file->book;
}

const char *part_file_format(Str name, int64_t step, Str stage, int64_t rank, bool single,
                             Arena *arena)
{
    static const PairFileName files[] = {
        {"graph", true, false}, {"card", true, false},   {"profile", true, false},
        {"rows", false, false}, {"fills", false, false}, {"compare", false, true},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Str base = place_base(files[i].base, step, stage, rank, arena);
        if (!str_starts(name, base) && !(single && files[i].book))
            continue;
        for (size_t k = 0; renderers[k]; k++) {
            Str suffix = str_of(renderers[k]->suffix);
            if (is_written_by(renderers[k], &files[i]) &&
                (str_equal(name, str_concat(arena, base, suffix)) ||
                 (single && files[i].book &&
                  str_equal(name, str_concat(arena, str_of(files[i].base), suffix)))))
                return renderers[k]->name;
        }
    }
    Str page = str_concat(arena, place_base("page", step, stage, rank, arena),
                          str_of(html_renderer.suffix));
    if (str_equal(name, page))
        return html_renderer.name;
    Str nodes = str_concat(arena, place_base("nodes", step, stage, rank, arena), STR(".json"));
    return str_equal(name, nodes) ? "nodes" : NULL;
}

// ---- contents

static const char *not_ours(void)
{
    return tr("this file is none that vernier writes; it is left out");
}

// The end of a field that begins at `at`; *out is its text without quotes.
static size_t csv_field(Str bytes, size_t at, StrBuf *room, Str *out)
{
    size_t end = at;
    room->size = 0;
    if (at == bytes.size || bytes.data[at] != '"') {
        while (end < bytes.size && bytes.data[end] != ',' && bytes.data[end] != '\n')
            end++;
        *out = str_slice(bytes, at, end);
        return end;
    }
    for (end = at + 1; end < bytes.size; end++) {
        if (bytes.data[end] == '"' && (++end == bytes.size || bytes.data[end] != '"'))
            break;
        strbuf_add_char(room, bytes.data[end]);
    }
    *out = (Str){room->data, room->size};
    return end;
}

static bool has_control(Str bytes, const char *but)
{
    for (size_t i = 0; i < bytes.size; i++)
        if ((unsigned char)bytes.data[i] < 0x20 && (!bytes.data[i] || !strchr(but, bytes.data[i])))
            return true;
    return false;
}

// A carriage return, which a spreadsheet takes for the end of a row, would put what follows at the
// start of a cell unseen; the writer leaves line feeds and tabs in a text and no other of these.
// Every cell stands as the writer would leave it, and every row has the cells of the header.
static const char *refuse_csv(Str bytes)
{
    Arena *arena = arena_new();
    StrBuf room = strbuf_new(arena);
    Str cell;
    bool good = utf8_valid(bytes) && !has_control(bytes, "\n\t");
    size_t columns = 0, column = 0;  // of the header, and of this row so far
    for (size_t at = 0; good && at < bytes.size; at++) {
        at = csv_field(bytes, at, &room, &cell);
        bool ends = at == bytes.size || bytes.data[at] == '\n';
        column++;
        columns = ends && !columns ? column : columns;
        good = (ends ? column == columns : bytes.data[at] == ',') && csv_is_neutral(cell);
        column = ends ? 0 : column;
    }
    arena_release(arena);
    return good ? NULL : tr("a cell of this table is one that a spreadsheet runs; it is left out");
}

static const char *refuse_json(Str bytes)
{
    Arena *arena = arena_new();
    JsonTree tree;
    bool good = tree_parse(bytes, arena, &tree);
    arena_release(arena);
    return good ? NULL : not_ours();
}

static uint32_t big_endian(const char *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

// Chunk by chunk up to the last byte.
static const char *refuse_png(Str bytes)
{
    const Str signature = STR("\x89PNG\r\n\x1A\n");
    if (!str_starts(bytes, signature))
        return not_ours();
    for (size_t at = signature.size; at + 12 <= bytes.size;) {
        Str name = str_slice(bytes, at + 4, at + 8);
        size_t size = big_endian(bytes.data + at);
        bool is_known =
            STR_IN(name, "IHDR", "PLTE", "tRNS", "sRGB", "gAMA", "pHYs", "bKGD", "IDAT", "IEND");
        if (!is_known || size > bytes.size - at - 12)
            return not_ours();
        at += 12 + size;
        if (str_equal(name, STR("IEND")))
            return at == bytes.size ? NULL : not_ours();
    }
    return not_ours();
}

static const char *refuse_text(Str bytes)
{
    return utf8_valid(bytes) && !has_control(bytes, "\n") ? NULL : not_ours();
}

const char *part_file_refusal(const char *format, Str bytes)
{
    static const struct {
        const char *format;
        const char *(*refuse)(Str bytes);
    } checks[] = {{"csv", refuse_csv},       {"nodes", refuse_json}, {"png", refuse_png},
                  {"svg", part_svg_refusal}, {"trace", refuse_text}, {"xlsx", part_book_refusal}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (str_equal(str_of(format), str_of(checks[i].format)))
            return checks[i].refuse(bytes);
    return tr("what a file of this format would run is not known; it is left out: have the parts "
              "write svg or png");
}
