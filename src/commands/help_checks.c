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

// "L1, mix: two ranks"
static void print_shown(const LawTexts *law)
{
    static const char *const levels[LEVEL_COUNT] = {"L1", "L0", "mix"};
    static const char *const words[] = {TR("no dump of ops"), TR("one dump"), TR("two steps"),
                                        TR("two ranks"), TR("two steps or ranks")};
    LawShown shown = SHOWN_NOT;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (law->shown[i] != SHOWN_NOT)
            printf("%s%s", shown ? ", " : "", levels[i]);
        shown = law->shown[i] != SHOWN_NOT ? (LawShown)law->shown[i] : shown;
    }
    printf("%s%s |\n", shown ? ": " : "", tr(words[shown]));
}

int command_help_checks(void)
{
    bool terminal = isatty(STDOUT_FILENO) == 1;
    Arena *arena = arena_new();
    const LawTexts *texts = law_texts_read(arena);
    if (!terminal)
        printf("| %s | %s | %s | %s | %s |\n|---|---|---|---|---|\n", tr("invariant"),
               tr("what must hold"), tr("what it needs"), tr("how it is tested"),
               tr("levels that show it"));
    for (size_t i = 0; i < law_count && !terminal; i++) {
        printf("| `%s` | %s | %s | %s | ", laws[i].name, tr(texts[i].holds), tr(texts[i].needs),
               tr(texts[i].tested));
        print_shown(&texts[i]);
    }
    for (size_t i = 0; i < law_count && terminal; i++) {
        print_part(2, laws[i].name, tr(texts[i].holds));
        print_part(6, tr("what it needs"), tr(texts[i].needs));
        print_part(6, tr("how it is tested"), tr(texts[i].tested));
    }
    arena_release(arena);
    return 0;
}
