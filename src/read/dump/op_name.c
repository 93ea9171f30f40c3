// SPDX-License-Identifier: Apache-2.0
#include "read/dump/op_name.h"

#include <string.h>

// The last two segments, counted from the right: 0 is the last.
typedef struct Segments {
    Str last[2];
    size_t start[2];  // where each begins in the name
    int count;        // of all segments; 3: or more
} Segments;

static Segments split_from_right(Str name)
{
    Segments out = {.count = 1};
    size_t start = name.size;
    for (int i = 0; i < 2; i++) {
        size_t end = start;
        while (start > 0 && name.data[start - 1] != '.')
            start--;
        out.last[i] = (Str){name.data + start, end - start};
        out.start[i] = start;
        if (start == 0)
            return out;
        out.count++;
        start--;
    }
    return out;
}

static bool is(Str segment, const char *text, size_t size)
{
    return segment.size == size && memcmp(segment.data, text, size) == 0;
}

static Direction direction_of(Str segment)
{
    if (is(segment, "forward", 7))
        return DIR_FORWARD;
    return is(segment, "backward", 8) ? DIR_BACKWARD : DIR_NONE;
}

static bool count_of(Str segment, int32_t *call)
{
    int64_t value = 0;
    size_t i = 0;
    for (; i < segment.size && segment.data[i] >= '0' && segment.data[i] <= '9'; i++) {
        value = value * 10 + (segment.data[i] - '0');
        if (value > INT32_MAX)
            break;
    }
    bool number = segment.size && i == segment.size;
    *call = number ? (int32_t)value : -1;
    return number || str_equal(segment, STR("None")) || str_equal(segment, STR("abnormal"));
}

static Str before(Str name, size_t start)
{
    return str_slice(name, 0, start ? start - 1 : 0);
}

static bool has_module_prefix(Str name)
{
    if (name.data[0] != 'M' && name.data[0] != 'C')
        return false;
    bool module = name.size >= 6 && memcmp(name.data, "Module", 6) == 0;
    bool cell = name.size >= 4 && memcmp(name.data, "Cell", 4) == 0;
    size_t end = module ? 6 : 4;
    return (module || cell) && (name.size == end || name.data[end] == '.');
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

// "STEM.12.forward", as nearly every name is. False: some other form.
static bool classify_call(Str name, OpName *out)
{
    enum { DIGITS_MAX = 9 };
    bool forward = str_ends(name, STR(".forward"));
    if (!forward && !str_ends(name, STR(".backward")))
        return false;
    size_t end = name.size - (forward ? 8 : 9), at = end;
    int32_t call = 0;
    for (int32_t unit = 1; at > 0 && end - at < DIGITS_MAX && is_digit(name.data[at - 1]);
         unit *= 10)
        call += unit * (name.data[--at] - '0');
    if (at == end || at == 0 || name.data[at - 1] != '.')
        return false;
    out->direction = forward ? DIR_FORWARD : DIR_BACKWARD;
    out->kind = has_module_prefix(name) ? OP_MODULE : OP_API;
    out->stem = (Str){name.data, at - 1};
    out->call = call;
    return true;
}

OpName op_name_classify(Str name)
{
    OpName out = {.kind = OP_OTHER, .call = -1, .stem = name};
    if (name.size == 0 || classify_call(name, &out))
        return out;
    Segments seg = split_from_right(name);
    bool module = has_module_prefix(name);
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
    if (out.kind == OP_OTHER) {
        out.direction = DIR_NONE;
        out.stem = name;
    }
    return out;
}

OpName op_name_parse(Str name)
{
    OpName out = op_name_classify(name);
    if (out.kind == OP_MODULE || out.kind == OP_GRADS)
        split_module(&out);
    else
        split_api(&out);
    return out;
}

void op_name_set(Names *names, NameId id, OpName what)
{
    OpName *note = ARENA_NEW(names_arena(names), OpName);
    *note = what;
    names_set_note(names, id, note);
}

OpName op_name_of(const Names *names, NameId id)
{
    const OpName *set = names_note(names, id);
    return set ? *set : op_name_parse(names_text(names, id));
}

OpName op_name_call(const Names *names, NameId id)
{
    const OpName *set = names_note(names, id);
    return set ? *set : op_name_classify(names_text(names, id));
}
