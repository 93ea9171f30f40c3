// SPDX-License-Identifier: Apache-2.0
#include "read/series_name.h"

#include <string.h>

enum { PLAIN_MAX = 96 };

typedef struct Spelling {
    const char *plain;  // lower case, without '_', '-' and blanks
    const char *canonical;
    double factor;
    bool core;
} Spelling;

static const Spelling spellings[] = {
    {"loss",                          "loss",                 1,    true },
    {"trainloss",                     "loss",                 1,    true },
    {"loss/train",                    "loss",                 1,    true },
    {"languagemodelloss",             "loss",                 1,    true },
    {"globalnorm",                    "grad_norm",            1,    true },
    {"gradnorm",                      "grad_norm",            1,    true },
    {"gnorm",                         "grad_norm",            1,    true },
    {"globalgradnorm",                "grad_norm",            1,    true },
    {"totalgradnorm",                 "grad_norm",            1,    true },
    {"lr",                            "lr",                   1,    true },
    {"learningrate",                  "lr",                   1,    true },
    {"lossscale",                     "loss_scale",           1,    true },
    {"paramsnorm",                    "params_norm",          1,    false},
    {"numzeros",                      "num_zeros",            1,    false},
    {"consumedsamples",               "consumed_samples",     1,    false},
    {"consumedtokens",                "consumed_tokens",      1,    false},
    {"totaltokens",                   "consumed_tokens",      1,    false},
    {"numinputtokensseen",            "consumed_tokens",      1,    false},
    {"numtokens",                     "consumed_tokens",      1,    false},
    {"actualseqlen",                  "seq_length",           1,    false},
    {"seqlength",                     "seq_length",           1,    false},
    {"globalbatchsize",               "batch_size",           1,    false},
    {"batchsize",                     "batch_size",           1,    false},
    {"persteptime",                   "step_time_ms",         1,    false},
    {"elapsedtimeperiteration(ms)",   "step_time_ms",         1,    false},
    {"elapsedtimeperiteration(s)",    "step_time_ms",         1000, false},
    {"itertime(s)",                   "step_time_ms",         1000, false},
    {"iterationtime",                 "step_time_ms",         1000, false},
    {"trainthroughputpernpu",         "throughput",           1,    false},
    {"throughputpergpu(tflop/s/gpu)", "throughput",           1,    false},
    {"throughput",                    "throughput",           1,    false},
    {"samples/sec",                   "throughput",           1,    false},
    {"tps",                           "throughput",           1,    false},
    {"embeddinglocalnorm",            "embedding_local_norm", 1,    false},
    {"epoch",                         "epoch",                1,    false},
    {"evalloss",                      "eval_loss",            1,    false},
    {"eval/loss",                     "eval_loss",            1,    false},
    {"val/loss",                      "eval_loss",            1,    false},
    {"valloss",                       "eval_loss",            1,    false},
    {"validationloss",                "eval_loss",            1,    false},
    {"loss/valid",                    "eval_loss",            1,    false},
    {"lmlossvalidation",              "eval_loss",            1,    false},
    {"lmlossvalue",                   "eval_loss",            1,    false},
    {"lmlossppl",                     "eval_ppl",             1,    false},
    {"skippedsamples",                "",                     1,    false},
    {"totalsteps",                    "",                     1,    false},
    {"maxsteps",                      "",                     1,    false},
    {"percentage",                    "",                     1,    false},
    {"totalflos",                     "",                     1,    false},
    {"numberofskippediterations",     "",                     1,    false},
    {"numberofnaniterations",         "",                     1,    false},
};

// In the order of preference where a record has several.
static const char *const step_names[] = {
    "step", "globalstep", "iteration", "currentsteps", "globalstep/maxsteps",
    "iter", "iterations", "steps",
};

static Str plain_of(Str printed, char out[PLAIN_MAX])
{
    size_t size = 0;
    for (size_t i = 0; i < printed.size && size < PLAIN_MAX; i++) {
        char c = printed.data[i];
        if (c == '_' || c == '-' || c == ' ')
            continue;
        out[size++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    Str plain = {out, size};
    static const char *const prefixes[] = {"train/samples/", "train/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(plain, str_of(prefixes[i])) && plain.size > strlen(prefixes[i]))
            return str_slice(plain, strlen(prefixes[i]), plain.size);
    return plain;
}

static const Spelling *spelling_of(Str plain)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (str_equal(plain, str_of(spellings[i].plain)))
            return &spellings[i];
    return NULL;
}

static bool has(Str plain, const char *word)
{
    return str_find(plain, str_of(word), 0) != SIZE_MAX;
}

static bool is_evaluation(Str plain)
{
    return str_starts(plain, STR("eval")) || str_starts(plain, STR("val")) ||
           str_starts(plain, STR("test")) || str_starts(plain, STR("predict")) ||
           has(plain, "validation");
}

// The printed name with '_' for blanks and without the "train/" that says nothing.
static Str tidy(Str printed, const char *prefix, Arena *arena)
{
    printed = str_trim(printed);
    if (str_starts(printed, STR("train/")))
        printed = str_slice(printed, 6, printed.size);
    Str copy = str_printf(arena, "%s" STR_FMT, prefix, STR_ARG(printed));
    char *data = (char *)copy.data;  // this function's own copy
    for (size_t i = 0; i < copy.size; i++)
        if (data[i] == ' ')
            data[i] = '_';
    return copy;
}

SeriesName series_name(Str printed, bool total, Arena *arena)
{
    char room[PLAIN_MAX];
    Str plain = plain_of(printed, room);
    int order;
    const Spelling *known = spelling_of(plain);
    if (known)
        return (SeriesName){str_of(known->canonical), known->factor, known->core};
    if (plain.size == 0 || series_name_is_step(printed, &order) || series_name_is_time(printed))
        return (SeriesName){.factor = 1};
    if (str_equal(plain, STR("lmloss")) && total)
        return (SeriesName){STR("loss"), 1, true};
    if (has(plain, "loss") && !is_evaluation(plain))
        return (SeriesName){tidy(printed, "loss.", arena), 1, true};
    return (SeriesName){tidy(printed, "", arena), 1, false};
}

bool series_name_is_loss(Str printed)
{
    char room[PLAIN_MAX];
    const Spelling *known = spelling_of(plain_of(printed, room));
    return known && strcmp(known->canonical, "loss") == 0;
}

bool series_name_is_core(Str printed)
{
    char room[PLAIN_MAX];
    Str plain = plain_of(printed, room);
    const Spelling *known = spelling_of(plain);
    static const char *const names[] = {"loss", "grad_norm", "lr"};
    for (size_t i = 0; known && i < sizeof names / sizeof *names; i++)
        if (strcmp(known->canonical, names[i]) == 0)
            return true;
    return str_equal(plain, STR("lmloss"));
}

bool series_name_is_time(Str printed)
{
    static const char *const names[] = {"timestamp", "walltime", "runtime", "relativetime(process)",
                                        "relativetime(wall)"};
    char room[PLAIN_MAX];
    Str plain = plain_of(printed, room);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(plain, str_of(names[i])))
            return true;
    return false;
}

bool series_name_is_step(Str printed, int *order)
{
    char room[PLAIN_MAX];
    Str plain = plain_of(printed, room);
    for (size_t i = 0; i < sizeof step_names / sizeof *step_names; i++)
        if (str_equal(plain, str_of(step_names[i]))) {
            *order = (int)i;
            return true;
        }
    return false;
}
