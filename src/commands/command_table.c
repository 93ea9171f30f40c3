// SPDX-License-Identifier: Apache-2.0
#include "commands/command_table.h"

#include <string.h>

#include "base/words.h"
#include "commands/machinery/commands.h"

const Command command_table[] = {
    {"compare", &compare_command, TR("two dumps: at which op do the runs first diverge, and why?"),
     NULL},
    {"graph", &graph_command, TR("one dump: its hierarchy and overflow levels"), NULL},
    {"locate", &locate_command, TR("the first NaN or Inf over all ranks, and how it spread"), NULL},
    {"check", &check_command, TR("one run: which invariants does it break? (no golden run needed)"),
     NULL},
    {"checklist", &checklist_command,
     TR("two training configurations: what differs, and which values are advised against"), NULL},
    {"curves", &curves_command,
     TR("training logs and tables: do two curves differ by more than noise?"), NULL},
    {"advise", &advise_command, TR("thresholds for skipping data, and healthy checkpoints"), NULL},
    {"monitor", &monitor_command,
     TR("monitor files: where do monitored statistics jump (rank, layer, step)?"), NULL},
    {"history", &history_command,
     TR("the nightly runs that --history keeps: what got worse, since when, what recovered"), NULL},
    {"study", &study_command, TR("a whole accuracy investigation: every stage, one report"), NULL},
    {"tokens", &tokens_command,
     TR("log-probabilities token by token: how much they differ, from which token on, and why"),
     NULL},
    {"precheck", &precheck_command,
     TR("CSV files of an accuracy pre-check: the APIs that fail in isolation, worst first"), NULL},
    {"explain", &explain_command,
     TR("a summary.json in plain words: why, what was compared, what to do next"), NULL},
    {"convert", &convert_command,
     TR("any dump as JSON Lines, any log as CSV, JSON Lines or events"), NULL},
    {"merge", &merge_command, TR("the parts of a comparison joined into one report"), NULL},
    {"init", &init_command, TR("settings, a nightly script and CI files for two runs"), NULL},
    {"config", NULL, TR("the settings in force, and where each comes from"),
     "--config FILE|--no-config"},
    {"version", NULL, TR("the version of the program"), "--verbose"},
    {"completion", NULL, TR("what the shell needs to complete commands and options"),
     "bash|zsh|fish"},
    {"man", NULL, TR("a manual page: of the program, or of one command"), NULL},
    {"help", NULL, TR("this text; 'vernier help COMMAND' lists its options"), NULL},
};
const size_t command_table_count = sizeof command_table / sizeof *command_table;

const char *const data_formats[] = {"json",   "nodes",       "junit",  "sarif", "codequality",
                                    "github", "openmetrics", "vis-db", "dump",  NULL};

const Command *command_find(const char *name)
{
    for (size_t i = 0; i < command_table_count; i++)
        if (strcmp(command_table[i].name, name) == 0)
            return &command_table[i];
    return NULL;
}

const char *command_words(const Command *command, bool *optional)
{
    *optional = !command->spec && (!command->words || command->words[0] == '-');
    if (command->spec)
        return command->spec->arguments;
    return command->words ? command->words : "COMMAND";
}
