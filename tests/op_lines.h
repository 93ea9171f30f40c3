// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_OP_LINES_H
#define VERNIER_TESTS_OP_LINES_H

#include "base/str.h"

// Dumps for tests of matching, where names, places and shapes count and numbers do not.

#define OP_TENSOR(shape)                                                                      \
    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":" shape ",\"Max\":1.5," \
    "\"Min\":0,\"Mean\":0.5,\"Norm\":2.5,\"requires_grad\":false}"

// `data` and `construct` from lines "name", "name < parent", "name [8,8]" separated by ";".
typedef struct OpLines {
    const char *data, *construct;
} OpLines;

static inline void op_lines_add(StrBuf *data, Str name, Str shape)
{
    const char *comma = data->size > 1 ? "," : "";
    if (str_find(name, STR("parameters_grad"), 0) != SIZE_MAX)
        strbuf_printf(data, "%s\"" STR_FMT "\":{\"weight\":[" OP_TENSOR("[2,2]") "]}", comma,
                      STR_ARG(name));
    else
        strbuf_printf(data,
                      "%s\"" STR_FMT "\":{\"input_args\":[" OP_TENSOR(
                          STR_FMT) "],\"output\":[" OP_TENSOR(STR_FMT) "]}",
                      comma, STR_ARG(name), STR_ARG(shape), STR_ARG(shape));
}

static inline OpLines op_lines(const char *lines, Arena *arena)
{
    StrBuf data, construct;
    Str rest = str_of(lines), line;
    data = strbuf_new(arena);
    construct = strbuf_new(arena);
    strbuf_add_char(&data, '{');
    strbuf_add_char(&construct, '{');
    while (str_split(&rest, ';', &line)) {
        size_t below = str_find(line, STR(" < "), 0), shape = str_find(line, STR(" ["), 0);
        Str name = str_trim(str_slice(line, 0, below < shape ? below : shape));
        Str parent = below == SIZE_MAX ? (Str){"", 0} : str_slice(line, below + 3, line.size);
        op_lines_add(&data, name,
                     shape == SIZE_MAX ? STR("[2,2]") : str_slice(line, shape + 1, line.size));
        strbuf_printf(&construct, "%s\"" STR_FMT "\":", construct.size > 1 ? "," : "",
                      STR_ARG(name));
        strbuf_printf(&construct, parent.size ? "\"" STR_FMT "\"" : "null" STR_FMT,
                      STR_ARG(parent));
    }
    strbuf_add(&data, (Str){"}", 2});
    strbuf_add(&construct, (Str){"}", 2});
    return (OpLines){data.data, construct.data};
}

#endif
