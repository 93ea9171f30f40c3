// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/spelling.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/help_topics.h"
#include "commands/machinery/other_words.h"
#include "commands/machinery/terminal_text.h"

const OptionSpec common_options[] = {
    {"output", 'o', OPTION_LIST, "PATH",
     TR("where to write: a file by its extension, else a folder; - is standard output"),
     OPTION_OUTPUT | OPTION_ASIDE | OPTION_OF_PART},
    {"format", 0, OPTION_TEXT, "LIST",
     TR("what a folder gets: html, md, json, xlsx, svg, png, pdf, csv, ... (comma-separated)"),
     OPTION_INHERITED | OPTION_SETTING},
    {"title", 0, OPTION_TEXT, "TEXT", TR("title of the report"), OPTION_WORDS | OPTION_INHERITED},
    {"link", 0, OPTION_TEXT, "URL",
     TR("where readers find the report: the last line of a chat message"),
     OPTION_WORDS | OPTION_INHERITED | OPTION_SETTING},
    {"lang", 0, OPTION_CHOICE, "en|zh", TR("language; default from LANG"),
     OPTION_SETTING | OPTION_EARLY},
    {"html", 0, OPTION_CHOICE, "file|folder",
     TR("the page as one file, or with linked style sheet and pictures"),
     OPTION_INHERITED | OPTION_SETTING},
    {"theme", 0, OPTION_CHOICE, "light|dark|auto", TR("colours of pictures and pages"),
     OPTION_INHERITED | OPTION_SETTING},
    {"palette", 0, OPTION_CHOICE, "vernier|msprobe",
     TR("colour-blind-safe colours, or those of msProbe"), OPTION_INHERITED | OPTION_SETTING},
    {"templates", 0, OPTION_TEXT, "DIR", TR("templates that replace the built-in ones"),
     OPTION_INPUT},
    {"open", 0, OPTION_FLAG, NULL,
     TR("open the report in a browser: $BROWSER, wslview, xdg-open or open"),
     OPTION_ASIDE | OPTION_OF_PART},
    {"redact", 0, OPTION_FLAG, NULL, TR("leave paths, hosts and user names out"),
     OPTION_INHERITED | OPTION_SETTING},
    {"jobs", 'j', OPTION_COUNT, "N", TR("threads; default: one per processor"),
     OPTION_ASIDE | OPTION_SETTING},
    {"quiet", 'q', OPTION_FLAG, NULL,
     TR("print only the verdict and errors, nothing at exit 0; -qq: nothing"), OPTION_ASIDE},
    {"verbose", 'v', OPTION_FLAG, NULL, TR("print every notice in full"), OPTION_ASIDE},
    {"color", 0, OPTION_CHOICE, "auto|always|never", TR("colours on the terminal"),
     OPTION_ASIDE | OPTION_SETTING},
    {"exit-zero", 0, OPTION_FLAG, NULL, TR("exit 0 even if the runs differ"), OPTION_ASIDE},
    {"config", 0, OPTION_TEXT, "FILE",
     TR("settings from this file; default: vernier.toml, here or in a folder above"),
     OPTION_INPUT | OPTION_ASIDE},
    {"no-config", 0, OPTION_FLAG, NULL, TR("ignore vernier.toml"), OPTION_ASIDE},
    {"help", 'h', OPTION_FLAG, NULL, TR("print this help"), 0},
};
const size_t common_option_count = sizeof common_options / sizeof *common_options;

static const OptionSpec *find_in(const OptionSpec *specs, size_t count, Str name, char letter)
{
    for (size_t i = 0; i < count; i++)
        if (letter ? specs[i].letter == letter : str_equal(str_of(specs[i].name), name))
            return &specs[i];
    return NULL;
}

static const OptionSpec *find_spec(const CommandSpec *command, Str name, char letter)
{
    const OptionSpec *spec = find_in(command->options, command->option_count, name, letter);
    return spec ? spec : find_in(common_options, common_option_count, name, letter);
}

const OptionSpec *options_find(const CommandSpec *command, Str name)
{
    return command ? find_spec(command, name, 0)
                   : find_in(common_options, common_option_count, name, 0);
}

static bool is_choice(const char *choices, Str value)
{
    Str rest = str_of(choices), choice;
    while (str_split(&rest, '|', &choice))
        if (str_equal(choice, value))
            return true;
    return false;
}

