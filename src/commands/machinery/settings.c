// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/settings.h"

#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "commands/machinery/command_line.h"

static bool is_of_command(const Setting *setting, const Options *options)
{
    if (setting->command)
        return strcmp(setting->command, options->command->name) == 0;
    // Parts have it when they were made.
    return !(options->command->joins_parts && (setting->spec->nature & OPTION_INHERITED));
}

// Whether an earlier setting says it already: of the option, in all its values.
static bool is_said(const Settings *settings, size_t index, const Options *options)
{
    for (size_t i = 0; i < index; i++)
        if (settings->items[i].spec == settings->items[index].spec &&
            is_of_command(&settings->items[i], options))
            return true;
    return options_given(options, settings->items[index].spec->name);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return !names;
}

bool settings_apply(const Settings *settings, const char *const *only, Options *options,
                    Arena *arena, Error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const Setting *setting = &settings->items[i];
        if (!is_of_command(setting, options) || !is_among(setting->spec->name, only) ||
            is_said(settings, i, options))
            continue;
        for (size_t k = 0; k < setting->count; k++) {
            if (!options_add(options, setting->spec->name, setting->values[k], arena, err))
                return false;
            OptionValue *value = &options->values[options->count - 1];
            value->source = setting->source;
            value->line = setting->line;
        }
    }
    return true;
}

static bool judges(const OptionValue *value)
{
    return value->source && (value->spec->nature & OPTION_JUDGES);
}

void settings_tell(const Options *options, Notices *notices)
{
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        if (!judges(value))
            continue;
        // Alone it is known for a path; in a text only what begins as one is.
        Str text = command_argument(notices->redaction, value->text, notices->arena);
        if (text.size)
            text = str_concat(notices->arena, STR(" "), text);
        notices_add(notices, NOTICE_WARNING, WHERE_LINE(value->source, value->line),
                    tr("--%s" STR_FMT " is set here, not on the command line"), value->spec->name,
                    STR_ARG(text));
    }
}

Str settings_judging(const Options *options, const Redaction *redaction, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        // The values of a list follow each other.
        if (!judges(value) || (i && judges(value - 1) && value[-1].spec == value->spec))
            continue;
        Str source = redact_path(redaction, str_of(value->source), arena);
        strbuf_printf(&out, "%s--%s (" STR_FMT ")", out.size ? ", " : "", value->spec->name,
                      STR_ARG(source));
    }
    return strbuf_str(&out);
}

void settings_pass_up(const Options *stage, Options *whole, Arena *arena)
{
    for (size_t i = 0; i < stage->count; i++) {
        const OptionValue *value = &stage->values[i];
        bool there = !judges(value);
        for (size_t k = 0; k < whole->count && !there; k++)
            there = whole->values[k].spec == value->spec &&
                    str_equal(whole->values[k].text, value->text);
        if (there)
            continue;
        OptionValue *copy = ARRAY_ADD(arena, whole->values, whole->count, whole->capacity);
        *copy = *value;
        copy->word = copy->word_end = whole->word_count;
    }
}

bool settings_hint(const Options *options, Error *err)
{
    for (size_t i = 0; i < options->count && err->kind == ERR_USAGE && !err->hint[0]; i++) {
        const OptionValue *value = &options->values[i];
        if (judges(value))
            return error_hint(err, tr("--%s comes from %s; --no-config leaves settings out"),
                              value->spec->name, value->source);
    }
    return false;
}
