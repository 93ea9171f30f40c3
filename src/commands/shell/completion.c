// SPDX-License-Identifier: Apache-2.0
// Scripts for the shells, made from the option tables: nothing is asked of the program while a user
// types, so a slow disk does not show.
#include "commands/shell/completion.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "commands/command_table.h"
#include "renderers/renderer.h"

typedef struct Shell {
    const char *name;
    void (*print)(void);
} Shell;

static bool is_list_of_formats(const OptionSpec *spec)
{
    return spec >= common_options && spec < common_options + common_option_count &&
           strcmp(spec->name, "format") == 0;
}

static void print_formats(void)
{
    for (size_t i = 0; renderers[i]; i++)
        printf("%s%s", i ? " " : "", renderers[i]->name);
    for (size_t i = 0; data_formats[i]; i++)
        printf(" %s", data_formats[i]);
}

// The words of "a|b FILE|c" with blanks between them, without what an option takes.
static void print_words(const char *words)
{
    Str rest = words ? str_of(words) : STR(""), choice;
    while (str_split(&rest, '|', &choice)) {
        choice = str_slice(choice, 0, str_find_char(choice, ' ', 0));
        printf(STR_FMT "%s", STR_ARG(choice), rest.size ? " " : "");
    }
}

static void print_values(const OptionSpec *spec)
{
    if (is_list_of_formats(spec))
        print_formats();
    else if (spec->kind == OPTION_CHOICE)
        print_words(spec->argument);
}

// A text inside single quotes.
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

typedef void OptionPrinter(const char *command, const OptionSpec *spec);

static void each_option(const Command *command, OptionPrinter *print)
{
    for (size_t i = 0; command->spec && i < command->spec->option_count; i++)
        print(command->name, &command->spec->options[i]);
    for (size_t i = 0; command->spec && i < common_option_count; i++)
        print(command->name, &common_options[i]);
}

static void bash_name(const char *command, const OptionSpec *spec)
{
    (void)command;
    printf("--%s ", spec->name);
}

static void bash_case(const char *command, const OptionSpec *spec)
{
    if (!spec->argument || spec->kind == OPTION_YAML)
        return;
    printf("    %s:--%s", command, spec->name);
    if (spec->letter)
        printf("|%s:-%c", command, spec->letter);
    fputs(") ", stdout);
    if (is_list_of_formats(spec) || spec->kind == OPTION_CHOICE) {
        fputs("words='", stdout);
        print_values(spec);
        puts("' ;;");
    } else {
        puts("files=1 ;;");
    }
}

static void print_command_names(void)
{
    for (size_t i = 0; i < command_table_count; i++)
        printf("%s ", command_table[i].name);
}

// "--name=value" reaches a function of bash as three words, and "a,b" as one.
static void print_bash(void)
{
    fputs("# bash completion of vernier\n"
          "_vernier()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} words= files= list=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
          stdout);
    print_command_names();
    fputs("' -- \"$word\"))\n        return\n    fi\n"
          "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    if [ \"$word\" = = ]; then word=; before=${COMP_WORDS[COMP_CWORD-1]}; fi\n"
          "    case $command:$before in\n",
          stdout);
    for (size_t i = 0; i < command_table_count; i++)
        each_option(&command_table[i], bash_case);
    puts("    esac\n    case $command:$words$files in");
    for (size_t i = 0; i < command_table_count; i++) {
        const Command *command = &command_table[i];
        printf("    %s:) ", command->name);
        if (command->spec)
            fputs("case $word in -*) words='", stdout);
        else
            fputs("words='", stdout);
        each_option(command, bash_name);
        print_words(command->words);
        if (!command->spec && !command->words)
            print_command_names();
        puts(command->spec ? "' ;; esac ;;" : "' ;;");
    }
    puts("    esac\n"
         "    case $before:$word in --format:*,*) list=${word%,*}, ;; esac\n"
         "    if [ -n \"$words\" ]; then\n"
         "        COMPREPLY=($(compgen -P \"$list\" -W \"$words\" -- \"${word#\"$list\"}\"))\n"
         "    else\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "        compopt -o filenames 2>/dev/null\n    fi\n}\n"
         "complete -F _vernier vernier");
}

