// SPDX-License-Identifier: Apache-2.0
#include "read/log/trainlog.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "read/log/series_source.h"

// Lines of trainers that are rarer than the usual step line; the samples of whole logs are read in
// series_source_test.c.

static Arena *arena;
static Notices notices;

static const Part *read_text(const char *text)
{
    Parts parts = {0};
    Error err = {0};
    notices_init(&notices, arena);
    CHECK(series_source_read_text("train.log", str_of(text), arena, &parts, &notices, &err));
    if (parts.count != 1) {
        CHECK(parts.count == 1);
        exit(1);
    }
    return parts.items[0];
}

static double value_at(const Part *part, const char *name, int64_t x)
{
    const PartSeries *series = part_find(part, name);
    for (size_t i = 0; series && i < series->points.count; i++)
        if (series->points.items.x[i] == x)
            return series->points.items.value[i];
    return point_absent();
}

static const Event *event_of(const Part *part, EventKind kind)
{
    for (size_t i = 0; i < part->events.count; i++)
        if (part->events.items[i].kind == kind)
            return &part->events.items[i];
    return NULL;
}

#define HEAD       "2025-11-21 10:00:00,123 - mindformers[callback.py:300] - INFO - "
#define STEP(n)    HEAD "{ Epoch:[  2/  3], step:[    " #n "/  250], "
#define NORM(text) ", lr: 1e-05, overflow cond: False, loss_scale: unavailable, global_norm: " text

static void training_state_lines_of_mindformers_are_series_of_their_step(void)
{
    const Part *part = read_text(STEP(4) "loss: 2.500" NORM(
        "[5.0]") "\n" HEAD "Epoch:[  2/  3], step:[    4/  250] local_loss: 2.4375\n" HEAD
                 "Epoch:[  2/  3], step:[    4/  250] adam_m_norm/layers.0.w: 0.0625\n" HEAD
                 "Epoch:[  2/  3], step:[    4/  250] weight_norm: 12.5\n" HEAD
                 "Epoch:[  2/  3], step:[    4/  250] weight_norm: many\n" STEP(
                     5) "loss: 2.250" NORM("[5.5]") "\n");
    CHECK(value_at(part, "loss", 254) == 2.5 && value_at(part, "loss", 255) == 2.25);
    CHECK(value_at(part, "loss.local_loss", 254) == 2.4375);
    CHECK(value_at(part, "adam_m_norm/layers.0.w", 254) == 0.0625);
    CHECK(value_at(part, "weight_norm", 254) == 12.5);
    CHECK(part_find(part, "weight_norm")->points.count == 1);
}

static void local_norms_of_state_lines_are_true_norms_with_names(void)
{
    const Part *part = read_text(
        HEAD "Epoch:[ 1/ 3], step:[ 1/ 250] local_norm/embedding.weight: 3.0000\n" HEAD
             "Epoch:[ 1/ 3], step:[ 1/ 250] local_norm/layers.0.w: 4.0000\n" HEAD
             "{ Epoch:[ 1/ 3], step:[ 1/ 250], loss: 2.5, lr: 0.0, global_norm: [5.0]\n" HEAD
             "Epoch:[ 1/ 3], step:[ 2/ 250] local_norm/embedding.weight: 6.0000\n");
    CHECK(part->norms.count == 2 && part->norms.items[0].step == 1);
    const NormList *list = &part->norms.items[0];
    CHECK(list->count == 2 && !list->maybe_squares && list->items[1].value == 4);
    CHECK_TEXT(list->items[0].name, "embedding.weight");
    CHECK_TEXT(list->items[1].name, "layers.0.w");
    CHECK(part->norms.items[1].step == 2 && part->norms.items[1].items[0].value == 6);
}

