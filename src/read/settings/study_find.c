// SPDX-License-Identifier: Apache-2.0
#include "read/settings/study_find.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/dump/dump_source.h"
#include "read/log/health_file.h"
#include "read/log/series_name.h"
#include "read/log/series_source.h"
#include "read/monitor/monitor_files.h"
#include "read/precheck/comparison_result.h"
#include "read/settings/config_file.h"
#include "read/tensor/tensor_file.h"
#include "read/tensor/weights_file.h"

enum { DEPTH_MAX = 6, NAMES_MAX = 5000, BYTES_MAX = 512 << 20 };

typedef struct Search {
    Arena *arena;
    FoundItems *out;
    Notices *notices;
    Str root;
    int root_side;
    size_t names;
    bool full;
} Search;

// Words of a path below (and with) the folder that was named.
static bool has_word(Str path, const char *const *words, size_t count)
{
    for (size_t at = 0; at < path.size;) {
        while (at < path.size && !isalnum((unsigned char)path.data[at]))
            at++;
        size_t from = at;
        while (at < path.size && isalnum((unsigned char)path.data[at]))
            at++;
        for (size_t i = 0; i < count; i++)
            if (str_equal_nocase(str_slice(path, from, at), str_of(words[i])))
                return true;
    }
    return false;
}

#define HAS_WORD(path, words) has_word((path), (words), sizeof(words) / sizeof *(words))

// The step that a checkpoint was saved at, by its name: a word, else the last number.
static size_t age_of(Str name)
{
    static const char *const start[] = {"start", "init", "initial", "begin"};
    static const char *const end[] = {"end", "final", "last", "latest"};
    size_t age = 0;
    if (HAS_WORD(name, start))
        return 0;
    if (HAS_WORD(name, end))
        return SIZE_MAX;
    for (size_t at = 0; at < name.size;) {
        size_t digits = 0;
        double number = 0;
        while (at + digits < name.size && isdigit((unsigned char)name.data[at + digits]))
            number = number * 10 + (name.data[at + digits++] - '0');
        if (digits && number < 1e15)
            age = (size_t)number;
        at += digits ? digits : 1;
    }
    return age;
}

static FoundItem *add(Search *search, FoundKind kind, Str path)
{
    static const char *const again[] = {"again",   "noise",  "repeat", "rerun",
                                        "golden2", "bench2", "run2",   "gpu2"};
    static const char *const before[] = {"before", "unfixed", "old"};
    FoundItem *item = ARRAY_PUSH(search->arena, search->out);
    Str tail = path_base(search->root);
    Str below = str_slice(path, search->root.size, path.size);
    Str name = str_concat(search->arena, str_concat(search->arena, tail, STR("/")), below);
    NameSide side = series_name_side(name);
    item->kind = kind;
    item->path = str_copy(search->arena, path);
    item->by_name = side != NAME_NEITHER;
    item->side = item->by_name ? side == NAME_TARGET : search->root_side;
    item->again = HAS_WORD(path_base(path), again);
    item->before = HAS_WORD(path_base(path), before);
    item->age = kind == FOUND_WEIGHTS ? age_of(path_base(path)) : 0;
    return item;
}

static bool rate_is_zero(const Part *part)
{
    const PartSeries *rate = part_find(part, "lr");
    for (size_t i = 0; rate && i < rate->points.count; i++)
        if (rate->points.items.value[i] != 0)
            return false;
    return rate && rate->points.count > 1;
}

static bool add_log(Search *search, const char *path)
{
    Error err;
    Notices quiet;
    Parts parts = {0};
    Arena *scratch = arena_new();
    size_t points = 0;
    bool norms = false, zero = false, start = false;
    notices_init(&quiet, scratch);
    if (series_source_read(path, scratch, &parts, &quiet, &err)) {
        for (size_t i = 0; i < parts.count; i++) {
            const PartSeries *loss = part_find(parts.items[i], "loss");
            norms = norms || parts.items[i]->norms.count > 0;
            zero = zero || rate_is_zero(parts.items[i]);
            if (loss && loss->points.count > points) {
                points = loss->points.count;
                start = loss->points.items.x[0] <= 1;
            }
        }
    }
    arena_release(scratch);
    if (points == 0 && !norms)
        return false;
    if (norms)
        add(search, FOUND_NORMS, str_of(path));
    if (points) {
        FoundItem *item = add(search, zero ? FOUND_RATE_ZERO : FOUND_LOG, str_of(path));
        item->points = points;
        item->from_start = start;
    }
    return true;
}

