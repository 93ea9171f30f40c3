// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_OPTIONS_H
#define VERNIER_COMMANDS_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "read/folder.h"

// The command line: one table an option, from which parsing and --help both come.

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,    // may be given several times
    OPTION_CHOICE,  // one of the words in `choices`
    OPTION_COUNT,   // an integer >= 0
    OPTION_NUMBER,
    OPTION_YAML  // alone, or with a file: --name=FILE, or FILE ends with .yaml or .yml
} OptionKind;

typedef struct OptionSpec {
    const char *name;  // without the dashes
    char letter;       // 0: none
    OptionKind kind;
    const char *argument;  // "FILE"; for choices "a|b|c"
    const char *help;      // TR
} OptionSpec;

// What a command says of itself; `help` is printed from it.
typedef struct CommandSpec {
    const char *name;
    const char *arguments;  // "GOLDEN TARGET"
    const char *purpose;    // TR: one sentence
    const OptionSpec *options;
    size_t option_count;
    const char *const *examples;  // pairs: command line, TR what it does; ends with NULL
} CommandSpec;

// Options that every command has: --output, --format, --title, --lang, …
extern const OptionSpec common_options[];
extern const size_t common_option_count;

typedef struct OptionValue {
    const OptionSpec *spec;
    Str text;  // empty for flags
} OptionValue;

typedef struct Options {
    const CommandSpec *command;
    OptionValue *values;  // in the order given
    size_t count, capacity;
    Str *arguments;  // what is no option
    size_t argument_count, argument_capacity;
    bool help;                    // --help was given
    struct Collector *collector;  // takes all that the command makes; NULL: it writes files
} Options;

// argv[0] is the command. "--" ends the options; "--name=value" and "--name value" are the same, as
// are -oVALUE and -o VALUE. Values are checked against the kind.
bool options_parse(const CommandSpec *command, int argc, char **argv, Arena *arena, Options *out,
                   Error *err);

// Takes the value for an option that was not given. False if it is none for that option.
bool options_inherit(Options *options, const char *name, Str value, Arena *arena, Error *err);

// `name` is that of the table; asking for an unknown name is a mistake of ours (assert).
bool options_flag(const Options *options, const char *name);
bool options_given(const Options *options, const char *name);
// The first of these names (NULL ends them) that was given, or NULL.
const char *options_first_of(const Options *options, const char *const *names);
Str options_text(const Options *options, const char *name, const char *otherwise);  // the last one
size_t options_list_count(const Options *options, const char *name);
Str options_list_item(const Options *options, const char *name, size_t index);
int64_t options_count(const Options *options, const char *name, int64_t otherwise);
double options_number(const Options *options, const char *name, double otherwise);
// A list like 0,2-5, empty without the option. Lives in `arena`; fails on anything else (usage).
bool options_numbers(const Options *options, const char *name, Arena *arena, NumberList *out,
                     Error *err);

// Prints the help of a command to standard output.
void options_print_help(const CommandSpec *command);

#endif
