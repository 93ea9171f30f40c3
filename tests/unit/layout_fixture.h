// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_LAYOUT_FIXTURE_H
#define VERNIER_TESTS_LAYOUT_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "check.h"
#include "compare/compare.h"
#include "model/graph/graph_build.h"
#include "read/dump/dump_source.h"
#include "read/dump/op_name.h"
#include "scene/report.h"
#include "scene/scene.h"
#include "scene/text_width.h"

// What the layout tests share: a transformer-like run of any size with differences put in, and what
// must hold of every scene.

typedef struct FixtureOps {
    Op *items;
    size_t count, capacity;
} FixtureOps;

typedef struct FixtureSlots {
    Slot *items;
    size_t count, capacity;
} FixtureSlots;

typedef struct FixtureEntries {
    ConstructEntry *items;
    size_t count, capacity;
} FixtureEntries;

// One side: ops in order of execution with one input and one output each.
typedef struct FixtureRun {
    Arena *arena;
    Names *names;
    FixtureOps ops;
    FixtureSlots slots;
    FixtureEntries entries;
    Dump dump;
    Graph graph;
    double input, output;  // relative error of the next op's input and output
} FixtureRun;

static inline void fixture_begin(FixtureRun *run, Arena *arena)
{
    *run = (FixtureRun){.arena = arena, .names = names_new(arena)};
}

static inline void fixture_slot(FixtureRun *run, const char *path, SlotGroup group, double error)
{
    Slot *slot = ARRAY_PUSH(run->arena, &run->slots);
    double stats[STAT_COUNT] = {2.5, -1.5, 0.25, 12.0};
    *slot = (Slot){.path = names_add(run->names, str_of(path)),
                   .type = names_add(run->names, STR("torch.Tensor")),
                   .dtype = names_add(run->names, STR("torch.float32")),
                   .shape = names_add(run->names, STR("[2, 16, 64]")),
                   .kind = SLOT_TENSOR,
                   .group = (uint8_t)group};
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        slot->tag[stat] = TAG_REAL;
        slot->stat[stat].real = stats[stat] * (1 + error);
    }
}

// Adds a call under `parent` ("" for the root) with the run's present errors.
static inline void fixture_op(FixtureRun *run, Str name, Str parent)
{
    OpName parts = op_name_parse(name);
    Op *op = ARRAY_PUSH(run->arena, &run->ops);
    *op = (Op){.name = names_add(run->names, name),
               .first_slot = (uint32_t)run->slots.count,
               .slot_count = 2,
               .call = parts.call,
               .kind = (uint8_t)parts.kind,
               .direction = (uint8_t)parts.direction};
    fixture_slot(run, "input.0", GROUP_INPUT, run->input);
    fixture_slot(run, "output.0", GROUP_OUTPUT, run->output);
    ConstructEntry *entry = ARRAY_PUSH(run->arena, &run->entries);
    *entry = (ConstructEntry){.child = names_add(run->names, name),
                              .parent = parent.size ? names_add(run->names, parent) : NAME_NONE,
                              .micro_step = -1};
}

static inline void fixture_end(FixtureRun *run)
{
    static Notices notices;
    notices_init(&notices, run->arena);
    run->dump = (Dump){.path = STR("fixture/dump.json"),
                       .names = run->names,
                       .task = STR("statistics"),
                       .level = STR("mix"),
                       .framework = FRAMEWORK_PYTORCH,
                       .ops = run->ops.items,
                       .op_count = (uint32_t)run->ops.count,
                       .slots = run->slots.items,
                       .slot_count = (uint32_t)run->slots.count,
                       .partial_at = -1};
    Construct construct = {.entries = run->entries.items,
                           .count = (uint32_t)run->entries.count,
                           .last_micro_step = -1};
    Stacks *stacks = stacks_open("no such folder/stack.json", run->names, run->arena, &notices);
    graph_build(&run->dump, &construct, stacks, GRAPH_VERNIER, run->arena, &run->graph, &notices);
}

// How the target differs from golden.
typedef enum FixturePattern {
    FIXTURE_CLEAN,
    FIXTURE_SCATTERED,  // one op in a thousand, each by itself
    FIXTURE_NOISY       // everything after the middle
} FixturePattern;

typedef struct FixtureModel {
    uint32_t layers;
    FixturePattern pattern;
    const char *layer_name;  // "layers" if NULL
    bool golden;             // without any difference
    uint32_t at, total;      // ops so far, ops in all
} FixtureModel;

static inline void fixture_errors(FixtureRun *run, FixtureModel *model)
{
    run->input = run->output = 0;
    uint32_t at = model->at++;
    if (model->golden || model->pattern == FIXTURE_CLEAN)
        return;
    if (model->pattern == FIXTURE_SCATTERED) {
        run->output = at % 1000 == 500 ? 1e-3 : 0;
        return;
    }
    uint32_t middle = model->total / 2;
    run->input = at > middle ? 3e-5 : 0;
    run->output = at >= middle ? 1e-5 * (1 + at % 97) : 0;
}