static bool add_config(Search *search, const char *path)
{
    static const char *const keys[] = {
        "lr",         "learning_rate",     "hidden_size", "num_layers",   "num_hidden_layers",
        "seq_length", "global_batch_size", "adam_beta2",  "weight_decay", "num_attention_heads",
        "betas",      "max_grad_norm",     "clip_grad",   "rms_norm_eps", "vocab_size"};
    Str suffix = path_suffix(str_of(path));
    if (!str_equal(suffix, STR(".sh")) && !str_equal(suffix, STR(".yaml")) &&
        !str_equal(suffix, STR(".yml")) && !str_equal(suffix, STR(".json")))
        return false;
    Error err;
    Notices quiet;
    Config config = {0};
    Arena *scratch = arena_new();
    size_t known = 0;
    notices_init(&quiet, scratch);
    if (config_read(path, scratch, &config, &quiet, &err))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            known += config_find(&config, str_of(keys[i])) != NULL;
    arena_release(scratch);
    if (known < 3)
        return false;
    add(search, FOUND_CONFIG, str_of(path));
    return true;
}

static bool add_array(Search *search, const char *path)
{
    Error err;
    Notices quiet;
    TensorFile tensor;
    Arena *scratch = arena_new();
    notices_init(&quiet, scratch);
    bool tokens = tensor_open(path, &tensor, &quiet, &err);
    if (tokens) {
        DTypeClass kind = dtype_class(tensor.tensor.dtype);
        tokens = kind == CLASS_SIGNED || kind == CLASS_UNSIGNED;
        tensor_close(&tensor);
    }
    arena_release(scratch);
    if (tokens)
        add(search, FOUND_TOKENS, str_of(path));
    return tokens;
}

static bool is_name_map(Str text)
{
    return str_starts(text, STR("target,benchmark"));
}

// By its text: a small file of a kind of its own.
static bool is_kind(const char *path, const char *suffix, bool (*recognise)(Str text))
{
    Error err;
    File file;
    if (!str_ends(str_of(path), str_of(suffix)) || !file_open(path, &file, &err))
        return false;
    bool is = recognise(file.text);
    file_close(&file);
    return is;
}

// Pages, pictures, sources: they may quote a log, but are none.
static bool is_passed_over(Str name)
{
    return STR_ANY(name, str_ends, ".html", ".svg", ".png", ".pdf", ".md", ".py", ".c", ".h",
                   ".xlsx", ".zip");
}

static void look_at_file(Search *search, const char *path)
{
    Str name = str_of(path);
    if (file_size(path) == 0 || file_size(path) > BYTES_MAX) {
        if (weights_is(path))
            add(search, FOUND_WEIGHTS, name);
    } else if (str_ends(name, STR(".npy")) || str_ends(name, STR(".pt"))) {
        if (!add_array(search, path) && weights_is(path))
            add(search, FOUND_WEIGHTS, name);
    } else if (weights_is(path)) {
        add(search, FOUND_WEIGHTS, name);
    } else if (is_kind(path, ".json", health_recognise)) {
        add(search, FOUND_HEALTH, name);
    } else if (is_kind(path, ".json", comparison_scores_are)) {
        add(search, FOUND_SCORES, name);
    } else if (is_kind(path, ".csv", is_name_map)) {
        add(search, FOUND_NAMES, name);
    } else if (!is_passed_over(name)) {
        if (!add_log(search, path))
            add_config(search, path);
    }
}

