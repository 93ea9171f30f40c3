// SPDX-License-Identifier: Apache-2.0
#include "read/log/series_source.h"

#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sink.h"
#include "check.h"
#include "temporary.h"

static Arena *arena;
static Notices notices;

static Parts read_sample(const char *name)
{
    Parts parts = {0};
    Error err = {0};
    Str path = str_printf(arena, "%s/tests/data/curves/%s", TEST_SOURCE_DIR, name);
    bool good = series_source_read(str_cstr(arena, path), arena, &parts, &notices, &err);
    if (!good)
        fprintf(stderr, "%s: %s\n", name, err.text);
    CHECK(good);
    return parts;
}

static Parts read_text(const char *text)
{
    Parts parts = {0};
    Error err = {0};
    CHECK(series_source_read_text("text", str_of(text), arena, &parts, &notices, &err));
    return parts;
}

static double value_at(const Part *part, const char *name, int64_t x)
{
    const PartSeries *series = part_find(part, name);
    for (size_t i = 0; series && i < series->points.count; i++)
        if (series->points.items.x[i] == x)
            return series->points.items.value[i];
    return NAN;
}

static size_t count_values(const Part *part, const char *name)
{
    const PartSeries *series = part_find(part, name);
    size_t count = 0;
    for (size_t i = 0; series && i < series->points.count; i++)
        count += !point_is_absent(series->points.items.value[i]);
    return count;
}

static size_t count_events(const Part *part, EventKind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < part->events.count; i++)
        count += part->events.items[i].kind == kind;
    return count;
}

static void megatron_lines_keep_fields_before_the_last_bar(void)
{
    Parts parts = read_sample("megatron.log");
    CHECK(parts.count == 1);
    const Part *part = parts.items[0];
    CHECK_TEXT(str_of(part->format), "megatron");
    CHECK(point_is_absent(value_at(part, "loss", 1)));
    CHECK(fabs(value_at(part, "loss", 101) - 4.080252) < 1e-9);
    CHECK(fabs(value_at(part, "grad_norm", 101) - 1.068) < 1e-9);
    CHECK(value_at(part, "step_time_ms", 1) == 20289.1);
    CHECK(count_events(part, EVENT_SKIP) == 6);
    CHECK(count_events(part, EVENT_EVAL) == 1 && value_at(part, "eval_loss", 100) == 4.104605);
    CHECK(count_events(part, EVENT_CHECKPOINT) == 1);
    for (size_t i = 0; i < part->series_count; i++)
        CHECK(str_find(part->series[i].name, STR("billions"), 0) == SIZE_MAX);
}

static void mindformers_lines_give_series_skips_checkpoints_and_the_abort(void)
{
    Parts parts = read_sample("worker_7.log");
    const Part *part = parts.items[0];
    CHECK(part->rank == 7 && part->steps_per_epoch == 250);
    CHECK(value_at(part, "loss", 1) == 10.655 && value_at(part, "lr", 1) == 0);
    CHECK(value_at(part, "grad_norm", 1) == 100.20215);
    CHECK(part->skip_threshold == 160);
    CHECK(count_events(part, EVENT_CHECKPOINT) == 1);
    CHECK(count_events(part, EVENT_ABORT) == 1);
    CHECK(part->events.items[0].kind == EVENT_SKIP && part->events.items[0].step == 97);
    CHECK(part_find(part, "loss")->digits[0].most == 3);
}

static void a_first_stage_log_has_a_norm_list_before_its_step(void)
{
    Parts parts = read_sample("worker_0.log");
    const Part *part = parts.items[0];
    CHECK(part->norms.count >= 1);
    const NormList *list = &part->norms.items[0];
    CHECK(list->step == 1 && list->count == 13 && list->maybe_squares);
    CHECK(list->items[0].elements == 19267584 && list->items[0].value == 233.958237);
    CHECK(list->global_norm == 100.20215);
}

