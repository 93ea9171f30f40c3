// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sink.h"
#include "base/threads.h"
#include "trend/monitor/alarm_drift.h"
#include "trend/monitor/monitor_scan.h"

// Time of reading and judging monitor CSV beside the time of counting its lines, and the peak
// memory. Arguments: an empty or missing folder for the files, megabytes (default 256), threads
// (default: all). Exit 1 if a bound of the design is missed: 8 times counting, 500 MB.

enum { NAMES = 240, STEPS_A_FILE = 100, RANKS = 8 };
static const double bound_ratio = 8, bound_megabytes = 500;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);  // what others do does not count
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double next_noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (double)(1 << 24);
}

static void write_file(Arena *arena, const char *folder, const char *type, int64_t first,
                       uint64_t *state)
{
    Error err;
    Str name = str_printf(arena, "%s_%lld-%lld.csv", type, (long long)first,
                          (long long)first + STEPS_A_FILE - 1);
    Sink *out = sink_file(path_join(arena, folder, name), &err);
    if (!out) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    sink_text(out, "vpp_stage,name,step,norm,mean,min,max,nans,shape,dtype\n");
    for (int64_t step = first; step < first + STEPS_A_FILE; step++)
        for (int n = 0; n < NAMES; n++) {
            double norm = 0.5 + 0.1 * next_noise(state);
            sink_printf(
                out,
                "0,layers.%d.self_attention.linear_proj%d.weight,%lld,%.12f,%.12f,%.12f,%.12f,"
                "0,\"[1024, 512]\",torch.float32\n",
                n / 6, n % 6, (long long)step, norm, norm * 1e-5, norm * -0.05, norm * 0.06);
        }
    if (!sink_commit(out, &err))
        exit(2);
}

// About 115 bytes a row.
static void generate(Arena *arena, const char *base, double megabytes)
{
    static const char *const types[] = {"grad_unreduced", "grad_reduced"};
    double file_bytes = 115.0 * NAMES * STEPS_A_FILE;
    int64_t files = (int64_t)(megabytes * 1e6 / file_bytes / RANKS / 2) + 1;
    uint64_t state = 1;
    for (int rank = 0; rank < RANKS; rank++) {
        Error err;
        Str name = str_printf(arena, "May06_15-00-00-rank%d-0c77d1e4", rank);
        const char *folder = path_join(arena, base, name);
        if (!folder_make(folder, &err))
            exit(2);
        for (int type = 0; type < 2; type++)
            for (int64_t f = 0; f < files; f++)
                write_file(arena, folder, types[type], f * STEPS_A_FILE, &state);
    }
}

static size_t count_lines(const MonitorFiles *files)
{
    static char buffer[1 << 18];
    size_t lines = 0;
    for (size_t i = 0; i < files->count; i++) {
        int descriptor = open(files->items[i].path, O_RDONLY);
        for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;)
            for (const char *at = buffer; (at = memchr(at, '\n', (size_t)(buffer + got - at)));
                 at++)
                lines++;
        close(descriptor);
    }
    return lines;
}

static double read_and_judge(const MonitorTree *tree, int jobs, uint64_t *bytes)
{
    Arena *arena = arena_new();
    MonitorRules rules = monitor_rules_default();
    MonitorSelect select = {.jobs = jobs};
    MonitorRun run;
    Alarms alarms = {0};
    Notices notices;
    Error err;
    notices_init(&notices, arena);
    double start = now();
    if (!monitor_scan(tree, &select, &rules, arena, &run, &alarms, &notices, &err))
        exit(2);
    alarms_add_drift(&run, false, jobs, &alarms);
    double seconds = now() - start;
    *bytes = run.byte_count;
    arena_release(arena);
    return seconds;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [MEGABYTES [THREADS]]\n", argv[0]);
        return 2;
    }
    Arena *arena = arena_new();
    MonitorTrees trees = {0};
    Notices notices;
    Error err;
    uint64_t bytes = 0;
    notices_init(&notices, arena);
    generate(arena, argv[1], argc > 2 ? atof(argv[2]) : 256);
    if (!monitor_find(argv[1], arena, &trees, &notices, &err))
        return 2;
    int jobs = argc > 3 ? atoi(argv[3]) : threads_default_jobs();
    double counting = 1e9, reading = 1e9;
    for (int round = 0; round < 3; round++) {
        double start = now();
        size_t lines = count_lines(&trees.items[0].series);
        double seconds = now() - start;
        counting = lines && seconds < counting ? seconds : counting;
        seconds = read_and_judge(&trees.items[0], jobs, &bytes);
        reading = seconds < reading ? seconds : reading;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double peak = (double)usage.ru_maxrss / 1000;
    printf(
        "monitor ours=%.9f limit=%.9f peak_mb=%.0f\n"
        "monitor csv: %.0f MB, counting %.3f s, reading %.3f s: %.1fx (bound %.0fx), peak %.0f MB "
        "(bound %.0f MB)\n",
        reading, counting, peak, (double)bytes / 1e6, counting, reading, reading / counting,
        bound_ratio, peak, bound_megabytes);
    arena_release(arena);
    return reading > bound_ratio * counting || peak > bound_megabytes;
}
