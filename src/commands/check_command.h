// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_COMMAND_H
#define VERNIER_COMMANDS_CHECK_COMMAND_H

#include "commands/machinery/product.h"
#include "verdict/check_verdict.h"

// What `vernier check` found; NULL of another command.
const CheckView *check_facts(const Product *product);

#endif
