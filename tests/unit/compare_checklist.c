// SPDX-License-Identifier: Apache-2.0
#include "compare/checklist.h"

#include "base/sink.h"
#include "check.h"

typedef struct Fixture {
    Arena *arena;
    Notices notices;
    Config sides[2];
    Checklist list;
    Error err;
    bool good;
} Fixture;

static void read_text(Fixture *f, int side, const char *text)
{
    Error err;
    const char *path = side ? "checklist-target.txt" : "checklist-golden.txt";
    Sink *sink = sink_file(path, &err);
    CHECK(sink != NULL);
    sink_text(sink, text);
    CHECK(sink_commit(sink, &err));
    f->good = config_read(path, f->arena, &f->sides[side], &f->notices, &f->err) && f->good;
}

static Fixture compare(const char *golden, const char *target)
{
    Fixture f = {.arena = arena_new(), .good = true};
    notices_init(&f.notices, f.arena);
    read_text(&f, 0, golden);
    read_text(&f, 1, target);
    if (f.good)
        checklist_compare(&f.sides[0], &f.sides[1], f.arena, &f.list);
    return f;
}

static const CheckResult *row_of(const Fixture *f, const char *key)
{
    for (size_t i = 0; i < f->list.row_count; i++)
        if (str_equal(str_of(f->list.rows[i].row->key), str_of(key)))
            return &f->list.rows[i];
    return &f->list.rows[0];
}

static CheckStatus status_of(const Fixture *f, const char *key)
{
    return row_of(f, key)->status;
}

static Str value_in(const Fixture *f, const char *key)
{
    const ConfigItem *item = config_find(&f->sides[0], str_of(key));
    return item ? item->value : STR("(none)");
}

