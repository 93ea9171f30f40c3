// SPDX-License-Identifier: Apache-2.0
#include "export/vis/vis_config.h"

#include "base/json_writer.h"
#include "base/words.h"

typedef struct ToolTip {
    const char *column, *text;  // text: TR
} ToolTip;

static const ToolTip statistics_tips[] = {
    {"Max diff", TR("difference of the largest elements, target minus golden")},
    {"Min diff", TR("difference of the smallest elements, target minus golden")},
    {"Mean diff", TR("difference of the means, target minus golden")},
    {"L2norm diff", TR("difference of the L2 norms, target minus golden")},
    {NULL, NULL},
};
static const ToolTip checksum_tips[] = {
    {"md5", TR("CRC-32 of the bytes of the tensor: equal or not")},
    {NULL, NULL},
};
static const ToolTip tensor_tips[] = {
    {"One Thousandth Err Ratio", TR("share of elements within a relative error of 0.001")},
    {"Five Thousandths Err Ratio", TR("share of elements within a relative error of 0.005")},
    {"Cosine", TR("cosine of the angle between the two tensors")},
    {"MaxAbsErr", TR("largest absolute error of an element")},
    {"MaxRelativeErr", TR("largest relative error of an element")},
    {NULL, NULL},
};

Str vis_tool_tips(CompareMode mode, Arena *arena)
{
    static const ToolTip none[] = {{NULL, NULL}};
    static const ToolTip *const tips[] = {[MODE_STATISTICS] = statistics_tips,
                                          [MODE_CHECKSUM] = checksum_tips,
                                          [MODE_TENSOR] = tensor_tips,
                                          [MODE_STRUCTURE] = none};
    JsonWriter json;
    Sink *sink = sink_memory(arena);
    json_writer_init(&json, sink);
    json_object_flat(&json);
    for (const ToolTip *tip = tips[mode]; tip->column; tip++) {
        json_text(json_key(&json, tip->column), tr(tip->text));
    }
    json_object_end(&json);
    Str out = sink_bytes(sink);
    sink_discard(sink);
    return out;
}

Str vis_colours(CompareMode mode, Arena *arena)
{
    static const struct {
        const char *hex;
        double low, high;
        const char *level, *text;
    } bands[] = {
        {"#FFFCF3", 0, 0.3, "pass", TR("agrees")},
        {"#FFDC7F", 0.3, 0.6, "warning", TR("differs a little")},
        {"#FF704D", 0.6, 1, "error", TR("differs beyond the tolerance")},
    };
    JsonWriter json;
    Sink *sink = sink_memory(arena);
    json_writer_init(&json, sink);
    json_object_flat(&json);
    for (size_t i = 0; mode != MODE_STRUCTURE && i < sizeof bands / sizeof *bands; i++) {
        json_object(json_key(&json, bands[i].hex));
        json_array(json_key(&json, "value"));
        json_number(&json, bands[i].low);
        json_number(&json, bands[i].high);
        json_array_end(&json);
        json_text(json_key(&json, "description"), tr(bands[i].text));
        json_text(json_key(&json, "accuracy_level"), bands[i].level);
        json_object_end(&json);
    }
    json_object(json_key(&json, "#C7C7C7"));
    json_array(json_key(&json, "value"));
    json_array_end(&json);
    json_text(json_key(&json, "description"), tr("only one side has this node"));
    json_text(json_key(&json, "accuracy_level"), "unmatched");
    json_object_end(&json);
    json_object_end(&json);
    Str out = sink_bytes(sink);
    sink_discard(sink);
    return out;
}