static void zsh_option(const char *command, const OptionSpec *spec)
{
    (void)command;
    const char *repeat = spec->kind == OPTION_LIST ? "*" : "";
    for (int form = 0; form < (spec->letter ? 2 : 1); form++) {
        printf("        '%s", repeat);
        if (form)
            printf("-%c", spec->letter);
        else
            printf("--%s", spec->name);
        if (spec->argument && spec->kind != OPTION_YAML)
            fputs(form ? "+" : "=", stdout);
        putchar('[');
        print_quoted(tr(spec->help), "[]\\");
        putchar(']');
        if (is_list_of_formats(spec)) {
            fputs(":format:_values -s , format ", stdout);
            print_formats();
        } else if (spec->kind == OPTION_CHOICE) {
            printf(":%s:(", spec->name);
            print_values(spec);
            putchar(')');
        } else if (spec->argument && spec->kind != OPTION_YAML) {
            printf(":%s:_files", spec->name);
        }
        puts("' \\");
    }
}

static void print_zsh(void)
{
    puts("#compdef vernier\n_vernier()\n{\n    local -a commands\n    commands=(");
    for (size_t i = 0; i < command_table_count; i++) {
        printf("        '%s:", command_table[i].name);
        print_quoted(tr(command_table[i].purpose), "");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
         "return\n"
         "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
         "    case $command in");
    for (size_t i = 0; i < command_table_count; i++) {
        const Command *command = &command_table[i];
        printf("    %s)\n        _arguments -s -S \\\n", command->name);
        each_option(command, zsh_option);
        fputs(command->spec ? "        '*:file:_files'" : "        '1:word:(", stdout);
        print_words(command->words);
        if (!command->spec && !command->words)
            print_command_names();
        puts(command->spec ? "\n        ;;" : ")'\n        ;;");
    }
    puts("    esac\n}\n"
         "if [ \"$funcstack[1]\" = _vernier ]; then _vernier \"$@\"; else compdef _vernier "
         "vernier; fi");
}

static void fish_option(const char *command, const OptionSpec *spec)
{
    printf("complete -c vernier -n '__fish_seen_subcommand_from %s' -l %s", command, spec->name);
    if (spec->letter)
        printf(" -s %c", spec->letter);
    if (is_list_of_formats(spec) || spec->kind == OPTION_CHOICE) {
        fputs(is_list_of_formats(spec) ? " -x -a '(__fish_append , " : " -x -a '", stdout);
        print_values(spec);
        fputs(is_list_of_formats(spec) ? ")'" : "'", stdout);
    } else if (spec->argument && spec->kind != OPTION_YAML) {
        fputs(" -r", stdout);
    }
    fputs(" -d '", stdout);
    for (const char *text = tr(spec->help); *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    puts("'");
}

static void print_fish(void)
{
    puts("# fish completion of vernier");
    for (size_t i = 0; i < command_table_count; i++) {
        const Command *command = &command_table[i];
        printf("complete -c vernier -n __fish_use_subcommand -f -a %s -d '", command->name);
        for (const char *text = tr(command->purpose); *text; text++)
            printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
        puts("'");
        each_option(command, fish_option);
        if (command->spec)
            continue;
        printf("complete -c vernier -n '__fish_seen_subcommand_from %s' -f -a '", command->name);
        print_words(command->words);
        if (!command->words)
            print_command_names();
        puts("'");
    }
}

int command_completion(const char *shell)
{
    static const Shell shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; shell && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print();
            return 0;
        }
    fprintf(stderr, tr("vernier: error: expected bash, zsh or fish after 'vernier completion'\n"));
    return 2;
}
