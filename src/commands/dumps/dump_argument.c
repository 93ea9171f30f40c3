// SPDX-License-Identifier: Apache-2.0
#include "commands/dumps/dump_argument.h"

#include "base/words.h"

bool dump_selection_read(const Options *options, Arena *arena, DumpSelection *out, Error *err)
{
    Str rest = options_text(options, "stage", ""), name;
    *out = (DumpSelection){0};
    if (options_given(options, "stage")) {
        out->stages = ARENA_ARRAY(arena, Str, rest.size + 1);
        while (str_split(&rest, ',', &name)) {
            out->stages[out->stage_count] = str_trim(name);
            if (out->stages[out->stage_count++].size == 0)
                return error_set(err, ERR_USAGE, NOWHERE, "%s",
                                 tr("--stage: expected names like actor_update,critic_update"));
        }
    }
    return options_numbers(options, "step", arena, &out->steps, err) &&
           options_numbers(options, "rank", arena, &out->ranks, err);
}

bool dump_one_stage(const DumpPlaces *places, Error *err)
{
    if (folder_is_one_stage(places))
        return true;
    error_set(err, ERR_USAGE, NOWHERE, "%s",
              tr("vis-db: the database knows steps and ranks, and the dumps have stages"));
    return error_hint(err, "%s", tr("choose one with --stage"));
}

bool dump_argument_find(const Options *options, const char *command, Arena *arena,
                        DumpArgument *out, Notices *notices, Error *err)
{
    DumpSelection selection;
    *out = (DumpArgument){0};
    if (options->argument_count == 0)
        return error_set(err, ERR_USAGE, NOWHERE, tr("%s needs a dump: vernier %s DUMP"), command,
                         command);
    if (options->argument_count > 1) {
        error_set(err, ERR_USAGE, NOWHERE, tr("%s takes one dump, found a second: '" STR_FMT "'"),
                  command, STR_ARG(options->arguments[1]));
        return error_hint(err, "%s", tr("two are compared by: vernier compare GOLDEN TARGET"));
    }
    Str path = out->shown = options->arguments[0];
    if (options_flag(options, "redact")) {
        redact_add(&out->redaction, arena, path, STR("dump"));
        notices->redaction = &out->redaction;
        out->shown = STR("dump");
    }
    return dump_selection_read(options, arena, &selection, err) &&
           folder_find_dumps(str_cstr(arena, path), &selection, arena, &out->places, notices, err);
}

void silent_dumps_add(SilentDumps *dumps, bool tells, int64_t step, int64_t rank)
{
    if (!tells && dumps->silent == 0) {
        dumps->step = step;
        dumps->rank = rank;
    }
    dumps->telling += tells;
    dumps->silent += !tells;
}

void silent_dumps_tell(const SilentDumps *dumps, Notices *notices)
{
    if (dumps->silent && dumps->telling)
        notices_partial(notices, NOWHERE,
                        tr("dumps without any statistic: %zu, the first that of step %lld, "
                           "rank %lld"),
                        dumps->silent, (long long)dumps->step, (long long)dumps->rank);
    if (dumps->unsure)
        notices_partial(notices, NOWHERE,
                        tr("ops that give -Inf, and their inputs are not recorded: %llu; it may be "
                           "that of a mask, or an overflow"),
                        (unsigned long long)dumps->unsure);
}
