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
    return status;
}

size_t monitor_first_view(const MonitorViews *views)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < views->count; i++) {
        const Alarm *first = alarms_first(&views->items[i].alarms);
        if (first &&
            (best == SIZE_MAX || first->level < alarms_first(&views->items[best].alarms)->level))
            best = i;
    }
    return best == SIZE_MAX ? 0 : best;
}
