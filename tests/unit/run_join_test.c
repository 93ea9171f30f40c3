// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_join.h"

#include <math.h>

#include "check.h"

static Arena *arena;

static Points points_of(const int64_t *x, const double *values, size_t count)
{
    Points out = {.items = point_columns(arena, count), .count = count, .capacity = count};
    for (size_t i = 0; i < count; i++) {
        out.items.x[i] = x[i];
        out.items.value[i] = values[i];
    }
    return out;
}

static void a_later_file_wins_from_its_first_step(void)
{
    Points files[] = {points_of((int64_t[]){1, 2, 3, 4, 5}, (double[]){1, 2, 3, 4, 5}, 5),
                      points_of((int64_t[]){4, 5, 6}, (double[]){4, 7, 8}, 3)};
    Points out = {0};
    Legs legs = {0};
    join_points(files, 2, arena, &out, &legs);
    CHECK(out.count == 6 && out.items.value[4] == 7);
    CHECK(legs.count == 1 && legs.items[0].first == 4 && legs.items[0].last == 5);
    CHECK(legs.items[0].difference == 2);
}

static void a_file_that_begins_at_the_last_step_wins_that_step(void)
{
    Points files[] = {points_of((int64_t[]){1, 2, 3, 4, 5}, (double[]){1, 2, 3, 4, 5}, 5),
                      points_of((int64_t[]){5, 6, 7}, (double[]){5.5, 6, 7}, 3)};
    Points out = {0};
    Legs legs = {0};
    join_points(files, 2, arena, &out, &legs);
    CHECK(out.count == 7 && out.items.value[4] == 5.5);
    CHECK(legs.count == 1 && legs.items[0].first == 5 && legs.items[0].last == 5);
    CHECK(legs.items[0].difference == 0.5);
}

static void a_falling_step_in_one_file_is_a_restart(void)
{
    Points file = points_of((int64_t[]){1, 2, 3, 2, 3, 4}, (double[]){1, 2, 3, 20, 30, 40}, 6);
    Points out = {0};
    Legs legs = {0};
    join_points(&file, 1, arena, &out, &legs);
    CHECK(out.count == 4 && out.items.value[1] == 20 && legs.count == 1);
}

static void processes_that_take_turns_are_no_restarts(void)
{
    Points file = points_of((int64_t[]){1, 2, 1, 2, 3, 3, 4, 5, 4, 5, 6, 6, 5, 7, 6, 7},
                            (double[]){0, 0, 1, 2, 3, 0, 4, 0, 0, 5, 0, 6, 0, 0, 0, 7}, 16);
    Points out = {0};
    Legs legs = {0};
    join_points(&file, 1, arena, &out, &legs);
    CHECK(legs.count == 0 && out.count == 7);
    for (size_t i = 0; i < out.count; i++)
        CHECK(out.items.value[i] == (double)(i + 1));
}

static Part *part_of(Parts *parts, int64_t rank, double loss, double norm)
{
    Part *part =
        part_new(parts, rank ? "worker_1.log" : "worker_0.log", rank, "mindformers", arena);
    for (int64_t step = 1; step <= 5; step++) {
        part_begin(part, step, 1, (uint64_t)step);
        part_add(part, STR("loss"),
                 (Figure){.value = loss > 0 ? loss - (double)step : 0, .decimals = 3});
        if (step > 2)
            part_add(part, STR("global_norm"), (Figure){.value = norm, .decimals = 3});
        part_end(part);
    }
    part_event(part, EVENT_SKIP, 3, 1, 3, STR("skip"));
    return part;
}

static void a_loss_of_zero_is_a_placeholder(void)
{
    Parts parts = {0};
    Notices notices;
    Run run;
    notices_init(&notices, arena);
    part_of(&parts, 0, 0, 2);
    part_of(&parts, 1, 10, 2);
    join_run(parts.items, 2, arena, &run, &notices);
    const Series *loss = run_series(&run, "loss"), *norm = run_series(&run, "grad_norm");
    CHECK(loss && loss->count == 5 && loss->rank == 1 && loss->points.value[0] == 9);
    CHECK(norm && norm->count == 3 && norm->absent_count == 2 && norm->absent[0] == 1);
    CHECK(run.events.count == 1 && notices.count == 0);
    join_run(parts.items, 1, arena, &run, &notices);
    CHECK(!run_series(&run, "loss") && notices.count == 1);
}

