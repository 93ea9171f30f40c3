// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sink.h"
#include "check.h"

// Trees of empty files below the test's working folder.

static Arena *arena;
static Notices notices;
static Error err;
static DumpPlaces places;
static const char root[] = "read_folder_tree";

static const char *below(const char *path)
{
    return path_join(arena, root, str_of(path));
}

static void make_file(const char *path)
{
    const char *full = below(path);
    Error why;
    if (!folder_make(str_cstr(arena, path_folder(str_of(full))), &why))
        exit(2);
    FILE *file = fopen(full, "wb");
    if (!file || fclose(file) != 0)
        exit(2);
}

static bool find(const char *path)
{
    notices_init(&notices, arena);
    err = (Error){0};
    return folder_find_dumps(below(path), NULL, arena, &places, &notices, &err);
}

static bool is_place(size_t index, int64_t step, int64_t rank, const char *label)
{
    const DumpPlace *place = &places.items[index];
    return index < places.count && place->step == step && place->rank == rank &&
           str_equal(place->rank_label, str_of(label));
}

static void ranks_are_sorted_by_number(void)
{
    make_file("a/step10/rank1/dump.json");
    make_file("a/step2/rank10/dump.json");
    make_file("a/step2/rank2/dump.json");
    make_file("a/step2/rank/debug.json");
    make_file("a/notes/rank0/dump.json");
    CHECK(find("a") && places.count == 4 && notices.count == 1 && notices.items[0].partial);
    CHECK_TEXT(notices.items[0].file, "read_folder_tree/a/notes");
    CHECK(is_place(0, 2, 0, "rank") && is_place(1, 2, 2, "rank2"));
    CHECK(is_place(2, 2, 10, "rank10") && is_place(3, 10, 1, "rank1"));
    CHECK(!places.items[0].has_rank && places.items[0].has_step && places.items[1].has_rank);
    CHECK_TEXT(str_of(places.items[1].folder), "read_folder_tree/a/step2/rank2");
    CHECK_TEXT(str_of(places.items[0].file), "read_folder_tree/a/step2/rank/debug.json");
}

static void a_single_file_takes_its_numbers_from_the_folders_above(void)
{
    make_file("b/step1/rank3/dump.json");
    make_file("b/plain/dump.json");
    make_file("b/mine.json");
    CHECK(find("b/step1/rank3/dump.json") && is_place(0, 1, 3, "rank3"));
    CHECK(places.items[0].has_step && places.items[0].has_rank);
    CHECK(find("b/step1/rank3/") && is_place(0, 1, 3, "rank3"));
    CHECK(find("b/step1") && is_place(0, 1, 3, "rank3") && places.items[0].has_step);
    CHECK(find("b/plain") && is_place(0, 0, 0, "") && !places.items[0].has_step);
    CHECK(find("b/mine.json") && !places.items[0].has_rank);
    CHECK_TEXT(str_of(places.items[0].folder), "read_folder_tree/b");
}

static void the_working_folder_may_be_a_rank_folder(void)
{
    char here[4096];
    make_file("c/step4/rank5/dump.json");
    if (!getcwd(here, sizeof here) || chdir(below("c/step4/rank5")) != 0)
        exit(2);
    notices_init(&notices, arena);
    CHECK(folder_find_dumps(".", NULL, arena, &places, &notices, &err));
    CHECK(is_place(0, 4, 5, "rank5"));
    CHECK(folder_find_dumps("dump.json", NULL, arena, &places, &notices, &err));
    CHECK(is_place(0, 4, 5, "rank5"));
    CHECK(folder_find_dumps("..", NULL, arena, &places, &notices, &err));
    CHECK(is_place(0, 4, 5, "rank5") && places.items[0].has_step);
    if (chdir(here) != 0)
        exit(2);
}

static void helper_processes_beside_ranks_are_skipped(void)
{
    make_file("d/step0/rank0/dump.json");
    make_file("d/step0/proc77/dump.json");
    CHECK(find("d") && places.count == 1 && is_place(0, 0, 0, "rank0") && notices.count == 1);
}

