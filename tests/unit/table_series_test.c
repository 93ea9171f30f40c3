// SPDX-License-Identifier: Apache-2.0
#include "read/log/table_series.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static Arena *arena;
static Notices notices;
static Error err;

static Parts read_table(const char *path, const char *text)
{
    Parts parts = {0};
    notices_init(&notices, arena);
    CHECK(table_series_read(path, str_of(text), arena, &parts, &notices, &err));
    if (parts.count == 0) {
        CHECK(parts.count > 0);
        exit(1);
    }
    return parts;
}

static double value_at(const Part *part, const char *name, int64_t x)
{
    const PartSeries *series = part_find(part, name);
    for (size_t i = 0; series && i < series->points.count; i++)
        if (series->points.items.x[i] == x)
            return series->points.items.value[i];
    return point_absent();
}

static bool has_notice(const char *text, uint64_t line)
{
    for (size_t i = 0; i < notices.count; i++)
        if (str_find(notices.items[i].text, str_of(text), 0) != SIZE_MAX &&
            notices.items[i].line == line)
            return true;
    return false;
}

static void an_export_of_the_dashboard_has_its_name_in_that_of_the_file(void)
{
    static const char text[] = "Wall time,Step,Value\r\n"
                               "1746514800.5,10,2.5\r\n1746514810.5,20,2.25\r\n";
    Parts parts = read_table("runs/run-gpu-tag-lm loss.csv", text);
    const Part *part = parts.items[0];
    CHECK_TEXT(str_of(part->format), "tensorboard-export");
    CHECK(part->series_count == 1 && value_at(part, "loss", 20) == 2.25);
    CHECK(part->times.count == 2 && part->times.items.value[1] == 1746514810.5);
    CHECK(part->times.items.x[1] == 20);
    parts = read_table("exported.csv", text);
    CHECK(value_at(parts.items[0], "value", 10) == 2.5);
    CHECK(notices.count == 0);
}

static void a_monitor_of_episodes_has_their_rewards_by_number(void)
{
    Parts parts = read_table("monitor.csv", "#{\"t_start\": 1700000000.1}\nr,l,t\n"
                                            "0.5,20,0.25\n0.75,21,1.5\n1.0,22,2.5\n");
    const Part *part = parts.items[0];
    CHECK(part->series_count == 2 && value_at(part, "episode_reward", 3) == 1);
    CHECK(value_at(part, "episode_length", 2) == 21);
    CHECK(part->times.count == 3 && part->times.items.value[1] == 1.5);
    parts = read_table("other.csv", "l,t\n20,0.25\n21,1.5\n22,2.5\n");
    CHECK(value_at(parts.items[0], "t", 21) == 1.5);
}

static void an_export_of_exactly_1000_rows_is_called_a_sample(void)
{
    StrBuf text;
    text = strbuf_new(arena);
    strbuf_add(&text, STR("Wall time,Step,Value\n"));
    for (int i = 0; i < 1000; i++)
        strbuf_printf(&text, "%d,%d,2.5\n", 1746514800 + i, 7 * i);
    Parts parts = read_table("run-a-tag-loss.csv", str_cstr(arena, strbuf_str(&text)));
    CHECK(part_find(parts.items[0], "loss")->points.count == 1000);
    CHECK(has_notice("exactly 1,000 rows", 0));
    strbuf_add(&text, STR("1746519999,7777,2.5\n"));
    read_table("run-a-tag-loss.csv", str_cstr(arena, strbuf_str(&text)));
    CHECK(!has_notice("exactly 1,000 rows", 0));
}

static void without_a_named_step_the_first_rising_column_of_whole_numbers_is_it(void)
{
    Parts parts = read_table("t.csv", "batch,level,tick,loss\n"
                                      "7,0.5,100,2.5\n7,1.5,200,2.25\n7,2.5,300,2\n");
    CHECK(value_at(parts.items[0], "loss", 200) == 2.25);
    CHECK(value_at(parts.items[0], "level", 300) == 2.5);
    CHECK(!part_find(parts.items[0], "tick"));
}

static void without_any_step_rows_are_numbered_from_1(void)
{
    Parts parts = read_table("t.csv", "batch,loss\n7,2.5\n7,2.25\n7,2\n");
    CHECK(value_at(parts.items[0], "loss", 1) == 2.5 && value_at(parts.items[0], "loss", 3) == 2);
}

static void grouped_exports_are_named_by_their_group(void)
{
    Parts parts =
        read_table("chart.csv", "\"Step\",\"Group: gpu - b - loss\",\"Group: gpu - b - loss__MIN\","
                                "\"Group: gpu - b - loss__MAX\",\"Group: npu - loss\","
                                "\"Group: npu - loss__MIN\",\"Group: npu - loss__MAX\"\n"
                                "\"1\",\"2.5\",\"2\",\"3\",\"\",\"\",\"\"\n"
                                "\"2\",\"2.25\",\"2\",\"3\",\"2.75\",\"2\",\"3\"\n");
    CHECK(parts.count == 2);
    CHECK_TEXT(parts.items[0]->run, "gpu - b");
    CHECK_TEXT(parts.items[1]->run, "npu");
    CHECK(parts.items[0]->series_count == 1 && value_at(parts.items[0], "loss", 1) == 2.5);
    CHECK(value_at(parts.items[1], "loss", 2) == 2.75);
    CHECK(part_find(parts.items[1], "loss")->points.count == 1);
}

static void cells_and_rows_that_cannot_be_used_are_named_with_their_line(void)
{
    Parts parts = read_table("t.csv", "step,loss\n1,2.5\n2,what\n,2.25\nthree,2\n4,1.5\n5,1");
    const Part *part = parts.items[0];
    CHECK(value_at(part, "loss", 4) == 1.5 && point_is_absent(value_at(part, "loss", 2)));
    CHECK(has_notice("1 cell is no number", 3));
    CHECK(has_notice("2 rows have no step", 4));
    CHECK(has_notice("its last number may be cut", 7));
    parts = read_table("t.csv", "step,loss\n1,2.5\n2");
    CHECK(has_notice("is left out (still being written?)", 3));
    CHECK(part_find(parts.items[0], "loss")->points.count == 1);
}

static void a_table_without_numbers_is_refused(void)
{
    Parts parts = {0};
    notices_init(&notices, arena);
    CHECK(!table_series_read("t.csv", STR(""), arena, &parts, &notices, &err));
    CHECK_TEXT(str_of(err.text), "the table is empty");
    CHECK(
        !table_series_read("t.csv", STR("step,who\n1,you\n2,me\n"), arena, &parts, &notices, &err));
    CHECK_TEXT(str_of(err.text), "the table holds no column of numbers");
    CHECK_TEXT(str_of(err.file), "t.csv");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(an_export_of_the_dashboard_has_its_name_in_that_of_the_file);
    CHECK_RUN(an_export_of_exactly_1000_rows_is_called_a_sample);
    CHECK_RUN(without_a_named_step_the_first_rising_column_of_whole_numbers_is_it);
    CHECK_RUN(a_monitor_of_episodes_has_their_rewards_by_number);
    CHECK_RUN(without_any_step_rows_are_numbered_from_1);
    CHECK_RUN(grouped_exports_are_named_by_their_group);
    CHECK_RUN(cells_and_rows_that_cannot_be_used_are_named_with_their_line);
    CHECK_RUN(a_table_without_numbers_is_refused);
    arena_release(arena);
    return CHECK_RESULT;
}
