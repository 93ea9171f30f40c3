// SPDX-License-Identifier: Apache-2.0
// The commands by name, and what a signal leaves.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sink.h"
#include "base/spelling.h"
#include "base/utf8.h"
#include "base/words.h"
#include "commands/command_table.h"
#include "commands/guess_command.h"
#include "commands/help_topics.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/other_words.h"
#include "commands/machinery/runner.h"
#include "commands/machinery/terminal_text.h"
#include "commands/shell/completion.h"
#include "commands/shell/man_page.h"
#include "commands/shell/settings_source.h"
#include "renderers/template.h"

// No half file is left: the temporary files go, then the signal does what it always does.
static void interrupted(int number)
{
    sink_remove_all_temporary();
    _exit(128 + number);
}

// Files are mapped: reading after the new end of one that was cut meanwhile raises SIGBUS.
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

// What is no name of the language, but means it, is refused in it.
static bool is_chinese(const char *text)
{
    return strncmp(text, "zh", 2) == 0 ||
           str_equal(other_word(OTHER_VALUE, str_of(text), 0), STR("zh"));
}

// The value of an option that has to be known before the others are read, or NULL.
static const char *early_option(int argc, char **argv, const char *name)
{
    size_t size = strlen(name);
    const char *command = NULL;
    for (int i = 1, next; i < argc && strcmp(argv[i], "--") != 0; i += 1 + next) {
        next = settings_takes_next(command, argv[i]);
        command = command || !command_find(argv[i]) ? command : argv[i];
        if (strncmp(argv[i], name, size) == 0 && argv[i][size] == '=')
            return argv[i] + size + 1;
        if (strcmp(argv[i], name) == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

// --lang, else the settings, else the first of LC_ALL, LC_MESSAGES, LANG that is set.
static Lang language(int argc, char **argv, const Settings *settings)
{
    const char *given = early_option(argc, argv, "--lang");
    Str set = settings_text(settings, "lang");
    if (given || set.size)
        return (given ? is_chinese(given) : str_equal(set, STR("zh"))) ? LANG_ZH : LANG_EN;
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return is_chinese(value) ? LANG_ZH : LANG_EN;
    }
    return LANG_EN;
}

// The words of --templates, else those compiled in. What is wrong with the folder the command says.
static void choose_words(int argc, char **argv, const Settings *settings)
{
    Arena *scratch = arena_new();
    Error err;
    Str words;
    const char *folder = early_option(argc, argv, "--templates");
    if (!template_find(folder, "words.zh", scratch, &words, &err) &&
        !template_find(NULL, "words.zh", scratch, &words, &err))
        words = STR("");
    words_use(language(argc, argv, settings), words);
    arena_release(scratch);
}

static void print_overview(FILE *out)
{
    terminal_print(
        out, 0, 0,
        tr("vernier: find where two runs of one model diverge, from their dumps and logs"));
    fputc('\n', out);
    terminal_print(out, 7, 7, tr("usage: vernier COMMAND [ARGUMENTS] [-o PATH]..."));
    terminal_print(out, 7, 7,
                   tr("       vernier FILE... runs the command that fits what they hold"));
    for (size_t i = 0; i < command_table_count; i++) {
        int printed = fprintf(out, "  %s ", command_table[i].name);
        terminal_print(out, (size_t)printed, 13, tr(command_table[i].purpose));
    }
    fputc('\n', out);
    terminal_print(out, 0, 0,
                   tr("More: 'vernier help formats', 'inputs', 'logs', 'rules', 'criteria', "
                      "'checks', 'exit'"));
}

// What only `vernier help` knows by name: what a function prints, or a topic of
// templates/help.table.
static const struct {
    const char *name;
    int (*print)(void);
    const char *topic;
} topics[] = {
    {"checks", command_help_checks, NULL},
    {"rules", command_help_rules, NULL},
    {"noise", command_help_rules, NULL},
    {"logs", NULL, "logs"},
    {"exit", NULL, "exit"},
    {"formats", NULL, "formats"},
    {"inputs", NULL, "inputs"},
    {"criteria", NULL, "criteria"},
    {"tolerance", NULL, "criteria"},
    {"tolerances", NULL, "criteria"},
};
enum { TOPICS = sizeof topics / sizeof *topics };

// Whether the word is an option of every command; *next: its value is the word after it.
static bool is_common_option(const char *word, bool *next)
{
    for (size_t i = 0; i < common_option_count; i++) {
        const OptionSpec *spec = &common_options[i];
        size_t size = strlen(spec->name);
        bool whole = strncmp(word, "--", 2) == 0 && strncmp(word + 2, spec->name, size) == 0;
        bool letter = spec->letter && word[0] == '-' && word[1] == spec->letter;
        *next = spec->kind != OPTION_FLAG && (letter ? !word[2] : whole && !word[size + 2]);
        if (letter || (whole && (!word[size + 2] || word[size + 2] == '=')))
            return true;
    }
    return false;
}

// `help`: the word after "vernier help".
static int unknown_word(const char *name, bool help)
{
    Spelling near = spelling_of(str_of(name));
    bool next, only_options = !help && is_common_option(name, &next);
    Error err = {0};
    Arena *arena = arena_new();
    fprintf(stderr,
            only_options ? tr("vernier: error: no command follows '" STR_FMT "'\n")
                         : tr("vernier: error: unknown command '" STR_FMT "'\n"),
            STR_ARG(utf8_display(str_of(name), arena)));
    bool dash = other_dash_hint(str_of(name), &err);
    if (dash)
        fprintf(stderr, "  %s: " STR_FMT "\n", tr("hint"),
                STR_ARG(utf8_display(str_of(err.hint), arena)));
    else if (only_options)
        fprintf(stderr, "%s\n",
                tr("  hint: 'vernier help' lists the commands; the version: vernier --version"));
    arena_release(arena);
    if (dash || only_options)
        return 2;
    for (size_t i = 0; help && i < TOPICS; i++)
        spelling_offer(&near, str_of(topics[i].name));
    for (size_t i = 0; i < command_table_count; i++)
        spelling_offer(&near, str_of(command_table[i].name));
    if (!help && name[0] == '-') {
        spelling_offer(&near, STR("--help"));
        spelling_offer(&near, STR("--version"));
    }
    for (int of = OTHER_COMMAND; of <= OTHER_SAME_COMMAND; of++)
        if (other_word((OtherWords)of, str_of(name), 0).size)
            near.best = other_word((OtherWords)of, str_of(name), 0);
    near.best = str_slice(near.best, 0, str_find_char(near.best, ' ', 0));
    if (near.best.size) {
        fprintf(stderr, tr("  hint: did you mean 'vernier %s" STR_FMT "'?\n"), help ? "help " : "",
                STR_ARG(near.best));
        return 2;
    }
    print_overview(stderr);
    return 2;
}

// "vernier -q compare A B" as "vernier compare -q A B".
static void command_first(int argc, char **argv)
{
    int at = 0;
    bool next;
    while (at < argc && argv[at][0] == '-' && is_common_option(argv[at], &next))
        at += 1 + next;
    if (at == 0 || at >= argc || !command_find(argv[at]))
        return;
    char *name = argv[at];
    memmove(argv + 1, argv, (size_t)at * sizeof *argv);
    argv[0] = name;
}

// The n-th word after the command, from 0, that is no option of every command, or NULL.
static const char *own_word(int argc, char **argv, size_t n)
{
    bool next = false;
    for (int i = 1; i < argc; i += 1 + next)
        if (!is_common_option(argv[i], &next) && n-- == 0)
            return argv[i];
    return NULL;
}

// argv ends with NULL.
static bool has_flag(char **argv, const char *name, const char *letter)
{
    for (int i = 1; argv[i]; i++)
        if (strcmp(argv[i], name) == 0 || strcmp(argv[i], letter) == 0)
            return true;
    return false;
}

// False, and the user reads why, if more than one word comes after `command`.
static bool has_one_word(const char *command, int argc, char **argv)
{
    const char *second = own_word(argc, argv, 1);
    if (second)
        fprintf(stderr, tr("vernier: error: %s takes one word, found a second: '%s'\n"), command,
                second);
    return !second;
}

// A command without options tells how it is called.
static int print_usage(const Command *command)
{
    bool optional;
    const char *words = command_words(command, &optional);
    printf(optional ? "vernier %s [%s]\n\n" : "vernier %s %s\n\n", command->name, words);
    terminal_print(stdout, 0, 0, tr(command->purpose));
    return 0;
}

static int help(int argc, char **argv)
{
    if (!has_one_word("help", argc, argv))
        return 2;
    const char *word = own_word(argc, argv, 0);
    for (size_t i = 0; word && i < TOPICS; i++)
        if (strcmp(word, topics[i].name) == 0)
            return topics[i].print ? topics[i].print() : !help_topic_print(str_of(topics[i].topic));
    const Command *command = word ? command_find(word) : NULL;
    if (word && !command)
        return unknown_word(word, true);
    if (!command || strcmp(command->name, "help") == 0) {
        print_overview(stdout);
        return 0;
    }
    if (!command->spec)
        return print_usage(command);
    options_print_help(command->spec);
    return 0;
}

static int version(int argc, char **argv)
{
    const char *word = own_word(argc, argv, 0);
    if (word) {
        fprintf(stderr, tr("vernier: error: expected --verbose or nothing, found '%s'\n"), word);
        return 2;
    }
    return command_version(has_flag(argv, "--verbose", "-v"));
}

static int run(int argc, char **argv, const Settings *settings)
{
    const char *name = argv[0];
    const Command *command = command_find(name);
    if (command && command->spec)
        return command_run(command->spec, settings, argc, argv);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc, argv);
    if (command && has_flag(argv, "--help", "-h"))
        return print_usage(command);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return version(argc, argv);
    if (strcmp(name, "config") == 0)
        return command_config(settings, argc, argv);
    if (command && !has_one_word(name, argc, argv))
        return 2;
    if (strcmp(name, "completion") == 0)
        return command_completion(own_word(argc, argv, 0));
    if (strcmp(name, "man") == 0)
        return command_man(own_word(argc, argv, 0));
    if (name[0] == '-' && has_flag(argv, "--help", "-h")) {
        print_overview(stdout);
        return 0;
    }
    return guess_fits(argc, argv) ? guess_run(argc, argv, settings) : unknown_word(name, false);
}

// "msprobe -f pytorch compare ...": which framework it is, the dumps tell.
static char **without_framework(int *argc, char **argv)
{
    if (*argc < 4 || (strcmp(argv[1], "-f") != 0 && strcmp(argv[1], "--framework") != 0))
        return argv;
    argv[2] = argv[0];
    *argc -= 2;
    return argv + 2;
}

// A command of msProbe's that means the same as one of ours, with the words that ours needs; else
// argv. What shows a graph compares where golden, or the pair of a compare.json, is named.
static char **own_command(int *argc, char **argv, Arena *arena)
{
    Str rest = *argc > 1 && file_kind(argv[1]) == FILE_NONE
                   ? other_word(OTHER_SAME_COMMAND, str_of(argv[1]), 0)
                   : STR("");
    Str word;
    bool pair = false;
    for (int i = 2; i < *argc && str_equal(rest, STR("graph")); i++) {
        Str option = other_word(OTHER_SYNONYM, str_of(argv[i]), 0);
        pair = pair || str_equal(option, STR("golden")) || str_equal(option, STR("input"));
    }
    if (rest.size == 0)
        return argv;
    rest = pair ? STR("compare") : rest;
    char **out = ARENA_ARRAY(arena, char *, (size_t)*argc + rest.size + 1);
    int count = 0;
    out[count++] = argv[0];
    while (str_split(&rest, ' ', &word))
        out[count++] = str_cstr(arena, word);
    for (int i = 2; i < *argc; i++)
        out[count++] = argv[i];
    out[count] = NULL;
    *argc = count;
    return out;
}

// What was printed and did not arrive is no success, whatever was found. Commands with a verdict
// have told it themselves.
static int code_when_told(int code)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code == 5)
        return code;
    fprintf(stderr, "%s\n", tr("vernier: error: standard output cannot be written"));
    return 5;
}

int main(int argc, char **argv)
{
    catch_signals();
    catch_crashes();
    atexit(sink_remove_all_temporary);  // memory may run out while a file is written
    Arena *arena = arena_new();
    Settings settings = {0};
    argv = own_command(&argc, without_framework(&argc, argv), arena);
    choose_words(argc, argv, &settings);
    settings_read(argc, argv, arena, &settings);
    if (settings_text(&settings, "lang").size) {
        choose_words(argc, argv, &settings);
        // What is wrong with the settings is said in their language, too.
        if (settings.broken)
            settings_read(argc, argv, arena, &settings);
    }
    int code = 2;
    if (argc < 2) {
        print_overview(stderr);
    } else {
        command_first(argc - 1, argv + 1);
        code = code_when_told(run(argc - 1, argv + 1, &settings));
    }
    arena_release(arena);
    return code;
}
