// SPDX-License-Identifier: Apache-2.0
#include "read/op_name.h"

// Segments counted from the right: 0 is the last.
typedef struct Segments {
    Str last[3];
    size_t start[3];  // where each begins in the name
    int count;
} Segments;

static Segments split_from_right(Str name)
{
    Segments out = {0};
    size_t end = name.size;
    while (out.count < 3) {
        size_t dot = str_rfind_char(str_slice(name, 0, end), '.');
        size_t start = dot == SIZE_MAX ? 0 : dot + 1;
        out.last[out.count] = str_slice(name, start, end);
        out.start[out.count] = start;
        out.count++;
        if (dot == SIZE_MAX)
            break;
        end = dot;
    }
    return out;
}

static Direction direction_of(Str segment)
{
    if (str_equal(segment, STR("forward")))
        return DIR_FORWARD;
    return str_equal(segment, STR("backward")) ? DIR_BACKWARD : DIR_NONE;
}

static bool count_of(Str segment, int32_t *call)
{
    int64_t value;
    if (str_to_int64(segment, &value) && value >= 0 && value <= INT32_MAX) {
        *call = (int32_t)value;
        return true;
    }
    *call = -1;
    return str_equal(segment, STR("None")) || str_equal(segment, STR("abnormal"));
}

static Str before(Str name, size_t start)
{
    return str_slice(name, 0, start ? start - 1 : 0);
}

static bool is_module_prefix(Str prefix)
{
    return str_equal(prefix, STR("Module")) || str_equal(prefix, STR("Cell"));
}

// "Module.blocks.0.attn.Linear": prefix, dotted path, class.
static void split_module(OpName *out)
{
    size_t dot = str_find_char(out->stem, '.', 0);
    out->prefix = str_slice(out->stem, 0, dot);
    Str rest = str_slice(out->stem, dot == SIZE_MAX ? out->stem.size : dot + 1, out->stem.size);
    size_t last = str_rfind_char(rest, '.');
    out->type_name = str_slice(rest, last == SIZE_MAX ? 0 : last + 1, rest.size);
    out->path = last == SIZE_MAX ? (Str){"", 0} : str_slice(rest, 0, last);
}

static void split_api(OpName *out)
{
    size_t last = str_rfind_char(out->stem, '.');
    out->type_name = str_slice(out->stem, last == SIZE_MAX ? 0 : last + 1, out->stem.size);
    out->prefix = last == SIZE_MAX ? (Str){"", 0} : str_slice(out->stem, 0, last);
}

OpName op_name_parse(Str name)
{
    OpName out = {.kind = OP_OTHER, .call = -1, .stem = name};
    Segments seg = split_from_right(name);
    Str first = str_slice(name, 0, str_find_char(name, '.', 0));
    bool module = is_module_prefix(first);
    out.direction = direction_of(seg.last[0]);
    if (out.direction != DIR_NONE && seg.count > 1) {
        out.kind = module ? OP_MODULE : OP_API;
        bool counted = seg.count > 2 && count_of(seg.last[1], &out.call);
        out.stem = before(name, counted ? seg.start[1] : seg.start[0]);
        if (module && !counted)
            out.call = 0;  // hand-made files only
        if (!module && !counted)
            out.kind = OP_OTHER;
    } else if (seg.count > 1 && (out.direction = direction_of(seg.last[1])) != DIR_NONE &&
               count_of(seg.last[0], &out.call)) {
        out.kind = OP_MODULE;
        out.stem = before(name, seg.start[1]);
    } else if (str_equal(seg.last[0], STR("parameters_grad")) && seg.count > 1) {
        out.kind = OP_GRADS;
        out.stem = before(name, seg.start[0]);
    } else if (seg.count > 2 && str_equal(seg.last[1], STR("parameters_grad")) &&
               count_of(seg.last[0], &out.call)) {
        out.kind = OP_GRADS;
        out.stem = before(name, seg.start[1]);
    } else if (str_equal(seg.last[0], STR("debug")) && seg.count > 1) {
        out.kind = OP_DEBUG;
        bool counted = seg.count > 2 && count_of(seg.last[1], &out.call);
        out.stem = before(name, counted ? seg.start[1] : seg.start[0]);
    }
    if (out.kind == OP_OTHER)
        out.direction = DIR_NONE;
    if (out.kind == OP_MODULE || out.kind == OP_GRADS)
        split_module(&out);
    else
        split_api(&out);
    return out;
}