static void processes_alone_are_ranks_by_position(void)
{
    make_file("e/step0/proc2016/dump.json");
    make_file("e/step1/proc30/dump.json");
    make_file("e/step1/proc200/dump.json");
    CHECK(find("e") && places.count == 3 && notices.count == 1);
    CHECK(is_place(0, 0, 0, "proc2016") && is_place(1, 1, 0, "proc30"));
    CHECK(is_place(2, 1, 1, "proc200") && !places.items[2].has_rank);
}

static void both_modes_of_a_mixed_run_are_found(void)
{
    make_file("f/pynative/step0/rank0/dump.json");
    make_file("f/graph/step0/rank/dump.json");
    CHECK(find("f") && places.count == 2);
    CHECK_TEXT(places.items[0].stage, "graph");
    CHECK_TEXT(places.items[1].stage, "pynative");
}

static void folders_without_a_dump_are_told(void)
{
    make_file("g/step0/rank0/other.txt");
    make_file("g/step0/rank1/dump.json");
    make_file("g/step1/other.txt");
    CHECK(find("g") && places.count == 1 && notices.count == 2);
    CHECK(!find("g/step1"));
    CHECK_TEXT(str_of(err.text), "holds no dump");
    CHECK(err.hint[0] && !find("nowhere"));
    CHECK_TEXT(str_of(err.text), "no such file or folder");
}

static void chosen_numbers_limit_the_search(void)
{
    DumpSelection selection = {.stage_count = 0};
    CHECK(number_list_parse(STR("2-9"), arena, &selection.steps));
    CHECK(number_list_parse(STR("10, 0"), arena, &selection.ranks));
    CHECK(folder_find_dumps(below("a"), &selection, arena, &places, &notices, &err));
    CHECK(places.count == 2 && is_place(0, 2, 0, "rank") && is_place(1, 2, 10, "rank10"));
    CHECK(number_list_parse(STR("77"), arena, &selection.ranks));
    CHECK(!folder_find_dumps(below("a"), &selection, arena, &places, &notices, &err));
    CHECK_TEXT(str_of(err.text), "no dump of the chosen steps, stages and ranks");
}

static void number_lists_are_read_or_refused(void)
{
    static const char *const bad[] = {"", "a", "1,", "3-1", "-1", "1-", "1--2", "1 2"};
    NumberList list;
    CHECK(number_list_parse(STR("0,2-5"), arena, &list) && list.count == 2);
    CHECK(number_list_has(&list, 0) && !number_list_has(&list, 1) && number_list_has(&list, 5));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!number_list_parse(str_of(bad[i]), arena, &list));
    CHECK(number_list_has(NULL, 3));
}

static void loops_pipes_and_strange_names_survive(void)
{
    make_file("h/step0/rank0/dump.json");
    make_file("h/a+b \n\xE4\xB8\xAD\xFF/step0/rank0/dump.json");
    if (symlink("loop", below("h/loop")) != 0 && file_kind(below("h/step0/rank0")) == FILE_NONE)
        exit(2);
    if (symlink("../h", below("h/step7")) != 0 && file_kind(below("h/step7")) == FILE_NONE)
        exit(2);
    mkfifo(below("h/pipe"), 0600);
    // A link to the folder above is a step; what it holds of steps below a folder is a stage of it.
    CHECK(find("h") && places.count == 2 && places.items[1].step == 7);
    CHECK(find("h/a+b \n\xE4\xB8\xAD\xFF") && places.count == 1);
    CHECK(!find("h/pipe"));
    CHECK_TEXT(str_of(err.text), "not a regular file");
    CHECK(!find("h/loop"));
}

static bool is_pair(const PlacePairs *pairs, size_t index, const char *golden, const char *target)
{
    const PlacePair *pair = &pairs->items[index];
    Str left = pair->golden ? pair->golden->rank_label : (Str){"", 0};
    Str right = pair->target ? pair->target->rank_label : (Str){"", 0};
    return index < pairs->count && str_equal(left, str_of(golden)) &&
           str_equal(right, str_of(target));
}

static void places_pair_by_step_and_rank(void)
{
    DumpPlaces golden;
    PlacePairs pairs;
    make_file("p/step0/rank0/dump.json");
    make_file("p/step0/rank1/dump.json");
    make_file("q/step0/rank1/dump.json");
    make_file("q/step1/rank0/dump.json");
    CHECK(find("p"));
    golden = places;
    CHECK(find("q"));
    folder_pair_dumps(&golden, &places, arena, &pairs);
    CHECK(pairs.count == 3 && is_pair(&pairs, 0, "rank0", "") && is_pair(&pairs, 2, "", "rank0"));
    CHECK(is_pair(&pairs, 1, "rank1", "rank1") && pairs.items[2].step == 1);
}

