// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/dump/dump_folder.h"
#include "read/dump/shard_dims.h"
#include "read/dump/stack.h"
#include "read/json/python_literal.h"
#include "read/settings/criteria_file.h"

// Any bytes as a literal of JSON or Python, as a list of numbers on the command line, as a pattern,
// as a stack frame and as the dims of a tensor in parts: positions only move forward, and skipping
// a value ends where reading it ends.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH_MAX = 64 };

// Reads the value at the reader, containers member by member.
static bool walk(LiteralReader *reader)
{
    char open[DEPTH_MAX];
    int depth = 0;
    do {
        size_t before = reader->at;
        Literal value = literal_value(reader);
        Str key;
        if (value.kind == LITERAL_BROKEN)
            return false;
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY) {
            if (depth == DEPTH_MAX)
                return false;
            open[depth++] = value.kind == LITERAL_OBJECT ? '{' : '[';
            demand(literal_enter(reader, open[depth - 1]));
        }
        while (depth &&
               !(open[depth - 1] == '{' ? literal_member(reader, &key) : literal_element(reader)))
            depth--;
        demand(reader->at >= before && reader->at <= reader->text.size);
        if (reader->broken)
            return false;
    } while (depth);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size);
    LiteralReader reader = literal_open(text, 0, arena), skipper = literal_open(text, 0, arena);
    if (walk(&reader))
        demand(literal_skip(&skipper) && skipper.at == reader.at);
    NumberList list = {0};
    if (number_list_parse(text, arena, &list))
        for (size_t i = 0; i < list.count; i++)
            demand(list.items[i].first <= list.items[i].last);
    size_t half = text.size / 2;
    pattern_fits(str_slice(text, 0, half), str_slice(text, half, text.size));
    Frame frame;
    frame_parse(text, &frame);
    ShardDims dims;
    bool written = shard_dims_parse(text, &dims);
    for (size_t i = 0; written && i < dims.count; i++)
        demand(dims.items[i].dim < dims.rank && dims.items[i].group.size);
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
