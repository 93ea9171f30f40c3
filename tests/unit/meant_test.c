// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/meant.h"

#include "check.h"
#include "read/settings/config_file.h"

// What a configuration under this name means, "compute=bfloat16 batch=4", and how much is left out.
static const char *meant_of(const char *name, const char *text, size_t *unclear)
{
    static char out[512];
    Arena *arena = arena_new();
    Notices notices;
    Config config = {0};
    Meants meants = {0};
    Error err;
    FILE *file = fopen(name, "w");
    notices_init(&notices, arena);
    out[0] = '\0';
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(config_read(name, arena, &config, &notices, &err));
    meant_take(&config, arena, &meants);
    for (size_t i = 0, at = 0; i < meants.count; i++)
        at += (size_t)snprintf(out + at, sizeof out - at, "%s" STR_FMT, i ? " " : "",
                               STR_ARG(meants.items[i].text));
    *unclear = meants.unclear_count;
    arena_release(arena);
    CHECK(remove(name) == 0);
    return out;
}

#define CHECK_MEANT(name, text, want, unclear_want)               \
    do {                                                          \
        size_t unclear;                                           \
        CHECK_TEXT(str_of(meant_of(name, text, &unclear)), want); \
        CHECK(unclear == (unclear_want));                         \
    } while (0)

static void each_dialect_tells_what_was_meant(void)
{
    CHECK_MEANT("meant.yaml", "bf16: true\nper_device_train_batch_size: 4\ncutoff_len: 2048\n",
                "compute=bfloat16 batch=4 length=2048", 0);
    CHECK_MEANT("meant.json",
                "{\"train_micro_batch_size_per_gpu\": 2, \"fp16\": {\"enabled\": true}}",
                "compute=float16 batch=2", 0);
    CHECK_MEANT("meant.json", "{\"text_config\": {\"initializer_range\": 0.02, \"vocab_size\": 8}}",
                "init=0.02", 0);
    CHECK_MEANT("meant.json", "{\"max_new_tokens\": 32}", "generated=32", 0);
    CHECK_MEANT("meant.toml",
                "[training]\nlocal_batch_size = 8 # a rank\nseq_len = 4096\nlr = 3e-4\n"
                "mixed_precision_param = \"bfloat16\"\n",
                "compute=bfloat16 batch=8 length=4096", 0);
    CHECK_MEANT("meant.log",
                "------------------------ arguments ------------------------\n"
                "  bf16 ............................................ True\n"
                "  fp16 ............................................ False\n"
                "  init_method_std ................................. 0.02\n"
                "  micro_batch_size ................................ 2\n"
                "  seq_length ...................................... 4096\n",
                "compute=bfloat16 batch=2 length=4096 init=0.02", 0);
    CHECK_MEANT("meant.sh", "torchrun pretrain_gpt.py --bf16 --micro-batch-size 1\n",
                "compute=bfloat16 batch=1", 0);
    CHECK_MEANT("meant.yaml",
                "model:\n  model_config:\n    compute_dtype: \"bfloat16\"\n"
                "    seq_length: 4096\nrunner_config:\n  batch_size: 1\n",
                "compute=bfloat16 batch=1 length=4096", 0);
}

static void parts_that_are_frozen_are_patterns_of_weights(void)
{
    CHECK_MEANT("meant.yaml", "freeze_modules: [visual, 'lm.*.norm']\nfreeze_vision_tower: true\n",
                "frozen=visual|lm.*.norm frozen=vision_tower", 0);
    CHECK_MEANT("meant.yaml",
                "model:\n  text_encoder:\n    freeze: true\n  head:\n    freeze: false\n",
                "frozen=text_encoder", 0);
    CHECK_MEANT("meant.yaml", "freeze_bn: true\nfreeze_layers: 3\nfreeze_parameters: []\n", "", 0);
    CHECK_MEANT("meant.yaml", "finetuning_type: full\n", "trained=*", 0);
    CHECK_MEANT("meant.yaml", "finetuning_type: lora\n", "", 0);
}

static void a_configuration_of_very_many_settings_costs_no_more_than_its_reading(void)
{
    Arena *arena = arena_new();
    Config config = {0};
    Meants meants = {0};
    for (int i = 0; i < CONFIG_ITEMS_MAX; i++)
        config_add(&config, arena,
                   (ConfigItem){.path = str_printf(arena, "freeze_part%d_%s", i, "x"),
                                .value = STR("true"),
                                .file = "many.json"});
    meant_take(&config, arena, &meants);
    CHECK(meants.count == 256);
    arena_release(arena);
}

static void what_contradicts_itself_or_is_left_open_tells_nothing(void)
{
    CHECK_MEANT("meant.yaml", "bf16: true\nfp16: true\n", "", 1);
    CHECK_MEANT("meant.yaml", "a:\n  seq_length: 8\nb:\n  seq_length: 16\nc:\n  seq_length: 8\n",
                "", 1);
    CHECK_MEANT("meant.yaml", "micro_batch_size: 4\npacking: true\n", "", 1);
    CHECK_MEANT("meant.yaml", "micro_batch_size: 4\npacking: false\n", "batch=4", 0);
    CHECK_MEANT("meant.yaml", "freeze_modules: [a]\nunfreeze_epoch: 3\n", "", 1);
    CHECK_MEANT("meant.yaml", "train_micro_batch_size_per_gpu: auto\nmixed_precision: no\n", "", 0);
    CHECK_MEANT("meant.yaml", "torch_dtype: bfloat16\nmax_length: 20\nbf16: false\n", "", 0);
    CHECK_MEANT("meant.yaml", "my_bf16: true\nbf16x: true\nseq_length: 99999999999999999999\n", "",
                0);
    CHECK_MEANT("meant.yaml", "seq_length: -1\nmicro_batch_size: 0.5\n", "", 0);
}

int main(void)
{
    CHECK_RUN(each_dialect_tells_what_was_meant);
    CHECK_RUN(parts_that_are_frozen_are_patterns_of_weights);
    CHECK_RUN(a_configuration_of_very_many_settings_costs_no_more_than_its_reading);
    CHECK_RUN(what_contradicts_itself_or_is_left_open_tells_nothing);
    return CHECK_RESULT;
}
