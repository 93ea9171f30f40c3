// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/monitor/monitor_rows.h"

// Any bytes as a monitor series file: no crash, and rows that are read directly are those that the
// general way gives. The same bytes as a log of statistics, and as the CSV of torchao.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Reading {
    Arena *arena;
    Notices notices;
    MonitorRows *rows;
    bool open;
} Reading;

static Reading begin(const MonitorFile *file, bool general_only)
{
    Reading reading = {.arena = arena_new()};
    Error err;
    notices_init(&reading.notices, reading.arena);
    reading.rows = ARENA_NEW(reading.arena, MonitorRows);
    reading.open = monitor_rows_open(reading.rows, file, reading.arena, &err);
    reading.rows->general_only = general_only;
    return reading;
}

static void end(Reading *reading)
{
    if (reading->open)
        monitor_rows_close(reading->rows, &reading->notices);
    arena_release(reading->arena);
}

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void compare(Reading *a, Reading *b)
{
    demand(a->open == b->open);
    if (!a->open)
        return;
    size_t numbers = 0;
    monitor_rows_decimals(a->rows, &numbers);
    for (MonitorRow left, right;;) {
        bool more = monitor_rows_next(a->rows, &left);
        demand(more == monitor_rows_next(b->rows, &right));
        if (!more)
            return;
        demand(left.step == right.step && left.stage == right.stage && left.micro == right.micro);
        demand(left.line == right.line);
        demand(str_equal(left.name, right.name) && str_equal(left.scope, right.scope));
        for (size_t i = 0; i < a->rows->op_count; i++) {
            bool same_bits = memcmp(&left.values[i], &right.values[i], sizeof(double)) == 0;
            demand(same_bits ||
                   (left.values[i] != left.values[i] && right.values[i] != right.values[i]));
        }
    }
}

static void read_as(const uint8_t *data, size_t size, Str kind, const char *suffix)
{
    char path[64];
    snprintf(path, sizeof path, "fuzz-monitor-%ld.%s", (long)getpid(), suffix);
    FILE *out = fopen(path, "wb");
    if (!out)
        return;
    if (size)
        demand(fwrite(data, 1, size, out) == size);
    fclose(out);
    MonitorFile file = {.path = path, .kind = kind};
    Reading direct = begin(&file, false), general = begin(&file, true);
    compare(&direct, &general);
    end(&direct);
    end(&general);
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as(data, size, STR("grad_reduced"), "csv");
    read_as(data, size, STR("inspect"), "log");
    read_as(data, size, STR(QUANT_LOG_KIND), "csv");
    return 0;
}
