// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "read/dump/dump_source.h"
#include "read/dump/dump_unread.h"
#include "read/dump/mindspore_tree.h"
#include "read/dump/place_name.h"
#include "read/dump/run_names.h"
#include "read/dump/tensor_set.h"

enum { FOLDERS_DEEP = 16 };  // below a folder whose tensor files may be a set

typedef struct Search {
    Arena *arena;
    const DumpSelection *selection;
    DumpPlaces *out;
    Notices *notices;
    size_t seen;   // places before the selection
    StrBuf named;  // the first of them
} Search;

// Where the search is: what the folders above say.
typedef struct Level {
    const char *path;
    Str stage;
    int64_t step;
    bool has_step;
} Level;

static bool has_tensor_file(const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (tensor_set_has_name(list->items[i]))
            return true;
    return false;
}

// The first file below that is named like the records of a dump, or NULL. No link is followed.
static const char *dump_below(Arena *arena, const char *folder, int depth)
{
    FolderList list;
    Error err;
    if (depth == 0 || !folder_list(folder, arena, &list, &err))
        return NULL;
    const char *found = NULL;
    for (size_t i = 0; i < list.count && !found; i++) {
        if (tensor_set_has_name(list.items[i]))
            continue;
        const char *path = path_join(arena, folder, list.items[i]);
        if (file_kind_unfollowed(path) == FILE_FOLDER)
            found = dump_below(arena, path, depth - 1);
        else if (dump_is_record_name(list.items[i]))
            found = path;
    }
    return found;
}

const char *folder_dump_below(const char *folder, Arena *arena)
{
    return dump_below(arena, folder, FOLDERS_DEEP);
}

// Whether the tensor files of a folder (tokens, labels) are its records: nowhere below is a dump,
// which they would hide.
static bool are_records(Arena *arena, const char *folder, const FolderList *list)
{
    return has_tensor_file(list) && !dump_below(arena, folder, FOLDERS_DEEP);
}

static const char *tensors_in(Arena *arena, const char *folder)
{
    FolderList list;
    Error err;
    bool are = folder_list(folder, arena, &list, &err) && are_records(arena, folder, &list);
    return are ? folder : NULL;
}

// What lies next to the folders of the dumps is reported, as it is not compared.
static void note_loose(const Search *search, const char *folder, const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (dump_is_record_name(list->items[i]))
            notices_partial(
                search->notices, WHERE_FILE(path_join(search->arena, folder, list->items[i])), "%s",
                tr("this dump is next to the folders of others and is not read: give it by "
                   "itself"));
    if (has_tensor_file(list))
        notices_add(
            search->notices, NOTICE_WARNING, WHERE_FILE(folder), "%s",
            tr("the tensor files right in this folder are no part of the dumps below it and "
               "are not compared"));
}

// The same of what the walk passes over: archives, and dumps under names it does not look at.
static void note_unread(const Search *search, const Level *level, const FolderList *list,
                        unsigned walked)
{
    static const DumpSelection all = {0};
    const DumpSelection *selection = search->selection ? search->selection : &all;
    dump_unread_note(level->path, list, walked, &selection->steps, &selection->ranks, search->arena,
                     search->notices);
}

// "actor_update" chooses "actor_update.step1" as well.
static bool is_chosen_stage(const DumpSelection *selection, Str stage)
{
    for (size_t i = 0; i < selection->stage_count; i++) {
        Str wanted = selection->stages[i];
        if (str_starts(stage, wanted) &&
            (stage.size == wanted.size ||
             str_starts(str_slice(stage, wanted.size, stage.size), STR(STAGE_INNER_STEP))))
            return true;
    }
    return selection->stage_count == 0;
}

static void add_place(Search *search, DumpPlace place, bool rank_known)
{
    static const DumpSelection all = {0};
    const DumpSelection *selection = search->selection ? search->selection : &all;
    enum { NAMED = 4 };
    if (search->seen++ < NAMED)
        strbuf_printf(&search->named, "%s" STR_FMT, search->seen > 1 ? "; " : "",
                      STR_ARG(place_text(place.step, place.stage, place.rank, search->arena)));
    else if (search->seen == NAMED + 1)
        strbuf_add(&search->named, STR("; ..."));
    if (place.has_step && !number_list_has(&selection->steps, place.step))
        return;
    if (rank_known && !number_list_has(&selection->ranks, place.rank))
        return;
    if (!is_chosen_stage(selection, place.stage))
        return;
    *ARRAY_PUSH(search->arena, search->out) = place;
}

