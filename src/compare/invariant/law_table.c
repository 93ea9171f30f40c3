// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_tests.h"
#include "read/known_rows.h"

// What is known of each besides is in templates/laws.table, from which docs/reference/checks.md is
// made. Sources: the silent errors of TrainCheck (OSDI 2025) and of TTrace.

const Law laws[] = {
    {.name = "replicas", .pair = law_replicas, .with = WITH_COPY},
    {.name = "optimizer-copies", .pair = law_optimizer_copies, .with = WITH_COPY},
    {.name = "tensor-copies", .pair = law_tensor_copies, .with = WITH_SHARE},
    {.name = "tied-embeddings", .test = law_tied_embeddings},
    {.name = "collective-calls", .test = law_collective_calls},
    {.name = "collective-results", .test = law_collective_results},
    {.name = "collective-sums", .test = law_collective_sums},
    {.name = "reduced-use", .test = law_reduced_use},
    {.name = "transfers", .each = law_transfers},
    {.name = "dp-inputs", .pair = law_dp_inputs, .with = WITH_COPY},
    {.name = "tp-inputs", .pair = law_tp_inputs, .with = WITH_SHARE},
    {.name = "tp-norms", .pair = law_tp_norms, .with = WITH_SHARE},
    {.name = "step-inputs", .pair = law_step_inputs, .with = WITH_NEXT},
    {.name = "labels", .local = LOCAL_LABELS},
    {.name = "vocabulary", .local = LOCAL_VOCABULARY},
    {.name = "shift", .local = LOCAL_SHIFT},
    {.name = "loss-mask", .local = LOCAL_MASK},
    {.name = "positions", .local = LOCAL_POSITIONS},
    {.name = "batches", .test = law_batches},
    {.name = "dropout", .local = LOCAL_DROPOUT},
    {.name = "module-order", .pair = law_module_order, .with = WITH_SHARE},
    {.name = "gradients", .each = law_gradients},
    {.name = "zero-gradients", .test = law_zero_gradients},
    {.name = "bias-gradients", .each = law_bias_gradients},
    {.name = "reduced-all", .pair = law_reduced_all, .with = WITH_COPY},
    {.name = "reduced-gradients", .each = law_reduced_gradients},
    {.name = "gradient-copies", .pair = law_gradient_copies, .with = WITH_COPY},
    {.name = "repeated-gradients", .pair = law_repeated_gradients, .with = WITH_NEXT},
    {.name = "clipping", .local = LOCAL_CLIPPING},
    {.name = "updates", .pair = law_updates, .with = WITH_NEXT},
    {.name = "frozen", .pair = law_frozen, .with = WITH_NEXT},
    {.name = "averages", .pair = law_averages, .with = WITH_NEXT},
    {.name = "weight-steps", .pair = law_weight_steps, .with = WITH_NEXT},
    {.name = "constant-weights", .each = law_constant_weights},
    {.name = "optimizer-state", .each = law_optimizer_state},
    {.name = "master-weights", .each = law_master_weights},
    {.name = "recompute", .local = LOCAL_RECOMPUTE},
    {.name = "finite", .test = law_finite},
    {.name = "saturation", .local = LOCAL_SATURATION},
    {.name = "constant", .local = LOCAL_CONSTANT},
    {.name = "softmax", .local = LOCAL_SOFTMAX},
    {.name = "elementwise", .local = LOCAL_ELEMENTWISE},
    {.name = "slope", .local = LOCAL_SLOPE},
    {.name = "rounded", .local = LOCAL_ROUNDED},
    {.name = "gradient-sums", .local = LOCAL_SUMS},
    {.name = "layer-positions", .local = LOCAL_LAYERS},
    {.name = "causal-rows", .local = LOCAL_CAUSAL},
    {.name = "routing", .local = LOCAL_ROUTING},
    {.name = "layer-dtypes", .local = LOCAL_LAYER_DTYPES},
    {.name = "micro-batches", .local = LOCAL_MICRO},
    {.name = "dtypes", .pair = law_dtypes, .with = WITH_COPY | WITH_SHARE | WITH_NEXT},
    {.name = "expect-frozen", .test = law_expect_frozen},
    {.name = "expect-trained", .test = law_expect_trained},
    {.name = "expect-init", .test = law_expect_init},
    {.name = "expect-compute", .test = law_expect_compute},
    {.name = "expect-batch", .test = law_expect_batch},
    {.name = "expect-length", .test = law_expect_length},
    {.name = "expect-generated", .test = law_expect_generated},
};
const size_t law_count = sizeof laws / sizeof *laws;

static uint8_t word_of(Str text, const char *const *words)
{
    uint8_t out = 0;
    while (words[out] && !str_equal(text, str_of(words[out])))
        out++;
    return out;
}

// "L1 ranks, L0 ranks, mix two"
static void read_shown(Str text, LawTexts *out)
{
    static const char *const levels[] = {"L1", "L0", "mix", NULL};
    static const char *const words[] = {"not", "one", "steps", "ranks", "two", NULL};
    Str part;
    while (str_split(&text, ',', &part)) {
        part = str_trim(part);
        uint8_t level = word_of(known_word(&part), levels);
        if (level < LEVEL_COUNT)
            out->shown[level] = word_of(part, words);
    }
}

static void read_row(Str key, Str text, LawTexts *out)
{
    static const char *const stages[] = {"weights",  "inputs",    "forward",
                                         "backward", "reduction", NULL};
    static const char *const sets[] = {"none", "copies", "shares", NULL};
    static const char *const kinds[] = {"all", "some", "tokens", "expects", NULL};
    if (str_equal(key, STR("holds")))
        out->holds = text.data;
    else if (str_equal(key, STR("needs")))
        out->needs = text.data;
    else if (str_equal(key, STR("broken")))
        out->broken = text.data;
    else if (str_equal(key, STR("tested")))
        out->tested = text.data;
    else if (str_equal(key, STR("at")))
        out->stage = word_of(text, stages);
    else if (str_equal(key, STR("shown")))
        read_shown(text, out);
    else if (str_equal(key, STR("over")))
        out->over = word_of(text, sets);
    else
        out->only = word_of(text, kinds);
}

LawTexts *law_texts_read(Arena *arena)
{
    KnownRows rows = known_rows("laws.table");
    LawTexts *texts = ARENA_ARRAY(arena, LawTexts, law_count + 1), *at = &texts[law_count];
    Str key, text;
    while (known_rows_next(&rows, &key, &text)) {
        size_t law = 0;
        while (str_equal(key, STR("law")) && law < law_count &&
               !str_equal(text, str_of(laws[law].name)))
            law++;
        if (str_equal(key, STR("law")))
            at = &texts[law];
        else
            read_row(key, (Str){str_cstr(arena, text), text.size}, at);
    }
    return texts;
}
