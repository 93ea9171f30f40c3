// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text_decode.h"
#include "base/words.h"
#include "read/archive/gzip.h"
#include "read/monitor/event_table.h"
#include "read/monitor/inspect_log.h"
#include "read/monitor/monitor_files.h"
#include "read/monitor/monitor_side.h"
#include "read/table/quant_rows.h"

// A folder is a rank folder by its name: "{tag}-rank{r}-{id}" (first generation), "rank_{r}"
// (second) or "rank{r}" (gradient probe). The folder that holds rank folders is the base of a tree.
// The folder of statistics logs, whose files tell their ranks themselves, counts as one.

enum { DEPTH_MAX = 4, TAG_MAX = 20, RANK_DIGITS_MAX = 9, HEADER_BYTES = 4096 };

typedef struct RankFolder {
    const char *path;
    Str tag;
    int64_t rank;
    int64_t time;  // month, day and time of the tag as one number, or -1
} RankFolder;

typedef struct RankFolders {
    RankFolder *items;
    size_t count, capacity;
} RankFolders;

typedef struct Walk {
    Arena *arena;
    MonitorTrees *trees;
    Notices *notices;
    const char *const *only;  // of the folders only these files, whatever their names; NULL: all
    size_t only_count;
} Walk;

// The number at `at`, at most 18 digits; moves past it.
static bool take_number(Str text, size_t *at, int64_t *out)
{
    size_t from = *at;
    int64_t value = 0;
    while (*at < text.size && is_digit(text.data[*at]) && *at - from < 18)
        value = value * 10 + (text.data[(*at)++] - '0');
    *out = value;
    return *at > from;
}

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

// "May06_15-00-01" → 506150001, or -1. There is no year in it.
static int64_t tag_time(Str tag)
{
    if (tag.size < 14)
        return -1;
    int64_t month = -1;
    for (int i = 0; i < 12; i++)
        if (memcmp(months + (size_t)i * 3, tag.data, 3) == 0)
            month = i + 1;
    if (month < 0)
        return -1;
    static const size_t places[] = {3, 6, 9, 12};
    int64_t time = month;
    for (size_t i = 0; i < 4; i++) {
        Str part = str_slice(tag, places[i], places[i] + 2);
        int64_t value;
        if (!str_to_int64(part, &value) || !is_digit(part.data[0]))
            return -1;
        time = time * 100 + value;
    }
    return time;
}

static bool rank_number(Str text, int64_t *rank)
{
    size_t at = 0;
    return text.size <= RANK_DIGITS_MAX && take_number(text, &at, rank) && at == text.size;
}

// "{tag}-rank{r}-{id}"
static bool tagged_rank(Str name, RankFolder *out)
{
    for (size_t at = str_find(name, STR("-rank"), 0); at != SIZE_MAX && at <= TAG_MAX;
         at = str_find(name, STR("-rank"), at + 1)) {
        size_t end = at + 5;
        if (take_number(name, &end, &out->rank) && end < name.size && name.data[end] == '-') {
            out->tag = str_slice(name, 0, at);
            out->time = tag_time(out->tag);
            return true;
        }
    }
    return false;
}

// "Dec03_21-34-40-abcd1234" of a run without other ranks: "{tag}-{id}".
static bool single_card(Str name, RankFolder *out)
{
    enum { TIME = 14, ID = 8 };
    out->tag = str_slice(name, 0, TIME);
    out->time = tag_time(out->tag);
    if (out->time < 0 || name.size != TIME + 1 + ID || name.data[TIME] != '-')
        return false;
    for (size_t i = TIME + 1; i < name.size; i++)
        if (!is_digit(name.data[i]) && !is_letter(name.data[i]))
            return false;
    return true;
}

static bool rank_folder(Str name, RankFolder *out)
{
    *out = (RankFolder){.time = -1};
    if (str_equal(name, STR(INSPECT_FOLDER)))
        return true;
    if (str_starts(name, STR("rank_")))
        return rank_number(str_slice(name, 5, name.size), &out->rank);
    if (str_starts(name, STR("rank")))
        return rank_number(str_slice(name, 4, name.size), &out->rank);
    return tagged_rank(name, out) || single_card(name, out);
}

