// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "model/graph/graph.h"
#include "read/dump/slot_content.h"

// Overflow levels (docs/spec/graph.md §2.12): a tensor is bad if it holds NaN or Inf (nonfinite_of)
// by more than its Norm, or by its Norm where that is all that is recorded. Weights are not looked
// at.

typedef struct Tally {
    bool bad_input, bad_output;
    bool tolerated;  // every bad slot is in a place that the API leaves undefined
    double input_norm, output_norm;
} Tally;

// APIs whose buffers hold anything before or after the call: places that may be bad. A group that
// is not listed is not checked for them. Source: docs/spec/graph.md §2.12.
typedef struct Tolerance {
    const char *api;  // first two parts of the name, lower case
    const char *inputs[2];
    const char *output;
} Tolerance;

static const Tolerance tolerances[] = {
    {"torch.empty", {NULL, NULL}, "output.0"},
    {"torch.empty_like", {NULL, NULL}, "output.0"},
    {"torch.empty_strided", {NULL, NULL}, "output.0"},
    {"distributed.recv", {"input.0", "input.tensor"}, NULL},
    {"distributed.reduce_scatter", {"input.0", "input.output"}, NULL},
    {"distributed.all_gather", {"input.0", NULL}, NULL},
    {"distributed._reduce_scatter_base", {"input.0", NULL}, NULL},
    {"distributed.all_gather_into_tensor", {"input.0", NULL}, NULL},
    {"distributed.reduce_scatter_tensor", {"input.0", NULL}, NULL},
    {"tensor.masked_fill_", {"input.0", NULL}, NULL},
};

static const Tolerance *find_tolerance(Str name)
{
    size_t first = str_find_char(name, '.', 0);
    size_t second = first == SIZE_MAX ? SIZE_MAX : str_find_char(name, '.', first + 1);
    Str api = str_slice(name, 0, second);
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++)
        if (str_equal_nocase(api, str_of(tolerances[i].api)))
            return &tolerances[i];
    return NULL;
}

// "input.3" and "output.0" stand directly in the list of arguments; "input.3.1" does not.
static bool is_direct(Str path)
{
    size_t first = str_find_char(path, '.', 0);
    return first != SIZE_MAX && str_find_char(path, '.', first + 1) == SIZE_MAX;
}

// The place of a slot in the call: "input.3" for everything inside argument 3.
static Str place_of(Str path)
{
    size_t first = str_find_char(path, '.', 0);
    size_t second = first == SIZE_MAX ? SIZE_MAX : str_find_char(path, '.', first + 1);
    return str_slice(path, 0, second);
}

static bool is_tolerated(const Tolerance *tolerance, bool output, Str path)
{
    if (!tolerance)
        return false;
    Str place = place_of(path);
    if (output)
        return !tolerance->output || str_equal(place, str_of(tolerance->output));
    return !tolerance->inputs[0] || str_equal(place, str_of(tolerance->inputs[0])) ||
           (tolerance->inputs[1] && str_equal(place, str_of(tolerance->inputs[1])));
}

static void tally_slot(const Dump *dump, const Slot *slot, const Tolerance *tolerance, Tally *tally)
{
    bool output = slot->group == GROUP_OUTPUT;
    bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
    if (!input && !output)
        return;
    Str path = names_text(dump->names, slot->path);
    Slot without_norm = *slot;
    without_norm.tag[STAT_NORM] = TAG_NULL;
    if (nonfinite_of(dump, nonfinite_norm_alone(slot) ? slot : &without_norm)) {
        tally->bad_input = tally->bad_input || input;
        tally->bad_output = tally->bad_output || output;
        tally->tolerated = tally->tolerated && is_tolerated(tolerance, output, path);
    }
    double norm;
    bool tensor = str_equal(names_text(dump->names, slot->type), STR("torch.Tensor"));
    if (tensor && slot->group != GROUP_KWARGS && is_direct(path) &&
        slot_stat(slot, STAT_NORM, &norm) && !isnan(norm)) {
        double *largest = output ? &tally->output_norm : &tally->input_norm;
        *largest = fmax(*largest, norm);
    }
}

static Overflow level_of(const Tally *tally)
{
    bool bad = tally->bad_input || tally->bad_output;
    if (bad && tally->tolerated)
        return OVERFLOW_NONE;
    if (tally->bad_output)
        return tally->bad_input ? OVERFLOW_HIGH : OVERFLOW_CRITICAL;
    if (tally->bad_input)
        return OVERFLOW_MEDIUM;
    double growth =
        tally->input_norm > 0 ? tally->output_norm / tally->input_norm : tally->output_norm;
    return growth > 100 ? OVERFLOW_HIGH : OVERFLOW_NONE;
}

void graph_mark_overflow(Graph *graph)
{
    const Dump *dump = graph->dump;
    for (NodeId id = 0; id < graph->count; id++) {
        Node *node = &graph->nodes[id];
        if (node->op == OP_NONE || dump->ops[node->op].kind == OP_GRADS)
            continue;
        const Op *op = &dump->ops[node->op];
        const Tolerance *tolerance = find_tolerance(names_text(dump->names, op->name));
        Tally tally = {.tolerated = true};
        for (uint32_t i = 0; i < op->slot_count; i++)
            tally_slot(dump, &dump->slots[op->first_slot + i], tolerance, &tally);
        node->overflow = (uint8_t)level_of(&tally);
    }
}
