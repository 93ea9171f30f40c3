// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_SETTINGS_H
#define VERNIER_COMMANDS_MACHINERY_SETTINGS_H

#include "base/notice.h"
#include "commands/machinery/options.h"

// What options are that the command line does not give: from the environment (VERNIER_*), then from
// vernier.toml. Only options of the nature OPTION_SETTING, none of which names an output.

typedef struct Setting {
    const char *command;  // NULL: every command that has the option
    const OptionSpec *spec;
    Str *values;  // none: a flag that is off
    size_t count;
    const char *source;  // "../vernier.toml" or "VERNIER_LANG"
    uint64_t line;       // of the file; 0: the environment
} Setting;

typedef struct Settings {
    Setting *items;  // what counts first stands first
    size_t count, capacity;
    const char *command;  // of the command line; NULL: none
    const char *file;     // NULL: none was found, or none was looked for
    const char *foreign;  // a vernier.toml of another user, which is not taken; NULL: none
    bool broken;          // with `err`; no command runs
    Error err;
    // The commands that have an option of their own of this name, "curves, monitor"; may be NULL.
    Str (*commands_with)(Str option, Arena *arena);
} Settings;

// Gives the options that were not given; `only`: of these names, NULL ends them, or NULL: all.
// Fails on values that no option takes: ERR_USAGE, with the place in the file.
bool settings_apply(const Settings *settings, const char *const *only, Options *options,
                    Arena *arena, Error *err);

// Says which settings decide the verdict (OPTION_JUDGES), which is never silent. For the command to
// call that has options of this nature.
void settings_tell(const Options *options, Notices *notices);

// The same for the verdict line, "--criteria (../vernier.toml)"; empty: none decides. `redaction`
// may be NULL.
Str settings_judging(const Options *options, const Redaction *redaction, Arena *arena);

// The settings that decide in a stage decide in the whole: they are reported and named there, too.
void settings_pass_up(const Options *stage, Options *whole, Arena *arena);

// A hint after an error of usage, where a setting may be its cause. Always false.
bool settings_hint(const Options *options, Error *err);

#endif
