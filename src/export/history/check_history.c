// SPDX-License-Identifier: Apache-2.0
#include "export/history/check_history.h"

#include <math.h>

static FactState state_of(LawState state)
{
    static const FactState states[LAW_STATES] = {
        [LAW_HOLDS] = FACT_CALM, [LAW_BROKEN] = FACT_BEYOND};
    return states[state];
}

void check_history_facts(const CheckView *view, Arena *arena, HistoryNight *out)
{
    out->partial = view->verdict.partial;
    out->state = view->results->states[LAW_BROKEN] ? FACT_BEYOND : FACT_CALM;
    for (size_t i = 0; i < view->results->count; i++) {
        const LawResult *it = &view->results->items[i];
        history_add(out, arena,
                    (HistoryFact){.kind = STR("invariant"),
                                  .name = str_of(it->law->name),
                                  .metric = STR("broken"),
                                  .state = state_of(it->state),
                                  .value = it->checked ? (double)it->broken : (double)NAN,
                                  .position = (int64_t)i,
                                  .note = it->break_count ? it->breaks[0].what : STR("")});
    }
    history_add(out, arena,
                (HistoryFact){.kind = STR("input"),
                              .name = STR("run"),
                              .metric = STR("files"),
                              .value = (double)view->files});
    history_sort(out);
}
