// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OPTIONS_H
#define VERNIER_COMMANDS_MACHINERY_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"
#include "read/dump/dump_folder.h"

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

// What an option is about, as far as others have to know.
enum OptionNature {
    OPTION_INPUT = 1,       // names what is read, which is never written over
    OPTION_OUTPUT = 2,      // names what is written
    OPTION_UPDATED = 4,     // names a file that is read and written again
    OPTION_WORDS = 8,       // the user's own words, which may be none: no path
    OPTION_INHERITED = 16,  // merge takes it from the parts; never a path, since parts are input
    OPTION_ASIDE = 32,      // changes neither what is compared nor how it looks
    OPTION_OF_PART = 64,    // says which part goes where: no part of the command of the whole run
    OPTION_OF_DUMPS = 128,  // has no meaning for checkpoints
    OPTION_OF_RUNS = 256,   // goes with --runs
    OPTION_SETTING = 512,   // vernier.toml may give it; never a path that is written
    OPTION_JUDGES = 1024,   // decides a verdict: told where it is a setting
    OPTION_EARLY = 2048     // read before the command is known
};

typedef struct OptionSpec {
    const char *name;  // without the dashes
    char letter;       // 0: none
    OptionKind kind;
    const char *argument;  // "FILE"; for choices "a|b|c"
    const char *help;      // TR
    unsigned nature;       // of OptionNature
} OptionSpec;

struct CommandCall;
struct Options;
struct Product;
struct Settings;

// What a command says of itself; `help` is printed from it.
typedef struct CommandSpec {
    const char *name;
    const char *arguments;  // "GOLDEN TARGET"
    const OptionSpec *options;
    size_t option_count;
    bool joins_parts;  // what the parts were given counts, settings do not
    bool printed;      // its PDF is the report, and it is among what folders get
    bool data;         // writes neither pages nor pictures: only formats of its own
    // Of a command with --watch, --interval and --until-diverges: what its inputs look like, as a
    // number; else NULL.
    uint64_t (*state)(const struct Options *options, Arena *arena);
    // Computes; false: *call->err says why not.
    bool (*make)(const struct CommandCall *call, struct Product *out);
} CommandSpec;

// Options that every command has: --output, --format, --title, --lang, …
extern const OptionSpec common_options[];
extern const size_t common_option_count;

typedef struct OptionValue {
    const OptionSpec *spec;
    Str text;               // empty for flags
    size_t word, word_end;  // which words of the command line gave it
    const char *source;     // a setting: the file or the variable that gave it; NULL: typed
    uint64_t line;          // of the file
    bool read;              // a command has asked for it
} OptionValue;

typedef struct Options {
    const CommandSpec *command;
    OptionValue *values;  // in the order given
    size_t count, capacity;
    Str *arguments;  // what is no option
    size_t argument_count, argument_capacity;
    Str *words;  // the command line, from the name of the command on
    size_t word_count, word_capacity;
    bool help;                        // --help was given
    const struct Settings *settings;  // in force, for the stages of a study; or NULL
    struct Told *told;                // of a watch (console.h), or NULL
} Options;

// argv[0] is the command. "--" ends the options; "--name=value" and "--name value" are the same, as
// are -oVALUE and -o VALUE. Values are checked against the kind.
bool options_parse(const CommandSpec *command, int argc, char **argv, Arena *arena, Options *out,
                   Error *err);

// The same without a command line, value by value: options that one command gives to another.
void options_begin(const CommandSpec *command, Arena *arena, Options *out);
void options_add_argument(Options *options, Str text, Arena *arena);
bool options_add(Options *options, const char *name, Str value, Arena *arena, Error *err);
// Whether a value is one of the kind that the option takes; ERR_USAGE.
bool options_check(const OptionSpec *spec, Str value, Error *err);
// The option of that name, of the command or of all; `command` may be NULL. Or NULL.
const OptionSpec *options_find(const CommandSpec *command, Str name);

// Takes the value for an option that was not given. False if it is none for that option.
bool options_inherit(Options *options, const char *name, Str value, Arena *arena, Error *err);

// `name` is that of the table; asking for an unknown name is a mistake of ours (assert).
bool options_flag(const Options *options, const char *name);
bool options_given(const Options *options, const char *name);

// Notes, as what was asked for and not done, each typed option that nothing has asked for since and
// each that shows only in formats of which `has_format` finds none among the outputs.
void options_note_idle(const Options *options, bool (*has_format)(const void *of, Str format),
                       const void *of, Notices *notices);

// Whether the command has the option at all; the others may only ask for options that it has.
bool options_known(const Options *options, const char *name);
// The first option of the command's own that was typed and has this nature, or has it not; or NULL.
const char *options_first_with(const Options *options, unsigned nature, bool has);
// Takes settings of this nature, or without it, out again, as if no file had given them.
void options_drop_settings(Options *options, unsigned nature, bool has);
// The first of these names (NULL ends them) that was typed, or NULL.
const char *options_first_of(const Options *options, const char *const *names);
Str options_text(const Options *options, const char *name, const char *otherwise);  // the last one
size_t options_list_count(const Options *options, const char *name);
Str options_list_item(const Options *options, const char *name, size_t index);
// The next of them from *at on, which starts at 0 and moves after it; false: no more.
bool options_list_next(const Options *options, const char *name, size_t *at, Str *out);
int64_t options_count(const Options *options, const char *name, int64_t otherwise);
// --jobs, else the processors of this process; at most THREADS_MAX.
int options_jobs(const Options *options);
double options_number(const Options *options, const char *name, double otherwise);
// A list like 0,2-5, empty without the option. Lives in `arena`; fails on anything else (usage).
bool options_numbers(const Options *options, const char *name, Arena *arena, NumberList *out,
                     Error *err);

// Prints the help of a command to standard output.
void options_print_help(const CommandSpec *command);

#endif