// The dump below a rank's folder that has step folders of its own: rank_3/step0/rank0, NULL: none.
static const char *dump_below_rank(Arena *arena, const char *folder)
{
    FolderList steps, ranks;
    Error err;
    if (!folder_list(folder, arena, &steps, &err))
        return NULL;
    for (size_t i = 0; i < steps.count; i++) {
        if (folder_name_parse(steps.items[i]).role != FOLDER_STEP)
            continue;
        const char *step = path_join(arena, folder, steps.items[i]);
        const char *file = dump_file_in(step, arena);
        if (!file && folder_list(step, arena, &ranks, &err))
            for (size_t k = 0; k < ranks.count && !file; k++)
                if (folder_name_parse(ranks.items[k]).role != FOLDER_PLAIN)
                    file = dump_file_in(path_join(arena, step, ranks.items[k]), arena);
        if (file)
            return file;
    }
    return NULL;
}

// Of a folder without a dump: that it has several, of which none is read. A step or rank that is
// not chosen is of no interest.
static bool note_rivals(const Search *search, const char *folder)
{
    Str files[2];
    const DumpSelection *of = search->selection;
    FolderName name = folder_name_parse(path_base(str_of(folder)));
    bool several = dump_rivals_in(folder, search->arena, files);
    bool chosen = !of || name.number < 0 ||
                  (name.role != FOLDER_STEP && name.role != FOLDER_RANK) ||
                  number_list_has(name.role == FOLDER_STEP ? &of->steps : &of->ranks, name.number);
    if (several && chosen)
        notices_partial(
            search->notices, WHERE_FILE(folder),
            tr("'" STR_FMT "' and '" STR_FMT
               "' are dumps by their content: neither is read; leave one of them there"),
            STR_ARG(files[0]), STR_ARG(files[1]));
    return several;
}

// The same of one for a rank, or the steps below it.
static bool note_rank_rivals(const Search *search, const char *folder, int64_t rank)
{
    FolderList list;
    Error ignored;
    const DumpSelection *of = search->selection;
    if (of && !number_list_has(&of->ranks, rank))
        return true;
    bool several = note_rivals(search, folder);
    if (several || !folder_list(folder, search->arena, &list, &ignored))
        return several;
    for (size_t i = 0; i < list.count; i++)
        if (folder_name_parse(list.items[i]).role == FOLDER_STEP)
            several |= note_rivals(search, path_join(search->arena, folder, list.items[i]));
    return several;
}

static void add_rank_folder(Search *search, const Level *level, Str name, FolderName parsed,
                            int64_t rank)
{
    const char *folder = path_join(search->arena, level->path, name);
    const char *file = dump_file_in(folder, search->arena);
    const char *below = file ? NULL : dump_below_rank(search->arena, folder);
    if (below) {
        file = below;
        folder = str_cstr(search->arena, path_folder(str_of(below)));
    }
    if (!file)
        file = tensors_in(search->arena, folder);
    if (!file) {
        if (!note_rank_rivals(search, folder, rank))
            notices_partial(search->notices, WHERE_FILE(folder), "%s",
                            tr("the folder holds no dump.json or debug.json and is skipped"));
        FolderList list;
        Error ignored;
        Level inner = {.path = folder};
        if (folder_list(folder, search->arena, &list, &ignored))
            note_unread(search, &inner, &list, WALKED_ALL);
        return;
    }
    DumpPlace place = {.step = level->step,
                       .rank = rank,
                       .has_step = level->has_step,
                       .has_rank = parsed.role == FOLDER_RANK && parsed.number >= 0,
                       .folder = folder,
                       .file = file,
                       .rank_label = str_copy(search->arena, name),
                       .stage = level->stage};
    add_place(search, place, true);
}

typedef struct RankFolder {
    Str name;
    FolderName parsed;
} RankFolder;

typedef struct RankFolders {
    RankFolder *items;
    size_t count, capacity;
    size_t ranks, processes;
} RankFolders;

