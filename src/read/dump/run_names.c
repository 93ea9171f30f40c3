// SPDX-License-Identifier: Apache-2.0
#include "read/dump/run_names.h"

#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"

typedef enum Side { SIDE_NONE, SIDE_NOTHING, SIDE_RUN, SIDE_TARGET, SIDE_GOLDEN } Side;

static const struct {
    Str word;
    Side side;
} words[] = {
    {{"golden", 6}, SIDE_GOLDEN},   {{"bench", 5}, SIDE_GOLDEN},   {{"benchmark", 9}, SIDE_GOLDEN},
    {{"baseline", 8}, SIDE_GOLDEN}, {{"gpu", 3}, SIDE_GOLDEN},     {{"cuda", 4}, SIDE_GOLDEN},
    {{"good", 4}, SIDE_GOLDEN},     {{"before", 6}, SIDE_GOLDEN},  {{"old", 3}, SIDE_GOLDEN},
    {{"target", 6}, SIDE_TARGET},   {{"npu", 3}, SIDE_TARGET},     {{"ascend", 6}, SIDE_TARGET},
    {{"bad", 3}, SIDE_TARGET},      {{"after", 5}, SIDE_TARGET},   {{"new", 3}, SIDE_TARGET},
    {{"run", 3}, SIDE_RUN},         {{"dump", 4}, SIDE_NOTHING},   {{"data", 4}, SIDE_NOTHING},
    {{"out", 3}, SIDE_NOTHING},     {{"output", 6}, SIDE_NOTHING}, {{"fp", 2}, SIDE_NOTHING},
    {{"bf", 2}, SIDE_NOTHING},      {{"cpu", 3}, SIDE_GOLDEN},     {{"reference", 9}, SIDE_GOLDEN},

};

// Chinese has no blanks between words: these are looked for within.
static const struct {
    Str word;
    Side side;
} parts[] = {
    {{"标杆", 6}, SIDE_GOLDEN}, {{"基准", 6}, SIDE_GOLDEN}, {{"基线", 6}, SIDE_GOLDEN},
    {{"参考", 6}, SIDE_GOLDEN}, {{"待测", 6}, SIDE_TARGET}, {{"被测", 6}, SIDE_TARGET},
    {{"调试", 6}, SIDE_TARGET}, {{"目标", 6}, SIDE_TARGET},
};

static bool is_word_letter(char c)
{
    return is_letter(c) || (unsigned char)c >= 0x80;
}

static Side side_of_word(Str word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(word, words[i].word))
            return words[i].side;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (str_find(word, parts[i].word, 0) != SIZE_MAX)
            return parts[i].side;
    return word.size == 1 ? SIDE_NOTHING : SIDE_NONE;
}

static Side side_of_name(Str name)
{
    Side found = SIDE_NOTHING;
    for (size_t at = 0; at < name.size;) {
        size_t end = at;
        while (end < name.size && is_word_letter(name.data[end]))
            end++;
        Side side = end > at ? side_of_word(str_slice(name, at, end)) : SIDE_NOTHING;
        if (side == SIDE_NONE)
            return SIDE_NONE;
        if (side > found)
            found = side;
        at = end + (end == at);
    }
    return found == SIDE_NOTHING ? SIDE_NONE : found;
}

bool run_names_pair(const Str *names, size_t count, size_t pair[2])
{
    bool runs = false;
    size_t golden = count;
    for (size_t i = 0; i < count; i++) {
        Side side = side_of_name(names[i]);
        if (stage_is_known(names[i]))
            return false;
        runs = runs || side != SIDE_NONE;
        if (side == SIDE_GOLDEN && golden == count)
            golden = i;
    }
    pair[0] = golden < count ? golden : 0;
    pair[1] = pair[0] == 0 ? 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (side_of_name(names[i]) == SIDE_TARGET && i != pair[0]) {
            pair[1] = i;
            break;
        }
    return runs && count > 1;
}

// The side that some word names where no word names the other.
static Side side_hinted(Str name)
{
    bool golden = false, target = false;
    for (size_t at = 0, end; at < name.size; at = end + (end == at)) {
        for (end = at; end < name.size && is_word_letter(name.data[end]);)
            end++;
        Side side = end > at ? side_of_word(str_slice(name, at, end)) : SIDE_NONE;
        golden = golden || side == SIDE_GOLDEN;
        target = target || side == SIDE_TARGET;
    }
    return golden == target ? SIDE_NONE : golden ? SIDE_GOLDEN : SIDE_TARGET;
}

bool run_names_swapped(Str golden, Str target)
{
    while (golden.size && target.size) {
        golden = path_trim(golden);
        target = path_trim(target);
        Side left = side_hinted(path_base(golden)), right = side_hinted(path_base(target));
        if (left != right)
            return left == SIDE_TARGET && right == SIDE_GOLDEN;
        Str above = path_folder(golden), other = path_folder(target);
        if (str_equal(above, golden) || str_equal(other, target))
            break;
        golden = above;
        target = other;
    }
    return false;
}

void run_names_note_swapped(const char *command, const Str paths[2], Notices *notices)
{
    if (run_names_swapped(paths[0], paths[1]))
        notices_add(notices, NOTICE_WARNING, NOWHERE,
                    tr("the names look swapped, golden comes first: %s"),
                    SHELL_LINE(notices->arena, command, str_cstr(notices->arena, paths[1]),
                               str_cstr(notices->arena, paths[0])));
}

enum { LEVELS = 4 };  // run, stage, step, rank

static bool holds_dump(Arena *arena, const char *folder, int levels)
{
    FolderList list;
    Error ignored;
    if (levels == 0 || file_kind(folder) != FILE_FOLDER)
        return false;
    if (dump_file_in(folder, arena))
        return true;
    if (!folder_list(folder, arena, &list, &ignored))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (holds_dump(arena, path_join(arena, folder, list.items[i]), levels - 1))
            return true;
    return false;
}

static bool is_plain(Str name)
{
    return name.data[0] != '.' && folder_name_parse(name).role == FOLDER_PLAIN;
}

ChildRuns child_runs_find(const char *folder, Arena *arena)
{
    ChildRuns out = {.count = 0};
    FolderList list;
    Error ignored;
    size_t pair[2] = {0, 1};
    if (file_kind(folder) != FILE_FOLDER || !folder_list(folder, arena, &list, &ignored))
        return out;
    bool stages = false;
    for (size_t i = 0; i < list.count && out.count < CHILD_RUNS_MAX; i++)
        if (is_plain(list.items[i]) &&
            holds_dump(arena, path_join(arena, folder, list.items[i]), LEVELS)) {
            stages = stages || stage_is_known(list.items[i]);
            out.names[out.count++] = list.items[i];
        }
    if (out.count < 2 || stages)
        return (ChildRuns){.count = 0};
    run_names_pair(out.names, out.count, pair);
    out.golden = path_join(arena, folder, out.names[pair[0]]);
    out.target = path_join(arena, folder, out.names[pair[1]]);
    return out;
}

Str child_runs_list(const ChildRuns *runs, Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (size_t i = 0; i < runs->count; i++)
        strbuf_printf(&list, "%s" STR_FMT, i ? ", " : "", STR_ARG(runs->names[i]));
    return strbuf_str(&list);
}
