// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    {"version", command_version},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "version";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "vernier: unknown command '%s'\n", name);
    return 2;
}