static void different_spellings_of_one_setting_are_equal(void)
{
    Fixture f = compare("--num-layers 2 --norm-epsilon 1e-5 --adam-eps 1e-8 --bf16 --swiglu \\\n"
                        "--optimizer adam --lr-decay-style cosine --adam-beta2 0.95\n",
                        "num_hidden_layers: 2\nrms_norm_eps: 1.e-5\nhidden_act: silu\n"
                        "compute_dtype: torch.bfloat16\noptimizer:\n  type: AdamW\n"
                        "  eps: 0.00000001\n  betas: [0.9, 0.95]\n"
                        "lr_schedule:\n  type: CosineWithWarmUpLR\n");
    static const char *const keys[] = {"num_layers", "norm_eps",  "eps",         "compute_dtype",
                                       "activation", "optimizer", "lr_schedule", "beta2"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CHECK(status_of(&f, keys[i]) == CHECK_EQUAL);
    CHECK(f.list.differs == 0);
    arena_release(f.arena);
}

static void differences_and_advice_are_told_apart(void)
{
    Fixture f = compare("--hidden-dropout 0.0 --weight-decay 0.1 --vocab-size 32000\n",
                        "hidden_dropout: 0.1\nweight_decay: 0.1\nvocab_size: 32001\n"
                        "enable_parallel_optimizer: True\n");
    CHECK(status_of(&f, "hidden_dropout") == CHECK_DIFFERS);
    CHECK(row_of(&f, "hidden_dropout")->advice_target);
    CHECK(!row_of(&f, "hidden_dropout")->advice_golden);
    CHECK(row_of(&f, "vocab_size")->advice_target && !row_of(&f, "vocab_size")->advice_golden);
    CHECK(row_of(&f, "parallel_optimizer")->advice_target);
    CHECK(f.list.differs == 2 && f.list.advice == 3);
    arena_release(f.arena);
}

static void batch_and_heads_are_derived(void)
{
    Fixture f = compare("--global-batch-size 64 --num-attention-heads 16\n",
                        "runner_config:\n  batch_size: 2\n  gradient_accumulation_steps: 8\n"
                        "parallel_config:\n  data_parallel: 4\nnum_attention_heads: 16\n"
                        "num_key_value_heads: 16\n");
    CHECK(status_of(&f, "global_batch_size") == CHECK_EQUAL);
    CHECK(status_of(&f, "kv_heads") == CHECK_EQUAL);
    arena_release(f.arena);
}

static void groups_without_their_switch_do_not_count(void)
{
    Fixture f = compare("--num-attention-heads 16 --num-query-groups 8\n",
                        "num_attention_heads: 16\nnum_key_value_heads: 8\n");
    CHECK(status_of(&f, "kv_heads") == CHECK_DIFFERS);
    arena_release(f.arena);
}

static void inverted_switches_are_turned(void)
{
    Fixture f = compare("--untie-embeddings-and-output-weights --disable-bias-linear\n",
                        "tie_word_embeddings: false\nadd_bias_linear: off\n");
    CHECK(status_of(&f, "tie_embeddings") == CHECK_EQUAL);
    CHECK(status_of(&f, "linear_bias") == CHECK_EQUAL);
    arena_release(f.arena);
}

static void scripts_are_read_as_a_shell_would(void)
{
    Fixture f =
        compare("#!/bin/bash\nLR=1e-5\nN=\"4\"\n"
                "ARGS=\"\n  --lr ${LR} \\\n  # --lr 5e-5 \\\n  --seed 7 \\\n\"\n"
                "# --seed 8\nMORE=(--num-layers $N --hidden-size=64 # --seed 9\n --no-bias)\n"
                "UNUSED=\"--clip-grad 9\"\n"
                "torchrun --nproc_per_node 1 train.py $ARGS ${MORE[@]} --min-lr 1e-6 "
                "--data-path 0.5 a 0.5 b --min-lr 2e-6\n",
                "seed: 7\n");
    CHECK_TEXT(value_in(&f, "lr"), "1e-5");
    CHECK_TEXT(value_in(&f, "seed"), "7");
    CHECK_TEXT(value_in(&f, "num_layers"), "4");
    CHECK_TEXT(value_in(&f, "hidden_size"), "64");
    CHECK_TEXT(value_in(&f, "min_lr"), "2e-6");
    CHECK_TEXT(value_in(&f, "bias"), "false");
    CHECK_TEXT(value_in(&f, "data_path"), "0.5 a 0.5 b");
    CHECK_TEXT(value_in(&f, "nproc_per_node"), "1");
    CHECK_TEXT(value_in(&f, "clip_grad"), "(none)");
    arena_release(f.arena);
}

static void argument_files_without_a_command_are_read(void)
{
    Fixture f = compare("ARGS=\"--lr 1e-5 --seed 7\"\n", "seed: 7\n");
    CHECK_TEXT(value_in(&f, "lr"), "1e-5");
    arena_release(f.arena);
}

static void json_and_logs_are_read(void)
{
    Fixture f = compare("{\"hidden_size\": 64, \"optimizer\": {\"params\": {\"betas\": [0.9, 0.95],"
                        " \"eps\": 1e-08}}, \"tie_word_embeddings\": false, \"x\": NaN}",
                        "  hidden_size ............ 64\n  adam_beta2 ............. 0.95\n"
                        "  adam_eps .............. 1e-08\n");
    CHECK(f.good && f.sides[0].format == CONFIG_JSON && f.sides[1].format == CONFIG_LOG);
    CHECK(status_of(&f, "hidden_size") == CHECK_EQUAL);
    CHECK(status_of(&f, "beta2") == CHECK_EQUAL);
    CHECK(status_of(&f, "eps") == CHECK_EQUAL);
    arena_release(f.arena);
}

static void broken_files_are_refused_with_their_line(void)
{
    Fixture yaml = compare("a: 1\nb: [1, 2\nc: 3\n", "seed: 7\n");
    CHECK(!yaml.good && yaml.err.line > 0);
    arena_release(yaml.arena);
    Fixture empty = compare("\n", "seed: 7\n");
    CHECK(!empty.good && empty.err.hint[0] != '\0');
    arena_release(empty.arena);
}

static void anchors_and_loops_of_yaml_end(void)
{
    Fixture f = compare("base: &b\n  seed: 7\nrun:\n  <<: *b\n  lr: 1\n", "seed: 7\n");
    CHECK(status_of(&f, "seed") == CHECK_EQUAL);
    arena_release(f.arena);
    Fixture bomb = compare("a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a]\n"
                           "c: &c [*b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c]\n"
                           "e: &e [*d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e]\n",
                           "seed: 7\n");
    CHECK(bomb.good && bomb.sides[0].count <= CONFIG_ITEMS_MAX);
    arena_release(bomb.arena);
}

static void a_configuration_equals_itself(void)
{
    const char *text = "seed: 7\nhidden_size: 8\nvocab_size: 31\nhidden_dropout: 0.1\n";
    Fixture f = compare(text, text);
    CHECK(f.list.differs == 0 && f.list.one_side == 0 && f.list.equal == 4);
    arena_release(f.arena);
}

int main(void)
{
    CHECK_RUN(different_spellings_of_one_setting_are_equal);
    CHECK_RUN(differences_and_advice_are_told_apart);
    CHECK_RUN(batch_and_heads_are_derived);
    CHECK_RUN(groups_without_their_switch_do_not_count);
    CHECK_RUN(inverted_switches_are_turned);
    CHECK_RUN(scripts_are_read_as_a_shell_would);
    CHECK_RUN(argument_files_without_a_command_are_read);
    CHECK_RUN(json_and_logs_are_read);
    CHECK_RUN(broken_files_are_refused_with_their_line);
    CHECK_RUN(anchors_and_loops_of_yaml_end);
    CHECK_RUN(a_configuration_equals_itself);
    return check_failures != 0;
}
