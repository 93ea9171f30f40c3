// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_COMMANDS_H
#define VERNIER_COMMANDS_MACHINERY_COMMANDS_H

#include "commands/machinery/options.h"

// The commands, one file each; command_run runs them.
extern const CommandSpec advise_command, check_command, checklist_command, compare_command,
    convert_command, curves_command, explain_command, graph_command, history_command, init_command,
    locate_command, merge_command, monitor_command, precheck_command, study_command, tokens_command;

// Those that make no product give the exit code.
int command_help_checks(void);
int command_help_rules(void);
// `verbose`: the libraries, formats, commit and licence as well.
int command_version(bool verbose);

#endif
