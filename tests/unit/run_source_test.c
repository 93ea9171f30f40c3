// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_source.h"

#include "base/sink.h"
#include "check.h"
#include "temporary.h"

// Files and folders as they are named on the command line become runs.

static Arena *arena;
static Notices notices;
static Error err;

static void write_text(const char *folder, const char *name, const char *text)
{
    CHECK(folder_make(folder, &err));
    temporary_file(str_cstr(arena, str_printf(arena, "%s/%s", folder, name)), text, strlen(text));
}

static Runs read_runs(const char *argument)
{
    Runs runs = {0};
    notices_init(&notices, arena);
    CHECK(run_source_read(str_of(argument), ROLE_SINGLE, arena, &runs, &notices, &err));
    CHECK(runs.count > 0);
    return runs;
}

static bool has_notice(const char *text)
{
    for (size_t i = 0; i < notices.count; i++)
        if (str_find(notices.items[i].text, str_of(text), 0) != SIZE_MAX)
            return true;
    return false;
}

static void several_views_of_one_run_complete_each_other(void)
{
    write_text("views", "train.log",
               " iteration 1/ 10 | learning rate: 1.0E-05 | lm loss: 2.50E+00 |\n"
               " iteration 2/ 10 | learning rate: 2.0E-05 | lm loss: 2.25E+00 | number of skipped "
               "iterations: 1 |\n");
    write_text("views", "norms.csv", "step,grad_norm,loss\n1,5.5,9\n2,6.5,9\n");
    write_text("views", "notes.txt", "nothing of use\n");
    Runs runs = read_runs("views");
    const Run *run = &runs.items[0];
    CHECK(runs.count == 1 && run->file_count == 2);
    CHECK_TEXT(run->name, "views");
    CHECK(series_at(run_series(run, "grad_norm"), 2) == 6.5);
    CHECK(series_at(run_series(run, "lr"), 2) == 2e-5);
    CHECK(run->events.count == 1 && run->events.items[0].step == 2);
    CHECK(has_notice("1 file of this folder holds no training record"));
}

static void what_counts_in_samples_is_never_mixed_with_steps(void)
{
    write_text("units", "loss.csv", "step,loss\n1,3\n2,2.5\n3,2\n");
    write_text("units", "Train_Samples_lr.csv", "step,lr\n32,1e-5\n64,2e-5\n");
    Runs runs = read_runs("units");
    const Run *run = &runs.items[0];
    CHECK(runs.count == 1 && run_series(run, "loss")->count == 3);
    CHECK_TEXT(str_of(run->x_unit), "step");
    CHECK(run_series(run, "lr") == NULL);
    CHECK(has_notice("counts in samples"));
    runs = read_runs("units/Train_Samples_lr.csv");
    CHECK_TEXT(str_of(runs.items[0].x_unit), "samples");
    CHECK(series_at(run_series(&runs.items[0], "lr"), 64) == 2e-5);
}

static void files_joined_by_commas_follow_each_other_and_names_stand_in_front(void)
{
    write_text("parts", "a,b.csv", "step,loss\n1,3\n");
    write_text("parts", "first.csv", "step,loss\n1,3\n2,3\n3,3\n4,3\n5,3\n6,3\n7,3\n8,2.5\n");
    write_text("parts", "second.csv", "step,loss\n8,2.25\n9,2\n10,2\n11,2\n12,2\n");
    Runs runs = read_runs("mine=parts/first.csv,parts/second.csv");
    CHECK(runs.count == 1 && run_series(&runs.items[0], "loss")->count == 12);
    CHECK_TEXT(runs.items[0].name, "mine");
    CHECK(runs.items[0].has_overlap && runs.items[0].overlap_difference == 0.25);
    CHECK(series_at(run_series(&runs.items[0], "loss"), 8) == 2.25);
    runs = read_runs("parts/a,b.csv");  // a file of that name is one file
    CHECK_TEXT(runs.items[0].name, "a,b");
}

static void runs_of_one_name_are_told_apart_by_their_folders(void)
{
    static const char text[] = "step,loss\n1,3\n2,2.5\n";
    write_text("one", "loss.csv", text);
    write_text("two", "loss.csv", text);
    Runs runs = {0};
    static const char *const paths[] = {"one/loss.csv", "two/loss.csv", "two/loss.csv"};
    for (size_t i = 0; i < 3; i++)
        CHECK(run_source_read(str_of(paths[i]), ROLE_SINGLE, arena, &runs, &notices, &err));
    runs_name_apart(&runs, arena);
    CHECK_TEXT(runs.items[0].name, "loss");
    CHECK_TEXT(runs.items[1].name, "two/loss");
    CHECK_TEXT(runs.items[2].name, "loss (2)");
}

static void what_cannot_be_read_is_refused_with_its_name(void)
{
    Runs runs = {0};
    notices_init(&notices, arena);
    CHECK(!run_source_read(STR("none.log"), ROLE_SINGLE, arena, &runs, &notices, &err));
    CHECK_TEXT(str_of(err.file), "none.log");
    CHECK(!run_source_read(STR(""), ROLE_SINGLE, arena, &runs, &notices, &err));
    CHECK(err.kind == ERR_USAGE);
    write_text("nothing", "notes.txt", "nothing of use\n");
    CHECK(!run_source_read(STR("nothing"), ROLE_SINGLE, arena, &runs, &notices, &err));
    CHECK_TEXT(str_of(err.text), "no file of this folder holds a training record");
    CHECK(!run_source_read(STR("nothing/notes.txt"), ROLE_SINGLE, arena, &runs, &notices, &err));
    CHECK(err.kind == ERR_INPUT && err.hint[0]);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(several_views_of_one_run_complete_each_other);
    CHECK_RUN(what_counts_in_samples_is_never_mixed_with_steps);
    CHECK_RUN(files_joined_by_commas_follow_each_other_and_names_stand_in_front);
    CHECK_RUN(runs_of_one_name_are_told_apart_by_their_folders);
    CHECK_RUN(what_cannot_be_read_is_refused_with_its_name);
    arena_release(arena);
    return CHECK_RESULT;
}