static int compare_rank_folders(const void *a, const void *b)
{
    const RankFolder *x = a, *y = b;
    if (x->parsed.number != y->parsed.number)
        return x->parsed.number < y->parsed.number ? -1 : 1;
    return str_compare(x->name, y->name);
}

static bool is_folder(const Search *search, const char *folder, Str name)
{
    return file_kind_noted(path_join(search->arena, folder, name), search->notices) == FILE_FOLDER;
}

static RankFolders find_rank_folders(const Search *search, const char *path, const FolderList *list)
{
    Arena *arena = search->arena;
    RankFolders out = {0};
    for (size_t i = 0; i < list->count; i++) {
        FolderName parsed = folder_name_parse(list->items[i]);
        if (parsed.role != FOLDER_RANK && parsed.role != FOLDER_PROCESS)
            continue;
        if (!is_folder(search, path, list->items[i]))
            continue;
        out.ranks += parsed.role == FOLDER_RANK;
        out.processes += parsed.role == FOLDER_PROCESS;
        *ARRAY_PUSH(arena, &out) = (RankFolder){list->items[i], parsed};
    }
    if (out.count > 1)
        qsort(out.items, out.count, sizeof *out.items, compare_rank_folders);
    return out;
}

static void add_rank_folders(Search *search, const Level *level, const RankFolders *folders)
{
    int64_t position = 0;
    if (folders->ranks && folders->processes)
        notices_add(
            search->notices, NOTICE_TOLD, WHERE_FILE(level->path), "%s",
            tr("proc folders next to rank folders hold CPU helper processes and are skipped"));
    else if (folders->processes > 1)
        notices_add(search->notices, NOTICE_INFO, WHERE_FILE(level->path), "%s",
                    tr("process folders are taken as ranks 0, 1, ... in the order of their "
                       "process numbers"));
    for (size_t i = 0; i < folders->count; i++) {
        FolderName parsed = folders->items[i].parsed;
        if (parsed.role == FOLDER_PROCESS && folders->ranks)
            continue;
        int64_t rank = parsed.number < 0 ? 0 : parsed.number;
        if (parsed.role == FOLDER_PROCESS)
            rank = position++;
        add_rank_folder(search, level, folders->items[i].name, parsed, rank);
    }
}

// Rank folders below a step folder (or below a root without steps), or a dump right in it. True of
// rank folders.
static bool search_ranks(Search *search, const Level *level, const FolderList *list)
{
    RankFolders folders = find_rank_folders(search, level->path, list);
    if (folders.count) {
        add_rank_folders(search, level, &folders);
        return true;
    }
    bool known = stage_is_known(level->stage);
    const char *file = dump_file_in(level->path, search->arena);
    if (!file && level->has_step && known && are_records(search->arena, level->path, list))
        file = level->path;
    // A folder of any name with a dump right in it is another run, not a stage of this one.
    if (file && (known || level->has_step))
        add_place(search,
                  (DumpPlace){.step = level->step,
                              .has_step = level->has_step,
                              .folder = level->path,
                              .file = file,
                              .stage = level->stage},
                  false);
    return false;
}

static void note_left(const Search *search, const Level *level, const FolderList *list,
                      unsigned walked)
{
    note_loose(search, level->path, list);
    note_unread(search, level, list, walked);
}

static bool search_steps(Search *search, const Level *level, const FolderList *list);

// A folder between the root, or a step, and the ranks. Below a step its own steps count anew.
static void search_stage(Search *search, const Level *above, Str name)
{
    Level level = *above;
    FolderList list;
    Error err;
    size_t before = search->seen;
    level.path = path_join(search->arena, above->path, name);
    level.stage = str_copy(search->arena, name);
    if (!folder_list(level.path, search->arena, &list, &err))
        notices_add_error(search->notices, &err);
    else if (search_steps(search, &level, &list))
        note_left(search, &level, &list, WALKED_STEPS);
    else if (search_ranks(search, &level, &list))
        note_left(search, &level, &list, WALKED_RANKS);
    else
        note_unread(search, &level, &list, WALKED_ALL);
    if (search->seen == before)
        dump_unread_note_folder(level.path, search->arena, search->notices);
}

// Any folder may be a stage where nothing tells ranks or steps.
static void search_stages(Search *search, const Level *level, const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        Str name = list->items[i];
        if (name.data[0] != '.' && !mindspore_is_time(name) &&
            folder_name_parse(name).role == FOLDER_PLAIN && is_folder(search, level->path, name))
            search_stage(search, level, name);
    }
}

