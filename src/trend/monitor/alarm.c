// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/alarm.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/sort.h"

const char *alarm_rule_name(AlarmRule rule)
{
    static const char *const names[] = {
        [ALARM_TURBULENCE] = "AnomalyTurbulence",
        [ALARM_NAN] = "AnomalyNan",
        [ALARM_SIMILARITY] = "GradSimilarity",
        [ALARM_DRIFT] = "Drift",
    };
    return names[rule];
}

static int64_t stage_order(const Alarm *alarm, int phase)
{
    if (alarm->stage == MONITOR_NONE)
        return 0;
    return phase == 0 ? alarm->stage : -alarm->stage;
}

static int compare_alarms(const void *left, const void *right)
{
    const Alarm *a = left, *b = right;
    int phase_a = monitor_type_info(a->type)->phase, phase_b = monitor_type_info(b->type)->phase;
    int order = order_int64(a->step, b->step);
    if (order == 0)
        order = order_int64(phase_a, phase_b);
    if (order == 0)
        order = order_int64(stage_order(a, phase_a), stage_order(b, phase_b));
    if (order == 0)
        order = order_int64(a->call, b->call);
    if (order == 0)
        order = order_int64(a->rank, b->rank);
    if (order == 0)
        order = str_compare(a->type, b->type);
    if (order == 0)
        order = str_compare(a->name, b->name);
    if (order == 0)
        order = order_int64(a->micro, b->micro);
    return order ? order : (int)a->rule - (int)b->rule;
}

static bool same_place(const Alarm *a, const Alarm *b)
{
    return a->step == b->step && a->rank == b->rank && a->stage == b->stage &&
           a->micro == b->micro && str_equal(a->type, b->type) && str_equal(a->name, b->name);
}

static bool has_op(const Alarm *alarm, const char *op)
{
    for (size_t i = 0; i < alarm->op_count; i++)
        if (str_equal(alarm->ops[i], str_of(op)))
            return true;
    return false;
}

// How many alarms from `from` on, in order, are about the same place.
static size_t place_end(const Alarms *alarms, size_t from)
{
    size_t end = from + 1;
    while (end < alarms->count && same_place(&alarms->items[from], &alarms->items[end]))
        end++;
    return end;
}

static AlarmLevel level_of(const Alarm *alarm)
{
    switch (alarm->rule) {
    case ALARM_NAN:
        return ALARM_CERTAIN;
    case ALARM_DRIFT:
    case ALARM_SIMILARITY:
        return ALARM_LIKELY;
    case ALARM_TURBULENCE:
        break;
    }
    return alarm->confirmed || has_op(alarm, "norm") ? ALARM_LIKELY : ALARM_WEAK;
}

void alarms_rank(Alarms *alarms)
{
    if (alarms->count)
        qsort(alarms->items, alarms->count, sizeof *alarms->items, compare_alarms);
    for (size_t from = 0, end; from < alarms->count; from = end) {
        end = place_end(alarms, from);
        for (size_t i = from; i < end; i++) {
            alarms->items[i].confirmed = end - from > 1;
            alarms->items[i].level = level_of(&alarms->items[i]);
        }
    }
}

const Alarm *alarms_first(const Alarms *alarms)
{
    size_t first = 0;
    while (first < alarms->count && alarms->items[first].level == ALARM_WEAK)
        first++;
    if (first == alarms->count)
        return alarms->count ? &alarms->items[0] : NULL;
    if (alarms->items[first].rule == ALARM_TURBULENCE)
        for (size_t i = first + 1; i < place_end(alarms, first); i++)
            if (alarms->items[i].rule == ALARM_DRIFT)
                return &alarms->items[i];
    return &alarms->items[first];
}

bool alarm_is_broken(const Alarm *alarm)
{
    bool counted =
        alarm->rule != ALARM_TURBULENCE && alarm->op_count && str_equal(alarm->ops[0], STR("nans"));
    return alarm->rule != ALARM_SIMILARITY && (!isfinite(alarm->value) || counted);
}

const Alarm *alarms_gravest(const Alarms *alarms)
{
    for (size_t i = 0; i < alarms->count; i++)
        if (alarms->items[i].level != ALARM_WEAK && alarm_is_broken(&alarms->items[i]))
            return &alarms->items[i];
    return alarms_first(alarms);
}

size_t alarms_places(const Alarms *alarms)
{
    size_t places = 0;
    for (size_t from = 0, end; from < alarms->count; from = end) {
        end = place_end(alarms, from);
        bool weak = true;
        for (size_t i = from; i < end; i++)
            weak = weak && alarms->items[i].level == ALARM_WEAK;
        places += !weak;
    }
    return places;
}

Str alarm_tag(const Alarm *alarm, Arena *arena)
{
    StrBuf tag = strbuf_new(arena);
    if (alarm->stage != MONITOR_NONE)
        strbuf_printf(&tag, "%lld:", (long long)alarm->stage);
    strbuf_add(&tag, alarm->name);
    if (alarm->micro != MONITOR_NONE)
        strbuf_printf(&tag, ":%lld", (long long)alarm->micro);
    strbuf_printf(&tag, "/rank%lld/", (long long)alarm->rank);
    const MonitorTypeInfo *info = monitor_type_info(alarm->type);
    strbuf_add(&tag, str_equal(alarm->type, str_of(info->name)) ? str_of(info->task) : alarm->type);
    return strbuf_str(&tag);
}

Str alarm_message(const Alarm *alarm, Arena *arena)
{
    char value[NUMBER_BYTES], history[NUMBER_BYTES];
    number_python(alarm->last_value, value);
    number_python(alarm->last_history, history);
    Str tag = alarm_tag(alarm, arena);
    Str op = alarm->op_count ? alarm->ops[alarm->op_count - 1] : STR("");
    return str_printf(arena,
                      "Rule %s reports anomaly signal in ('" STR_FMT "', '" STR_FMT
                      "') at step %lld, current value %s, history mean %s.",
                      alarm_rule_name(alarm->rule), STR_ARG(tag), STR_ARG(op),
                      (long long)alarm->step, value, history);
}
