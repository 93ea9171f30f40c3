// SPDX-License-Identifier: Apache-2.0
// vernier help checks: every invariant of vernier check; the table of docs/reference/checks.md,
// which a test holds equal, on a terminal entries as wide as this is.
#include <stdio.h>
#include <unistd.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"
#include "compare/invariant/law_run.h"

static void print_part(int indent, const char *name, const char *text)
{
    char line[1000];
    snprintf(line, sizeof line, "%s: %s", name, text);
    printf("%*s", indent, "");
    terminal_print(stdout, 6, 6, line);
}

int command_help_checks(void)
{
    bool terminal = isatty(STDOUT_FILENO) == 1;
    if (!terminal)
        printf("| %s | %s | %s | %s |\n|---|---|---|---|\n", tr("invariant"), tr("what must hold"),
               tr("what it needs"), tr("how it is tested"));
    for (size_t i = 0; i < law_count && !terminal; i++)
        printf("| `%s` | %s | %s | %s |\n", laws[i].name, tr(laws[i].words), tr(laws[i].needs),
               tr(laws[i].test_words));
    for (size_t i = 0; i < law_count && terminal; i++) {
        print_part(2, laws[i].name, tr(laws[i].words));
        print_part(6, tr("what it needs"), tr(laws[i].needs));
        print_part(6, tr("how it is tested"), tr(laws[i].test_words));
    }
    return 0;
}
