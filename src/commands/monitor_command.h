// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MONITOR_COMMAND_H
#define VERNIER_COMMANDS_MONITOR_COMMAND_H

#include "commands/machinery/product.h"
#include "export/summary/monitor_summary.h"

// What `vernier monitor` found; NULL of another command.
const MonitorSummary *monitor_facts(const Product *product);

#endif