static void single_places_pair_whatever_their_numbers(void)
{
    DumpPlaces golden;
    PlacePairs pairs;
    CHECK(find("b/plain"));
    golden = places;
    CHECK(find("c"));
    folder_pair_dumps(&golden, &places, arena, &pairs);
    CHECK(pairs.count == 1 && is_pair(&pairs, 0, "", "rank5"));
    CHECK(pairs.items[0].step == 4 && pairs.items[0].rank == 5);
}

static void processes_pair_by_position(void)
{
    DumpPlaces golden;
    PlacePairs pairs;
    make_file("r/step1/proc5/dump.json");
    make_file("r/step1/proc6/dump.json");
    CHECK(find("e/step1"));
    golden = places;
    CHECK(find("r/step1"));
    folder_pair_dumps(&golden, &places, arena, &pairs);
    CHECK(pairs.count == 2 && is_pair(&pairs, 0, "proc30", "proc5"));
    CHECK(is_pair(&pairs, 1, "proc200", "proc6"));
}

// What no two runs share: the time of a dump, the number of a process.
static void times_and_processes_in_names_are_passed_over(void)
{
    make_file("times/dump_20260801_101112/step0/rank1/dump.json");
    CHECK(find("times") && places.count == 1 && is_place(0, 0, 1, "rank1"));
    make_file("workers/TP1_PP0_Rank10_pid123/Pass00000.pt");
    make_file("workers/TP0_PP0_Rank2_pid124/Pass00000.pt");
    CHECK(find("workers") && places.count == 2 && notices.count == 0);
    CHECK(is_place(0, 0, 2, "TP0_PP0_Rank2_pid124") && places.items[0].has_rank);
    CHECK(is_place(1, 0, 10, "TP1_PP0_Rank10_pid123"));
    make_file("two/dump_20260801_101112/step0/rank1/dump.json");
    make_file("two/dump_20260802_101112/step0/rank1/dump.json");
    make_file("almost/TP1_PP0_Rank10_pid/dump.json");
    make_file("word/dump_of_20260801/dump.json");
    CHECK(!find("two") && !find("almost") && !find("word"));
}

static bool is_staged(size_t index, int64_t step, const char *stage, int64_t rank)
{
    const DumpPlace *place = &places.items[index];
    return index < places.count && place->step == step && place->rank == rank &&
           str_equal(place->stage, str_of(stage));
}

static void stages_of_a_step_are_an_axis_in_the_order_in_which_they_run(void)
{
    make_file("verl/step_2/actor_update/step0/rank0/dump.json");
    make_file("verl/step_2/actor_update/step1/rank0/dump.json");
    make_file("verl/step_2/compute_values/step0/rank0/dump.json");
    make_file("verl/step_10/ref_compute_log_prob/rank_3/step0/rank0/dump.json");
    CHECK(find("verl") && places.count == 4 && notices.count == 0);
    CHECK(is_staged(0, 2, "compute_values", 0) && is_staged(1, 2, "actor_update", 0));
    CHECK(is_staged(2, 2, "actor_update.step1", 0));
    CHECK(is_staged(3, 10, "ref_compute_log_prob", 3));
    CHECK(find("verl/step_2") && places.count == 3 && is_staged(1, 2, "actor_update", 0));
    CHECK(find("verl/step_2/actor_update") && places.count == 2 && is_staged(1, 1, "", 0));
    make_file("slime/generate/step0/rank1/dump.json");
    make_file("slime/update_actor/step0/rank1/dump.json");
    CHECK(find("slime") && places.count == 2 && is_staged(1, 0, "update_actor", 1));
}

static void stages_are_chosen_by_name(void)
{
    Str name = STR("actor_update");
    DumpSelection selection = {.stages = &name, .stage_count = 1};
    CHECK(folder_find_dumps(below("verl"), &selection, arena, &places, &notices, &err));
    CHECK(places.count == 2 && is_staged(1, 2, "actor_update.step1", 0));
    name = STR("actor");
    CHECK(!folder_find_dumps(below("verl"), &selection, arena, &places, &notices, &err));
    CHECK(!folder_find_dumps(below("a"), &selection, arena, &places, &notices, &err));
}

