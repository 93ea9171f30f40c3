// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/words.h"
#include "commands/machinery/options.h"

// Where an option shows that every command of its name keeps to some formats; the others take
// effect wherever they are read.
#define PICTURES "html,svg,png,pdf,fragment"
static const struct {
    const char *name, *formats;
} shown_in[] = {
    {"source-root", "sarif,codequality,github"},
    {"link", "chat,slack,dingtalk,feishu,wecom"},
    {"html", "html"},
    {"all-rows", "xlsx,csv"},
    {"all-pictures", PICTURES ",xlsx"},
    {"theme", PICTURES},
    {"palette", PICTURES},
    {"view", PICTURES},
    {"focus", PICTURES},
    {"depth", PICTURES},
    {"log-y", PICTURES},
};

static bool is_shown(const char *formats, bool (*has_format)(const void *of, Str format),
                     const void *of)
{
    Str rest = str_of(formats), format;
    while (str_split(&rest, ',', &format))
        if (has_format(of, format))
            return true;
    return false;
}

// Of parts, the whole run takes what they were given; settings are for more than one run.
static bool is_for_this_run(const Options *options, const OptionValue *value)
{
    bool part = options_find(options->command, STR("shard")) && options_given(options, "shard");
    return !value->source && !(part && (value->spec->nature & OPTION_INHERITED));
}

void options_note_idle(const Options *options, bool (*has_format)(const void *of, Str format),
                       const void *of, Notices *notices)
{
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        const char *name = value->spec->name;
        if (!is_for_this_run(options, value))
            continue;
        if (!value->read && !(value->spec->nature & (OPTION_ASIDE | OPTION_EARLY)))
            notices_add(notices, NOTICE_UNMET, NOWHERE,
                        tr("--%s has no effect on this input: 'vernier help %s' says what it is "
                           "for"),
                        name, options->command->name);
        for (size_t k = 0; k < sizeof shown_in / sizeof *shown_in; k++)
            if (strcmp(name, shown_in[k].name) == 0 &&
                !is_shown(shown_in[k].formats, has_format, of))
                notices_add(notices, NOTICE_UNMET, NOWHERE,
                            tr("--%s has no effect: it shows in %s, and none is written"), name,
                            shown_in[k].formats);
    }
}