// "grad_reduced_0-9", "module_step0-4": cuts the range off. False without one.
static bool take_range(Str *stem, MonitorFile *file)
{
    size_t at = str_rfind_char(*stem, '_');
    if (at == SIZE_MAX)
        return false;
    size_t end = at + 1;
    if (str_starts(str_slice(*stem, end, stem->size), STR("step")))
        end += 4;
    if (!take_number(*stem, &end, &file->first) || end >= stem->size || stem->data[end] != '-')
        return false;
    end++;
    if (!take_number(*stem, &end, &file->last) || end != stem->size)
        return false;
    *stem = str_slice(*stem, 0, at);
    return true;
}

static void take_part(Str *stem, MonitorFile *file)
{
    size_t at = str_find(*stem, STR("_part_"), 0);
    if (at == SIZE_MAX)
        return;
    size_t end = at + 6;
    if (take_number(*stem, &end, &file->part) && end == stem->size) {
        file->part += 1;
        *stem = str_slice(*stem, 0, at);
    }
}

static void add_side(Walk *walk, MonitorSides *sides, const char *path, int64_t rank, int64_t step)
{
    *ARRAY_PUSH(walk->arena, sides) = (MonitorSide){.path = path, .rank = rank, .step = step};
}

static bool is_second_kind(Str stem)
{
    return STR_IN(stem, "module", "weight_grad", "optimizer", "param", "cc");
}

// The number after "rank", "rank_" or "rank-", as in "log_rank3.csv"; -1 without one.
static int64_t rank_in_name(Str name)
{
    int64_t rank;
    for (size_t at = str_find(name, STR("rank"), 0); at != SIZE_MAX;
         at = str_find(name, STR("rank"), at + 1)) {
        size_t end = at + 4;
        if (end < name.size && (name.data[end] == '_' || name.data[end] == '-'))
            end++;
        if (take_number(name, &end, &rank))
            return rank;
    }
    return -1;
}

static bool is_quant_log(const char *path)
{
    File file;
    Error ignored;
    bool is = file_kind(path) == FILE_REGULAR && file_open(path, &file, &ignored);
    if (is) {
        is = quant_rows_are(file.text);
        file_close(&file);
    }
    return is;
}

// The stem of "x.csv" and "x.csv.gz", else empty.
static Str csv_stem(Str name)
{
    if (str_ends(name, STR(".gz")))
        name = str_slice(name, 0, name.size - 3);
    return str_ends(name, STR(".csv")) ? str_slice(name, 0, name.size - 4) : STR("");
}

// The first line of a file, packed by gzip or not.
static bool has_table_header(Str text)
{
    char head[HEADER_BYTES];
    bool name = false, step = false, stage = false;
    size_t statistics = 0;
    if (gzip_is(text))
        text = (Str){head, gzip_begin(text, head, sizeof head)};
    text = str_slice(text, text_mark(text), HEADER_BYTES);
    Str line = str_slice(text, 0, str_find_char(text, '\n', 0)), cell;
    while (str_split(&line, ',', &cell)) {
        cell = str_trim(cell);
        if (cell.size > 1 && cell.data[0] == '"' && cell.data[cell.size - 1] == '"')
            cell = str_slice(cell, 1, cell.size - 1);
        name = name || STR_IN(cell, "name", "module_name", "param_name");
        step = step || str_equal(cell, STR("step"));
        stage = stage || str_equal(cell, STR("vpp_stage"));
        statistics += STR_IN(cell, "norm", "mean", "min", "max", "nans", "zeros");
    }
    return name && step && (stage || statistics > 1);
}

