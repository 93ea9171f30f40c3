// SPDX-License-Identifier: Apache-2.0
#include "read/settings/config_file.h"

#include "base/sink.h"
#include "check.h"

static Arena *arena;
static Notices notices;

static Config read_shell(const char *text)
{
    Config config = {0};
    notices_init(&notices, arena);
    config_read_shell("train.sh", str_of(text), arena, &config, &notices);
    return config;
}

static const char *value_of(const Config *config, const char *key)
{
    const ConfigItem *item = config_find(config, str_of(key));
    return item ? str_cstr(arena, item->value) : "(none)";
}

#define CHECK_VALUE(config, key, want) CHECK_TEXT(str_of(value_of(config, key)), want)

static void variables_stand_for_their_values(void)
{
    Config config =
        read_shell("LR=1e-5\n"
                   "export SEED=42 MODE=\n"
                   "BASE=${LR}_base\n"
                   "python train.py --lr $LR --name ${BASE} --steps ${STEPS:-100} \\\n"
                   "    --mode \"${MODE:-fast}\" --root ${ROOT:=/data} --other ${OTHER} "
                   "--open ${LR --cost $ --seed=$SEED\n");
    CHECK_VALUE(&config, "lr", "1e-5");
    CHECK_VALUE(&config, "name", "1e-5_base");
    CHECK_VALUE(&config, "steps", "100");
    CHECK_VALUE(&config, "root", "/data");
    CHECK_VALUE(&config, "other", "${OTHER}");
    CHECK_VALUE(&config, "open", "${LR");
    CHECK_VALUE(&config, "cost", "$");
    CHECK_VALUE(&config, "seed", "42");
    CHECK(config.items[0].variable && config.items[0].line == 2);
    CHECK(config_find(&config, STR("lr"))->line == 4);
}

static void what_is_exported_keeps_the_value_that_commands_see(void)
{
    Config config = read_shell("export A=1\nA=2\nB=3\nexport B C\nB=4\nC=5\nD=6\n"
                               "python t.py --lr 1\n");
    CHECK_VALUE(&config, "a", "2");
    CHECK_VALUE(&config, "b", "4");
    CHECK_VALUE(&config, "c", "5");
    CHECK_VALUE(&config, "d", "(none)");
    CHECK(config_find(&config, STR("b"))->variable && config_find(&config, STR("b"))->line == 5);
}

static void quotes_and_escapes_are_taken_off(void)
{
    Config config =
        read_shell("python train.py --a 'x \"y\"' --b \"say \\\"hi\\\"\" --c two\\ words\n");
    CHECK_VALUE(&config, "a", "x \"y\"");
    CHECK_VALUE(&config, "b", "say \"hi\"");
    CHECK_VALUE(&config, "c", "two words");
}

static void options_switched_off_inside_of_quotes_and_arrays_do_not_count(void)
{
    Config config = read_shell("ARGS=\"\n"
                               "    --lr 1e-5\n"
                               "    # --lr 9e-5\n"
                               "    --bf16 \\\n"
                               "    # --fp16\n"
                               "    --no-bias\n"
                               "\"\n"
                               "MORE=(\n"
                               "    --seed 1  # --seed 9\n"
                               "    # --seed 8\n"
                               "    \"--data a b\" '--tag' x#y\n"
                               ")\n"
                               "torchrun train.py $ARGS ${MORE[@]}\n");
    CHECK_VALUE(&config, "lr", "1e-5");
    CHECK_VALUE(&config, "bf16", "true");
    CHECK(config_find(&config, STR("bf16"))->flag);
    CHECK(config_find(&config, STR("fp16")) == NULL);
    CHECK_VALUE(&config, "bias", "false");
    CHECK_VALUE(&config, "seed", "1");
    CHECK_VALUE(&config, "data", "a b");
    CHECK_VALUE(&config, "tag", "x#y");
}

static void assignments_in_conditions_count_and_that_is_said(void)
{
    Config config = read_shell("if [ -z \"$LR\" ]; then LR=3e-5; fi\n"
                               "for i in 1 2; do STEPS=10; done\n"
                               "if [ \"$A\" = b ]; then\n"
                               "    SEED=1\n"
                               "else SEED=2\n"
                               "fi\n"
                               "while ! MODE=slow; do break; done\n"
                               "python train.py --lr $LR --steps $STEPS --seed $SEED\n");
    CHECK_VALUE(&config, "lr", "3e-5");
    CHECK_VALUE(&config, "steps", "10");
    CHECK_VALUE(&config, "seed", "2");
    CHECK(notices.count == 1 && notices.items[0].level == NOTICE_INFO);
    read_shell("LR=1\npython train.py --lr $LR\n");
    CHECK(notices.count == 0);
}

