// SPDX-License-Identifier: Apache-2.0
#include "commands/runner.h"

static int parse_and_run(const CommandSpec *command, int (*body)(const CommandCall *call),
                         CommandCall *call, Collector *collector)
{
    Error err;
    if (!options_parse(command, call->argc, call->argv, call->arena, &call->options, &err)) {
        call->console.collector = collector;
        return console_error(&call->console, &err);
    }
    call->options.collector = collector;
    if (call->options.help) {
        options_print_help(command);
        return 0;
    }
    call->console = console_of(&call->options);
    return body(call);
}

int command_run(const CommandSpec *command, int (*body)(const CommandCall *call), int argc,
                char **argv, Collector *collector)
{
    CommandCall call = {
        .arena = collector ? collector->arena : arena_new(), .argc = argc, .argv = argv};
    int code = parse_and_run(command, body, &call, collector);
    if (!collector)
        arena_release(call.arena);
    else
        collector->code = code;
    return code;
}
