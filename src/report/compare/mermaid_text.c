// SPDX-License-Identifier: Apache-2.0
#include "report/compare/mermaid_text.h"

#include <string.h>

#include "base/text_columns.h"
#include "base/utf8.h"
#include "picture/compare/node_name.h"
#include "picture/kit/error_axis.h"

enum { AROUND = 3, SHOWN = 2 * AROUND + 1, NAME_COLUMNS = 40 };

Str mermaid_label(Str text, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    text = utf8_display(text, arena);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c >= 0x80;
        if (letter || strchr(" ._,=:+-", c))
            strbuf_add_char(&buf, text.data[i]);
        else
            strbuf_printf(&buf, "#%d;", c);
    }
    return strbuf_str(&buf);
}

static uint32_t place_of(const OpPair *pair, bool golden)
{
    return golden ? pair->golden : pair->target;
}

// The ops by their distance to that of the divergence; PAIR_NONE: none there.
static void find_around(const Comparison *comparison, uint32_t out[SHOWN])
{
    const OpPair *center = &comparison->ops[comparison->first.op];
    bool golden = center->target == OP_NONE;
    int64_t first = (int64_t)place_of(center, golden) - AROUND;
    for (int i = 0; i < SHOWN; i++)
        out[i] = PAIR_NONE;
    for (uint32_t op = 0; op < comparison->op_count; op++) {
        uint32_t place = place_of(&comparison->ops[op], golden);
        if (place != OP_NONE && (int64_t)place >= first && (int64_t)place < first + SHOWN)
            out[(int64_t)place - first] = op;
    }
}

static const char *class_of(const Comparison *comparison, uint32_t op)
{
    if (op == comparison->first.op)
        return ":::first";
    Status status = (Status)comparison->ops[op].status;
    return status == STATUS_ERROR || status == STATUS_WARNING ? ":::later" : "";
}

static void add_node(StrBuf *buf, const Comparison *comparison, uint32_t op, int number)
{
    Arena *arena = buf->arena;
    Str name = columns_fit(op_name_loose(comparison, op, arena).local, NAME_COLUMNS, arena);
    Str in = error_of_op(comparison, op, OP_INPUTS, arena).text;
    Str out = error_of_op(comparison, op, OP_OUTPUTS, arena).text;
    strbuf_printf(buf, "  n%d[\"" STR_FMT "<br/>" STR_FMT " → " STR_FMT "\"]%s\n", number,
                  STR_ARG(mermaid_label(name, arena)), STR_ARG(mermaid_label(in, arena)),
                  STR_ARG(mermaid_label(out, arena)), class_of(comparison, op));
}

Str mermaid_text(const Comparison *comparison, Arena *arena)
{
    uint32_t ops[SHOWN];
    if (comparison->first.kind == DIVERGE_NONE)
        return STR("");
    StrBuf buf = strbuf_new(arena);
    strbuf_printf(&buf, "flowchart TD\n");
    find_around(comparison, ops);
    for (int i = 0; i < SHOWN; i++)
        if (ops[i] != PAIR_NONE)
            add_node(&buf, comparison, ops[i], i);
    for (int i = 0; i + 1 < SHOWN; i++)
        if (ops[i] != PAIR_NONE && ops[i + 1] != PAIR_NONE)
            strbuf_printf(&buf, "  n%d --> n%d\n", i, i + 1);
    strbuf_printf(&buf, "  classDef first fill:#c62828,color:#ffffff,stroke:#7f0000\n"
                        "  classDef later fill:#f8d7da,color:#1b1e22,stroke:#c62828\n");
    return strbuf_str(&buf);
}