bool monitor_table_is(const char *path)
{
    File file;
    Error ignored;
    bool is = file_kind(path) == FILE_REGULAR && file_open(path, &file, &ignored);
    if (is) {
        Arena *scratch = arena_new();
        is = event_table_name(path_base(str_of(path)))
                 ? event_table_kinds(file.text, scratch).count > 0
                 : has_table_header(file.text) || inspect_log_is(file.text);
        arena_release(scratch);
        file_close(&file);
    }
    return is;
}

static bool holds_inspect_log(const char *path)
{
    File file;
    Error ignored;
    bool is = file_open(path, &file, &ignored) && inspect_log_is(file.text);
    file_close(&file);
    return is;
}

static bool is_chosen(const Walk *walk, const char *path)
{
    for (size_t i = 0; i < walk->only_count; i++)
        if (file_same(walk->only[i], path))
            return true;
    return !walk->only;
}

// A series of each kind that an event file holds.
static void add_events(Walk *walk, MonitorTree *tree, const RankFolder *folder, Str name)
{
    File file;
    Error ignored;
    const char *path = path_join(walk->arena, folder->path, name);
    if (file_kind(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return;
    EventGroups kinds = event_table_kinds(file.text, walk->arena);
    for (size_t i = 0; i < kinds.count; i++)
        *ARRAY_PUSH(walk->arena, &tree->series) =
            (MonitorFile){.path = path,
                          .kind = kinds.items[i].kind,
                          .rank = kinds.items[i].rank < 0 ? folder->rank : kinds.items[i].rank,
                          .events = true,
                          .tag_rank = kinds.items[i].rank};
    file_close(&file);
}

// Metrics of layers among those of a run: what only `monitor` reads as its own.
static bool is_layer_metrics(const char *path)
{
    File file;
    Error ignored;
    if (!str_ends(str_of(path), STR(".jsonl")) || file_kind(path) != FILE_REGULAR ||
        !file_open(path, &file, &ignored))
        return false;
    Arena *scratch = arena_new();
    bool is = event_table_kinds(file.text, scratch).count > 0;
    arena_release(scratch);
    file_close(&file);
    return is;
}

// `any`: its header tells what the file is, not its name.
static void add_csv(Walk *walk, MonitorTree *tree, const RankFolder *folder, Str name, bool any)
{
    const char *path = path_join(walk->arena, folder->path, name);
    Str stem = csv_stem(name);
    if (!stem.size)
        stem = str_slice(name, 0, name.size - path_suffix(name).size);
    bool packed = str_ends(name, STR(".gz"));
    if (packed && !walk->only &&
        file_kind(str_cstr(walk->arena, str_slice(str_of(path), 0, strlen(path) - 3))) ==
            FILE_REGULAR)
        return;  // the same lies there unpacked
    if (str_equal(stem, STR("stack_info"))) {
        add_side(walk, &tree->stacks, path, folder->rank, 0);
        return;
    }
    if (str_equal(stem, STR("similarities"))) {
        add_side(walk, &tree->similarities, path, folder->rank, 0);
        return;
    }
    if (str_starts(stem, STR("grad_summary_"))) {
        int64_t step;
        if (str_to_int64(str_slice(stem, 13, stem.size), &step))
            add_side(walk, &tree->summaries, path, folder->rank, step);
        return;
    }
    MonitorFile file = {.path = path, .rank = folder->rank};
    if (any && holds_inspect_log(path)) {
        file.inspect = true;
        file.kind = STR(INSPECT_KIND);
        if (!inspect_log_name(name, &file.rank))
            file.rank = folder->rank;
        *ARRAY_PUSH(walk->arena, &tree->series) = file;
        return;
    }
    take_part(&stem, &file);
    bool named = take_range(&stem, &file) || is_second_kind(stem);
    bool table = !named && (any || csv_stem(name).size) && monitor_table_is(path);
    if (table && !any)
        notices_partial(walk->notices, WHERE_FILE(path), "%s",
                        tr("this table is called as none of the monitor and is not read: give it "
                           "by itself"));
    if (!named && (!table || !any) && !is_quant_log(path))
        return;
    file.renamed = table;
    file.kind = named || table ? str_copy(walk->arena, stem) : STR(QUANT_LOG_KIND);
    int64_t rank = named && !any ? -1 : rank_in_name(name);
    file.rank = rank >= 0 ? rank : file.rank;
    *ARRAY_PUSH(walk->arena, &tree->series) = file;
}

static void add_inspect_log(Walk *walk, MonitorTree *tree, const char *folder, Str name)
{
    MonitorFile file = {.kind = STR(INSPECT_KIND), .inspect = true};
    if (!inspect_log_name(name, &file.rank))
        return;
    file.path = path_join(walk->arena, folder, name);
    *ARRAY_PUSH(walk->arena, &tree->series) = file;
}

// Logs of a rank in a folder of its own: rank_3/nvdlfw_inspect_statistics_logs/….log
static void add_inspect_folder(Walk *walk, MonitorTree *tree, const RankFolder *folder)
{
    const char *path = path_join(walk->arena, folder->path, STR(INSPECT_FOLDER));
    FolderList list = {0};
    Error err;
    if (!folder_list(path, walk->arena, &list, &err)) {
        notices_add_error(walk->notices, &err);
        return;
    }
    for (size_t i = 0; i < list.count; i++)
        add_inspect_log(walk, tree, path, list.items[i]);
}

static bool tree_is_empty(const MonitorTree *tree)
{
    return tree->series.count == 0 && tree->summaries.count == 0 && tree->similarities.count == 0;
}

static void read_rank_folder(Walk *walk, MonitorTree *tree, const RankFolder *folder, size_t start)
{
    FolderList list = {0};
    Error err;
    if (!folder_list(folder->path, walk->arena, &list, &err)) {
        notices_add_error(walk->notices, &err);
        return;
    }
    size_t before = tree->series.count;
    for (size_t i = 0; i < list.count; i++)
        if (walk->only && !is_chosen(walk, path_join(walk->arena, folder->path, list.items[i])))
            continue;
        else if (event_table_name(list.items[i]) ||
                 (walk->only && str_ends(list.items[i], STR(".jsonl"))))
            add_events(walk, tree, folder, list.items[i]);
        else if (walk->only || csv_stem(list.items[i]).size)
            add_csv(walk, tree, folder, list.items[i], walk->only != NULL);
        else if (str_equal(list.items[i], STR(INSPECT_FOLDER)))
            add_inspect_folder(walk, tree, folder);
        else
            add_inspect_log(walk, tree, folder->path, list.items[i]);
    // A folder of files that were given other names.
    bool none = tree_is_empty(tree) && !walk->only;
    for (size_t i = 0; none && i < list.count; i++)
        if (csv_stem(list.items[i]).size)
            add_csv(walk, tree, folder, list.items[i], true);
    for (size_t i = before; i < tree->series.count; i++)
        tree->series.items[i].start = start;
}

static int compare_folders(const void *left, const void *right)
{
    const RankFolder *a = left, *b = right;
    int order = order_int64(a->rank, b->rank);
    if (order == 0)
        order = order_int64(a->time, b->time);
    return order ? order : str_compare(str_of(a->path), str_of(b->path));
}

static int compare_files(const void *left, const void *right)
{
    const MonitorFile *a = left, *b = right;
    int order = order_int64(a->rank, b->rank);
    if (order == 0)
        order = str_compare(a->kind, b->kind);
    if (order == 0)
        order = (a->start > b->start) - (a->start < b->start);
    if (order == 0)
        order = order_int64(a->first, b->first);
    if (order == 0)
        order = order_int64(a->part, b->part);
    return order ? order : str_compare(str_of(a->path), str_of(b->path));
}

// Tags have no year: with both December and January a run went over new year.
static void order_over_new_year(RankFolders *folders, Notices *notices)
{
    bool december = false, january = false;
    for (size_t i = 0; i < folders->count; i++) {
        december = december || folders->items[i].time / 100000000 == 12;
        january = january || folders->items[i].time / 100000000 == 1;
    }
    if (!december || !january)
        return;
    for (size_t i = 0; i < folders->count; i++)
        if (folders->items[i].time >= 0 && folders->items[i].time / 100000000 < 7)
            folders->items[i].time += 1200000000;
    notices_add(notices, NOTICE_WARNING, WHERE_FILE(folders->items[0].path),
                tr("time tags of December and January, and no year in them: December is taken as "
                   "the earlier one"));
}

static void link_parts(MonitorFiles *files)
{
    for (size_t i = 1; i < files->count; i++) {
        MonitorFile *file = &files->items[i];
        const MonitorFile *before = &files->items[i - 1];
        if (file->part && before->rank == file->rank && str_equal(before->kind, file->kind) &&
            before->start == file->start && before->first == file->first)
            file->header_path = before->part ? before->header_path : before->path;
    }
}

// Rows of torchao's logs have no step of their own: of two logs of a rank none tells which values
// are of one step.
static void leave_out_second_logs(MonitorFiles *files, Notices *notices)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        const MonitorFile *file = &files->items[i], *before = &files->items[kept - (kept > 0)];
        if (kept && str_equal(file->kind, STR(QUANT_LOG_KIND)) && file->rank == before->rank &&
            str_equal(before->kind, file->kind) && before->start == file->start)
            notices_partial(notices, WHERE_FILE(file->path),
                            tr("a second log of rank %lld: it is left out; name its rank "
                               "(log_rank1.csv)"),
                            (long long)file->rank);
        else
            files->items[kept++] = *file;
    }
    files->count = kept;
}

