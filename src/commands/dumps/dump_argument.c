// SPDX-License-Identifier: Apache-2.0
#include "commands/dumps/dump_argument.h"

#include "base/words.h"

bool dump_argument_find(const Options *options, const char *command, Arena *arena,
                        DumpArgument *out, Notices *notices, Error *err)
{
    NumberList steps, ranks;
    *out = (DumpArgument){0};
    if (options->argument_count == 0)
        return error_set(err, ERR_USAGE, NOWHERE, tr("%s needs a dump: vernier %s DUMP"), command,
                         command);
    if (options->argument_count > 1)
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("%s takes one dump, found a second: '" STR_FMT "'"), command,
                         STR_ARG(options->arguments[1]));
    Str path = out->shown = options->arguments[0];
    if (options_flag(options, "redact")) {
        redact_add(&out->redaction, arena, path, STR("dump"));
        notices->redaction = &out->redaction;
        out->shown = STR("dump");
    }
    return options_numbers(options, "step", arena, &steps, err) &&
           options_numbers(options, "rank", arena, &ranks, err) &&
           folder_find_dumps(str_cstr(arena, path), &steps, &ranks, arena, &out->places, notices,
                             err);
}
