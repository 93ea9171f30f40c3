// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECKLIST_COMMAND_H
#define VERNIER_COMMANDS_CHECKLIST_COMMAND_H

#include "commands/machinery/product.h"
#include "report/checklist_report.h"

// What `vernier checklist` found; NULL of another command.
const ChecklistView *checklist_facts(const Product *product);

#endif