static const char *const config_names[] = {"config.json", "monitor_config.json"};

// The configuration of the monitor is kept in the base folder or the one above it.
static const char *find_config(const Walk *walk, const char *base)
{
    Arena *arena = walk->arena;
    const char *folders[] = {base, str_cstr(arena, path_folder(str_of(base)))};
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof config_names / sizeof *config_names; i++) {
            const char *path = path_join(arena, folders[f], str_of(config_names[i]));
            if (file_kind_noted(path, walk->notices) == FILE_REGULAR)
                return path;
        }
    return NULL;
}

// Files of ranks in a folder of their own: anomaly_detected/rank0/anomaly.json.
static void find_rank_files(Walk *walk, const MonitorTree *tree, const char *folder_name,
                            const char *file, MonitorSides *out)
{
    const char *folder = path_join(walk->arena, tree->base, str_of(folder_name));
    FolderList list = {0};
    Error err;
    if (file_kind_noted(folder, walk->notices) != FILE_FOLDER)
        folder = tree->base;  // the folder itself is named
    if (!folder_list(folder, walk->arena, &list, &err))
        notices_add_error(walk->notices, &err);
    for (size_t i = 0; i < list.count; i++) {
        RankFolder rank;
        const char *inner = path_join(walk->arena, folder, list.items[i]);
        if (!rank_folder(list.items[i], &rank) ||
            file_kind_noted(inner, walk->notices) != FILE_FOLDER)
            continue;
        const char *path = path_join(walk->arena, inner, str_of(file));
        if (file_kind_noted(path, walk->notices) == FILE_REGULAR)
            add_side(walk, out, path, rank.rank, 0);
    }
}