static inline void fixture_call(FixtureRun *run, FixtureModel *model, Str name, Str parent)
{
    fixture_errors(run, model);
    fixture_op(run, name, parent);
}

enum { FIXTURE_OPS_PER_LAYER = 16 };  // both directions

static inline void fixture_layer(FixtureRun *run, FixtureModel *model, uint32_t layer,
                                 const char *direction)
{
    static const char *const parts[] = {"norm.LayerNorm", "attn.qkv.Linear", "mlp.fc.Linear"};
    static const char *const apis[] = {"layer_norm", "linear", "gelu"};
    Arena *a = run->arena;
    const char *list = model->layer_name ? model->layer_name : "layers";
    Str block = str_printf(a, "Module.%s.%u.Block.%s.0", list, layer, direction);
    Str attn = str_printf(a, "Module.%s.%u.attn.Attention.%s.0", list, layer, direction);
    for (uint32_t i = 0; i < 3; i++) {
        Str module = str_printf(a, "Module.%s.%u.%s.%s.0", list, layer, parts[i], direction);
        Str api = str_printf(a, "Functional.%s.%u.%s", apis[i], layer, direction);
        fixture_call(run, model, api, module);
        fixture_call(run, model, module, i == 1 ? attn : block);
        if (i == 1)
            fixture_call(run, model, attn, block);
    }
    fixture_call(run, model, block, STR(""));
}

static inline void fixture_model(FixtureRun *run, FixtureModel model, Arena *arena)
{
    fixture_begin(run, arena);
    model.total = model.layers * FIXTURE_OPS_PER_LAYER;
    for (uint32_t layer = 0; layer < model.layers; layer++)
        fixture_layer(run, &model, layer, "forward");
    for (uint32_t layer = model.layers; layer-- > 0;)
        fixture_layer(run, &model, layer, "backward");
    fixture_end(run);
}

static inline void fixture_compare(const FixtureRun *golden, const FixtureRun *target, Arena *arena,
                                   Comparison *out)
{
    CompareOptions options = {.rules = RULES_VERNIER, .mode = MODE_STATISTICS};
    compare_graphs(&golden->graph, &target->graph, &options, arena, out);
}

static inline bool fixture_read(const char *folder, Arena *arena, Graph *out)
{
    static Notices notices;
    notices_init(&notices, arena);
    Error err;
    Names *names = names_new(arena);
    Dump *dump = ARENA_NEW(arena, Dump);
    Construct construct;
    if (!dump_read(path_join(arena, folder, STR("dump.json")), names, arena, dump, &notices, &err))
        return false;
    construct_read(path_join(arena, folder, STR("construct.json")), names, arena, &construct,
                   &notices);
    Stacks *stacks =
        stacks_open(path_join(arena, folder, STR("stack.json")), names, arena, &notices);
    graph_build(dump, &construct, stacks, GRAPH_VERNIER, arena, out, &notices);
    return true;
}

// A pair of samples: of the repository ("samples/gpt"), or of the set beside it. False where it is
// not of the tests that run (CHECK_RUN_SHARED: those of the set), or not here: then they skip it.
static inline bool fixture_sample(const char *sample, const char *target, Arena *arena,
                                  Comparison *out)
{
    Graph *graphs = ARENA_ARRAY(arena, Graph, 2);
    bool own = str_starts(str_of(sample), STR("samples/"));
    if (own == check_only_shared())
        return false;
    const char *top = own ? TEST_SOURCE_DIR : SHARED_DIR "/data/dumps";
    const char *sides[2] = {own ? "golden" : "bench", target};
    for (int side = 0; side < 2; side++) {
        const char *folder =
            str_cstr(arena, str_printf(arena, "%s/%s/%s/step0/rank0", top, sample, sides[side]));
        if (file_kind(folder) != FILE_FOLDER || !fixture_read(folder, arena, &graphs[side])) {
            fprintf(stderr, "skipped: %s is not here\n", folder);
            check_skipped = true;
            return false;
        }
    }
    CompareOptions options = {.rules = RULES_VERNIER,
                              .mode = compare_mode(graphs[0].dump, graphs[1].dump)};
    compare_graphs(&graphs[0], &graphs[1], &options, arena, out);
    return true;
}

typedef struct FixtureSample {
    const char *sample, *target;
} FixtureSample;