static void the_eager_trainer_tells_no_norm_from_a_norm_that_is_none(void)
{
    Parts parts = read_sample("eager.log");
    const Part *part = parts.items[0];
    CHECK(isnan(value_at(part, "grad_norm", 33)) &&
          !point_is_absent(value_at(part, "grad_norm", 33)));
    CHECK(point_is_absent(value_at(part, "grad_norm", 60)));
    CHECK(value_at(part, "loss.load_balancing_loss", 34) == 1.102198);
}

static void dicts_take_their_step_from_the_progress_bar(void)
{
    Parts parts = read_sample("stdout_v5.log");
    CHECK(count_values(parts.items[0], "loss") == 20);
    CHECK(value_at(parts.items[0], "loss", 5) == 1.933);
    parts = read_text("{'loss': 2.5, 'grad_norm': nan, 'epoch': 0.1}\n{'loss': 2.4}\n");
    CHECK(value_at(parts.items[0], "loss", 2) == 2.4);
}

static void json_lines_and_documents_take_bare_nan(void)
{
    Parts parts = read_sample("swift.jsonl");
    CHECK(value_at(parts.items[0], "loss", 10) == 1.91066005);
    parts = read_text("{\"log_history\": [{\"step\": 5, \"loss\": 0.0, \"grad_norm\": NaN},\n"
                      "{\"step\": 10, \"eval_loss\": 1.5}, {\"step\": 10, \"train_runtime\": 3}]}");
    CHECK(isnan(value_at(parts.items[0], "grad_norm", 5)));
    CHECK(value_at(parts.items[0], "eval_loss", 10) == 1.5);
    CHECK(count_events(parts.items[0], EVENT_EVAL) == 1);
    parts = read_text("{\"step\": [1, 2, 3], \"loss\": [3.0, null, 1.0]}");
    CHECK(count_values(parts.items[0], "loss") == 2);
    parts = read_text("[[1700000000.5, 7, 2.5], [1700000001.5, 8, 2.25]]");
    CHECK(value_at(parts.items[0], "loss", 8) == 2.25);
}

