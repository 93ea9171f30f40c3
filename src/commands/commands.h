// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMMANDS_H
#define VERNIER_COMMANDS_COMMANDS_H

#include "commands/collector.h"

// The commands: one file each. argv[0] is the command's own name; the result is the exit code. With a
// collector nothing is written or printed; NULL on the command line.
int command_advise(int argc, char **argv, Collector *collector);
int command_checklist(int argc, char **argv, Collector *collector);
int command_compare(int argc, char **argv, Collector *collector);
int command_curves(int argc, char **argv, Collector *collector);
int command_graph(int argc, char **argv, Collector *collector);
int command_history(int argc, char **argv, Collector *collector);
int command_locate(int argc, char **argv, Collector *collector);
int command_merge(int argc, char **argv, Collector *collector);
int command_monitor(int argc, char **argv, Collector *collector);
int command_study(int argc, char **argv, Collector *collector);
int command_help_rules(void);
int command_version(int argc, char **argv, Collector *collector);

#endif