static void what_stops_a_mindformers_run_is_an_abort_at_the_last_step(void)
{
    const Part *part = read_text(STEP(7) "loss: 2.5" NORM(
        "[5.0]") "\n" HEAD
                 "ValueError: device_accum_local_loss is nan, loss is nan, local_norm is nan, "
                 "global_norm is nan, terminate training.\n");
    CHECK(event_of(part, EVENT_ABORT) && event_of(part, EVENT_ABORT)->step == 257);
    CHECK(event_of(part, EVENT_NAN) && event_of(part, EVENT_NAN)->line == 2);
    part = read_text(STEP(7) "loss: 2.5" NORM(
        "[25.0]") "\n" HEAD "TREError: Current global norm [25.] is greater equal than threshold "
                  "10.0, stop training\n");
    CHECK(event_of(part, EVENT_ABORT) && event_of(part, EVENT_ABORT)->step == 257);
    CHECK(!event_of(part, EVENT_NAN));
}

static void an_overflow_is_an_event_of_its_step(void)
{
    const Part *part =
        read_text(STEP(1) "loss: 2.5, overflow cond: True, loss_scale: 65536.0\n" STEP(
            2) "loss: 2.4, overflow cond: False, loss_scale: 32768.0\n");
    const Event *event = event_of(part, EVENT_OVERFLOW);
    CHECK(event && event->step == 251 && event->line == 1);
    CHECK(part->events.count == 1);
    CHECK(value_at(part, "loss_scale", 252) == 32768);
}

static void mangled_values_are_absent_and_cost_only_themselves(void)
{
    const Part *part =
        read_text(STEP(1) "loss: [2.500/2.750], lr: 1e-05, global_norm: [1 "
                          "31049]\n" STEP(2) "loss: [2.400/x], lr: 1e-05, global_norm: "
                                             "[44.]\n" STEP(3) "loss: 2.300, lr: , "
                                                               "stray, global_norm: "
                                                               "None\n" STEP(4) "loss: 2.200, lr: "
                                                                                "2e-05, "
                                                                                "global_norm: "
                                                                                "4.5\n");
    CHECK(value_at(part, "loss", 251) == 2.5 && point_is_absent(value_at(part, "grad_norm", 251)));
    CHECK(point_is_absent(value_at(part, "loss", 252)) && value_at(part, "grad_norm", 252) == 44);
    CHECK(value_at(part, "loss", 253) == 2.3 && point_is_absent(value_at(part, "lr", 253)));
    CHECK(value_at(part, "lr", 254) == 2e-5 && value_at(part, "grad_norm", 254) == 4.5);
}

static void a_list_of_norms_that_is_broken_off_keeps_what_came_before(void)
{
    const Part *part = read_text(HEAD "norm_size: (100, 200, 300)\n" HEAD "local_norm:\n"
                                      "[ 9.0 16.0\n" STEP(1) "loss: 2.5" NORM("[5.0]") "\n");
    CHECK(part->norms.count == 1);
    const NormList *list = &part->norms.items[0];
    CHECK(list->step == 251 && list->count == 2 && list->global_norm == 5);
    CHECK(list->items[0].value == 9 && list->items[0].elements == 100);
    CHECK(list->items[1].value == 16 && list->items[1].elements == 200);
}

static void sizes_of_an_elided_list_are_unknown(void)
{
    const Part *part = read_text(HEAD "norm_size: (1, 2, 3, 4, 5, 6, 7, 8)\n" HEAD "local_norm:\n"
                                      "[ 9.0 16.0 25.0 ... 1.0 2.0 3.0 ]\n" STEP(1) "loss: 2.5\n");
    const NormList *list = &part->norms.items[0];
    CHECK(part->norms.count == 1 && list->elided && list->count == 6);
    CHECK(list->items[5].value == 3 && list->items[5].elements == 0);
}

static void norms_printed_as_tensors_are_read(void)
{
    const Part *part = read_text(
        "print torch local norm: [tensor(9., device='npu:0'), tensor(16., device='npu:0')]\n"
        " iteration 1/ 10 | learning rate: 1.0E-05 | lm loss: 2.5E+00 | grad norm: 5.000 |\n");
    CHECK(part->norms.count == 1 && part->norms.items[0].count == 2);
    CHECK(part->norms.items[0].items[1].value == 16 && part->norms.items[0].global_norm == 5);
    CHECK(part->norms.items[0].maybe_squares);
}

