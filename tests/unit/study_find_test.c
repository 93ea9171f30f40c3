// SPDX-License-Identifier: Apache-2.0
#include "read/settings/study_find.h"

#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "npy_file.h"

static Arena *arena;
static Notices notices;
static Error err;
static FoundItems found;

static const char *write_bytes(const char *folder, const char *name, const void *bytes, size_t size)
{
    CHECK(folder_make(folder, &err));
    const char *path = path_join(arena, folder, str_of(name));
    Sink *sink = sink_file(path, &err);
    CHECK(sink != NULL);
    sink_write(sink, bytes, size);
    CHECK(sink_commit(sink, &err));
    return path;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    write_bytes(folder, name, text, strlen(text));
}

static bool search(const char *first, const char *second)
{
    Str folders[] = {str_of(first), str_of(second ? second : "")};
    notices_init(&notices, arena);
    return study_find(folders, second ? 2 : 1, arena, &found, &notices, &err);
}

static const FoundItem *item_of(const char *path)
{
    for (size_t i = 0; i < found.count; i++)
        if (str_equal(found.items[i].path, str_of(path)))
            return &found.items[i];
    return NULL;
}

static bool is_kind(const char *path, FoundKind kind)
{
    const FoundItem *item = item_of(path);
    return item && item->kind == kind;
}

#define LOSSES "step,loss,lr\n1,3.0,1e-5\n2,2.5,1e-5\n3,2.25,1e-5\n"