static Level level_of_step(Search *search, const Level *above, Str name, int64_t step)
{
    Level level = {.path = path_join(search->arena, above->path, name),
                   .stage = above->stage,
                   .step = step,
                   .has_step = true};
    if (!above->has_step || above->stage.size == 0)
        return level;
    level.step = above->step;
    if (step > 0)
        level.stage = str_printf(search->arena, STR_FMT STAGE_INNER_STEP "%lld",
                                 STR_ARG(above->stage), (long long)step);
    return level;
}

static void search_step(Search *search, const Level *above, Str name, int64_t step)
{
    Level level = level_of_step(search, above, name, step);
    FolderList list;
    Error err;
    if (!folder_list(level.path, search->arena, &list, &err)) {
        notices_add_error(search->notices, &err);
        return;
    }
    size_t before = search->seen;
    bool ranks = search_ranks(search, &level, &list), stages = false;
    if (search->seen == before && level.stage.size == 0) {
        search_stages(search, &level, &list);
        stages = search->seen > before;
    }
    if (ranks || stages)
        note_loose(search, level.path, &list);
    note_unread(search, &level, &list, ranks && !stages ? WALKED_RANKS : WALKED_ALL);
    if (search->seen == before && !note_rivals(search, level.path))
        notices_add(search->notices, NOTICE_WARNING, WHERE_FILE(level.path), "%s",
                    tr("the folder holds no dump and is skipped"));
}

// Step folders below a root or a stage. True if there are any.
static bool search_steps(Search *search, const Level *level, const FolderList *list)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        FolderName parsed = folder_name_parse(list->items[i]);
        if (parsed.role != FOLDER_STEP || !is_folder(search, level->path, list->items[i]))
            continue;
        found = true;
        search_step(search, level, list->items[i], parsed.number);
    }
    return found;
}

// pynative/ and graph/ of one run. True if there are any.
static bool search_modes(Search *search, const Level *level, const FolderList *list)
{
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        Str name = list->items[i];
        bool mode = str_equal(name, STR("graph")) || str_equal(name, STR("pynative"));
        if (!mode || !is_folder(search, level->path, name))
            continue;
        found = true;
        search_stage(search, level, name);
    }
    return found;
}

// Takes step and rank from the last folders of `path`.
static void read_numbers(Arena *arena, Str path, DumpPlace *place)
{
    Str name = path_base(path);
    FolderName parsed = folder_name_parse(name);
    if (parsed.role == FOLDER_RANK || parsed.role == FOLDER_PROCESS) {
        place->rank_label = str_copy(arena, name);
        place->has_rank = parsed.role == FOLDER_RANK && parsed.number >= 0;
        place->rank = place->has_rank ? parsed.number : 0;
        parsed = folder_name_parse(path_base(path_folder(path)));
    }
    if (parsed.role == FOLDER_STEP) {
        place->has_step = true;
        place->step = parsed.number;
    }
}

// The path from the root of the file system without "." and "..", as its text says.
static Str full_path(Arena *arena, const char *path)
{
    char here[4096];
    Str rest = str_of(path), part;
    StrBuf out = strbuf_new(arena);
    if (path[0] != '/' && getcwd(here, sizeof here))
        rest = str_printf(arena, "%s/%s", here, path);
    while (str_split(&rest, '/', &part)) {
        if (part.size == 0 || str_equal(part, STR(".")))
            continue;
        if (str_equal(part, STR(".."))) {
            size_t slash = str_rfind_char(strbuf_str(&out), '/');
            out.size = slash == SIZE_MAX ? 0 : slash;
            continue;
        }
        strbuf_add_char(&out, '/');
        strbuf_add(&out, part);
    }
    return strbuf_str(&out);
}

static void add_single(Search *search, const char *folder, const char *file)
{
    DumpPlace place = {.folder = folder, .file = file};
    Str full = full_path(search->arena, folder);
    if (!mindspore_place_read(full, search->arena, &place))
        read_numbers(search->arena, full, &place);
    add_place(search, place, place.rank_label.size > 0);
}