static void find_sides(Walk *walk, MonitorTree *tree)
{
    const char *struct_name = "module_struct.json";  // earlier releases have it right at the top
    const char *path = path_join(walk->arena, tree->base, str_of(struct_name));
    find_rank_files(walk, tree, "anomaly_detected", "anomaly.json", &tree->anomalies);
    find_rank_files(walk, tree, "module_struct", struct_name, &tree->structs);
    if (file_kind_noted(path, walk->notices) == FILE_REGULAR)
        add_side(walk, &tree->structs, path, 0, 0);
}

// What the monitor itself recorded, where nothing else was kept: `path` is the folder of a run, one
// around it, its anomaly_detected, or a file of these alarms.
static bool add_recorded(Walk *walk, const char *path)
{
    MonitorTree tree = {.base = path};
    FolderList list = {0};
    Error ignored;
    if (file_kind(path) == FILE_REGULAR)
        add_side(walk, &tree.anomalies, path, 0, 0);
    else if (folder_list(path, walk->arena, &list, &ignored))
        find_sides(walk, &tree);
    for (size_t i = 0; i < list.count && tree.anomalies.count == 0; i++) {
        tree = (MonitorTree){.base = path_join(walk->arena, path, list.items[i])};
        if (file_kind_unfollowed(tree.base) == FILE_FOLDER)
            find_sides(walk, &tree);
    }
    if (tree.anomalies.count)
        *ARRAY_PUSH(walk->arena, walk->trees) = tree;
    return tree.anomalies.count > 0;
}