static bool refuse_choice(const OptionSpec *spec, Str value, Error *err)
{
    Spelling near = spelling_of(value);
    Str rest = str_of(spec->argument), choice;
    while (str_split(&rest, '|', &choice))
        spelling_offer(&near, choice);
    Str other = other_word(OTHER_VALUE, value, 0);
    if (other.size && is_choice(spec->argument, other))
        near.best = other;
    error_set(err, ERR_USAGE, NOWHERE, tr("--%s: expected one of %s, found '" STR_FMT "'"),
              spec->name, spec->argument, STR_ARG(value));
    return near.best.size ? error_hint(err, tr("did you mean " STR_FMT "?"), STR_ARG(near.best))
                          : false;
}

bool options_check(const OptionSpec *spec, Str value, Error *err)
{
    double number;
    uint64_t count;
    switch (spec->kind) {
    case OPTION_CHOICE:
        return is_choice(spec->argument, value) || refuse_choice(spec, value, err);
    case OPTION_COUNT:
        return (str_to_uint64(value, &count) && count <= INT32_MAX) ||
               error_set(err, ERR_USAGE, NOWHERE,
                         tr("--%s: expected a whole number up to 2147483647, found '" STR_FMT "'"),
                         spec->name, STR_ARG(value));
    case OPTION_NUMBER:
        return number_of_text(value, &number) ||
               error_set(err, ERR_USAGE, NOWHERE,
                         tr("--%s: expected a number, found '" STR_FMT "'"), spec->name,
                         STR_ARG(value));
    case OPTION_TEXT:
    case OPTION_LIST:
        // A variable of a script that is not set; only a title may be none.
        return value.size || (spec->nature & OPTION_WORDS) ||
               error_set(err, ERR_USAGE, NOWHERE, tr("--%s: expected %s, found nothing"),
                         spec->name, spec->argument);
    case OPTION_FLAG:
    case OPTION_YAML:
        break;
    }
    return true;
}

typedef struct Parser {
    const CommandSpec *command;
    int argc, at;
    size_t from;  // the word that is read, where the next may be its value
    char **argv;
    Arena *arena;
    Options *out;
    Error *err;
} Parser;

static bool add_value(Parser *parser, const OptionSpec *spec, Str value)
{
    if (!options_check(spec, value, parser->err))
        return false;
    Options *out = parser->out;
    *ARRAY_ADD(parser->arena, out->values, out->count, out->capacity) = (OptionValue){
        .spec = spec, .text = value, .word = parser->from, .word_end = (size_t)parser->at + 1};
    out->help = out->help || strcmp(spec->name, "help") == 0;
    return true;
}

static bool is_yaml(Str path)
{
    return str_ends(path, STR(".yaml")) || str_ends(path, STR(".yml"));
}

// Whether what follows the option is its value.
static bool wants_value(const Parser *parser, const OptionSpec *spec)
{
    if (spec->kind == OPTION_YAML)
        return parser->at + 1 < parser->argc && is_yaml(str_of(parser->argv[parser->at + 1]));
    return spec->kind != OPTION_FLAG;
}

static bool take_value(Parser *parser, const OptionSpec *spec, Str *value)
{
    if (parser->at + 1 >= parser->argc)
        return error_set(parser->err, ERR_USAGE, NOWHERE, tr("--%s needs a value: %s"), spec->name,
                         spec->argument);
    *value = str_of(parser->argv[++parser->at]);
    return true;
}

// "--nosie" where --noise is known.
static Str nearest_option(const CommandSpec *command, Str name)
{
    Str other;
    for (size_t i = 0; (other = other_word(OTHER_OPTION, name, i)).size; i++)
        if (find_spec(command, str_slice(other, 0, str_find_char(other, ' ', 0)), 0))
            return other;
    Spelling near = spelling_of(name);
    for (size_t i = 0; i < command->option_count; i++)
        spelling_offer(&near, str_of(command->options[i].name));
    for (size_t i = 0; i < common_option_count; i++)
        spelling_offer(&near, str_of(common_options[i].name));
    return near.best;
}

static bool unknown(Parser *parser, Str option)
{
    error_set(parser->err, ERR_USAGE, NOWHERE, tr("unknown option '" STR_FMT "'"), STR_ARG(option));
    Str name = str_slice(option, 0, str_find_char(option, '=', 0));
    bool letter = !str_starts(name, STR("--"));
    Str near = nearest_option(parser->command, str_slice(name, letter ? 1 : 2, name.size));
    if (near.size)
        return error_hint(parser->err,
                          tr("did you mean --" STR_FMT "? 'vernier help %s' lists the options"),
                          STR_ARG(near), parser->command->name);
    return error_hint(parser->err, tr("'vernier help %s' lists the options"),
                      parser->command->name);
}

