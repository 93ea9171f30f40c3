// SPDX-License-Identifier: Apache-2.0
#include "read/dump/place_name.h"

#include "base/crc32c.h"
#include "base/words.h"

// What a step of verl runs, in its order.
static const char *const stage_order[] = {
    "compute_rm_score", "actor_compute_log_prob", "ref_compute_log_prob",
    "compute_values",   "critic_update",          "actor_update",
};

enum { STAGES_KNOWN = sizeof stage_order / sizeof *stage_order, STAGE_LONG = 80 };

// The position of a stage that verl names, counted from 1; 0: another one. "actor_update.step1" is
// a step within the stage.
static size_t known_stage(Str stage)
{
    size_t inner = str_find(stage, STR(STAGE_INNER_STEP), 0);
    stage = str_slice(stage, 0, inner < stage.size ? inner : stage.size);
    for (size_t i = 0; i < STAGES_KNOWN; i++)
        if (str_equal(stage, str_of(stage_order[i])))
            return i + 1;
    return 0;
}

int stage_compare(Str a, Str b)
{
    bool constants = str_starts(a, STR(STAGE_CONSTANTS));
    if (constants != str_starts(b, STR(STAGE_CONSTANTS)))
        return constants ? -1 : 1;
    size_t x = known_stage(a), y = known_stage(b);
    return x != y ? (x < y ? -1 : 1) : str_compare(a, b);
}

bool stage_is_known(Str stage)
{
    return stage.size == 0 || known_stage(stage) || str_equal(stage, STR("graph")) ||
           str_equal(stage, STR("pynative"));
}

Str place_step_text(int64_t step, Str stage, Arena *arena)
{
    if (stage.size == 0)
        return str_printf(arena, tr("step %lld"), (long long)step);
    return str_printf(arena, tr("step %lld " STR_FMT), (long long)step, STR_ARG(stage));
}

Str place_text(int64_t step, Str stage, int64_t rank, Arena *arena)
{
    if (stage.size == 0)
        return str_printf(arena, tr("step %lld, rank %lld"), (long long)step, (long long)rank);
    return str_printf(arena, tr("step %lld " STR_FMT ", rank %lld"), (long long)step,
                      STR_ARG(stage), (long long)rank);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

Str place_base(const char *what, int64_t step, Str stage, int64_t rank, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    size_t shown = stage.size < STAGE_LONG ? stage.size : STAGE_LONG / 2;
    strbuf_printf(&out, "%s-step%lld-rank%lld%s", what, (long long)step, (long long)rank,
                  stage.size ? "-" : "");
    for (size_t i = 0; i < shown; i++) {
        if (is_plain(stage.data[i]))
            strbuf_add_char(&out, stage.data[i]);
        else
            strbuf_printf(&out, "~%02X", (unsigned)(unsigned char)stage.data[i]);
    }
    if (shown < stage.size)
        strbuf_printf(&out, "~%08X", (unsigned)crc32c(stage.data, stage.size));
    return strbuf_str(&out);
}

typedef struct NamePrefix {
    Str text;
    FolderRole role;
} NamePrefix;

// The number after `label` at *at, which moves after it.
static bool take_number(Str name, Str label, size_t *at, int64_t *number)
{
    size_t start = *at + label.size, end = start;
    if (!str_starts(str_slice(name, *at, name.size), label))
        return false;
    while (end < name.size && name.data[end] >= '0' && name.data[end] <= '9')
        end++;
    *at = end;
    return str_to_int64(str_slice(name, start, end), number);
}

// SGLang's "TP0_PP0_Rank0_pid1234": the process has another number in every run.
static bool is_worker_name(Str name, int64_t *rank)
{
    size_t at = 0;
    int64_t other;
    return take_number(name, STR("TP"), &at, &other) &&
           take_number(name, STR("_PP"), &at, &other) &&
           take_number(name, STR("_Rank"), &at, rank) &&
           take_number(name, STR("_pid"), &at, &other) && at == name.size;
}

FolderName folder_name_parse(Str name)
{
    static const NamePrefix prefixes[] = {
        {{"step_", 5}, FOLDER_STEP},   {{"step-", 5}, FOLDER_STEP},
        {{"step", 4}, FOLDER_STEP},    {{"iteration_", 10}, FOLDER_STEP},
        {{"iter_", 5}, FOLDER_STEP},   {{"rank_", 5}, FOLDER_RANK},
        {{"rank-", 5}, FOLDER_RANK},   {{"rank", 4}, FOLDER_RANK},
        {{"proc", 4}, FOLDER_PROCESS}, {{"pid", 3}, FOLDER_PROCESS},
    };
    FolderName out = {FOLDER_PLAIN, -1};
    if (str_equal(name, STR("rank")))
        return (FolderName){FOLDER_RANK, -1};
    if (is_worker_name(name, &out.number))
        return (FolderName){FOLDER_RANK, out.number};
    out.number = -1;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        int64_t number;
        if (str_starts(name, prefixes[i].text) &&
            str_to_int64(str_slice(name, prefixes[i].text.size, name.size), &number) && number >= 0)
            return (FolderName){prefixes[i].role, number};
    }
    return out;
}

Str rank_ranges(const int64_t *ranks, size_t count, size_t limit, Arena *arena)
{
    StrBuf text;
    size_t parts = 0;
    text = strbuf_new(arena);
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end + 1 < count && ranks[end + 1] == ranks[end] + 1)
            end++;
        if (parts++ == limit) {
            strbuf_add(&text, STR(", …"));
            break;
        }
        strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)ranks[i]);
        if (end > i)
            strbuf_printf(&text, "%s%lld", end > i + 1 ? "–" : ", ", (long long)ranks[end]);
        i = end + 1;
    }
    return strbuf_str(&text);
}
