// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_REPORTS_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_REPORTS_H

#include "commands/machinery/product.h"
#include "commands/machinery/runner.h"

// Two reports instead of two dumps: what was fixed, what is new, what moved since the first one.
// Both are a summary.json, or folders that hold one.

bool compare_reports_wanted(const Str paths[2], Arena *arena);

// The product differs (exit code 1) where something is new or worse; what is no longer compared is
// worse. False with an error where the two are not of one kind.
bool compare_reports(const CommandCall *call, const Str paths[2], Product *out);

#endif