static void make_tree(Walk *walk, const char *base, RankFolders *folders)
{
    MonitorTree tree = {.base = base};
    order_over_new_year(folders, walk->notices);
    if (folders->count)
        qsort(folders->items, folders->count, sizeof *folders->items, compare_folders);
    size_t start = 0;
    for (size_t i = 0; i < folders->count; i++) {
        start = i && folders->items[i].rank == folders->items[i - 1].rank ? start + 1 : 0;
        read_rank_folder(walk, &tree, &folders->items[i], start);
    }
    if (tree_is_empty(&tree))
        return;
    if (tree.series.count)
        qsort(tree.series.items, tree.series.count, sizeof *tree.series.items, compare_files);
    leave_out_second_logs(&tree.series, walk->notices);
    link_parts(&tree.series);
    if (!walk->only)
        find_sides(walk, &tree);
    tree.config = find_config(walk, base);
    *ARRAY_PUSH(walk->arena, walk->trees) = tree;
}

// Not a link: folders may lie in a circle.
static bool is_real_folder(const char *path, Notices *notices)
{
    FileKind kind = file_kind_unfollowed(path);
    if (kind != FILE_NONE && kind != FILE_UNKNOWN)
        return kind == FILE_FOLDER;
    notices_partial(notices, WHERE_FILE(path), "%s", tr(FILE_UNKNOWN_TEXT));
    return false;
}

typedef struct Pending {
    const char *path;
    int depth;
} Pending;
typedef struct Pendings {
    Pending *items;
    size_t count, capacity;
} Pendings;

static void visit(Walk *walk, Pending at, Pendings *pending)
{
    FolderList list = {0};
    Error err;
    if (!folder_list(at.path, walk->arena, &list, &err)) {
        notices_add_error(walk->notices, &err);
        return;
    }
    RankFolders ranks = {0};
    for (size_t i = 0; i < list.count; i++) {
        RankFolder folder;
        const char *path = path_join(walk->arena, at.path, list.items[i]);
        if (STR_IN(list.items[i], "anomaly_detected", "module_struct") ||
            !is_real_folder(path, walk->notices))
            continue;
        if (rank_folder(list.items[i], &folder)) {
            folder.path = path;
            *ARRAY_PUSH(walk->arena, &ranks) = folder;
        } else if (at.depth < DEPTH_MAX) {
            *ARRAY_PUSH(walk->arena, pending) = (Pending){path, at.depth + 1};
        }
    }
    if (ranks.count)
        make_tree(walk, at.path, &ranks);
}

static int compare_trees(const void *left, const void *right)
{
    const MonitorTree *a = left, *b = right;
    return str_compare_natural(str_of(a->base), str_of(b->base));
}

// The argument itself may be a rank folder, or any folder with series files in it.
static void read_argument_as_rank(Walk *walk, const char *path)
{
    RankFolder folder;
    if (!rank_folder(path_base(str_of(path)), &folder))
        folder = (RankFolder){.time = -1};
    folder.path = path;
    RankFolders folders = {0};
    *ARRAY_PUSH(walk->arena, &folders) = folder;
    make_tree(walk, path, &folders);
}

