// SPDX-License-Identifier: Apache-2.0
#include "read/log/health_file.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/json/python_literal.h"

bool health_recognise(Str text)
{
    Str start = str_slice(text, 0, 4096);
    return str_find(start, STR("\"is_health\""), 0) != SIZE_MAX &&
           str_find(start, STR("\"ckpt_name\""), 0) != SIZE_MAX;
}

// "llama3_1_8b_rank_0-2_250.safetensors": epoch 2, step 250.
static void place(Checkpoint *checkpoint)
{
    Str name = checkpoint->name;
    size_t dash = str_rfind_char(name, '-');
    Scan scan = {name, dash == SIZE_MAX ? name.size : dash + 1};
    checkpoint->placed = scan_uint(&scan, &checkpoint->epoch) && scan_char(&scan, '_') &&
                         scan_uint(&scan, &checkpoint->step) && checkpoint->epoch < INT32_MAX;
}

// An object with both members; *out is complete only then.
static bool read_entry(LiteralReader *reader, Arena *arena, Checkpoint *out)
{
    bool has_name = false, has_health = false;
    Str key;
    *out = (Checkpoint){0};
    if (!literal_enter(reader, '{'))
        return false;
    while (literal_member(reader, &key)) {
        Literal value = literal_value(reader);
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY) {
            literal_skip(reader);
        } else if (str_equal(key, STR("is_health")) &&
                   (value.kind == LITERAL_NUMBER || value.kind == LITERAL_BOOL)) {
            out->healthy = value.figure.value == 0;  // 0 is healthy
            has_health = true;
        } else if (str_equal(key, STR("ckpt_name")) && value.kind == LITERAL_TEXT) {
            out->name = str_copy(arena, value.text);
            has_name = true;
        }
    }
    place(out);
    return has_name && has_health;
}

// Entries that are none; the byte after the first of them.
typedef struct BadEntries {
    uint64_t count;
    size_t at;
} BadEntries;

static void note_bad(BadEntries *bad, const LiteralReader *reader)
{
    bad->at = bad->count++ ? bad->at : reader->at;
}

static void read_entries(LiteralReader *reader, Arena *arena, Checkpoints *out, BadEntries *bad)
{
    literal_enter(reader, '[');
    while (literal_element(reader)) {
        Checkpoint checkpoint;
        LiteralKind kind = literal_value(reader).kind;
        if (kind == LITERAL_ARRAY)
            literal_skip(reader);
        if (kind != LITERAL_OBJECT) {
            note_bad(bad, reader);
        } else if (read_entry(reader, arena, &checkpoint)) {
            *ARRAY_PUSH(arena, out) = checkpoint;
        } else {
            note_bad(bad, reader);
        }
    }
}

bool health_read(const char *path, Arena *arena, Checkpoints *out, Notices *notices, Error *err)
{
    File file;
    BadEntries bad = {0};
    if (!file_open(path, &file, err))
        return false;
    LiteralReader reader = literal_open(file.text, 0, arena);
    read_entries(&reader, arena, out, &bad);
    size_t stopped = reader.at;
    bool broken = reader.broken;
    file_close(&file);
    if (out->count == 0)
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, stopped), "%s",
                         tr("expected a list of {\"is_health\": 0|1, \"ckpt_name\": …}"));
    if (bad.count)
        notices_partial(
            notices, WHERE_BYTE(path, bad.at),
            tr_count(bad.count, "%llu entry is broken, up to this byte; the others are used",
                     "%llu entries are broken, up to this byte the first; the others are used"),
            (unsigned long long)bad.count);
    else if (broken)
        notices_partial(notices, WHERE_BYTE(path, stopped), "%s",
                        tr("the JSON breaks off; what comes before is used"));
    return true;
}

// ---- Norms that stopped the training

enum { NORMS_MAX = 64 };  // of one step: each recovery adds one

// The next step with its norms. False: there is none, or it is of another shape.
static bool next_step(LiteralReader *reader, int64_t *step, Literal *norms, size_t *count)
{
    Str key;
    if (!literal_member(reader, &key) || !str_to_int64(key, step) || *step < 0 ||
        literal_value(reader).kind != LITERAL_ARRAY)
        return false;
    *count = literal_scalars(reader, norms, NORMS_MAX);
    for (size_t i = 0; i < *count; i++)
        if (norms[i].kind != LITERAL_NUMBER)
            return false;
    return *count > 0;
}

bool abnormal_norm_recognise(Str text, Arena *arena)
{
    LiteralReader reader = literal_open(text, 0, arena);
    Literal norms[NORMS_MAX];
    int64_t step;
    size_t count, steps = 0;
    if (!literal_enter(&reader, '{'))
        return false;
    while (next_step(&reader, &step, norms, &count))
        steps++;
    return steps > 0 && !reader.broken && reader.at >= str_trim(text).size;
}

bool abnormal_norm_read(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                        Notices *notices, Error *err)
{
    (void)notices;
    (void)err;
    LiteralReader reader = literal_open(text, 0, arena);
    Literal norms[NORMS_MAX];
    Part *part = part_new(out, path, file_rank, ABNORMAL_NORM_FORMAT, arena);
    int64_t step;
    size_t count;
    literal_enter(&reader, '{');
    while (next_step(&reader, &step, norms, &count)) {
        part_begin(part, step, -1, 0);
        part_add(part, STR(ABNORMAL_NORM_FIRST), norms[0].figure);
        if (count > 1)
            part_add(part, STR(ABNORMAL_NORM_AFTER), norms[count - 1].figure);
        part_end(part);
    }
    return true;
}