static void words_with_a_dotted_key_are_settings(void)
{
    Config config =
        read_shell("set -x\nRATE=1e-6\nexport MODE=a.b=c\n"
                   "env X=1 python3 -m verl.trainer.main_ppo \\\n"
                   "    data.train_batch_size=1024 \\\n"
                   "    data.files=\"['a', 'b']\" \\\n"
                   "    actor.optim.lr=$RATE +a.b=1 ++c.d=2 ~e.f \\\n"
                   "    model/part=small steps=9 g.url=http://x/y?z=1 h.i= $@ 2>&1 | tee a.log\n"
                   "python train.py seed=7 j.k=3 --name n l.m=4 > x.y=5\n"
                   "python eval.py --args size=3,type=x kind=2 --config n limit=5\n"
                   "dd if=a of=b\n");
    CHECK_VALUE(&config, "train_batch_size", "1024");
    CHECK_VALUE(&config, "data.files", "['a', 'b']");
    CHECK_VALUE(&config, "actor.optim.lr", "1e-6");
    CHECK_VALUE(&config, "a.b", "1");
    CHECK_VALUE(&config, "c.d", "2");
    CHECK_VALUE(&config, "e.f", "null");
    CHECK_VALUE(&config, "g.url", "http://x/y?z=1");
    CHECK_VALUE(&config, "steps", "9");
    CHECK_VALUE(&config, "h.i", "");
    CHECK_VALUE(&config, "seed", "7");
    CHECK_VALUE(&config, "j.k", "3");
    CHECK_VALUE(&config, "name", "n");
    CHECK_VALUE(&config, "l.m", "4");
    CHECK_VALUE(&config, "args", "size=3,type=x kind=2");
    CHECK_VALUE(&config, "limit", "5");
    CHECK_VALUE(&config, "x", "(none)");
    CHECK_VALUE(&config, "if", "(none)");
    CHECK_VALUE(&config, "x.y", "(none)");
}

static void without_a_command_the_options_in_assigned_texts_count(void)
{
    Config config = read_shell("local LR=1e-5\nreadonly OPTIM_ARGS=\"--lr $LR --adam-eps 1e-8\"\n");
    CHECK_VALUE(&config, "lr", "1e-5");
    CHECK_VALUE(&config, "adam_eps", "1e-8");
    CHECK(config_find(&config, STR("adam_eps"))->line == 2);
}

static void a_script_that_ends_inside_of_something_is_read_up_to_there(void)
{
    static const char *const texts[] = {
        "python t.py --lr 1e-5 --name \"open",   "python t.py --lr 1e-5 --name 'open",
        "A=(--x 1\npython t.py --lr 1e-5",       "python t.py --lr 1e-5 --name open\\",
        "python t.py --lr 1e-5 # --lr 2",        "python t.py --lr 1e-5 --name \"open\\",
        "python t.py --lr 1e-5 --name ${open:-",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Config config = read_shell(texts[i]);
        CHECK_VALUE(&config, "lr", "1e-5");
    }
}

static Config read_file(const char *text, bool *good, Error *err)
{
    Config config = {0};
    Sink *sink = sink_file("config.any", err);
    sink_text(sink, text);
    CHECK(sink_commit(sink, err));
    notices_init(&notices, arena);
    *good = config_read("config.any", arena, &config, &notices, err);
    return config;
}

static void the_format_is_told_by_the_content(void)
{
    static const struct {
        const char *text;
        ConfigFormat format;
    } cases[] = {
        {"\xEF\xBB\xBFseed: 7\n", CONFIG_YAML},
        {"{\"seed\": 7}", CONFIG_JSON},
        {"#!/bin/bash\nexport seed=7\n", CONFIG_SHELL},
        {"ARGS=(--seed 7)\n", CONFIG_SHELL},
        {"x\n  lr ........ 1e-05\n  bias .... True\n  seed ............... 7\n", CONFIG_LOG},
        {"# python t.py --seed 8\nseed: 7\n", CONFIG_YAML},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good;
        Error err;
        Config config = read_file(cases[i].text, &good, &err);
        CHECK(good && config.format == cases[i].format);
        CHECK_VALUE(&config, "seed", "7");
    }
}

static void toml_is_read_a_setting_a_line(void)
{
    Config config = {0};
    config_read_toml(
        "train.toml",
        STR("# seed = 1\nname = \"a # b\" # c\n[training]\nsteps = 10\nlr=3e-4 # x\n"
            "[training.mixed]\nparts = [\"a\", 'b']\n\"quoted\" = 'x'\nbroken\n= 3\nempty =\n"),
        arena, &config);
    CHECK_VALUE(&config, "seed", "(none)");
    CHECK_VALUE(&config, "name", "a # b");
    CHECK_VALUE(&config, "training.steps", "10");
    CHECK_VALUE(&config, "lr", "3e-4");
    CHECK_VALUE(&config, "training.mixed.parts", "[\"a\", 'b']");
    CHECK_VALUE(&config, "quoted", "x");
    CHECK(config.count == 5 && config.items[1].line == 4);
}

static void a_file_without_a_setting_is_refused_with_what_is_expected(void)
{
    bool good;
    Error err;
    read_file("#!/bin/bash\necho hello\n", &good, &err);
    CHECK(!good && err.kind == ERR_INPUT && err.hint[0]);
    CHECK_TEXT(str_of(err.text), "no setting found in this file");
    CHECK_TEXT(str_of(err.file), "config.any");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(variables_stand_for_their_values);
    CHECK_RUN(what_is_exported_keeps_the_value_that_commands_see);
    CHECK_RUN(quotes_and_escapes_are_taken_off);
    CHECK_RUN(options_switched_off_inside_of_quotes_and_arrays_do_not_count);
    CHECK_RUN(assignments_in_conditions_count_and_that_is_said);
    CHECK_RUN(words_with_a_dotted_key_are_settings);
    CHECK_RUN(without_a_command_the_options_in_assigned_texts_count);
    CHECK_RUN(a_script_that_ends_inside_of_something_is_read_up_to_there);
    CHECK_RUN(the_format_is_told_by_the_content);
    CHECK_RUN(toml_is_read_a_setting_a_line);
    CHECK_RUN(a_file_without_a_setting_is_refused_with_what_is_expected);
    arena_release(arena);
    return CHECK_RESULT;
}
