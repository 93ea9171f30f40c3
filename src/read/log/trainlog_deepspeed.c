// SPDX-License-Identifier: Apache-2.0

// DeepSpeed: engine lines, pipeline lines, overflows (docs/spec/curves.md §4.5).

#include "read/log/trainlog_dialects.h"

enum { KIND_ENGINE = 20, KIND_PIPELINE = 21 };

static bool take_engine(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step, skipped;
    Figure rate;
    if (!scan_find(&scan, "step=") || !scan_uint(&scan, &step) || !scan_word(&scan, ", skipped=") ||
        !scan_uint(&scan, &skipped) || !scan_word(&scan, ", lr=[") || !scan_figure(&scan, &rate))
        return false;
    Part *part = trainlog_part(log, "deepspeed");
    trainlog_begin(log, part, step, KIND_ENGINE);
    part_add(part, STR("lr"), rate);
    trainlog_end(log, part);
    if (skipped > log->skipped_before && log->overflow_lines == 0)
        part_event(part, EVENT_SKIP, step, (uint64_t)(skipped - log->skipped_before), log->number,
                   log->line);
    log->skipped_before = skipped;
    return true;
}

static bool take_pipeline(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    int64_t step;
    Figure loss, time, rate;
    LogPlace place = {.has_step = true};
    if (!scan_find(&scan, "steps: "))
        return false;
    place.step_text = log->line.data + scan.at;
    if (!scan_uint(&scan, &step) || !scan_word(&scan, " loss: ") || !scan_figure(&scan, &loss) ||
        !scan_find(&scan, "iter time (s): ") || !scan_figure(&scan, &time))
        return false;
    Part *part = trainlog_part(log, "deepspeed");
    trainlog_begin(log, part, step, KIND_PIPELINE);
    part_add(part, STR("loss"), loss);
    part_add(part, STR("iter time (s)"), time);
    if (scan_word(&scan, " samples/sec: ") && scan_figure(&scan, &rate))
        part_add(part, STR("samples/sec"), rate);
    if (!trainlog_end(log, part))
        return false;
    place.step = step;
    trainlog_plain(log, part, &place);
    log->reading.padded = false;
    return true;
}

bool deepspeed_take(TrainLog *log)
{
    return take_engine(log) || take_pipeline(log);
}