// Ranks have folders of their own, or the files lie together.
static const char *base_of_file(Walk *walk, const char *path, RankFolder *folder)
{
    Str inner = path_folder(str_of(path));
    bool rank = rank_folder(path_base(inner), folder);
    if (!rank)
        *folder = (RankFolder){.time = -1};
    folder->path = str_cstr(walk->arena, inner);
    return rank ? str_cstr(walk->arena, path_folder(inner)) : folder->path;
}

bool monitor_file_named(const char *path)
{
    MonitorFile ignored;
    RankFolder folder;
    Str name = path_base(str_of(path)), stem = csv_stem(name);
    if (str_equal(stem, STR("stack_info")))
        return true;
    take_part(&stem, &ignored);
    return monitor_table_is(path) && (take_range(&stem, &ignored) || is_second_kind(stem) ||
                                      rank_folder(path_base(path_folder(str_of(path))), &folder));
}

static void add_folder(Walk *walk, RankFolders *folders, const RankFolder *folder)
{
    for (size_t i = 0; i < folders->count; i++)
        if (file_same(folders->items[i].path, folder->path))
            return;
    *ARRAY_PUSH(walk->arena, folders) = *folder;
}

void monitor_find_files(const char *const *paths, size_t count, Arena *arena, MonitorTrees *out,
                        Notices *notices)
{
    Walk walk = {arena, out, notices, paths, count};
    bool *done = ARENA_ARRAY(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        RankFolder folder, other;
        RankFolders folders = {0};
        const char *base = base_of_file(&walk, paths[i], &folder);
        if (done[i])
            continue;
        for (size_t k = i; k < count; k++)
            if (!done[k] && file_same(base, base_of_file(&walk, paths[k], &other))) {
                done[k] = true;
                add_folder(&walk, &folders, &other);
            }
        make_tree(&walk, base, &folders);
    }
}

// A log that is named itself, or standard input, which lies in no folder.
static void add_alone(const char *path, Str kind, Arena *arena, MonitorTrees *out)
{
    MonitorTree tree = {.base = path};
    *ARRAY_PUSH(arena, &tree.series) = (MonitorFile){.path = path, .kind = kind};
    *ARRAY_PUSH(arena, out) = tree;
}

bool monitor_find(const char *path, Arena *arena, MonitorTrees *out, Notices *notices, Error *err)
{
    FileKind kind = file_kind(path);
    bool quant = is_quant_log(path);
    if (quant || (strcmp(path, "-") == 0 && monitor_table_is(path))) {
        add_alone(path, quant ? STR(QUANT_LOG_KIND) : STR("stdin"), arena, out);
        return true;
    }
    Walk walk = {arena, out, notices, NULL, 0};
    if (monitor_table_is(path) || is_layer_metrics(path)) {
        size_t before = out->count;
        monitor_find_files(&path, 1, arena, out, notices);
        for (size_t i = before; i < out->count; i++)
            out->items[i].base = path;
        if (out->count > before)
            return true;
    }
    if (kind == FILE_REGULAR && monitor_anomalies_are(path))
        return add_recorded(&walk, path);
    if (kind != FILE_FOLDER)
        return error_set(err, ERR_INPUT, WHERE_FILE(path),
                         kind == FILE_NONE
                             ? tr("there is no such folder")
                             : tr("expected a folder with monitor files, or a CSV file with "
                                  "the columns name, step and statistics"));
    size_t before = out->count;
    read_argument_as_rank(&walk, path);
    Pendings pending = {0};
    if (out->count == before)
        *ARRAY_PUSH(arena, &pending) = (Pending){path, 0};
    for (size_t i = 0; i < pending.count; i++)
        visit(&walk, pending.items[i], &pending);
    if (out->count == before && !add_recorded(&walk, path)) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("no monitor files below this folder"));
        return error_hint(err, tr("expected folders such as May06_15-00-01-rank0-b2f0e6ab, rank_0 "
                                  "or rank0 with CSV files in them"));
    }
    qsort(out->items + before, out->count - before, sizeof *out->items, compare_trees);
    return true;
}