// "–noise" for "--noise": nobody calls a dump so, and one can still be named as "./–noise".
static bool refuse_dash(Parser *parser, Str word)
{
    error_set(parser->err, ERR_USAGE, NOWHERE,
              tr("'" STR_FMT "' begins with a dash that is no '-'"), STR_ARG(word));
    other_dash_hint(word, parser->err);
    return false;
}

// "--layer_mapping" for --layer-mapping.
static const OptionSpec *find_underscored(const Parser *parser, Str name)
{
    char *dashed = str_cstr(parser->arena, name);
    for (size_t i = 0; i < name.size; i++)
        dashed[i] = dashed[i] == '_' ? '-' : dashed[i];
    return find_spec(parser->command, (Str){dashed, name.size}, 0);
}

static bool parse_named(Parser *parser, const OptionSpec *spec, Str text)
{
    size_t equals = str_find_char(text, '=', 0);
    Str value = {"", 0};
    if (equals != SIZE_MAX) {
        if (spec->kind == OPTION_FLAG)
            return error_set(parser->err, ERR_USAGE, NOWHERE, tr("--%s takes no value"),
                             spec->name);
        value = str_slice(text, equals + 1, text.size);
    } else if (wants_value(parser, spec) && !take_value(parser, spec, &value)) {
        return false;
    }
    return add_value(parser, spec, value);
}

static bool parse_long(Parser *parser, Str text)
{
    Str name = str_slice(text, 0, str_find_char(text, '=', 0));
    const OptionSpec *spec = find_spec(parser->command, name, 0);
    if (!spec)
        spec = find_underscored(parser, name);
    return spec ? parse_named(parser, spec, text)
                : unknown(parser, str_of(parser->argv[parser->at]));
}

static bool parse_short(Parser *parser, Str letters)
{
    for (size_t i = 0; i < letters.size; i++) {
        const OptionSpec *spec = find_spec(parser->command, (Str){"", 0}, letters.data[i]);
        if (!spec)
            return unknown(parser, str_of(parser->argv[parser->at]));
        if (spec->kind == OPTION_FLAG) {
            if (!add_value(parser, spec, (Str){"", 0}))
                return false;
            continue;
        }
        Str value = str_slice(letters, i + 1, letters.size);
        if (value.size == 0 && !take_value(parser, spec, &value))
            return false;
        return add_value(parser, spec, value);
    }
    return true;
}

static void add_argument(Options *out, Str text, Arena *arena)
{
    *ARRAY_ADD(arena, out->arguments, out->argument_count, out->argument_capacity) = text;
}

static void add_word(Options *out, Str text, Arena *arena)
{
    *ARRAY_ADD(arena, out->words, out->word_count, out->word_capacity) = text;
}

// One command that draws a single run was given two.
static bool refuse_second_side(Parser *parser, Str word)
{
    error_set(parser->err, ERR_USAGE, NOWHERE, tr("'" STR_FMT "': %s has no golden run"),
              STR_ARG(word), parser->command->name);
    return error_hint(parser->err, "%s",
                      tr("two runs are compared by: vernier compare -g GOLDEN -t TARGET"));
}

static bool is_needless(const Parser *parser, Str word)
{
    Str command;
    for (size_t i = 0; (command = other_word(OTHER_NEEDLESS, word, i)).size; i++)
        if (str_equal(command, str_of(parser->command->name)))
            return true;
    return false;
}

// The words of other programs for an option; *done: it was one, whether it could be taken or not.
static bool parse_synonym(Parser *parser, Str text, bool *done)
{
    static const OptionSpec input = {"input", 0, OPTION_TEXT, "PATH", "", OPTION_INPUT};
    size_t equals = str_find_char(text, '=', 0);
    Str word = str_slice(text, 0, equals), value;
    Str meant = other_word(OTHER_SYNONYM, word, 0);
    const OptionSpec *spec = meant.size ? find_spec(parser->command, meant, 0) : NULL;
    bool argument = STR_IN(meant, "input", "target"), needless = is_needless(parser, text);
    *done = spec || argument || needless || str_equal(meant, STR("golden"));
    if (!*done || needless)
        return true;
    if (spec)
        return parse_named(parser, spec, text);
    if (!argument)
        return refuse_second_side(parser, word);
    value = str_slice(text, equals == SIZE_MAX ? text.size : equals + 1, text.size);
    if (equals == SIZE_MAX && !take_value(parser, &input, &value))
        return false;
    if (!options_check(&input, value, parser->err))
        return false;
    add_argument(parser->out, value, parser->arena);
    return true;
}

