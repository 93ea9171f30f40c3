// SPDX-License-Identifier: Apache-2.0
// vernier version.
#include <stdio.h>

#include "commands/machinery/commands.h"

int command_version(void)
{
    puts("vernier " VERNIER_VERSION);
    return 0;
}
