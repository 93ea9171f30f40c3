// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

// All unit tests in one program: `units MODULE` runs those of a module of tests/unit, whose main
// the build calls test_MODULE. One program is linked instead of one for each module.

#define MODULE(name) int test_##name(void);
#include "unit_modules.h"
#undef MODULE

static const struct {
    const char *name;
    int (*run)(void);
} MODULES[] = {
#define MODULE(name) {#name, test_##name},
#include "unit_modules.h"
#undef MODULE
};

int main(int count, char **arguments)
{
    for (size_t i = 0; count == 2 && i < sizeof MODULES / sizeof *MODULES; i++)
        if (!strcmp(arguments[1], MODULES[i].name))
            return MODULES[i].run();
    fprintf(stderr, "usage: units MODULE, one of:");
    for (size_t i = 0; i < sizeof MODULES / sizeof *MODULES; i++)
        fprintf(stderr, " %s", MODULES[i].name);
    fprintf(stderr, "\n");
    return 2;
}
