// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "commands/commands.h"

int command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("vernier " VERNIER_VERSION);
    return 0;
}
