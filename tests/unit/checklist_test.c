// SPDX-License-Identifier: Apache-2.0
#include "compare/checklist/checklist.h"

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

static void a_switch_inside_of_a_group_tells_the_type(void)
{
    Fixture f = compare("{\"bf16\": {\"enabled\": true}, \"fp16\": {\"enabled\": false}}",
                        "{\"bf16\": {\"enabled\": false}}");
    CHECK(status_of(&f, "compute_dtype") == CHECK_DIFFERS);
    CHECK_TEXT(row_of(&f, "compute_dtype")->golden.value, "bf16");
    CHECK_TEXT(row_of(&f, "compute_dtype")->target.value, "fp32");
    arena_release(f.arena);
    f = compare("{\"bf16\": {\"enabled\": \"auto\"}}", "{\"fp16\": {\"enabled\": true}}");
    CHECK(status_of(&f, "compute_dtype") == CHECK_ONE_SIDE);
    arena_release(f.arena);
    // A type that is written out wins over switches that are off.
    f = compare("{\"bf16\": false, \"torch_dtype\": \"bfloat16\"}", "compute_dtype: bf16\n");
    CHECK(status_of(&f, "compute_dtype") == CHECK_EQUAL);
    arena_release(f.arena);
}

static void what_trains_and_how_long_is_judged(void)
{
    static const struct {
        const char *key, *golden, *target;
    } cases[] = {
        {"clip_grad", "[training]\nmax_norm = 1.0\n", "[training]\nmax_norm = 0.5\n"},
        {"seq_length", "cutoff_len: 2048\n", "cutoff_len: 1024\n"},
        {"seq_length", "[training]\nseq_len = 2048\n", "--seq-length 4096\n"},
        {"lora_rank", "lora_rank: 8\n", "lora_rank: 16\n"},
        {"finetuning_type", "finetuning_type: lora\n", "finetuning_type: full\n"},
        {"epochs", "num_train_epochs: 3.0\n", "num_train_epochs: 5\n"},
        {"fp8", "--fp8-format hybrid\n", "--fp8-format e4m3\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f = compare(cases[i].golden, cases[i].target);
        CHECK(status_of(&f, cases[i].key) == CHECK_DIFFERS && f.list.differs == 1);
        arena_release(f.arena);
    }
}

#define OPTIONS "--num-layers 2 --hidden-size 64 --lr 1e-4 "

static void a_switch_that_a_script_of_megatron_lacks_is_off(void)
{
    static const struct {
        const char *key, *option, *off;
    } cases[] = {
        {"compute_dtype", "--bf16", "fp32"},
        {"activation", "--swiglu", "gelu"},
        {"tie_embeddings", "--untie-embeddings-and-output-weights", "true"},
        {"linear_bias", "--disable-bias-linear", "true"},
        {"qkv_bias", "--add-qkv-bias", "false"},
        {"fp8", "--fp8-format hybrid", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "python t.py " OPTIONS "%s \"$@\"\n", cases[i].option);
        Fixture f = compare(text, "python t.py " OPTIONS "> log 2>&1\n");
        CHECK(status_of(&f, cases[i].key) == CHECK_DIFFERS && f.list.differs == 1);
        CHECK_TEXT(row_of(&f, cases[i].key)->target.value, cases[i].off);
        CHECK(f.list.one_side == 0);
        arena_release(f.arena);
        f = compare("python t.py " OPTIONS "\n", text);
        CHECK(status_of(&f, cases[i].key) == CHECK_DIFFERS && f.list.differs == 1);
        arena_release(f.arena);
    }
}

static void what_may_be_said_elsewhere_is_on_one_side_only(void)
{
    static const char *const others[] = {
        "python t.py " OPTIONS "$MORE_ARGS\n",                      // set in another file
        "python t.py " OPTIONS "--use-checkpoint-args\n",           // the network of the checkpoint
        "python t.py --num_layers 2 --hidden_size 64 --lr 1e-4\n",  // of another trainer
        "python t.py " OPTIONS "--bf16 $MODE\n",
        "python t.py " OPTIONS "--save $PLACE $MORE\n",
        "python t.py " OPTIONS "--log-throughput ${MORE_ARGS[@]}\n",
        "python t.py " OPTIONS "$(cat options.txt)\n",
        "python t.py " OPTIONS "--$TYPE\n",
        "if [ $T = bf16 ]; then\nX=--bf16\nelse\nX=\nfi\npython t.py " OPTIONS "$X\n",
        "num-layers: 2\nhidden-size: 64\nlr: 1e-4\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Fixture f = compare("python t.py " OPTIONS "--bf16\n", others[i]);
        CHECK(status_of(&f, "compute_dtype") == CHECK_ONE_SIDE && f.list.differs == 0);
        CHECK(f.list.one_side > 0);
        arena_release(f.arena);
    }
    // Its default is a number that is not known here.
    Fixture f = compare("python t.py " OPTIONS "--clip-grad 1.0\n", "python t.py " OPTIONS "\n");
    CHECK(status_of(&f, "clip_grad") == CHECK_ONE_SIDE && f.list.differs == 0);
    arena_release(f.arena);
}

static void what_differs_outside_of_the_table_is_counted_and_not_judged(void)
{
    Fixture f = compare("seed: 7\nfoo: 1\nbar: 2\nbaz: 3\n", "seed: 7\nfoo: 2\nbar: 2\n");
    CHECK(f.list.differs == 0 && f.list.others_differ == 1 && f.list.others.count == 2);
    arena_release(f.arena);
}

static void a_flag_is_shown_as_what_it_stands_for(void)
{
    Fixture f = compare("--bf16 --untie-embeddings-and-output-weights\n",
                        "{\"bf16\": false, \"fp16\": true, \"tie_word_embeddings\": true}");
    CHECK_TEXT(row_of(&f, "compute_dtype")->golden.value, "bf16");
    CHECK_TEXT(row_of(&f, "compute_dtype")->target.value, "fp16");
    CHECK_TEXT(row_of(&f, "tie_embeddings")->golden.value, "false");
    CHECK_TEXT(row_of(&f, "tie_embeddings")->target.value, "True");
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

static void a_variable_that_no_file_sets_is_not_known(void)
{
    static const char *const values[] = {"$B2", "${B2}", "$(cat beta)", "`cat beta`", "0.9$B2"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[128];
        snprintf(text, sizeof text, "python train.py --adam-beta2 %s --seed 1\n", values[i]);
        Fixture both = compare(text, text);
        CHECK(status_of(&both, "beta2") == CHECK_UNKNOWN && both.list.unknown == 1);
        CHECK(both.list.equal == 1);
        arena_release(both.arena);
        Fixture one = compare(text, "python train.py --adam-beta2 0.95 --seed 1\n");
        CHECK(status_of(&one, "beta2") == CHECK_UNKNOWN && one.list.differs == 0);
        arena_release(one.arena);
    }
    Fixture set = compare("B2=0.95\npython train.py --adam-beta2 $B2 --seed 1\n",
                          "python train.py --adam-beta2 0.95 --seed 1\n");
    CHECK(status_of(&set, "beta2") == CHECK_EQUAL && set.list.unknown == 0);
    arena_release(set.arena);
}

static void warm_up_steps_meet_a_share_by_the_length_of_the_run(void)
{
    static const char *const steps[] = {"--train-iters 1000 --lr-warmup-iters 30\n",
                                        "max_steps: 1000\nwarmup_steps: 30\n"};
    for (size_t i = 0; i < 2; i++) {
        Fixture f = compare(steps[i], "warmup_ratio: 0.03\n");
        CHECK(status_of(&f, "warmup_ratio") == CHECK_EQUAL);
        CHECK(row_of(&f, "warmup_ratio")->golden.derived);
        CHECK(!row_of(&f, "warmup_ratio")->target.derived);
        arena_release(f.arena);
        f = compare("warmup_ratio: 0.05\n", steps[i]);
        CHECK(status_of(&f, "warmup_ratio") == CHECK_DIFFERS);
        CHECK_TEXT(row_of(&f, "warmup_ratio")->target.text, "0.03");
        arena_release(f.arena);
    }
    // Without the length there is nothing to hold a share against.
    Fixture f = compare("--lr-warmup-iters 30\n", "warmup_ratio: 0.03\n");
    CHECK(status_of(&f, "warmup_ratio") == CHECK_ONE_SIDE);
    arena_release(f.arena);
    f = compare("--train-iters 0 --lr-warmup-iters 30\n", "warmup_ratio: 0.03\n");
    CHECK(status_of(&f, "warmup_ratio") == CHECK_ONE_SIDE);
    arena_release(f.arena);
}

// hidden 4096, multiple 256: 2/3 of four times hidden is 10922, rounded up 11008, as LLaMA 7B has
// it.
static void the_width_of_a_gated_network_is_derived(void)
{
    Fixture f = compare("--ffn-hidden-size 11008\n", "hidden_size: 4096\nmultiple_of: 256\n");
    CHECK(status_of(&f, "ffn_hidden_size") == CHECK_EQUAL);
    CHECK(row_of(&f, "ffn_hidden_size")->target.derived);
    arena_release(f.arena);
    // 8192, 4096 and 1.3: that of LLaMA 2 70B.
    f = compare("--ffn-hidden-size 28672\n",
                "hidden_size: 8192\nmultiple_of: 4096\nffn_dim_multiplier: 1.3\n");
    CHECK(status_of(&f, "ffn_hidden_size") == CHECK_EQUAL);
    arena_release(f.arena);
    f = compare("--ffn-hidden-size 11008\n", "hidden_size: 4096\nmultiple_of: 0\n");
    CHECK(status_of(&f, "ffn_hidden_size") == CHECK_ONE_SIDE);
    arena_release(f.arena);
}

static void the_batch_of_a_device_counts_the_world(void)
{
    Fixture f = compare("--global-batch-size 64\n",
                        "{\"per_device_train_batch_size\": 2, \"gradient_accumulation_steps\": 4, "
                        "\"world_size\": 8}");
    CHECK(status_of(&f, "global_batch_size") == CHECK_EQUAL);
    arena_release(f.arena);
    f = compare("--global-batch-size 64\n",
                "{\"per_device_train_batch_size\": 2, \"gradient_accumulation_steps\": 4}");
    CHECK(status_of(&f, "global_batch_size") == CHECK_DIFFERS);
    CHECK_TEXT(row_of(&f, "global_batch_size")->target.text, "8");
    arena_release(f.arena);
}

// Advice: 1 to experts by chosen ones, or below 0, where no token is dropped.
static void the_capacity_of_experts_has_its_bounds(void)
{
    static const struct {
        const char *factor;
        bool off;
    } cases[] = {
        {"-1", false}, {"0.5", true}, {"1.0", false}, {"4", false}, {"4.5", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "expert_num: 8\nnum_experts_chosen: 2\ncapacity_factor: %s\n",
                 cases[i].factor);
        Fixture f = compare("seed: 7\n", text);
        CHECK(row_of(&f, "capacity_factor")->advice_target == cases[i].off);
        arena_release(f.arena);
    }
    Fixture f = compare("seed: 7\n", "capacity_factor: 4.5\n");
    CHECK(!row_of(&f, "capacity_factor")->advice_target);
    arena_release(f.arena);
}

static void variables_of_the_environment_and_switches_are_rows(void)
{
    Fixture f = compare("export MS_ASCEND_CHECK_OVERFLOW_MODE=SATURATION_MODE\n"
                        "export HCCL_DETERMINISTIC=true\nHCCL_DETERMINISTIC=false\n"
                        "python t.py --use-distributed-optimizer\n",
                        "export MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE\n"
                        "export HCCL_DETERMINISTIC=true\npython t.py --seed 7\n");
    CHECK(row_of(&f, "overflow_mode")->advice_golden);
    CHECK(!row_of(&f, "overflow_mode")->advice_target);
    CHECK(row_of(&f, "hccl_deterministic")->advice_golden);
    CHECK(!row_of(&f, "hccl_deterministic")->advice_target);
    CHECK(row_of(&f, "parallel_optimizer")->advice_golden);
    arena_release(f.arena);
    // A stage of ZeRO is a switch: 0 is off.
    f = compare("{\"zero_optimization\": {\"stage\": 2}}", "enable_parallel_optimizer: true\n");
    CHECK(status_of(&f, "parallel_optimizer") == CHECK_EQUAL);
    arena_release(f.arena);
    f = compare("{\"zero_optimization\": {\"stage\": 0}}", "enable_parallel_optimizer: true\n");
    CHECK(status_of(&f, "parallel_optimizer") == CHECK_DIFFERS);
    arena_release(f.arena);
}

static void every_value_that_is_advised_against_has_its_reason(void)
{
    Fixture f = compare("--seed 1\n", "seed: 1\n");
    size_t advised = 0;
    for (size_t i = 0; i < f.list.row_count; i++) {
        const CheckRow *row = f.list.rows[i].row;
        advised += row->advice != ADVICE_NONE;
        CHECK(row->advice == ADVICE_NONE || (row->text && *row->text));
    }
    CHECK(advised > 10);
    arena_release(f.arena);
}

int main(void)
{
    CHECK_RUN(different_spellings_of_one_setting_are_equal);
    CHECK_RUN(differences_and_advice_are_told_apart);
    CHECK_RUN(a_switch_inside_of_a_group_tells_the_type);
    CHECK_RUN(what_trains_and_how_long_is_judged);
    CHECK_RUN(a_switch_that_a_script_of_megatron_lacks_is_off);
    CHECK_RUN(what_may_be_said_elsewhere_is_on_one_side_only);
    CHECK_RUN(what_differs_outside_of_the_table_is_counted_and_not_judged);
    CHECK_RUN(a_flag_is_shown_as_what_it_stands_for);
    CHECK_RUN(batch_and_heads_are_derived);
    CHECK_RUN(groups_without_their_switch_do_not_count);
    CHECK_RUN(inverted_switches_are_turned);
    CHECK_RUN(scripts_are_read_as_a_shell_would);
    CHECK_RUN(argument_files_without_a_command_are_read);
    CHECK_RUN(json_and_logs_are_read);
    CHECK_RUN(broken_files_are_refused_with_their_line);
    CHECK_RUN(anchors_and_loops_of_yaml_end);
    CHECK_RUN(a_configuration_equals_itself);
    CHECK_RUN(a_variable_that_no_file_sets_is_not_known);
    CHECK_RUN(warm_up_steps_meet_a_share_by_the_length_of_the_run);
    CHECK_RUN(the_width_of_a_gated_network_is_derived);
    CHECK_RUN(the_batch_of_a_device_counts_the_world);
    CHECK_RUN(the_capacity_of_experts_has_its_bounds);
    CHECK_RUN(variables_of_the_environment_and_switches_are_rows);
    CHECK_RUN(every_value_that_is_advised_against_has_its_reason);
    return CHECK_RESULT;
}