static bool refuse_runs(const char *path, const ChildRuns *runs, Arena *arena, Error *err)
{
    error_set(err, ERR_INPUT, WHERE_FILE(path), tr("holds several runs: " STR_FMT),
              STR_ARG(child_runs_list(runs, arena)));
    return error_hint(err, tr("name one of them; two are compared by: %s"),
                      SHELL_LINE(arena, "compare", runs->golden, runs->target));
}

// What stood for stages may be whole runs, as their names tell. One that the user chose is a stage,
// whatever its name.
static bool are_stages(const Search *search, const char *path, Error *err)
{
    size_t pair[2] = {0, 1};
    if (search->selection && search->selection->stage_count)
        return true;
    ChildRuns runs = child_runs_find(path, search->arena);
    return !run_names_pair(runs.names, runs.count, pair) ||
           refuse_runs(path, &runs, search->arena, err);
}

// A tree of MindSpore's Dump. False: it is none, or an error.
static bool search_mindspore(Search *search, const char *path, Str full, Error *err)
{
    DumpPlaces places = {0};
    if (!mindspore_tree_find(path, full, search->arena, &places, search->notices, err))
        return false;
    for (size_t i = 0; i < places.count; i++)
        add_place(search, places.items[i], true);
    return true;
}

static bool search_folder(Search *search, const char *path, const FolderList *list, Error *err)
{
    const char *file = dump_file_in(path, search->arena);
    if (file) {
        add_single(search, path, file);
        return true;
    }
    Level level = {.path = path};
    Str full = full_path(search->arena, path);
    err->text[0] = '\0';
    if (search_mindspore(search, path, full, err) || err->text[0])
        return !err->text[0];
    FolderName parsed = folder_name_parse(path_base(full));
    if (parsed.role == FOLDER_STEP) {
        level.has_step = true;
        level.step = parsed.number;
    }
    // Tensor files next to the folders of the steps, without a dump: all of it is one set.
    if (are_records(search->arena, path, list))
        return true;
    note_loose(search, path, list);
    bool steps = search_steps(search, &level, list);
    bool modes = search_modes(search, &level, list);
    bool ranks = !steps && !modes && search_ranks(search, &level, list);
    bool stages = search->seen == 0;
    if (stages)
        search_stages(search, &level, list);
    unsigned walked = (steps ? WALKED_STEPS : 0) | (modes ? WALKED_MODES : 0);
    walked |= ranks ? WALKED_RANKS : 0;
    note_unread(search, &level, list, stages || !walked ? WALKED_ALL : walked);
    return !stages || level.has_step || are_stages(search, path, err);
}

static bool nothing_found(const Search *search, const char *path, const char *deeper, Error *err)
{
    if (search->seen) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("no dump of the chosen steps, stages and ranks"));
        return error_hint(err,
                          tr_count(search->seen,
                                   "%zu dump of another step, stage or rank is there: %s",
                                   "%zu dumps of other steps, stages or ranks are there: %s"),
                          search->seen, str_cstr(search->arena, strbuf_str(&search->named)));
    }
    ChildRuns runs = {.count = 0};
    if (deeper)
        runs = child_runs_find(path, search->arena);
    if (runs.count)
        return refuse_runs(path, &runs, search->arena, err);
    error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("holds no dump"));
    if (deeper)
        return error_hint(err, tr("a dump is deeper: name the folder of its run, above %s"),
                          deeper);
    return error_hint(err, "%s",
                      tr("name a dump.json, a rank folder with one, a step folder, or the folder "
                         "that holds step0, step1, ..."));
}

// What the folder of a run holds. One that holds one folder named by its time, which no other run
// has, stands for that one.
static bool list_run(const char **path, Arena *arena, FolderList *out, Error *err)
{
    if (!folder_list(*path, arena, out, err))
        return false;
    if (out->count != 1 || !mindspore_is_time(out->items[0]))
        return true;
    const char *below = path_join(arena, *path, out->items[0]);
    if (file_kind(below) != FILE_FOLDER)
        return true;
    *path = below;
    return folder_list(below, arena, out, err);
}

// Of two dumps of one step and rank ("step1", "step01") the first is read.
static void drop_repeated(DumpPlaces *places, Notices *notices)
{
    size_t kept = 0;
    for (size_t i = 0; i < places->count; i++) {
        if (kept && dump_place_numbers(&places->items[kept - 1], &places->items[i]) == 0)
            notices_partial(notices, WHERE_FILE(places->items[i].file),
                            tr("'%s' is of the same step and rank: this dump is not read, give it "
                               "by itself"),
                            places->items[kept - 1].file);
        else
            places->items[kept++] = places->items[i];
    }
    places->count = kept;
}

