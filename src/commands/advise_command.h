// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_ADVISE_COMMAND_H
#define VERNIER_COMMANDS_ADVISE_COMMAND_H

#include "commands/machinery/product.h"
#include "export/summary/advise_summary.h"

// What `vernier advise` found; NULL of another command.
const AdviseSummary *advise_facts(const Product *product);

#endif