static void entries_of_a_json_list_that_are_no_record_are_told(void)
{
    static const struct {
        const char *text;
        int64_t byte;
        const char *told;
    } files[] = {
        {"[[1.5, 7, 2.5], 3, [1.5, 8, null], [1.5, 8, 2.25]]", 16, "2 entries are no training"},
        {"{\"log_history\": [{\"step\": 8, \"loss\": 2.25}, null]}", 44, "1 entry is no training"},
        {"{\"step\": [null, 8, \"-\"], \"loss\": [3.0, 2.25, 1.0]}", 10,
         "2 entries are no training"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        notices_init(&notices, arena);
        Parts parts = read_text(files[i].text);
        CHECK(value_at(parts.items[0], "loss", 8) == 2.25);
        CHECK(notices.count == 1 && notices_any_partial(&notices));
        CHECK(notices.items[0].byte == files[i].byte);
        CHECK(str_starts(notices.items[0].text, str_of(files[i].told)));
    }
    notices_init(&notices, arena);
}

static void deepspeed_lines_give_rate_loss_and_overflows(void)
{
    Parts parts = read_sample("deepspeed.log");
    const Part *part = parts.items[0];
    CHECK(count_events(part, EVENT_OVERFLOW) == 3 && count_events(part, EVENT_SKIP) == 0);
    CHECK(value_at(part, "loss", 20) == 2.8 && value_at(part, "lr", 20) == 1e-5);
    parts = read_sample("Train_Samples_train_loss.csv");
    CHECK_TEXT(str_of(parts.items[0]->x_unit), "samples");
    CHECK(value_at(parts.items[0], "loss", 32) == 2.98);
}

static void a_cut_event_file_is_read_up_to_its_last_whole_record(void)
{
    Parts parts = read_sample("events.out.tfevents.cut");
    const Part *part = parts.items[0];
    CHECK(count_values(part, "loss") == 80 && count_values(part, "grad_norm") == 79);
    CHECK(part_find(part, "loss")->points.items.x[0] == 120);
}

static void a_damaged_event_file_keeps_what_stands_before(void)
{
    Str path = str_printf(arena, "%s/tests/data/curves/events.out.tfevents.cut", TEST_SOURCE_DIR);
    FILE *file = fopen(str_cstr(arena, path), "rb");
    char *bytes = arena_alloc(arena, 20000);
    size_t size = file ? fread(bytes, 1, 20000, file) : 0;
    if (file)
        fclose(file);
    bytes[size / 2] ^= 1;
    Parts parts = {0};
    Error err = {0};
    Notices own;
    notices_init(&own, arena);
    CHECK(series_source_read_text("e", (Str){bytes, size}, arena, &parts, &own, &err));
    CHECK(notices_any_partial(&own) && own.items[0].byte > 0);
    size_t half = count_values(parts.items[0], "loss");
    CHECK(half > 10 && half < 60);
}

static void an_export_of_several_runs_gives_several(void)
{
    Parts parts = read_sample("wandb.csv");
    CHECK(parts.count == 2);
    CHECK_TEXT(parts.items[0]->run, "brisk-pond-1");
    CHECK(count_values(parts.items[0], "loss") == 6 && count_values(parts.items[1], "loss") == 4);
}

static void tables_are_read_with_any_separator_and_without_header(void)
{
    Parts parts = read_text("loss;step;note\n2,5;1;x\nNA;2;y\n2,25;3;z\n");
    CHECK(value_at(parts.items[0], "loss", 3) == 2.25 && count_values(parts.items[0], "loss") == 2);
    parts = read_text("# comment\n1 2.5\n2 2.25\n");
    CHECK(value_at(parts.items[0], "loss", 2) == 2.25);
    parts = read_text("2.5\n2.25\n");
    CHECK(value_at(parts.items[0], "loss", 2) == 2.25);
    parts = read_text("step,loss,norm\n1,[44.],tensor(1.5)\n2,nan,inf\n3,-,-1.#INF\n4,1.5");
    CHECK(value_at(parts.items[0], "loss", 1) == 44 && isnan(value_at(parts.items[0], "loss", 2)));
    CHECK(isinf(value_at(parts.items[0], "grad_norm", 3)));
    CHECK(count_values(parts.items[0], "loss") == 2);
}

static void hand_written_loops_and_other_trainers_are_understood(void)
{
    Parts parts = read_text("\x1b[31mstep:  1  \x1b[32mloss: 10.5  grad_norm:  1.25  memory: 9GiB\n"
                            "step:  2  loss: 10.25  grad_norm:  1.5  memory: 9GiB\n");
    CHECK(value_at(parts.items[0], "grad_norm", 2) == 1.5);
    parts = read_text("step:3 - actor/pg_loss:0.25 - actor/lr:1e-06 - grad_norm:0.5\n");
    CHECK(value_at(parts.items[0], "loss.actor/pg_loss", 3) == 0.25);
    parts = read_text("[default3]: iter 5 loss=2.5 lr 1e-4\r\n");
    CHECK(parts.items[0]->rank == 3 && value_at(parts.items[0], "lr", 5) == 1e-4);
}

static void utf16_and_marks_are_understood(void)
{
    static const char text[] = "\xFF\xFE"
                               "s\0t\0e\0p\0,\0l\0o\0s\0s\0\n\0"
                               "1\0,\0"
                               "2\0\n\0"
                               "2\0,\0"
                               "3\0\n\0";
    Parts parts = {0};
    Error err = {0};
    CHECK(
        series_source_read_text("t", (Str){text, sizeof text - 1}, arena, &parts, &notices, &err));
    CHECK(value_at(parts.items[0], "loss", 2) == 3);
}

static void a_file_without_records_names_the_closest_line(void)
{
    Parts parts = {0};
    Error err = {0};
    CHECK(!series_source_read_text("t", STR("hello\nthe loss is unknown\n"), arena, &parts,
                                   &notices, &err));
    CHECK(err.kind == ERR_INPUT && err.line == 2 && err.hint[0]);
    CHECK(!series_source_read_text("t", STR(" \n\n"), arena, &parts, &notices, &err));
    CHECK(
        !series_source_read_text("t", STR("{\"a\": [1, {\"b\": "), arena, &parts, &notices, &err));
}

static void ranks_stand_in_file_names(void)
{
    CHECK(series_source_rank("a/worker_7.part1.log") == 7);
    CHECK(series_source_rank("rank_12/info.log") == 12 && series_source_rank("x_rank12.log") == 12);
    CHECK(series_source_rank("train_3.log") == 3 && series_source_rank("bench_run1.log") == -1);
}

static void text_of_the_other_byte_order_and_characters_of_two_units_are_read(void)
{
    // "step,loss", a comment with U+1F600 and half a pair, and two rows.
    static const char text[] = "\xFE\xFF"
                               "\0s\0t\0e\0p\0,\0l\0o\0s\0s\0\n"
                               "\0#\xD8\x3D\xDE\x00\xD8\x3D\0x\0\n"
                               "\0\x31\0,\0\x32\0\n"
                               "\0\x32\0,\0\x33\0\n";
    Parts parts = {0};
    Error err = {0};
    CHECK(
        series_source_read_text("t", (Str){text, sizeof text - 1}, arena, &parts, &notices, &err));
    CHECK(value_at(parts.items[0], "loss", 1) == 2 && value_at(parts.items[0], "loss", 2) == 3);
}

static void escape_sequences_of_terminals_are_passed_over(void)
{
    Parts parts = read_text("\x1b]0;a title: step: 9\astep: 1 \x1b[1;31mloss: 10.5\x1b[0m lr: 1\n"
                            "\x1b]8;;http://x\x1b\\step: 2\x1b]8;;\x1b\\ loss: 10.25 lr: 1\n"
                            "\x1b(Bstep: 3 loss: 10 lr: 1\x1b\n"
                            "step: 4 loss: 9 lr: 1 \x1b]0;no end of it\n");
    CHECK(value_at(parts.items[0], "loss", 1) == 10.5 &&
          value_at(parts.items[0], "loss", 2) == 10.25);
    CHECK(value_at(parts.items[0], "loss", 4) == 9 && count_values(parts.items[0], "loss") >= 3);
}

static void lines_of_w_and_b_and_of_factories_are_told_apart(void)
{
    Parts parts = read_text("{\"_step\": 3, \"train/loss\": 2.5, \"_timestamp\": 1700000000}\n"
                            "{\"_step\": 4, \"train/loss\": 2.25, \"_timestamp\": 1700000005}\n");
    CHECK_TEXT(str_of(parts.items[0]->format), "wandb");
    CHECK(value_at(parts.items[0], "loss", 4) == 2.25);
    CHECK(parts.items[0]->times.count == 2);
    parts = read_text("{\"current_steps\": 5, \"total_steps\": 10, \"loss\": 2.5, \"lr\": 1e-5}\n"
                      "{\"current_steps\": 6, \"total_steps\": 10, \"loss\": null}\n");
    CHECK_TEXT(str_of(parts.items[0]->format), "huggingface");
    CHECK(value_at(parts.items[0], "loss", 5) == 2.5 && count_values(parts.items[0], "loss") == 1);
    parts = read_text("{\"step\": 7, \"data\": {\"actor/loss\": 0.5, \"critic/kl\": 0.25}}\n"
                      "{\"step\": 8, \"data\": {\"actor/loss\": 0.75}}\n");
    CHECK(value_at(parts.items[0], "critic/kl", 7) == 0.25);
}

static void documents_without_training_records_are_refused(void)
{
    static const char *const texts[] = {"{\"a\": [1, 2], \"b\": [3, 4]}", "[[1], [\"x\", \"y\"]]",
                                        "{\"a\": {\"b\": 1}}", "[[1e300, 2.5]]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Parts parts = {0};
        Error err = {0};
        CHECK(!series_source_read_text("t", str_of(texts[i]), arena, &parts, &notices, &err));
        CHECK(err.kind == ERR_INPUT && err.text[0] && parts.count == 0);
    }
}

static void a_document_that_breaks_off_keeps_what_stands_before(void)
{
    Parts parts = {0};
    Error err = {0};
    Notices own;
    notices_init(&own, arena);
    CHECK(series_source_read_text(
        "t", STR("{\"log_history\": [{\"step\": 5, \"loss\": 2.5}, {\"step\": 10, \"lo"), arena,
        &parts, &own, &err));
    CHECK(value_at(parts.items[0], "loss", 5) == 2.5 && notices_any_partial(&own));
    CHECK(own.items[0].byte > 40);
}

static void state_file(const char *folder, const char *text)
{
    Error err;
    CHECK(folder_make(folder, &err));
    temporary_file(str_cstr(arena, str_printf(arena, "%s/trainer_state.json", folder)), text,
                   strlen(text));
}

static bool has_file(const SourceFiles *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (str_equal(str_of(files->items[i]), str_of(path)))
            return true;
    return false;
}

static void of_the_states_of_checkpoints_only_the_last_is_read(void)
{
    Error err;
    SourceFiles files = {0};
    unlink("output/trainer_state.json");
    state_file("output/checkpoint-90", "{}");
    state_file("output/checkpoint-100", "{}");
    state_file("output/checkpoint-20", "{}");
    temporary_file("output/train.log", "x", 1);
    temporary_file("output/empty.log", "", 0);
    CHECK(series_source_files("output", arena, &files, &notices, &err));
    CHECK(files.count == 2 && has_file(&files, "output/checkpoint-100/trainer_state.json"));
    CHECK(has_file(&files, "output/train.log"));
    state_file("output", "{}");  // of the finished run
    files = (SourceFiles){0};
    CHECK(series_source_files("output", arena, &files, &notices, &err));
    CHECK(files.count == 2 && has_file(&files, "output/trainer_state.json"));
    CHECK(!series_source_files("no-such-run", arena, &files, &notices, &err));
    CHECK_TEXT(str_of(err.text), "does not exist");
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(megatron_lines_keep_fields_before_the_last_bar);
    CHECK_RUN(mindformers_lines_give_series_skips_checkpoints_and_the_abort);
    CHECK_RUN(a_first_stage_log_has_a_norm_list_before_its_step);
    CHECK_RUN(the_eager_trainer_tells_no_norm_from_a_norm_that_is_none);
    CHECK_RUN(dicts_take_their_step_from_the_progress_bar);
    CHECK_RUN(json_lines_and_documents_take_bare_nan);
    CHECK_RUN(entries_of_a_json_list_that_are_no_record_are_told);
    CHECK_RUN(deepspeed_lines_give_rate_loss_and_overflows);
    CHECK_RUN(a_cut_event_file_is_read_up_to_its_last_whole_record);
    CHECK_RUN(a_damaged_event_file_keeps_what_stands_before);
    CHECK_RUN(an_export_of_several_runs_gives_several);
    CHECK_RUN(tables_are_read_with_any_separator_and_without_header);
    CHECK_RUN(hand_written_loops_and_other_trainers_are_understood);
    CHECK_RUN(utf16_and_marks_are_understood);
    CHECK_RUN(a_file_without_records_names_the_closest_line);
    CHECK_RUN(ranks_stand_in_file_names);
    CHECK_RUN(text_of_the_other_byte_order_and_characters_of_two_units_are_read);
    CHECK_RUN(escape_sequences_of_terminals_are_passed_over);
    CHECK_RUN(lines_of_w_and_b_and_of_factories_are_told_apart);
    CHECK_RUN(documents_without_training_records_are_refused);
    CHECK_RUN(a_document_that_breaks_off_keeps_what_stands_before);
    CHECK_RUN(of_the_states_of_checkpoints_only_the_last_is_read);
    arena_release(arena);
    return CHECK_RESULT;
}
