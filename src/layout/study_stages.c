// SPDX-License-Identifier: Apache-2.0
#include "layout/study.h"

#include "base/words.h"

// clang-format off
const StageInfo study_stages[STAGE_COUNT] = {
    [STAGE_CONFIG] = {
        .title  = TR("Checklist of settings"),
        .rule   = TR("no setting that must agree differs"),
        .source = TR("checklist of the accuracy guide"),
        .needs  = TR("the training configuration of both sides: YAML, JSON, shell "
                      "script, or a log that prints its arguments"),
        .collect = "vernier checklist GOLDEN TARGET",
    },
    [STAGE_TOKENS] = {
        .title  = TR("Same data"),
        .rule   = TR("the token ids are equal, element by element"),
        .source = TR("accuracy guide: align data first"),
        .needs  = TR("the token ids of the first steps of both runs as .npy or .pt"),
        .collect = "numpy.save('tokens.npy', input_ids)",
    },
    [STAGE_WEIGHTS] = {
        .title  = TR("Same initial weights"),
        .rule   = TR("every weight is equal bit for bit, or but for the rounding of its "
                      "dtype"),
        .source = TR("accuracy guide: align weights first"),
        .needs  = TR("the checkpoint that each side starts from"),
        .collect = "vernier compare golden.safetensors target.safetensors",
    },
    [STAGE_STEP_ONE] = {
        .title  = TR("Loss of step 1"),
        .rule   = TR("the difference is at most 0.001 or 0.1 %, the larger"),
        .source = TR("chosen: rate-0 losses of the guide's case differ by 0.001"),
        .needs  = TR("a log from step 1 of both runs: same weights and data, dropout "
                      "off, deterministic"),
        .collect = "--log-interval 1 | callbacks: MFLossMonitor, per_print_times: 1",
    },
    [STAGE_LOCAL_NORMS] = {
        .title  = TR("Local norms of step 1"),
        .rule   = TR("no weight is off by more than 1 %, and 10 times the median weight"),
        .source = TR("chosen; an embedding off by some per cent was the cause in the "
                      "guide's case"),
        .needs  = TR("the gradient norm of each weight at step 1 from both runs"),
        .collect = "monitor_config: monitor_on: True, local_norm_format: ['log'] | "
                   "wg_distribution: true",
    },
    [STAGE_STEP_TWO] = {
        .title  = TR("Loss of step 2"),
        .rule   = TR("the difference is at most 0.001 or 0.1 %, the larger"),
        .source = TR("chosen: rate-0 losses of the guide's case differ by 0.001"),
        .needs  = TR("the log of step 1 for one step more: it shows the optimizer"),
        .collect = "--train-iters 2 | runner_config: sink_size: 1",
    },
    [STAGE_RATE_ZERO] = {
        .title  = TR("Learning rate 0"),
        .rule   = TR("mean difference at most 0.002 (loss) and 0.05 (gradient norm)"),
        .source = TR("guide's case: about 0.001 and 0.05, both judged fine"),
        .needs  = TR("logs of about 1,000 steps of both runs with learning rate 0"),
        .collect = "--lr 0 --min-lr 0 | lr_schedule: learning_rate: 0.0",
    },
    [STAGE_LONG_RUN] = {
        .title  = TR("Long run"),
        .rule   = TR("no lasting difference beyond 0.03 around the 0 axis or 1 %, the larger"),
        .source = TR("guide's case: within 0.03 over 10,000 steps; 1 %: comparison guide"),
        .needs  = TR("logs of some thousand steps of both runs"),
        .collect = "vernier curves golden.log target.log",
    },
    [STAGE_NOISE] = {
        .title  = TR("Against the noise of golden"),
        .rule   = TR("within 3 sigma of repeated golden runs: at least 95 %; no lasting difference"),
        .source = TR("chosen; the guide draws the target between two golden runs"),
        .needs  = TR("one or more further logs of the golden set-up with determinism off"),
        .collect = "vernier curves golden.log target.log --noise golden2.log",
    },
    [STAGE_DUMPS] = {
        .title  = TR("Layer by layer"),
        .rule   = TR("no operator diverges beyond its floor"),
        .source = TR("rules vernier: vernier help rules"),
        .needs  = TR("dumps of one step from both runs"),
        .collect = "{\"task\": \"statistics\", \"level\": \"mix\", \"step\": [0], "
                   "\"rank\": []}",
    },
    [STAGE_MONITOR] = {
        .title  = TR("Monitor"),
        .rule   = TR("no alarm in the target"),
        .source = TR("alarm rules of the monitor, replayed: docs/monitor.md"),
        .needs  = TR("the monitor's folder of the target, better of both runs"),
        .collect = "{\"wg_distribution\": true, \"format\": \"csv\", \"ops\": "
                   "[\"norm\"]}",
    },
    [STAGE_SKIP] = {
        .title  = TR("Skipping data"),
        .rule   = TR("the threshold does not end the run"),
        .source = TR("rule of the trainer: at or above the threshold, so often in a row"),
        .needs  = TR("a training log of the target with its gradient norm"),
        .collect = "vernier advise skip train.log",
    },
    [STAGE_HEALTH] = {
        .title  = TR("Health of checkpoints"),
        .rule   = TR("no checkpoint is marked unhealthy"),
        .source = TR("mark of the trainer: embedding norm at or above its threshold"),
        .needs  = TR("health_ckpts.json of the target, and logs with embedding norms"),
        .collect = "use_checkpoint_health_monitor: True",
    },
};
// clang-format on

const char *stage_status_text(StageStatus status)
{
    static const char *const texts[] = {TR("not done"), TR("passed"), TR("failed")};
    return texts[status];
}