static void ranks_that_disagree_are_reported(void)
{
    Parts parts = {0};
    Notices notices;
    Run run;
    notices_init(&notices, arena);
    part_of(&parts, 0, 10, 2);
    part_of(&parts, 1, 10, 3);
    join_run(parts.items, 2, arena, &run, &notices);
    CHECK(notices.count == 1 && run.events.count == 2);
    CHECK(run.events.items[1].kind == EVENT_ERROR && run.events.items[1].step == 3);
}

static Part *rank_part(Parts *parts, int64_t rank, const char *name, int64_t from, int64_t stride,
                       double first)
{
    Part *part =
        part_new(parts, rank ? "worker_1.log" : "worker_0.log", rank, "mindformers", arena);
    for (int64_t step = from; step <= 12; step += stride) {
        part_begin(part, step, -1, (uint64_t)step);
        part_add(part, str_of(name), (Figure){.value = first + (double)step, .decimals = 3});
        part_end(part);
    }
    return part;
}

static void steps_that_only_another_rank_printed_are_filled_in(void)
{
    Parts parts = {0};
    Notices notices;
    Run run;
    notices_init(&notices, arena);
    rank_part(&parts, 0, "loss", 1, 2, 100);
    rank_part(&parts, 1, "loss", 2, 2, 100);
    join_run(parts.items, parts.count, arena, &run, &notices);
    const Series *loss = run_series(&run, "loss");
    CHECK(loss->count == 12 && notices.count == 0);
    for (int64_t i = 0; i < 12; i++)
        CHECK(loss->points.x[i] == i + 1 && loss->points.value[i] == 101 + (double)i);
}

static void embeddings_of_several_ranks_are_series_of_their_own(void)
{
    Parts parts = {0};
    Notices notices;
    Run run;
    notices_init(&notices, arena);
    rank_part(&parts, 0, "loss", 1, 1, 100);
    rank_part(&parts, 0, "embedding_local_norm", 1, 1, 10);
    rank_part(&parts, 1, "embedding_local_norm", 1, 1, 20);
    join_run(parts.items, parts.count, arena, &run, &notices);
    CHECK(run_series(&run, "embedding_local_norm") == NULL);
    CHECK(series_at(run_series(&run, "embedding_local_norm.rank0"), 3) == 13);
    CHECK(series_at(run_series(&run, "embedding_local_norm.rank1"), 3) == 23);
}

static void a_view_adds_what_the_run_lacks_and_nothing_else(void)
{
    Parts parts = {0}, other = {0};
    Notices notices;
    Run run, view;
    notices_init(&notices, arena);
    rank_part(&parts, 0, "loss", 1, 1, 100);
    part_event(parts.items[0], EVENT_SKIP, 5, 1, 5, STR("skip"));
    rank_part(&other, 0, "loss", 1, 1, 900);
    rank_part(&other, 0, "lr", 1, 1, 0);
    part_event(other.items[1], EVENT_SKIP, 5, 1, 9, STR("the same skip"));
    part_event(other.items[1], EVENT_ABORT, 2, 1, 9, STR("stop"));
    join_run(parts.items, parts.count, arena, &run, &notices);
    join_run(other.items, other.count, arena, &view, &notices);
    join_view(&run, &view, arena);
    CHECK(run.series_count == 2 && series_at(run_series(&run, "loss"), 2) == 102);
    CHECK(series_at(run_series(&run, "lr"), 2) == 2);
    CHECK(run.events.count == 2 && run.events.items[0].kind == EVENT_ABORT);
    CHECK(run.events.items[1].line == 5 && run.file_count == 2);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_later_file_wins_from_its_first_step);
    CHECK_RUN(a_file_that_begins_at_the_last_step_wins_that_step);
    CHECK_RUN(a_falling_step_in_one_file_is_a_restart);
    CHECK_RUN(processes_that_take_turns_are_no_restarts);
    CHECK_RUN(a_loss_of_zero_is_a_placeholder);
    CHECK_RUN(ranks_that_disagree_are_reported);
    CHECK_RUN(steps_that_only_another_rank_printed_are_filled_in);
    CHECK_RUN(embeddings_of_several_ranks_are_series_of_their_own);
    CHECK_RUN(a_view_adds_what_the_run_lacks_and_nothing_else);
    arena_release(arena);
    return CHECK_RESULT;
}
