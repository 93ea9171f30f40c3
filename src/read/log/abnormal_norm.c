// SPDX-License-Identifier: Apache-2.0
#include "read/log/abnormal_norm.h"

#include "base/words.h"
#include "read/json/python_literal.h"

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
