// SPDX-License-Identifier: Apache-2.0
#include "commands/shell/settings_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/spelling.h"
#include "base/words.h"
#include "commands/command_table.h"
#include "commands/machinery/runner.h"
#include "read/settings/toml_file.h"

enum { FILE_BYTES_MAX = 1 << 20, FOLDERS_ABOVE_MAX = 64, VARIABLE_SIZE = 64 };

static bool is_setting(const OptionSpec *spec)
{
    return spec && (spec->nature & OPTION_SETTING);
}

typedef void Visitor(void *context, const char *command, const OptionSpec *spec);

// Those of a command before those of all, which is the order in which they count.
static void each_setting(Visitor *visit, void *context)
{
    for (size_t i = 0; i < command_table_count; i++) {
        const CommandSpec *command = command_table[i].spec;
        for (size_t k = 0; command && k < command->option_count; k++)
            if (is_setting(&command->options[k]))
                visit(context, command->name, &command->options[k]);
    }
    for (size_t k = 0; k < common_option_count; k++)
        if (is_setting(&common_options[k]))
            visit(context, NULL, &common_options[k]);
}

// ---- the environment

// VERNIER_LANG, VERNIER_COMPARE_NOISE.
static void variable_name(const char *command, const char *option, char out[VARIABLE_SIZE])
{
    snprintf(out, VARIABLE_SIZE, "VERNIER_%s%s%s", command ? command : "", command ? "_" : "",
             option);
    for (char *c = out; *c; c++)
        *c = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
}

typedef struct Reading {
    Arena *arena;
    Settings *out;
} Reading;

static void add_value(Setting *setting, Str value, Arena *arena)
{
    size_t capacity = setting->count;
    array_reserve(arena, (void **)&setting->values, setting->count, &capacity, sizeof(Str));
    setting->values[setting->count++] = value;
}

static bool take_flag(Setting *setting, Str text, Arena *arena)
{
    if (STR_IN(text, "true", "1"))
        add_value(setting, STR(""), arena);
    return STR_IN(text, "true", "1", "false", "0");
}

// A list of paths is written as in PATH.
static void take_variable(void *context, const char *command, const OptionSpec *spec)
{
    Reading *reading = context;
    char name[VARIABLE_SIZE];
    variable_name(command, spec->name, name);
    Str rest = str_of(getenv(name)), part;
    Settings *out = reading->out;
    if (rest.size == 0 || out->broken)
        return;
    Setting setting = {command, spec, NULL, 0, str_cstr(reading->arena, str_of(name)), 0};
    if (spec->kind == OPTION_FLAG) {
        out->broken = !take_flag(&setting, rest, reading->arena) &&
                      !error_set(&out->err, ERR_USAGE, WHERE_FILE(setting.source),
                                 tr("expected true or false, found '" STR_FMT "'"), STR_ARG(rest));
    } else if (spec->kind != OPTION_LIST) {
        add_value(&setting, rest, reading->arena);
    } else {
        while (str_split(&rest, ':', &part))
            add_value(&setting, part, reading->arena);
    }
    for (size_t i = 0; i < setting.count && spec->kind != OPTION_FLAG; i++)
        if (!out->broken && !options_check(spec, setting.values[i], &out->err))
            out->broken = true;
    *ARRAY_PUSH(reading->arena, out) = setting;
}

// ---- the file

typedef struct Names {
    Spelling near;
    const char *command;
    Str key;
    const char *of;  // a command that has it, or NULL
} Names;

static void offer(void *context, const char *command, const OptionSpec *spec)
{
    Names *names = context;
    if (!command || (names->command && strcmp(command, names->command) == 0))
        spelling_offer(&names->near, str_of(spec->name));
    if (command && str_equal(str_of(spec->name), names->key))
        names->of = names->of ? names->of : command;
}

