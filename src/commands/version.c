// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands/commands.h"

int command_version(int argc, char **argv, Collector *collector)
{
    (void)argc;
    (void)argv;
    (void)collector;
    puts("vernier " VERNIER_VERSION);
    return 0;
}
