// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/noise_pool.h"

#include <math.h>

#include "check.h"

static void like_slots_share_a_pool(void)
{
    Op forward = {.kind = OP_API, .direction = DIR_FORWARD};
    Op backward = {.kind = OP_API, .direction = DIR_BACKWARD};
    Op grads = {.kind = OP_GRADS};
    Slot input = {.group = GROUP_INPUT}, keyword = {.group = GROUP_KWARGS};
    Slot output = {.group = GROUP_OUTPUT}, gradient = {.group = GROUP_GRADS};
    uint32_t pool = noise_pool_of(&forward, &input, PRECISION_F32, STAT_NORM);
    CHECK(pool == noise_pool_of(&forward, &keyword, PRECISION_F32, STAT_NORM));
    CHECK(pool != noise_pool_of(&forward, &output, PRECISION_F32, STAT_NORM));
    CHECK(pool != noise_pool_of(&backward, &input, PRECISION_F32, STAT_NORM));
    CHECK(pool != noise_pool_of(&forward, &input, PRECISION_BF16, STAT_NORM));
    CHECK(pool != noise_pool_of(&forward, &input, PRECISION_F32, STAT_MEAN));
    CHECK(noise_pool_of(&grads, &gradient, PRECISION_F32, STAT_NORM) ==
          noise_pool_of(&backward, &output, PRECISION_F32, STAT_NORM));
}

// By the formula of Smyth: (4 * of like slots + k * own) / (4 + k), of three runs.
static void a_slot_that_agreed_by_luck_gets_the_spread_of_its_like(void)
{
    enum { COUNT = 40, RUNS = 3 };
    NoiseSample samples[COUNT];
    float out[COUNT];
    for (int i = 0; i < COUNT; i++)
        samples[i] = (NoiseSample){
            .variance = i ? 4.0F + 1e-6F * (float)i : 0.0F, .runs = RUNS, .pool = 1, .api = 1};
    noise_moderate(samples, COUNT, out);
    CHECK(fabs((double)out[0] - sqrt(4.0 * NOISE_PRIOR / (NOISE_PRIOR + RUNS))) < 1e-4);
    CHECK(fabs((double)out[1] - 2) < 1e-4);
}

static void one_wild_slot_does_not_set_the_floor_of_all(void)
{
    enum { COUNT = 100 };
    NoiseSample samples[COUNT];
    float out[COUNT];
    for (int i = 0; i < COUNT; i++)
        samples[i] = (NoiseSample){
            .variance = i ? 1 - 1e-6F * (float)i : 1e8F, .runs = 3, .pool = 1, .api = 1};
    noise_moderate(samples, COUNT, out);
    CHECK((double)out[1] < 1.001 && (double)out[0] > 1000);
}

static void other_pools_and_what_was_not_measured_lend_nothing(void)
{
    const NoiseSample samples[] = {{.variance = 1, .runs = 3, .pool = 1, .api = 1},
                                   {.variance = 100, .runs = 3, .pool = 2, .api = 1},
                                   {.variance = -1, .runs = 0, .pool = 1, .api = 1}};
    float out[3];
    noise_moderate(samples, 3, out);
    CHECK(fabs((double)out[1] / (double)out[0] - 10) < 1e-6 && (double)out[2] == -1);
}

// Nothing else tells whether its runs agreed by luck: three degrees, 22.2 / 7.1 for seven.
static void a_slot_that_is_alone_is_held_to_its_own_few_runs(void)
{
    NoiseSample samples[3];  // one tensor, handed on
    float out[3];
    for (int i = 0; i < 3; i++)
        samples[i] = (NoiseSample){.variance = 1, .runs = 3, .pool = 1, .api = (uint32_t)i};
    noise_moderate(samples, 3, out);
    CHECK(fabs((double)out[0] - 3.13) < 0.01 && (double)out[2] == (double)out[0]);
}

static void fewer_runs_have_a_wider_floor(void)
{
    double by_runs[4] = {0};
    for (uint32_t runs = 1; runs < 4; runs++) {
        NoiseSample sample = {.variance = 1, .runs = runs, .pool = 1};
        float out;
        noise_moderate(&sample, 1, &out);
        by_runs[runs] = (double)out;
    }
    CHECK(by_runs[1] > by_runs[2] && by_runs[2] > by_runs[3]);
}

int main(void)
{
    CHECK_RUN(like_slots_share_a_pool);
    CHECK_RUN(a_slot_that_agreed_by_luck_gets_the_spread_of_its_like);
    CHECK_RUN(one_wild_slot_does_not_set_the_floor_of_all);
    CHECK_RUN(other_pools_and_what_was_not_measured_lend_nothing);
    CHECK_RUN(a_slot_that_is_alone_is_held_to_its_own_few_runs);
    CHECK_RUN(fewer_runs_have_a_wider_floor);
    return CHECK_RESULT;
}
