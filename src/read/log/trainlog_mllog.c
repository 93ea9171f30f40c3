// SPDX-License-Identifier: Apache-2.0

// MLPerf: ':::MLLOG {"key": "train_loss", "value": 3.2, "metadata": {"samples_count": 192}}'.

#include "base/number.h"
#include "read/log/series_name.h"
#include "read/log/trainlog_dialects.h"

static bool member_text(Str line, const char *key, Str *out)
{
    Scan scan = scan_of(line);
    if (!scan_find(&scan, key))
        return false;
    scan_blanks(&scan);
    if (!scan_char(&scan, '"'))
        return false;
    size_t stop = str_find_char(line, '"', scan.at);
    *out = str_slice(line, scan.at, stop);
    return stop != SIZE_MAX;
}

static bool member_figure(Str line, const char *key, Figure *out)
{
    Scan scan = scan_of(line);
    if (!scan_find(&scan, key))
        return false;
    scan_blanks(&scan);
    return scan_figure(&scan, out);
}

bool mllog_take(TrainLog *log)
{
    static const char *const counters[] = {"\"samples_count\":", "\"step_num\":", "\"epoch_num\":"};
    size_t at = str_find(log->line, STR(":::MLLOG {"), 0);
    Str key;
    Figure value, place = {.value = -1};
    if (at == SIZE_MAX)
        return false;
    Str line = str_slice(log->line, at, log->line.size);
    if (!member_text(line, "\"key\":", &key) || !member_figure(line, "\"value\":", &value) ||
        !(series_facts(key).measure || series_facts(key).evaluation))
        return true;
    for (size_t i = 0; i < 3 && place.value < 0; i++)
        if (!member_figure(line, counters[i], &place))
            place.value = -1;
    if (!(place.value >= 0 && number_can_count(place.value)))
        return true;
    Part *part = trainlog_part(log, "mllog");
    trainlog_begin(log, part, (int64_t)place.value, -1);
    part_add(part, key, value);
    return trainlog_end(log, part);
}
