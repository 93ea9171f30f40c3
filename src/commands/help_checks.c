// SPDX-License-Identifier: Apache-2.0
// vernier help checks: every invariant of vernier check; the table of docs/checks.md, which a test
// holds equal.
#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "compare/invariant/law_run.h"

int command_help_checks(void)
{
    printf("| %s | %s | %s | %s |\n|---|---|---|---|\n", tr("invariant"), tr("what must hold"),
           tr("what it needs"), tr("how it is tested"));
    for (size_t i = 0; i < law_count; i++)
        printf("| `%s` | %s | %s | %s |\n", laws[i].name, tr(laws[i].words), tr(laws[i].needs),
               tr(laws[i].test_words));
    return 0;
}