static void counters_of_nan_iterations_are_events(void)
{
    const Part *part = read_text(
        " iteration 10/ 100 | learning rate: 1.0E-05 | lm loss: 2.5E+00 | number of skipped "
        "iterations:   0 | number of nan iterations:   2 |\n"
        " iteration 20/ 100 | learning rate: 1.0E-05 | number of skipped iterations:   1 | number "
        "of nan iterations:   0 | glued: 77\n");
    const Event *nan = event_of(part, EVENT_NAN), *skip = event_of(part, EVENT_SKIP);
    CHECK(nan && nan->step == 10 && nan->count == 2);
    CHECK(skip && skip->step == 20 && skip->count == 1);
    CHECK(point_is_absent(value_at(part, "loss", 20)) && !part_find(part, "glued"));
}

static const Points *points_of(const Part *part, const char *name)
{
    return &part_find(part, name)->points;
}

static void series_of_the_same_records_share_one_column_of_steps(void)
{
    StrBuf text = strbuf_new(arena);
    for (int i = 1; i <= 5000; i++)
        strbuf_printf(&text,
                      " iteration %d/ 5000 | lm loss: %d.5E+00 | learning rate: 1.0E-05 |%s%s\n", i,
                      i % 7, i >= 2000 ? " grad norm: 1.5 |" : "", i % 100 ? "" : " aux: 2.0 |");
    const Part *part = read_text(str_cstr(arena, strbuf_str(&text)));
    const int64_t *steps = points_of(part, "loss")->items.x;
    CHECK(points_of(part, "lr")->items.x == steps && points_of(part, "lr")->count == 5000);
    // Its first records lack the norm: absent there, and the steps are still those of all.
    CHECK(points_of(part, "grad_norm")->items.x == steps);
    CHECK(point_is_absent(value_at(part, "grad_norm", 1999)) &&
          value_at(part, "grad_norm", 2000) == 1.5);
    CHECK(points_of(part, "aux")->items.x != steps && points_of(part, "aux")->count == 50);
    for (int64_t i = 1; i <= 5000; i++)
        CHECK(steps[i - 1] == i && value_at(part, "loss", i) == (double)(i % 7) + 0.5);
    CHECK(value_at(part, "aux", 4900) == 2);
}

static void fields_are_read_the_same_wherever_they_stood_in_the_line_before(void)
{
    const Part *part =
        read_text(" iteration 1/ 9 | a: 1.0 | time: 2.0 ms | lm loss: 3.0 | b: nan |\n"
                  " iteration 2/ 9 | b: 4.0 | a:5.0| lm loss:   6.0E+00   | extra: a: 7.5 |\n"
                  " iteration 3/ 9 | lm loss: 8.0/7.0 | a: 9.5 TFLOPs | b: 1.5 | time: 3.0 |\n"
                  " iteration 4/ 9 | lm loss: x | a: 6:7 | b: 2.5 | a");
    CHECK(value_at(part, "a", 1) == 1 && value_at(part, "a", 2) == 5);
    CHECK(point_is_absent(value_at(part, "a", 3)) && point_is_absent(value_at(part, "a", 4)));
    CHECK(isnan(value_at(part, "b", 1)) && !point_is_absent(value_at(part, "b", 1)));
    CHECK(value_at(part, "b", 2) == 4 && value_at(part, "b", 3) == 1.5);
    CHECK(value_at(part, "time", 1) == 2 && value_at(part, "time", 3) == 3);
    CHECK(value_at(part, "loss", 2) == 6 && value_at(part, "loss", 3) == 8);
    CHECK(value_at(part, "extra:_a", 2) == 7.5);
}

static void a_series_that_leaves_the_common_steps_keeps_its_own(void)
{
    const Part *part =
        read_text(" iteration 1/ 9 | lm loss: 1.0 | aux: 1.0 |\n iteration 2/ 9 | lm loss: 2.0 |\n"
                  " validation loss at iteration 2 | lm loss value: 5.0 | aux: 4.0 |\n"
                  " iteration 3/ 9 | lm loss: 3.0 | aux: 3.0 |\n");
    const Points *loss = points_of(part, "loss"), *aux = points_of(part, "aux");
    CHECK(loss->count == 3 && loss->items.x[2] == 3 && loss->items.value[2] == 3);
    CHECK(aux->count == 3 && aux->items.x[0] == 1 && aux->items.x[1] == 2 && aux->items.x[2] == 3);
    CHECK(aux->items.value[1] == 4 && aux->items.value[2] == 3);
}