static bool refuse_key(const TomlEntry *entry, const char *command, const OptionSpec *spec,
                       Where where, Error *err)
{
    Names names = {spelling_of(entry->key), command, entry->key, NULL};
    each_setting(offer, &names);
    if (spec)
        error_set(err, ERR_USAGE, where, tr("'" STR_FMT "' can only be given on the command line"),
                  STR_ARG(entry->key));
    else
        error_set(err, ERR_USAGE, where, tr("unknown setting '" STR_FMT "'"), STR_ARG(entry->key));
    if (!spec && names.of)
        return error_hint(err, tr("it is a setting of [%s]"), names.of);
    if (!spec && names.near.best.size)
        return error_hint(err, tr("did you mean " STR_FMT "?"), STR_ARG(names.near.best));
    return error_hint(err, "%s", tr("'vernier config --no-config' lists what may be set"));
}

static bool refuse_table(const TomlEntry *entry, Where where, Error *err)
{
    Spelling near = spelling_of(entry->table);
    for (size_t i = 0; i < command_table_count; i++)
        if (command_table[i].spec)
            spelling_offer(&near, str_of(command_table[i].name));
    error_set(err, ERR_USAGE, where, tr("[" STR_FMT "] is no command"), STR_ARG(entry->table));
    return near.best.size ? error_hint(err, tr("did you mean " STR_FMT "?"), STR_ARG(near.best))
                          : false;
}

// Paths are meant from the folder of the file.
static Str value_of(const Settings *settings, const OptionSpec *spec, Str text, Arena *arena)
{
    if (!(spec->nature & OPTION_INPUT) || str_starts(text, STR("/")) || text.size == 0)
        return text;
    Str folder = path_folder(str_of(settings->file));
    return str_equal(folder, STR(".")) ? text
                                       : str_of(path_join(arena, str_cstr(arena, folder), text));
}

static bool kind_fits(const TomlEntry *entry, const OptionSpec *spec)
{
    bool count = spec->kind == OPTION_COUNT;
    if (spec->kind == OPTION_FLAG || count)
        return entry->kind == (count ? TOML_NUMBER : TOML_FLAG);
    bool list = spec->kind == OPTION_LIST || strcmp(spec->argument, "LIST") == 0;
    return entry->kind == TOML_TEXT || (entry->kind == TOML_LIST && list);
}

static const char *kind_expected(const OptionSpec *spec)
{
    if (spec->kind == OPTION_FLAG)
        return tr("expected true or false");
    return spec->kind == OPTION_COUNT ? tr("expected a whole number")
                                      : tr("expected a text in quotes");
}

static void take_values(const Settings *settings, const TomlEntry *entry, Setting *setting,
                        Arena *arena)
{
    StrBuf joined = strbuf_new(arena);
    bool join = entry->kind == TOML_LIST && setting->spec->kind != OPTION_LIST;
    if (entry->kind == TOML_FLAG) {
        take_flag(setting, entry->items[0], arena);
        return;
    }
    for (size_t i = 0; i < entry->count && !join; i++)
        add_value(setting, value_of(settings, setting->spec, entry->items[i], arena), arena);
    for (size_t i = 0; i < entry->count && join; i++)
        strbuf_printf(&joined, "%s" STR_FMT, i ? "," : "", STR_ARG(entry->items[i]));
    if (join)
        add_value(setting, strbuf_str(&joined), arena);
}

static bool take_entry(const TomlEntry *entry, Arena *arena, Settings *out)
{
    Where where = WHERE_LINE(out->file, entry->line);
    const Command *command = entry->table.size ? command_find(str_cstr(arena, entry->table)) : NULL;
    if (entry->table.size && (!command || !command->spec))
        return refuse_table(entry, where, &out->err);
    const OptionSpec *spec = options_find(command ? command->spec : NULL, entry->key);
    const char *name = command ? command->spec->name : NULL;
    if (!is_setting(spec))
        return refuse_key(entry, name, spec, where, &out->err);
    if (!kind_fits(entry, spec))
        return error_set(&out->err, ERR_USAGE, where, "%s: %s", spec->name, kind_expected(spec));
    Setting setting = {name, spec, NULL, 0, out->file, entry->line};
    take_values(out, entry, &setting, arena);
    for (size_t i = 0; i < setting.count && spec->kind != OPTION_FLAG; i++)
        if (!options_check(spec, setting.values[i], &out->err)) {
            Error why = out->err;
            return error_set(&out->err, ERR_USAGE, where, "%s", why.text);
        }
    *ARRAY_PUSH(arena, out) = setting;
    return true;
}

