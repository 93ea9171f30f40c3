// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

// Time of all metrics of two tensors beside the time of reading their bytes once. Arguments: bytes
// of each tensor (default 256 MiB), threads (default 1), a dtype (default "all", three), rounds
// (default 5). One line a dtype; exit 1 if a bound of the design is missed.

static uint64_t read_once(const uint64_t *words, size_t count)
{
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= count; i += 8)
        for (size_t j = 0; j < 8; j++)
            sums[j] ^= words[i + j];
    uint64_t all = 0;
    for (size_t j = 0; j < 8; j++)
        all ^= sums[j];
    return all;
}

// Numbers around 1 with both signs, and a target that is off by a few steps in most elements.
static void fill(DType dtype, void *golden, void *target, size_t bytes)
{
    uint64_t state = 1;
    size_t size = dtype_size(dtype);
    for (size_t i = 0; i < bytes / size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t bits = (uint32_t)(state >> 33);
        if (size == 4) {
            uint32_t value = 0x3f000000u | (bits & 0x80ffffffu);
            ((uint32_t *)golden)[i] = value;
            ((uint32_t *)target)[i] = value ^ (bits >> 24 & 7);
        } else {
            uint16_t high = dtype == DTYPE_BF16 ? 0x3f00 : 0x3800;
            uint16_t value = (uint16_t)(high | (bits & 0x80ff));
            ((uint16_t *)golden)[i] = value;
            ((uint16_t *)target)[i] = (uint16_t)(value ^ (bits >> 24 & 1));
        }
    }
}

typedef struct Work {
    Tensor golden, target;
    size_t bytes;
    int jobs;
    Rules rules;
    uint64_t seen;
} Work;

static double time_read(void *context)
{
    Work *work = context;
    double start = bench_now();
    work->seen ^= read_once((const uint64_t *)(const void *)work->golden.data, work->bytes / 8);
    work->seen ^= read_once((const uint64_t *)(const void *)work->target.data, work->bytes / 8);
    return bench_now() - start;
}

static double time_metrics(void *context)
{
    Work *work = context;
    TensorMetrics out;
    double start = bench_now();
    tensor_metrics(&work->golden, &work->target, work->rules, work->jobs, &out);
    work->seen ^= out.worst;
    return bench_now() - start;
}

int main(int argc, char **argv)
{
    static const struct {
        DType dtype;
        double limit;
    } cases[] = {{DTYPE_F32, 2}, {DTYPE_BF16, 5}, {DTYPE_F16, 8}};
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_C(256) << 20) & ~(size_t)63;
    Work work = {.bytes = bytes, .jobs = argc > 2 ? atoi(argv[2]) : 1};
    int rounds = argc > 4 ? atoi(argv[4]) : 5;
    void *golden = malloc(bytes), *target = malloc(bytes);
    bool good = true;
    for (size_t i = 0; golden && target && i < 3; i++) {
        if (argc > 3 && strcmp(argv[3], "all") != 0 &&
            strcmp(argv[3], dtype_text(cases[i].dtype)) != 0)
            continue;
        uint64_t count = bytes / dtype_size(cases[i].dtype);
        fill(cases[i].dtype, golden, target, bytes);
        work.golden.data = golden;
        work.target.data = target;
        tensor_set_shape(&work.golden, cases[i].dtype, 1, &count);
        tensor_set_shape(&work.target, cases[i].dtype, 1, &count);
        double medians[3][2];
        for (int rules = 0; rules < 3; rules++) {
            work.rules = (Rules)rules;
            bench_by_turns(time_metrics, time_read, &work, rules ? 1 : rounds, medians[rules]);
        }
        double ours = medians[0][0], read = medians[0][1];
        printf("tensor-%s ours=%.9f limit=%.9f gb_per_s=%.2f read_gb_per_s=%.2f msprobe26=%.2f "
               "msprobe8=%.2f\n",
               dtype_text(cases[i].dtype), ours, read, 2e-9 * (double)bytes / ours,
               2e-9 * (double)bytes / read, medians[1][0] / read, medians[2][0] / read);
        good = good && ours <= cases[i].limit * read;
    }
    free(golden);
    free(target);
    return good && work.seen != 1 ? 0 : 1;
}
