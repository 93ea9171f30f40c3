// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/curve_limits.h"

#include <math.h>
#include <stddef.h>

#include "base/number.h"
#include "base/words.h"
#include "trend/curves/localnorm.h"

const CurveLimits curve_limits = {.mean_relative = 0.01,
                                  .absolute = NAN,
                                  .step_one = 0.001,
                                  .step_one_relative = 0.001,
                                  .lr0_loss = 0.002,
                                  .lr0_norm = 0.05,
                                  .late_problem = 0.1,
                                  .late_accepted = 0.05,
                                  .norm_mean_relative = 0.05,
                                  .local_look = LOCALNORM_LOOK};

typedef struct LimitName {
    const char *name;
    size_t offset;
    bool percent;
} LimitName;

static const LimitName names[] = {
    {"MEAN", offsetof(CurveLimits, mean_relative), true},
    {"ABSOLUTE", offsetof(CurveLimits, absolute), false},
    {"STEP1", offsetof(CurveLimits, step_one), false},
    {"STEP1-REL", offsetof(CurveLimits, step_one_relative), true},
    {"LR0-LOSS", offsetof(CurveLimits, lr0_loss), false},
    {"LR0-NORM", offsetof(CurveLimits, lr0_norm), false},
    {"LATE", offsetof(CurveLimits, late_problem), false},
    {"LATE-OK", offsetof(CurveLimits, late_accepted), false},
    {"NORM-MEAN", offsetof(CurveLimits, norm_mean_relative), true},
    {"LOCAL-LOOK", offsetof(CurveLimits, local_look), true},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

static Str known_names(Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (size_t i = 0; i < NAME_COUNT; i++)
        strbuf_printf(&list, "%s%s", i ? ", " : "", names[i].name);
    return strbuf_str(&list);
}

static bool read_one(Str part, Arena *arena, CurveLimits *out, Error *err)
{
    double value;
    size_t at = str_find_char(part, '=', 0);
    Str name = str_trim(str_slice(part, 0, at));
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (!str_equal(name, str_of(names[i].name)))
            continue;
        if (at == SIZE_MAX ||
            !number_of_text(str_trim(str_slice(part, at + 1, part.size)), &value) ||
            !isfinite(value) || value < 0)
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("--limits: expected NAME=NUMBER, found '" STR_FMT "'"),
                             STR_ARG(part));
        // cppcheck-suppress invalidPointerCast; a double is at each of the places
        *(double *)((char *)out + names[i].offset) = names[i].percent ? value / 100 : value;
        return true;
    }
    return error_set(err, ERR_USAGE, NOWHERE,
                     tr("--limits: '" STR_FMT "' is no limit; there are %s"), STR_ARG(name),
                     str_cstr(arena, known_names(arena)));
}

bool curve_limits_read(Str list, Arena *arena, CurveLimits *out, Error *err)
{
    Str part;
    while (str_split(&list, ',', &part))
        if (!read_one(str_trim(part), arena, out, err))
            return false;
    return true;
}