static const FixtureSample fixture_samples[] = {
    {"samples/gpt", "target"},
    {"gpt4-mix-stats", "target_linear_bf16"},
    {"gpt4-mix-stats", "target_ln_eps"},
    {"gpt4-mix-stats", "target_gelu_renamed"},
    {"gpt4-mix-stats", "target_nan"},
    {"gpt4-mix-stats", "target_dropout"},
    {"gpt4-mix-stats", "target_bf16"},
    {"gpt4-mix-stats", "target_same"},
    {"gpt4-mix-md5", "target_weight"},
    {"gpt4-microstep", "target_batch"},
    {"gpt4-l0-stats", "target_attn_scale"},
    {"gpt4-l1-stats", "target_nan"},
    {"gpt2-dp4-l1", "target_allreduce"},
    {"resnet18-mix-stats", "target_relu_missing"},
    {"mlp-l1-stats", "target_weight"},
    {"cnn-mix-tensor", "target_noise"},
};
enum { FIXTURE_SAMPLES = sizeof fixture_samples / sizeof *fixture_samples };

static inline Verdict fixture_verdict(void)
{
    return (Verdict){.style = STYLE_ERROR,
                     .sentence = STR("DIVERGES  at Functional.linear.8.forward, step 0, rank 0."),
                     .word = STR("DIVERGES"),
                     .place = STR("Functional.linear.8.forward"),
                     .reason = STR("inputs agree (norm rel. diff 0), output.0 does not (2.9e-05)."),
                     .context = STR("step 0, rank 0 · 357 later ops inherit it")};
}

typedef struct TextBox {
    double x, y, right, bottom;
    Str text;
} TextBox;

static inline TextBox text_box(const TextShape *text)
{
    double width = 0;
    for (size_t i = 0; i < text->count; i++) {
        const Span *span = &text->spans[i];
        double size = span->size > 0 ? (double)span->size : (double)text->size;
        int weight = span->weight ? span->weight : text->weight;
        width += (double)span->dx;
        width += span->mono || text->mono ? text_width_mono(span->text, size)
                                          : text_width(span->text, size, weight);
    }
    double shift = text->anchor == ANCHOR_START ? 0 : text->anchor == ANCHOR_END ? 1 : 0.5;
    double x = text->x - shift * width;
    double size = (double)text->size;
    if (text->vertical)
        return (TextBox){text->x - 0.7 * size, text->y - width, text->x + 0.2 * size, text->y,
                         text->spans[0].text};
    return (TextBox){x, text->y - 0.7 * size, x + width, text->y + 0.2 * size,
                     text->count ? text->spans[0].text : (Str){0}};
}

static inline int compare_boxes(const void *a, const void *b)
{
    double x = ((const TextBox *)a)->y, y = ((const TextBox *)b)->y;
    return x < y ? -1 : x > y;
}

// Prints each pair of texts that lie over each other and counts them.
static inline int scene_overlaps(const Scene *scene)
{
    Arena *arena = arena_new();
    TextBox *boxes = ARENA_ARRAY(arena, TextBox, scene->count);
    size_t count = 0;
    for (size_t i = 0; i < scene->count; i++)
        if (scene->items[i].kind == ITEM_TEXT)
            boxes[count++] = text_box(&scene->items[i].as.text);
    qsort(boxes, count, sizeof *boxes, compare_boxes);
    int overlaps = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && boxes[j].y < boxes[i].bottom - 0.5; j++) {
            const TextBox *a = &boxes[i], *b = &boxes[j];
            if (a->right - 0.5 <= b->x || b->right - 0.5 <= a->x)
                continue;
            fprintf(stderr, "'" STR_FMT "' (%.0f,%.0f) lies over '" STR_FMT "' (%.0f,%.0f)\n",
                    STR_ARG(a->text), a->x, a->y, STR_ARG(b->text), b->x, b->y);
            overlaps++;
        }
    arena_release(arena);
    return overlaps;
}

static inline TextBox item_box(const Item *item)
{
    switch (item->kind) {
    case ITEM_BOX:
        return (TextBox){item->as.box.x, item->as.box.y, item->as.box.x + item->as.box.width,
                         item->as.box.y + item->as.box.height, STR("box")};
    case ITEM_LINE:
        return (TextBox){fmin(item->as.line.x1, item->as.line.x2),
                         fmin(item->as.line.y1, item->as.line.y2),
                         fmax(item->as.line.x1, item->as.line.x2),
                         fmax(item->as.line.y1, item->as.line.y2), STR("line")};
    case ITEM_TEXT:
        return text_box(&item->as.text);
    default:
        return (TextBox){1, 1, 1, 1, STR("")};
    }
}

// Prints and counts what lies outside the page, or is no number.
static inline int scene_outside(const Scene *scene)
{
    int outside = 0;
    for (size_t i = 0; i < scene->count; i++) {
        TextBox box = item_box(&scene->items[i]);
        bool inside = box.x >= -0.01 && box.y >= -0.01 && box.right <= scene->width + 0.01 &&
                      box.bottom <= scene->height + 0.01;
        if (inside)
            continue;
        fprintf(stderr, "'" STR_FMT "' at %.1f,%.1f to %.1f,%.1f is outside %.0fx%.0f\n",
                STR_ARG(box.text), box.x, box.y, box.right, box.bottom, scene->width,
                scene->height);
        outside++;
    }
    return outside;
}

#endif
