// SPDX-License-Identifier: Apache-2.0
// What the alarms of all runs come to.
#include "trend/monitor/monitor_view.h"

MonitorStatus monitor_status(const MonitorViews *views)
{
    MonitorStatus status = MONITOR_QUIET;
    for (size_t i = 0; i < views->count; i++) {
        const Alarm *first = alarms_first(&views->items[i].alarms);
        if (first && first->level != ALARM_WEAK)
            return MONITOR_ALARM;
        if (first)
            status = MONITOR_WEAK;
    }
    return views->apart.apart ? MONITOR_APART : status;
}

// How soon a run's alarm is reported: 0 a NaN or an infinity, else by its level.
static int order_of(const Alarm *alarm)
{
    return alarm_is_broken(alarm) ? 0 : 1 + (int)alarm->level;
}

size_t monitor_first_view(const MonitorViews *views)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < views->count; i++) {
        const Alarm *told = alarms_gravest(&views->items[i].alarms);
        if (told && (best == SIZE_MAX ||
                     order_of(told) < order_of(alarms_gravest(&views->items[best].alarms))))
            best = i;
    }
    return best == SIZE_MAX ? 0 : best;
}
