// SPDX-License-Identifier: Apache-2.0
#include "base/redact.h"

#include "check.h"

static Str redacted(const char *text, Arena *arena)
{
    Redaction redaction = {0};
    redact_add(&redaction, arena, STR("/data/golden/"), STR("golden"));
    return redact_text(&redaction, str_of(text), arena);
}

static void a_folder_that_was_named_becomes_its_label(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(redacted("open /data/golden/step0: gone", arena), "open golden/step0: gone");
    CHECK_TEXT(redacted("无法打开/data/golden/step0", arena), "无法打开golden/step0");
    arena_release(arena);
}

static void another_path_is_cut_to_its_last_name(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(redacted("/home/someone/run/dump.json", arena), "dump.json");
    CHECK_TEXT(redacted("~someone/run.log", arena), "run.log");
    CHECK_TEXT(redacted("/data/golden2/dump.json", arena), "dump.json");
    arena_release(arena);
}

static void a_path_inside_a_package_starts_at_the_package(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(redacted("/home/someone/lib/site-packages/torch/nn.py", arena),
               "/site-packages/torch/nn.py");
    arena_release(arena);
}

static void no_package_hides_the_path_that_follows_it_in_chinese_text(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(redacted("/a/site-packages/torch/nn.py，见/data/golden/step0", arena),
               "/site-packages/torch/nn.py，见golden/step0");
    CHECK_TEXT(redacted("/a/site-packages/torch/nn.py，见/home/someone/run", arena),
               "/site-packages/torch/nn.py，见run");
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(a_folder_that_was_named_becomes_its_label);
    CHECK_RUN(another_path_is_cut_to_its_last_name);
    CHECK_RUN(a_path_inside_a_package_starts_at_the_package);
    CHECK_RUN(no_package_hides_the_path_that_follows_it_in_chinese_text);
    return CHECK_RESULT;
}