static bool read_file(Arena *arena, Settings *out)
{
    File file;
    TomlFile toml;
    if (!file_open(out->file, &file, &out->err))
        return false;
    bool good = file.text.size <= FILE_BYTES_MAX
                    ? toml_read_text(out->file, file.text, arena, &toml, &out->err)
                    : error_set(&out->err, ERR_USAGE, WHERE_FILE(out->file), "%s",
                                tr("more than 1 MiB: this is no file of settings"));
    file_close(&file);
    // A table of a command counts before what stands above the tables.
    for (int common = 0; common < 2; common++)
        for (size_t i = 0; good && i < toml.count; i++)
            if ((toml.items[i].table.size == 0) == common)
                good = take_entry(&toml.items[i], arena, out);
    return good;
}

// Whoever may write above the folder of a run would decide its verdict: as git does, only a file of
// the user who runs counts, under sudo also one of the user who called it.
static bool is_trusted(const char *file)
{
    struct stat about;
    int64_t caller;
    const char *sudo = getenv("SUDO_UID");
    if (stat(file, &about) != 0 || about.st_uid == geteuid())
        return true;
    return geteuid() == 0 && sudo && str_to_int64(str_of(sudo), &caller) &&
           caller == (int64_t)about.st_uid;
}

// "vernier.toml", "../vernier.toml", …; NULL: there is none up to the root. *foreign is the first
// that was passed over.
static const char *find_upwards(Arena *arena, const char **foreign)
{
    char here[4096];
    if (!getcwd(here, sizeof here))
        return NULL;
    size_t above = 0;
    for (const char *c = here; *c; c++)
        above += *c == '/' && c[1];
    StrBuf path = strbuf_new(arena);
    for (size_t i = 0; i <= above && i < FOLDERS_ABOVE_MAX; i++) {
        const char *file =
            path_join(arena, i ? str_cstr(arena, strbuf_str(&path)) : ".", STR("vernier.toml"));
        if (file_kind(file) == FILE_REGULAR && is_trusted(file))
            return i ? file : "vernier.toml";
        if (!*foreign && file_kind(file) == FILE_REGULAR)
            *foreign = file;
        strbuf_add(&path, i ? STR("/..") : STR(".."));
    }
    return NULL;
}

static const OptionSpec *find_letter(const CommandSpec *command, char letter)
{
    for (size_t i = 0; command && i < command->option_count; i++)
        if (command->options[i].letter == letter)
            return &command->options[i];
    for (size_t i = 0; i < common_option_count; i++)
        if (common_options[i].letter == letter)
            return &common_options[i];
    return NULL;
}

static bool needs_value(const OptionSpec *spec)
{
    return spec && spec->kind != OPTION_FLAG && spec->kind != OPTION_YAML;
}

bool settings_takes_next(const char *command_name, const char *word)
{
    const Command *found = command_name ? command_find(command_name) : NULL;
    const CommandSpec *command = found ? found->spec : NULL;
    if (word[0] != '-' || !word[1])
        return false;
    if (word[1] == '-')
        return needs_value(options_find(command, str_of(word + 2)));
    for (const char *letter = word + 1; *letter; letter++) {
        const OptionSpec *spec = find_letter(command, *letter);
        if (!spec || spec->kind != OPTION_FLAG)
            return needs_value(spec) && !letter[1];
    }
    return false;
}

static const char *command_of(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 1 + settings_takes_next(NULL, argv[i]))
        if (command_find(argv[i]))
            return argv[i];
    return NULL;
}

static Str commands_with(Str option, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    for (size_t i = 0; i < command_table_count; i++)
        for (size_t k = 0; command_table[i].spec && k < command_table[i].spec->option_count; k++)
            if (str_equal(str_of(command_table[i].spec->options[k].name), option))
                strbuf_printf(&out, "%s%s", out.size ? ", " : "", command_table[i].name);
    return strbuf_str(&out);
}