static void validation_at_the_end_of_training_belongs_to_the_last_iteration(void)
{
    const Part *part = read_text(
        " iteration 10/ 10 | learning rate: 1.0E-05 | lm loss: 2.5E+00 |\n"
        "---------------------------------------------------------\n"
        " validation loss at the end of training for test data on test set | lm loss value: "
        "2.25E+00 | lm loss PPL: 9.5E+00 |\n");
    CHECK(value_at(part, "eval_loss", 10) == 2.25);
    CHECK(event_of(part, EVENT_EVAL) && event_of(part, EVENT_EVAL)->step == 10);
}

static void bars_of_evaluation_do_not_number_training_records(void)
{
    const Part *part = read_text(
        " 10%|#  | 10/100 [00:10<01:30,  1.0it/s]\r{'loss': 2.5, 'grad_norm': 1.0, 'epoch': 0.1}\n"
        " 50%|## | 4/8 [00:02<00:02,  2.0it/s]\r100%|####| 8/8 [00:04<00:00,  2.0it/s]\n"
        "{'eval_loss': 2.25, 'eval_runtime': 4.0, 'epoch': 0.1}\n"
        " 20%|## | 20/100 [00:24<01:20,  1.0it/s]\r{'loss': '2.25', 'epoch': 0.2}\n"
        "Saving model checkpoint to output/checkpoint-20\n"
        "{'train_runtime': 99.0, 'train_loss': 2.375}\n");
    CHECK(value_at(part, "loss", 10) == 2.5 && value_at(part, "loss", 20) == 2.25);
    CHECK(part_find(part, "loss")->points.count == 2);
    CHECK(value_at(part, "eval_loss", 10) == 2.25);
    const Event *checkpoint = event_of(part, EVENT_CHECKPOINT);
    CHECK(checkpoint && checkpoint->step == 20 && checkpoint->line == 5);
}

static void deepspeed_counts_skipped_steps_where_no_line_says_overflow(void)
{
    const Part *part =
        read_text("[INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[1e-05], "
                  "mom=[(0.9, 0.95)]\n"
                  "[INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=3, lr=[2e-05, 1e-06], "
                  "mom=[(0.9, 0.95)]\n");
    const Event *skip = event_of(part, EVENT_SKIP);
    CHECK(skip && skip->step == 20 && skip->count == 3);
    CHECK(value_at(part, "lr", 20) == 2e-5);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(series_of_the_same_records_share_one_column_of_steps);
    CHECK_RUN(fields_are_read_the_same_wherever_they_stood_in_the_line_before);
    CHECK_RUN(a_series_that_leaves_the_common_steps_keeps_its_own);
    CHECK_RUN(training_state_lines_of_mindformers_are_series_of_their_step);
    CHECK_RUN(local_norms_of_state_lines_are_true_norms_with_names);
    CHECK_RUN(what_stops_a_mindformers_run_is_an_abort_at_the_last_step);
    CHECK_RUN(an_overflow_is_an_event_of_its_step);
    CHECK_RUN(mangled_values_are_absent_and_cost_only_themselves);
    CHECK_RUN(a_list_of_norms_that_is_broken_off_keeps_what_came_before);
    CHECK_RUN(sizes_of_an_elided_list_are_unknown);
    CHECK_RUN(norms_printed_as_tensors_are_read);
    CHECK_RUN(counters_of_nan_iterations_are_events);
    CHECK_RUN(validation_at_the_end_of_training_belongs_to_the_last_iteration);
    CHECK_RUN(bars_of_evaluation_do_not_number_training_records);
    CHECK_RUN(deepspeed_counts_skipped_steps_where_no_line_says_overflow);
    arena_release(arena);
    return CHECK_RESULT;
}
