// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_LOCATE_COMMAND_H
#define VERNIER_COMMANDS_LOCATE_COMMAND_H

#include "commands/machinery/product.h"
#include "export/summary/locate_summary.h"

// What `vernier locate` found; NULL of another command.
const LocateView *locate_facts(const Product *product);

#endif