void settings_read(int argc, char **argv, Arena *arena, Settings *out)
{
    const char *file = getenv("VERNIER_CONFIG");
    bool given = file && *file;
    *out = (Settings){.command = command_of(argc, argv), .commands_with = commands_with};
    bool own = out->command && strcmp(out->command, "merge") == 0;  // it has another --config
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0;
         i += 1 + settings_takes_next(out->command, argv[i])) {
        if (strcmp(argv[i], "--no-config") == 0)
            return;
        bool next = strcmp(argv[i], "--config") == 0 && i + 1 < argc;
        if (!own && (next || strncmp(argv[i], "--config=", 9) == 0)) {
            file = next ? argv[i + 1] : argv[i] + 9;
            given = true;
        }
    }
    Reading reading = {arena, out};
    each_setting(take_variable, &reading);
    out->file = given ? file : find_upwards(arena, &out->foreign);
    if (out->file && !out->broken && !read_file(arena, out))
        out->broken = true;
}

Str settings_text(const Settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        const Setting *setting = &settings->items[i];
        bool fits = !setting->command ||
                    (settings->command && strcmp(setting->command, settings->command) == 0);
        if (fits && setting->count && strcmp(setting->spec->name, name) == 0)
            return setting->values[0];
    }
    return STR("");
}

// ---- vernier config

// Whether another one of the same command counts before it.
static bool is_hidden(const Settings *settings, const Setting *setting)
{
    for (const Setting *other = settings->items; other < setting; other++)
        if (other->spec == setting->spec && other->command == setting->command)
            return true;
    return false;
}

static void print_setting(const Setting *setting)
{
    printf("  %s%s%s", setting->command ? setting->command : "", setting->command ? "." : "",
           setting->spec->name);
    if (setting->spec->kind == OPTION_FLAG)
        printf(" = %s", setting->count ? "true" : "false");
    for (size_t i = 0; i < setting->count && setting->spec->kind != OPTION_FLAG; i++)
        printf("%s" STR_FMT, i ? ", " : " = ", STR_ARG(setting->values[i]));
    if (setting->line)
        printf("  (%s:%llu)\n", setting->source, (unsigned long long)setting->line);
    else
        printf("  (%s)\n", setting->source);
}

static void print_known(void *context, const char *command, const OptionSpec *spec)
{
    char left[96], name[VARIABLE_SIZE];
    (void)context;
    variable_name(command, spec->name, name);
    snprintf(left, sizeof left, "%s%s%s", command ? command : "", command ? "." : "", spec->name);
    printf("  %-18s %-26s %s\n", left, name, tr(spec->help));
}

// Options that settings_read has read.
static bool check_words(int argc, char **argv, Error *err)
{
    for (int i = 1; i < argc; i++) {
        Str word = str_of(argv[i]);
        bool value = STR_IN(word, "--config", "--lang") && i + 1 < argc;
        if (!value && !str_starts(word, STR("--config=")) && !str_starts(word, STR("--lang=")) &&
            !str_equal(word, STR("--no-config")))
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("config takes --config FILE or --no-config, found '" STR_FMT "'"),
                             STR_ARG(word));
        i += value;
    }
    return true;
}

int command_config(const Settings *settings, int argc, char **argv)
{
    Error err;
    if (!check_words(argc, argv, &err))
        return command_refuse(argc, argv, &err);
    if (settings->broken)
        return command_refuse(argc, argv, &settings->err);
    if (settings->file)
        printf(tr("settings of %s\n"), settings->file);
    else
        puts(tr("no vernier.toml is in force"));
    if (settings->foreign)
        printf(tr("%s belongs to another user and is ignored; --config FILE takes it\n"),
               settings->foreign);
    for (size_t i = 0; i < settings->count; i++)
        if (!is_hidden(settings, &settings->items[i]))
            print_setting(&settings->items[i]);
    printf("\n%s\n", tr("What may be set in vernier.toml (compare.noise: noise in [compare]), or "
                        "in the environment; the first one in this list counts:"));
    each_setting(print_known, NULL);
    return 0;
}