static void everything_that_a_study_can_use_is_told_by_its_content(void)
{
    static const int32_t ids[] = {1, 2, 3};
    static const float numbers[] = {1, 2};
    static const char safe[] = "\x3b\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],"
                               "\"data_offsets\":[0,4]}}       \0\0\0\0";
    CHECK(folder_make("case", &err));
    write_text("case", "loss.csv", LOSSES);
    write_text("case", "zero.csv", "step,loss,lr\n5,3.0,0\n6,2.5,0\n7,2.25,0\n");
    write_text("case", "norms.log",
               "print torch local norm: [tensor(9.), tensor(16.)]\n"
               " iteration 1/ 10 | learning rate: 1.0E-05 | lm loss: 2.5E+00 | grad norm: 5.0 |\n");
    write_text("case", "names.csv", "target,benchmark\na,b\n");
    write_text("case", "train.sh", "python t.py --lr 1e-5 --hidden-size 64 --num-layers 2\n");
    write_text("case", "other.yaml", "who: me\nwhat: nothing\nlr: 1\n");
    write_text("case", "notes.txt", "nothing of use\n");
    write_text("case", "page.html", LOSSES);
    write_text("case", ".hidden.csv", LOSSES);
    write_text("case", "empty.csv", "");
    write_text("case", "health_ckpts.json",
               "[{\"is_health\": 0, \"ckpt_name\": \"a_rank_0-1_2.ckpt\"}]");
    npy_file("case/ids.npy", "<i4", "(3,)", ids, sizeof ids);
    npy_file("case/numbers.npy", "<f4", "(2,)", numbers, sizeof numbers);
    write_bytes("case", "model.safetensors", safe, sizeof safe - 1);
    write_text("case/dumps/step0/rank0", "dump.json", "{}");
    write_text("case/gradients/May06_15-00-01-rank0-b2f0e6a1", "grad_reduced_0-9.csv",
               "vpp_stage,name,step,norm\n0,w,0,1\n");
    write_bytes("case/weights", "model-00001.safetensors", safe, sizeof safe - 1);
    write_text("case/weights", "config.json", "{}");
    CHECK(search("case", NULL));
    CHECK(is_kind("case/loss.csv", FOUND_LOG) && item_of("case/loss.csv")->points == 3);
    CHECK(item_of("case/loss.csv") && item_of("case/loss.csv")->from_start);
    CHECK(is_kind("case/zero.csv", FOUND_RATE_ZERO) && !item_of("case/zero.csv")->from_start);
    CHECK(is_kind("case/norms.log", FOUND_NORMS));
    CHECK(is_kind("case/names.csv", FOUND_NAMES) && is_kind("case/train.sh", FOUND_CONFIG));
    CHECK(is_kind("case/health_ckpts.json", FOUND_HEALTH));
    CHECK(is_kind("case/ids.npy", FOUND_TOKENS));
    CHECK(is_kind("case/model.safetensors", FOUND_WEIGHTS));
    CHECK(is_kind("case/dumps", FOUND_DUMPS) && is_kind("case/gradients", FOUND_MONITOR));
    CHECK(is_kind("case/weights", FOUND_WEIGHTS));
    static const char *const nothing[] = {"case/other.yaml", "case/notes.txt", "case/page.html",
                                          "case/.hidden.csv", "case/empty.csv"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        CHECK(item_of(nothing[i]) == NULL);
    CHECK(notices.count == 0);
}

static void sides_are_guessed_from_names_and_else_from_the_order(void)
{
    write_text("sides/gpu", "loss.csv", LOSSES);
    write_text("sides/gpu", "loss-again.csv", LOSSES);
    write_text("sides/npu", "loss.csv", LOSSES);
    write_text("sides/npu", "loss-before.csv", LOSSES);
    write_text("plain/first", "loss.csv", LOSSES);
    write_text("plain/second", "loss.csv", LOSSES);
    write_text("plain/second", "golden-npu.csv", LOSSES);
    CHECK(search("sides", NULL) && found.count == 4);
    const FoundItem *golden = item_of("sides/gpu/loss.csv"),
                    *target = item_of("sides/npu/loss.csv");
    CHECK(golden && golden->side == 0 && golden->by_name && !golden->again);
    CHECK(target && target->side == 1 && target->by_name && !target->before);
    CHECK(item_of("sides/gpu/loss-again.csv") && item_of("sides/gpu/loss-again.csv")->again);
    CHECK(item_of("sides/npu/loss-before.csv") && item_of("sides/npu/loss-before.csv")->before);
    CHECK(search("plain/first", "plain/second") && found.count == 3);
    CHECK(item_of("plain/first/loss.csv")->side == 0 && !item_of("plain/first/loss.csv")->by_name);
    CHECK(item_of("plain/second/loss.csv")->side == 1);
    CHECK(!item_of("plain/second/golden-npu.csv")->by_name);  // both words: nothing is told
}

static void a_file_may_be_named_and_folders_that_turn_in_circles_end(void)
{
    write_text("deep/a", "loss.csv", LOSSES);
    unlink("deep/a/round");
    CHECK(symlink("../../deep", "deep/a/round") == 0);
    CHECK(search("deep/a/loss.csv", NULL) && found.count == 1 && found.items[0].kind == FOUND_LOG);
    CHECK(search("deep", NULL) && found.count >= 1 && found.count < 10);
    CHECK(unlink("deep/a/round") == 0);
    CHECK(!search("no-such-folder", NULL) && err.kind == ERR_INPUT);
    CHECK_TEXT(str_of(err.file), "no-such-folder");
}

static void folders_of_too_many_names_are_looked_at_in_part(void)
{
    CHECK(folder_make("many", &err));
    for (int i = 0; i < 5010; i++) {
        FILE *file = fopen(str_cstr(arena, str_printf(arena, "many/%04d.md", i)), "wb");
        CHECK(file && fclose(file) == 0);
    }
    write_text("many", "zzz.csv", LOSSES);
    CHECK(search("many", NULL) && found.count == 0 && notices.count == 1);
    CHECK(notices.count && str_starts(notices.items[0].text, STR("more than 5000 names")));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(everything_that_a_study_can_use_is_told_by_its_content);
    CHECK_RUN(sides_are_guessed_from_names_and_else_from_the_order);
    CHECK_RUN(a_file_may_be_named_and_folders_that_turn_in_circles_end);
    CHECK_RUN(folders_of_too_many_names_are_looked_at_in_part);
    arena_release(arena);
    return CHECK_RESULT;
}