static bool are_sets(const DumpPlaces *places)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->items[i].file, places->items[i].folder) != 0)
            return false;
    return places->count > 0;
}

// What was asked for and is not there, next to what is. Dumps without a number are of any.
static void note_missing(const DumpSelection *asked, const DumpPlaces *found, const char *path,
                         Arena *arena, Notices *notices)
{
    int64_t *steps = ARENA_ARRAY(arena, int64_t, found->count);
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, found->count);
    bool all_steps = true, all_ranks = true;
    for (size_t i = 0; i < found->count; i++) {
        steps[i] = found->items[i].step;
        ranks[i] = found->items[i].rank;
        all_steps = all_steps && found->items[i].has_step;
        all_ranks = all_ranks && found->items[i].rank_label.size;
    }
    if (all_steps)
        number_list_note_missing(&asked->steps, false, steps, found->count, path, notices);
    if (all_ranks)
        number_list_note_missing(&asked->ranks, true, ranks, found->count, path, notices);
    if (asked->steps.count && !all_steps)
        notices_add(notices, NOTICE_UNMET, WHERE_FILE(path), "%s",
                    tr("the dump has no number of its step: --step leaves out nothing"));
    if (asked->ranks.count && !all_ranks)
        notices_add(notices, NOTICE_UNMET, WHERE_FILE(path), "%s",
                    tr("the dump has no number of its rank: --rank leaves out nothing"));
    for (size_t i = 0; i < asked->stage_count; i++) {
        DumpSelection one = {.stages = &asked->stages[i], .stage_count = 1};
        bool there = false;
        for (size_t k = 0; k < found->count && !there; k++)
            there = is_chosen_stage(&one, found->items[k].stage);
        if (!there)
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(path),
                        tr("no data of stage '" STR_FMT "', which was asked for"),
                        STR_ARG(asked->stages[i]));
    }
}

bool folder_find_dumps(const char *path, const DumpSelection *selection, Arena *arena,
                       DumpPlaces *out, Notices *notices, Error *err)
{
    // What was passed over is of no interest where the whole is taken as a set of tensors.
    Notices passed;
    *out = (DumpPlaces){0};
    notices_init(&passed, arena);
    passed.redaction = notices->redaction;
    Search search = {arena, selection, out, &passed, 0, strbuf_new(arena)};
    FolderList list;
    path = str_cstr(arena, str_of(path));
    FileKind kind = file_kind(path);
    switch (kind) {
    case FILE_NONE:
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no such file or folder"));
    case FILE_UNKNOWN:
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr(FILE_UNKNOWN_TEXT));
    case FILE_OTHER:
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("not a regular file"));
    case FILE_REGULAR:
        add_single(&search, str_cstr(arena, path_folder(str_of(path))), path);
        break;
    case FILE_FOLDER:
        if (!list_run(&path, arena, &list, err) || !search_folder(&search, path, &list, err))
            return false;
        break;
    }
    // Tensors would hide a dump that lies where none is looked for.
    bool sets = are_sets(out);
    const char *deeper = search.seen && !sets ? NULL : dump_below(arena, path, FOLDERS_DEEP);
    if (sets && deeper)
        notices_partial(
            &passed, WHERE_FILE(deeper), "%s",
            tr("this dump lies next to the steps and is not compared, their tensor files are"));
    if (out->count == 0 && !search.seen)
        note_rivals(&search, path);
    if (out->count == 0 && !search.seen && !deeper && tensor_set_is(path))
        add_single(&search, path, path);
    else
        notices_join(notices, &passed);
    if (out->count == 0)
        return nothing_found(&search, path, deeper, err);
    qsort(out->items, out->count, sizeof *out->items, dump_place_compare);
    drop_repeated(out, notices);
    if (selection)
        note_missing(selection, out, path, arena, notices);
    for (size_t i = 0; i < out->count && kind == FILE_FOLDER; i++)
        if (strcmp(out->items[i].file, out->items[i].folder) != 0)
            dump_unread_note_beside(out->items[i].file, arena, notices);
    return true;
}