static bool is_numbered(Str name, Str word)
{
    if (!str_starts(name, word) || name.size == word.size)
        return false;
    for (size_t i = word.size; i < name.size; i++)
        if (!isdigit((unsigned char)name.data[i]))
            return false;
    return true;
}

static bool holds_dumps(const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_numbered(list->items[i], STR("step")) || dump_is_record_name(list->items[i]))
            return true;
    return false;
}

static bool holds_monitor(const char *folder, const FolderList *list)
{
    Error err;
    Notices quiet;
    MonitorTrees trees = {0};
    bool likely = false;
    for (size_t i = 0; i < list->count; i++)
        likely = likely || str_find(list->items[i], STR("-rank"), 0) != SIZE_MAX ||
                 is_numbered(list->items[i], STR("rank_")) ||
                 str_starts(list->items[i], STR("grad_summary_"));
    if (!likely)
        return false;
    Arena *scratch = arena_new();
    notices_init(&quiet, scratch);
    bool found = monitor_find(folder, scratch, &trees, &quiet, &err);
    arena_release(scratch);
    return found;
}

// Nothing next to the shards of a checkpoint but what describes them.
static bool holds_only_weights(const FolderList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        bool fits = STR_ANY(list->items[i], str_ends, ".safetensors", ".json", ".npy", ".pt",
                            ".pth", ".bin");
        if (!fits)
            return false;
    }
    return true;
}

typedef struct Waiting {
    char *path;
    int depth;
} Waiting;
typedef struct WaitingList {
    Waiting *items;
    size_t count, capacity;
} WaitingList;

// What a folder is as a whole; else its files are looked at and its folders wait for their turn.
static bool look_at_folder(Search *search, const Waiting *folder, WaitingList *waiting, Error *err)
{
    FolderList list = {0};
    if (!folder_list(folder->path, search->arena, &list, err))
        return false;
    if (holds_dumps(&list)) {
        add(search, FOUND_DUMPS, str_of(folder->path));
        return true;
    }
    if (holds_monitor(folder->path, &list)) {
        add(search, FOUND_MONITOR, str_of(folder->path));
        return true;
    }
    if (folder->depth > 0 && holds_only_weights(&list) && weights_is(folder->path)) {
        add(search, FOUND_WEIGHTS, str_of(folder->path));
        return true;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].data[0] == '.')
            continue;
        if (search->names++ == NAMES_MAX) {
            search->full = true;
            return true;
        }
        char *path = path_join(search->arena, folder->path, list.items[i]);
        FileKind kind = file_kind(path);
        if (kind == FILE_REGULAR)
            look_at_file(search, path);
        if (kind == FILE_FOLDER && folder->depth < DEPTH_MAX)
            *ARRAY_PUSH(search->arena, waiting) = (Waiting){path, folder->depth + 1};
    }
    return true;
}

static bool search_root(Search *search, Error *err)
{
    WaitingList waiting = {0};
    const char *root = str_cstr(search->arena, search->root);
    if (file_kind(root) == FILE_REGULAR) {
        look_at_file(search, root);
        return true;
    }
    *ARRAY_PUSH(search->arena, &waiting) = (Waiting){str_cstr(search->arena, search->root), 0};
    for (size_t i = 0; i < waiting.count && !search->full; i++) {
        Waiting folder = waiting.items[i];
        Error inner;
        if (look_at_folder(search, &folder, &waiting, &inner))
            continue;
        if (i == 0) {
            *err = inner;
            return false;
        }
        notices_add_error(search->notices, &inner);
    }
    return true;
}

bool study_find(const Str *folders, size_t count, Arena *arena, FoundItems *out, Notices *notices,
                Error *err)
{
    *out = (FoundItems){0};
    for (size_t i = 0; i < count; i++) {
        Search search = {
            .arena = arena, .out = out, .notices = notices, .root = folders[i], .root_side = i > 0};
        if (!search_root(&search, err))
            return false;
        if (search.full)
            notices_partial(notices, WHERE_FILE(str_cstr(arena, folders[i])),
                            tr("more than %d names: the rest was not looked at"), NAMES_MAX);
    }
    return true;
}