static void two_stages_never_pair(void)
{
    DumpPlaces golden;
    PlacePairs pairs;
    make_file("one/step_1/actor_update/step0/rank0/dump.json");
    make_file("other/step_1/critic_update/step0/rank0/dump.json");
    CHECK(find("one"));
    golden = places;
    CHECK(find("other"));
    folder_pair_dumps(&golden, &places, arena, &pairs);
    CHECK(pairs.count == 2 && !pairs.items[0].golden && !pairs.items[1].target);
    CHECK(!folder_find_place(&golden, &pairs.items[0], true));
    CHECK(find("other/step_1/critic_update"));
    folder_pair_dumps(&golden, &places, arena, &pairs);
    CHECK(pairs.count == 1 && pairs.items[0].golden && pairs.items[0].target);
}

static void loose_tensors_never_hide_a_dump(void)
{
    make_file("loose/step0/rank0/dump.json");
    make_file("loose/tokens.npy");
    CHECK(find("loose") && places.count == 1 && is_place(0, 0, 0, "rank0"));
    CHECK(notices.count == 1 && notices.items[0].level == NOTICE_WARNING);
    make_file("staged/step_1/actor_update/step0/rank0/dump.json");
    make_file("staged/step_1/tokens.npy");
    CHECK(find("staged") && places.count == 1 && notices.count == 1);
    CHECK_TEXT(places.items[0].stage, "actor_update");
    make_file("within/step0/rank0/dump.json");
    make_file("within/step0/tokens.npy");
    CHECK(find("within") && places.count == 1 && notices.count == 1);
    CHECK(notices.items[0].level == NOTICE_WARNING);
    CHECK_TEXT(notices.items[0].file, "read_folder_tree/within/step0");
    make_file("buried/case/run/step0/rank0/dump.json");
    make_file("buried/study/one/tokens.npy");
    CHECK(!find("buried") && err.kind == ERR_INPUT);
    CHECK(strstr(err.hint, "buried/case/run/step0/rank0/dump.json"));
    make_file("inner/rank0/tokens.npy");
    make_file("inner/rank0/more/dump.json");
    CHECK(!find("inner") && err.kind == ERR_INPUT);
    make_file("set/tokens.npy");
    make_file("set/step0/rank0/tokens.npy");
    CHECK(find("set") && places.count == 1 && notices.count == 0);
    CHECK_TEXT(str_of(places.items[0].file), "read_folder_tree/set");
    make_file("beside/step0/tokens.npy");
    make_file("beside/notes/dump.json");
    CHECK(find("beside") && places.count == 1 && notices.count == 2);
    CHECK_TEXT(notices.items[1].file, "read_folder_tree/beside/notes/dump.json");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(ranks_are_sorted_by_number);
    CHECK_RUN(a_single_file_takes_its_numbers_from_the_folders_above);
    CHECK_RUN(the_working_folder_may_be_a_rank_folder);
    CHECK_RUN(helper_processes_beside_ranks_are_skipped);
    CHECK_RUN(processes_alone_are_ranks_by_position);
    CHECK_RUN(both_modes_of_a_mixed_run_are_found);
    CHECK_RUN(folders_without_a_dump_are_told);
    CHECK_RUN(chosen_numbers_limit_the_search);
    CHECK_RUN(stages_of_a_step_are_an_axis_in_the_order_in_which_they_run);
    CHECK_RUN(stages_are_chosen_by_name);
    CHECK_RUN(two_stages_never_pair);
    CHECK_RUN(loose_tensors_never_hide_a_dump);
    CHECK_RUN(times_and_processes_in_names_are_passed_over);
    CHECK_RUN(number_lists_are_read_or_refused);
    CHECK_RUN(loops_pipes_and_strange_names_survive);
    CHECK_RUN(places_pair_by_step_and_rank);
    CHECK_RUN(single_places_pair_whatever_their_numbers);
    CHECK_RUN(processes_pair_by_position);
    arena_release(arena);
    return CHECK_RESULT;
}
