// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CURVES_COMMAND_H
#define VERNIER_COMMANDS_CURVES_COMMAND_H

#include "commands/machinery/product.h"
#include "export/summary/curves_summary.h"

// What `vernier curves` found; NULL of another command.
const CurvesSummary *curves_facts(const Product *product);

#endif
