// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "read/log/health_file.h"
#include "read/monitor/grad_probe.h"
#include "read/monitor/monitor_side.h"

// Any bytes as the small files beside a monitor's series and as the list of checkpoints.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    MonitorRules rules = monitor_rules_default();
    MonitorAnomalies anomalies = {0};
    MonitorStacks stacks = {0};
    ProbeValues similarities = {0}, norms = {0};
    Checkpoints checkpoints = {0};
    char path[64];
    notices_init(&notices, arena);
    fuzz_file("side.json", data, size, path);
    MonitorSide side = {.path = path, .rank = 0, .step = 3};
    if (monitor_rules_read(path, &rules, &err))
        demand(rules.count <= MONITOR_RULES_MAX);
    monitor_anomalies_read(path, arena, &anomalies, &notices, &err);
    monitor_stacks_read(path, arena, &stacks, &notices, &err);
    grad_probe_similarities(&side, arena, &similarities, &notices, &err);
    grad_probe_norms(&side, arena, &norms, &notices, &err);
    if (health_read(path, arena, &checkpoints, &notices, &err))
        demand(checkpoints.count > 0);
    remove(path);
    arena_release(arena);
    return 0;
}