bool options_parse(const CommandSpec *command, int argc, char **argv, Arena *arena, Options *out,
                   Error *err)
{
    *out = (Options){.command = command};
    Parser parser = {.command = command,
                     .argc = argc,
                     .at = 1,
                     .argv = argv,
                     .arena = arena,
                     .out = out,
                     .err = err};
    bool only_arguments = false, synonym;
    for (int i = 0; i < argc; i++)
        add_word(out, str_of(argv[i]), arena);
    for (; parser.at < argc; parser.at++) {
        Str text = str_of(argv[parser.at]);
        parser.from = (size_t)parser.at;
        if (text.size == 0) {
            error_set(err, ERR_USAGE, NOWHERE, "%s", tr("a word of the command is empty"));
            return error_hint(err, "%s", tr("is a variable of the shell not set?"));
        }
        if (!only_arguments && other_dash(text))
            return refuse_dash(&parser, text);
        if (only_arguments || text.size < 2 || text.data[0] != '-')
            add_argument(out, text, arena);
        else if (str_equal(text, STR("--")))
            only_arguments = true;
        else if (!parse_synonym(&parser, text, &synonym))
            return false;
        else if (synonym)
            continue;
        else if (text.data[1] == '-' ? !parse_long(&parser, str_slice(text, 2, text.size))
                                     : !parse_short(&parser, str_slice(text, 1, text.size)))
            return false;
    }
    return true;
}

void options_begin(const CommandSpec *command, Arena *arena, Options *out)
{
    *out = (Options){.command = command};
    add_word(out, str_of(command->name), arena);
}

void options_add_argument(Options *options, Str text, Arena *arena)
{
    add_argument(options, text, arena);
    add_word(options, text, arena);
}

bool options_add(Options *options, const char *name, Str value, Arena *arena, Error *err)
{
    const OptionSpec *spec = find_spec(options->command, str_of(name), 0);
    if (!options_check(spec, value, err))
        return false;
    OptionValue added = {.spec = spec, .text = value, .word = options->word_count};
    Str word = str_printf(arena, "--%s", name);
    if (spec->kind == OPTION_CHOICE) {
        add_word(options, str_printf(arena, STR_FMT "=" STR_FMT, STR_ARG(word), STR_ARG(value)),
                 arena);
    } else {
        add_word(options, word, arena);
        if (spec->kind != OPTION_FLAG)
            add_word(options, value, arena);
    }
    added.word_end = options->word_count;
    *ARRAY_ADD(arena, options->values, options->count, options->capacity) = added;
    return true;
}

bool options_known(const Options *options, const char *name)
{
    return find_spec(options->command, str_of(name), 0) != NULL;
}

static OptionValue *find_value(const Options *options, const char *name, size_t index)
{
    assert(options_known(options, name));
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->values[i].spec->name, name) == 0 && index-- == 0)
            return &options->values[i];
    return NULL;
}

// The same for whoever acts on it.
static const OptionValue *take_option(const Options *options, const char *name, size_t index)
{
    OptionValue *value = find_value(options, name, index);
    if (value)
        value->read = true;
    return value;
}

bool options_given(const Options *options, const char *name)
{
    return take_option(options, name, 0) != NULL;
}

bool options_flag(const Options *options, const char *name)
{
    return options_given(options, name);
}

bool options_inherit(Options *options, const char *name, Str value, Arena *arena, Error *err)
{
    return options_given(options, name) || options_add(options, name, value, arena, err);
}

size_t options_list_count(const Options *options, const char *name)
{
    size_t count = 0, at = 0;
    Str item;
    while (options_list_next(options, name, &at, &item))
        count++;
    return count;
}

Str options_list_item(const Options *options, const char *name, size_t index)
{
    const OptionValue *value = take_option(options, name, index);
    return value ? value->text : (Str){"", 0};
}

