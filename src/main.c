// SPDX-License-Identifier: Apache-2.0
// The commands by name, and what a signal leaves behind.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sink.h"
#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "renderers/template.h"

typedef struct Command {
    const CommandSpec *spec;
    const char *purpose;
} Command;

static const Command commands[] = {
    {&compare_command, TR("two dumps: where do the runs first part, and why?")},
    {&graph_command, TR("one dump: its hierarchy and overflow levels")},
    {&locate_command, TR("the first NaN or Inf over all ranks, and how it spread")},
    {&checklist_command,
     TR("two training configurations: what differs, and what is advised against")},
    {&curves_command,
     TR("training logs and tables: curves, their difference, and whether it is noise")},
    {&advise_command, TR("thresholds for skipping data, and healthy checkpoints")},
    {&monitor_command, TR("monitor files: where does a training run leave its own history?")},
    {&history_command,
     TR("the nights that --history kept: what got worse, since when, what recovered")},
    {&study_command, TR("a whole accuracy case study: every stage, one report")},
    {&convert_command, TR("any dump as JSON Lines, a tensor a line")},
    {&merge_command, TR("the parts of a comparison joined into one report")},
};

// No half file is left: the temporary files go, then the signal does what it always does.
static void interrupted(int number)
{
    sink_remove_all_temporary();
    _exit(128 + number);
}

// Files are mapped: reading behind the new end of one that was cut meanwhile raises SIGBUS.
static void file_cut(int number)
{
    (void)number;
    const char *text = tr("vernier: an input file was cut while it was read; run again when it is "
                          "complete\n");
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    sink_remove_all_temporary();
    _exit(written < 0 ? 5 : 3);
}

// A defect, or a library that ends the program when memory is short (Pango does). Whole files stay,
// temporary ones go; then the signal does what it always does, so that it is not taken for a
// result.
static void crashed(int number)
{
    const char *text = tr("vernier: the program had to stop: a defect, or memory ran out; outputs "
                          "that are there are whole, others are missing\n");
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    sink_remove_all_temporary();
    (void)written;
    raise(number);
}

static void catch_crashes(void)
{
#ifdef VERNIER_SANITIZED
    static const int numbers[] = {SIGTRAP};  // the sanitizers tell more of the others
#else
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGTRAP, SIGFPE, SIGILL};
#endif
    struct sigaction action = {.sa_handler = crashed, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = interrupted};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    action.sa_handler = file_cut;
    sigaction(SIGBUS, &action, NULL);
    action.sa_handler = SIG_IGN;  // the write fails instead, and the message says where
    sigaction(SIGXFSZ, &action, NULL);
}

static bool is_chinese(const char *text)
{
    return text && strncmp(text, "zh", 2) == 0;
}

// The value of an option that has to be known before the others are read, or NULL.
static const char *early_option(int argc, char **argv, const char *name)
{
    size_t size = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, size) == 0 && argv[i][size] == '=')
            return argv[i] + size + 1;
        if (strcmp(argv[i], name) == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

// --lang, else the first of LC_ALL, LC_MESSAGES, LANG that is set.
static Lang language(int argc, char **argv)
{
    const char *given = early_option(argc, argv, "--lang");
    if (given)
        return is_chinese(given) ? LANG_ZH : LANG_EN;
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return is_chinese(value) ? LANG_ZH : LANG_EN;
    }
    return LANG_EN;
}

// The words of --templates, else those compiled in. What is wrong with the folder the command says.
static void choose_words(int argc, char **argv)
{
    Arena *scratch = arena_new();
    Error err;
    Str words;
    const char *folder = early_option(argc, argv, "--templates");
    if (!template_find(folder, "words.zh", scratch, &words, &err) &&
        !template_find(NULL, "words.zh", scratch, &words, &err))
        words = STR("");
    words_use(language(argc, argv), words);
    arena_release(scratch);
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].spec->name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_overview(FILE *out)
{
    fprintf(out, "%s\n\n",
            tr("vernier: where two runs of one model part, from their dumps and logs"));
    fprintf(out, "%s\n", tr("usage: vernier COMMAND [ARGUMENTS] [-o PATH]..."));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i].spec->name, tr(commands[i].purpose));
    fprintf(out, "  %-10s %s\n", "version", tr("the version of the program"));
    fprintf(out, "  %-10s %s\n", "help", tr("this text; 'vernier help COMMAND' lists its options"));
}

static int unknown_command(const char *name)
{
    fprintf(stderr, tr("vernier: error: unknown command '%s'\n"), name);
    print_overview(stderr);
    return 2;
}

static int run(int argc, char **argv)
{
    const Command *command = find_command(argv[0]);
    if (strcmp(argv[0], "version") == 0 || strcmp(argv[0], "--version") == 0)
        return command_version();
    return command ? command_run(command->spec, argc, argv) : unknown_command(argv[0]);
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stdout);
        return 0;
    }
    if (strcmp(argv[1], "rules") == 0)
        return command_help_rules();
    char *arguments[] = {argv[1], (char[]){"--help"}, NULL};
    return run(2, arguments);
}

int main(int argc, char **argv)
{
    catch_signals();
    catch_crashes();
    atexit(sink_remove_all_temporary);  // memory may run out while a file is written
    choose_words(argc, argv);
    if (argc < 2) {
        print_overview(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    return run(argc - 1, argv + 1);
}
