// SPDX-License-Identifier: Apache-2.0
// vernier help logs: every form of a log that is read, with a line of it; the tables of
// docs/reference/logs.md, which a test holds equal.
#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"
#include "read/log/log_forms.h"

static const struct {
    const char *source;  // TR
    const char *taken;   // TR
} sources[] = {
    {TR("MindFormers, classic and eager trainer"),
     TR("step lines, separate losses, data skip, aborts, checkpoints, local norms, embedding "
        "norms")},
    {TR("Megatron-LM, MindSpeed, ModelLink, forks"),
     TR("iteration lines with any fields, counters of skipped and NaN iterations, validation")},
    {TR("Hugging Face Trainer and relatives"),
     TR("`trainer_state.json`, line JSON, dicts on standard output (their step is in the bar)")},
    {TR("DeepSpeed"), TR("engine and pipeline lines, overflows, monitor CSV (over samples)")},
    {TR("TensorBoard, W&B"), TR("event files, exported CSV, history lines")},
    {TR("every other"),
     TR("the forms below, and any line with a step or an epoch and a loss, a norm or a rate")},
    {TR("CSV, TSV, semicolons, blanks, JSON"),
     TR("columns by name; without a header step and loss")},
};

int command_help_logs(void)
{
    printf("%s\n", tr("What is read, told by its content:"));
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        printf("  %s\n      ", tr(sources[i].source));
        terminal_print(stdout, 6, 6, tr(sources[i].taken));
    }
    printf("\n%s\n", tr("Forms, each with a line of it and what its step is:"));
    FormShows shows = {0};
    Arena *arena = arena_new();
    forms_shown(arena, &shows);
    for (size_t i = 0; i < shows.count; i++)
        printf("  %s\n      %s\n      %s: %s\n", tr(shows.items[i].name),
               tr(shows.items[i].example), tr("step"), tr(shows.items[i].step));
    arena_release(arena);
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Any other form: --pattern, --patterns or --columns of 'vernier curves' "
                      "(docs/curves.md)."));
    return 0;
}