bool options_list_next(const Options *options, const char *name, size_t *at, Str *out)
{
    assert(options_known(options, name));
    while (*at < options->count) {
        OptionValue *value = &options->values[(*at)++];
        if (strcmp(value->spec->name, name) != 0)
            continue;
        value->read = true;
        *out = value->text;
        return true;
    }
    return false;
}

Str options_text(const Options *options, const char *name, const char *otherwise)
{
    size_t count = options_list_count(options, name);
    return count ? options_list_item(options, name, count - 1) : str_of(otherwise);
}

int64_t options_count(const Options *options, const char *name, int64_t otherwise)
{
    int64_t value;
    return str_to_int64(options_text(options, name, ""), &value) ? value : otherwise;
}

int options_jobs(const Options *options)
{
    int64_t jobs = options_count(options, "jobs", threads_default_jobs());
    return (int)(jobs < THREADS_MAX ? jobs : THREADS_MAX);
}

const char *options_first_of(const Options *options, const char *const *names)
{
    for (; *names; names++) {
        const OptionValue *value = find_value(options, *names, 0);
        if (value && !value->source)
            return *names;
    }
    return NULL;
}

// The words of settings come after those that were typed, in the order of the values.
static void drop_words(Options *options, size_t from, size_t to)
{
    memmove(options->words + from, options->words + to,
            (options->word_count - to) * sizeof *options->words);
    options->word_count -= to - from;
    for (size_t i = 0; i < options->count; i++)
        if (options->values[i].word >= to) {
            options->values[i].word -= to - from;
            options->values[i].word_end -= to - from;
        }
}

void options_drop_settings(Options *options, unsigned nature, bool has)
{
    size_t kept = 0;
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue value = options->values[i];
        if (value.source && ((value.spec->nature & nature) != 0) == has)
            drop_words(options, value.word, value.word_end);
        else
            options->values[kept++] = options->values[i];
    }
    options->count = kept;
}

const char *options_first_with(const Options *options, unsigned nature, bool has)
{
    const CommandSpec *command = options->command;
    for (size_t i = 0; i < command->option_count; i++) {
        const OptionValue *value = find_value(options, command->options[i].name, 0);
        if (((command->options[i].nature & nature) != 0) == has && value && !value->source)
            return command->options[i].name;
    }
    return NULL;
}

double options_number(const Options *options, const char *name, double otherwise)
{
    double value;
    return number_of_text(options_text(options, name, ""), &value) ? value : otherwise;
}

bool options_numbers(const Options *options, const char *name, Arena *arena, NumberList *out,
                     Error *err)
{
    Str text = options_text(options, name, "");
    *out = (NumberList){0};
    if (text.size == 0 || number_list_parse(text, arena, out))
        return true;
    return error_set(err, ERR_USAGE, NOWHERE,
                     tr("--%s: expected a list like 0,2-5, found '" STR_FMT "'"), name,
                     STR_ARG(text));
}

enum { HELP_COLUMN = 34 };

static void print_option(const OptionSpec *spec)
{
    char left[80];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", spec->letter ? '-' : ' ',
             spec->letter ? spec->letter : ' ', spec->letter ? ", " : "  ", spec->name,
             spec->argument ? " " : "", spec->argument ? spec->argument : "");
    size_t printed = (size_t)printf("  %s  ", left);
    terminal_print(stdout, printed, HELP_COLUMN, tr(spec->help));
}

static void print_paragraph(const char *text, const char *none)
{
    (void)none;
    terminal_print(stdout, 0, 0, tr(text));
}

static void print_example(const char *does, const char *line)
{
    printf("  %s\n      ", line);
    terminal_print(stdout, 6, 6, tr(does));
}

void options_print_help(const CommandSpec *command)
{
    printf("vernier %s %s [-o PATH]...\n\n", command->name, command->arguments);
    help_topic_rows(str_of(command->name), STR("say"), print_paragraph);
    printf("\n%s\n", tr("Examples:"));
    help_topic_rows(str_of(command->name), STR("example"), print_example);
    if (command->option_count)
        printf("\n%s\n", tr("Options:"));
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    printf("\n%s\n", tr("Options of every command:"));
    for (size_t i = 0; i < common_option_count; i++)
        print_option(&common_options[i]);
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Exit codes: 0 nothing beyond tolerance, 1 a difference, 2 wrong usage, "
                      "3 unreadable input or nothing compared, 4 part of an input unreadable, "
                      "5 an output could not be written"));
}
