// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_source.h"

#include <assert.h>

#include "base/file.h"
#include "base/mounts.h"
#include "base/words.h"
#include "read/dump/dump_cut.h"
#include "read/dump/dump_formats.h"
#include "read/dump/dump_json.h"
#include "read/dump/slot_content.h"
#include "read/dump/tensor_set.h"
#include "read/json/python_literal.h"
#include "read/log/lines.h"
#include "read/precheck/comparison_result.h"

enum { FILE_NAMES_MAX = 2 };

// One format. A row recognises the path before it is opened, or the text of the file.
struct DumpFormat {
    const char *files[FILE_NAMES_MAX];  // in a folder, the best first; "*x": names that end in x
    const char *construct, *stack;      // next to them
    bool printed;                       // lines of text, never an object from the first byte on
    bool (*recognise_path)(const char *path);
    bool (*read_path)(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
                      Error *err);
    DumpRecogniser *recognise;
    DumpReader *read;
};

#define BESIDE .construct = "construct.json", .stack = "stack.json"

// In the order in which a folder is searched. The first is taken for what no other recognises.
static const struct DumpFormat formats[] = {
    {.files = {"dump.json", "debug.json"}, BESIDE, .read = dump_json_read},
    {.files = {"statistic.csv"}, BESIDE, .recognise = statistic_csv_is, .read = statistic_csv_read},
    {.recognise = polygraphy_json_is, .read = polygraphy_json_read},
    {.recognise = module_struct_is, .read = module_struct_read},
    {.recognise = debug_mode_json_is, .read = debug_mode_json_read},
    {.printed = true, .recognise = block_log_is, .read = block_log_read},
    {.printed = true, .recognise = quant_log_is, .read = quant_log_read},
    {.printed = true, .recognise = llama_trace_is, .read = llama_trace_read},
    {.printed = true, .recognise = paddle_log_is, .read = paddle_log_read},
    {.printed = true, .recognise = debug_mode_is, .read = debug_mode_read},
    {.files = {"dump.pkl", "api_stack_dump.pkl"},
     BESIDE,
     .recognise = pkl_text_is,
     .read = pkl_text_read},
    {.files = {"*_debug_tree_FULL_TENSORS.json", "*_debug_tree_SUMMARY.json"},
     .recognise = debug_tree_is,
     .read = debug_tree_read},
    {.files = {"dump.jsonl"}, .recognise = line_dump_is, .read = line_dump_read},
    {.recognise = probe_lines_is, .read = probe_lines_read},
    {BESIDE, .recognise_path = tensor_set_is, .read_path = tensor_set_read},
};
enum { FORMATS = sizeof formats / sizeof *formats };

// What a file is that is often named in the place of a dump, and what reads it; NULL: not known.
static const char *other_kind(const char *path, Str text)
{
    enum { BEGINNING = 64, LOOK = 4096 };
    Str name = path_base(str_of(path)), suffix = path_suffix(name);
    bool zip = str_starts(text, STR("PK\x03\x04"));
    bool tar = str_starts(str_slice(text, 257, text.size), STR("ustar"));
    if ((zip || tar || str_starts(text, STR("\x1F\x8B"))) && mounts_find(path, NULL))
        return TR("this is an archive inside an archive: unpack the outer one and give this one by "
                  "itself");
    if (zip)
        return TR("this is a zip archive: give it a name that ends in .zip");
    if (tar)
        return TR("this is a tar archive: give it, or the link to it, a name that ends in .tar, or "
                  "in .tar.gz where it is packed by gzip");
    if (str_starts(text, STR("\xFD"
                             "7zXZ")) ||
        str_starts(text, STR("BZh")) || str_starts(text, STR("\x28\xB5\x2F\xFD")) ||
        str_starts(text, STR("7z\xBC\xAF")))
        return TR("this is packed by xz, bzip2, zstd or 7z: unpack it first; .tar.gz, .tar, .zip "
                  "and .gz are read as they are");
    if (STR_IN(name, "stack.json", "construct.json"))
        return TR("this file is next to a dump: name the dump.json, or the folder");
    Str top = str_slice(text, 0, LOOK);
    if (STR_IN(suffix, ".jsonl", ".csv") && (str_find(top, STR("logprob"), 0) != SIZE_MAX ||
                                             str_find(top, STR("log_prob"), 0) != SIZE_MAX))
        return TR("these are log-probabilities of tokens: 'vernier tokens GOLDEN TARGET' compares "
                  "two");
    if (comparison_kind(text) != PRECHECK_KINDS)
        return TR("this is the result of another comparator, or of an evaluation: 'vernier "
                  "precheck FILE...' shows it");
    if (str_find(top, STR("\"npu_path\""), 0) != SIZE_MAX)
        return TR("this names the dumps of a comparison: 'vernier compare' takes it");
    if (str_find_char(str_slice(text, 0, BEGINNING), '{', 0) != SIZE_MAX)
        return NULL;  // a dump under another name, cut or not
    if (STR_IN(suffix, ".sh", ".yaml", ".yml"))
        return TR(
            "this is a training configuration: 'vernier checklist GOLDEN TARGET' compares two");
    if (str_equal(suffix, STR(".csv")) && str_find(top, STR("vpp_stage"), 0) != SIZE_MAX)
        return TR("this is a table of a monitor: 'vernier monitor FILE' draws it");
    if (STR_IN(suffix, ".csv", ".tsv", ".log", ".txt"))
        return TR("this is a log or a table: 'vernier curves LOG' draws it, 'vernier curves GOLDEN "
                  "TARGET' compares two");
    return NULL;
}

// Lines of text may be in the output of a runtime (text_plain).
static const struct DumpFormat *format_of(const char *path, Str text)
{
    enum { LOOK_BYTES = 1 << 24 };
    Arena *scratch = arena_new();
    bool object = str_starts(text, STR("{"));
    Str plain = object ? text : text_plain(str_slice(text, 0, LOOK_BYTES), scratch);
    const struct DumpFormat *found = formats;
    for (size_t i = 0; i < FORMATS && found == formats; i++)
        if (formats[i].recognise && !(formats[i].printed && object) &&
            formats[i].recognise(path, formats[i].printed ? plain : text))
            found = &formats[i];
    arena_release(scratch);
    return found;
}

enum { START = 1024 };

// {"data": {"op": {}}}: an op is no number, as the metrics of a logger are, {"data": {"loss": 2}},
// and no row of a table: {"data": [[1, 2]]}.
static bool holds_ops(Str start)
{
    Str key;
    Arena *arena = arena_new();
    size_t at = str_find(start, STR("\"data\""), 0);
    size_t open = at == SIZE_MAX ? at : str_find_char(start, '{', at);
    LiteralReader reader = literal_open(start, open == SIZE_MAX ? start.size : open, arena);
    bool number = literal_enter(&reader, '{') && literal_member(&reader, &key) &&
                  literal_value(&reader).kind == LITERAL_NUMBER;
    arena_release(arena);
    size_t list = at == SIZE_MAX ? at : str_find_char(start, '[', at);
    return at != SIZE_MAX && !number && open <= list;
}

bool dump_read_text(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    const struct DumpFormat *format = format_of(path, text);
    bool sure =
        format != formats || (str_starts(text, STR("{")) && holds_ops(str_slice(text, 0, START)));
    const char *other = sure ? NULL : other_kind(path, text);
    if (other)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr(other));
    if (format->printed)
        text = text_plain(text, arena);
    bool good = format->read(path, text, names, arena, out, notices, err);
    out->format = format;
    if (good)
        slot_content_settle(out, notices);
    return good;
}

static bool same_stamp(const FileStamp *a, const FileStamp *b)
{
    return a->size == b->size && a->second == b->second && a->nanosecond == b->nanosecond &&
           a->inode == b->inode;
}

static bool read_file(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
                      Error *err)
{
    FileStamp before = file_stamp(path);
    File file;
    if (!file_open(path, &file, err))
        return false;
    bool good = dump_read_text(path, file.text, names, arena, out, notices, err);
    file_close(&file);
    if (good && out->format == formats) {
        dump_cut_take_tensors(out, arena, notices);
        dump_files_tell(out, arena, notices);
        dump_errors_tell(out, arena, notices);
    }
    FileStamp after = file_stamp(path);
    if (good && !same_stamp(&before, &after))
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("the file was changed while it was read; try again"));
    return good;
}

static bool fits(Str name, const char *pattern)
{
    if (pattern && pattern[0] == '*')
        return str_ends(name, str_of(pattern + 1));
    return pattern && str_equal(name, str_of(pattern));
}

// Reports of what is not finite also come in logs of training, which are more than these.
static bool is_training_log(const struct DumpFormat *format, Str text)
{
    static const char *const marks[] = {"loss:", "loss=", "loss'", "loss\""};
    bool is = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && format->recognise == block_log_is; i++)
        is = is || str_find(text, str_of(marks[i]), 0) != SIZE_MAX;
    return is;
}

bool dump_is_file(const char *path)
{
    File file;
    Error ignored;
    if (!file_open(path, &file, &ignored))
        return false;
    Str start = str_slice(file.text, 0, START);
    const struct DumpFormat *format = format_of(path, file.text);
    bool is = (format != formats && !is_training_log(format, file.text)) ||
              (str_starts(start, STR("{")) && holds_ops(start) &&
               str_find(start, STR("\n{"), 0) == SIZE_MAX);  // an object a line is a log
    file_close(&file);
    return is;
}

static void account_for(const Dump *dump, Notices *notices)
{
    assert(dump->seen == dump->slot_count + dump->described + dump->repeated);
    account_see(&notices->account, dump->seen);
    account_set_aside(&notices->account, ASIDE_DESCRIPTION, dump->described);
    account_set_aside(&notices->account, ASIDE_REPEATED, dump->repeated);
}

bool dump_is_record_name(Str name)
{
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < FILE_NAMES_MAX; k++)
            if (fits(name, formats[i].files[k]))
                return true;
    return false;
}

// One in an archive: no file of tensors, though torch writes its own as a zip.
static bool is_archive_inside(const char *path)
{
    bool readable;
    const ArchiveMember *member = mounts_find(path, NULL);
    return member && !member->folder && archive_stem(str_of(path), &readable).size;
}

bool dump_read(const char *path, Names *names, Arena *arena, Dump *out, Notices *notices,
               Error *err)
{
    // A name that tells the format saves opening the file to see, a round trip where it is far.
    bool named = dump_is_record_name(path_base(str_of(path))) || is_archive_inside(path);
    for (size_t i = 0; i < FORMATS && !named; i++)
        if (formats[i].recognise_path && formats[i].recognise_path(path)) {
            bool good = formats[i].read_path(path, names, arena, out, notices, err);
            out->format = &formats[i];
            if (good) {
                slot_content_settle(out, notices);
                account_for(out, notices);
            }
            return good;
        }
    bool good = read_file(path, names, arena, out, notices, err);
    if (good)
        account_for(out, notices);
    return good;
}

// A construct.json that was copied from another dump names other calls.
static void leave_out_foreign(const Dump *dump, const char *path, Construct *construct,
                              Notices *notices)
{
    enum { LEAST = 4 };
    Arena *scratch = arena_new();
    bool *listed = ARENA_ARRAY(scratch, bool, names_count(dump->names) + 2);
    uint32_t known = 0;
    for (uint32_t i = 0; i < construct->count; i++)
        listed[construct->entries[i].child] = true;
    for (uint32_t i = 0; i < dump->op_count; i++)
        known += listed[dump->ops[i].name];
    arena_release(scratch);
    if (construct->count < LEAST || dump->op_count < LEAST || known >= dump->op_count / 10 + 1)
        return;
    notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                tr("it names %u of the %u ops of the dump next to it, so it is of another dump and "
                   "left out"),
                known, dump->op_count);
    construct->count = 0;
}

void dump_read_hierarchy(const Dump *dump, const char *folder, Arena *arena, Construct *construct,
                         Stacks **stacks, Notices *notices)
{
    const struct DumpFormat *format = dump->format ? dump->format : &formats[0];
    *construct = (Construct){.last_micro_step = -1};
    *stacks = NULL;
    if (dump->construct)
        *construct = *dump->construct;
    else if (format->construct) {
        const char *path = path_join(arena, folder, str_of(format->construct));
        construct_read(path, dump->names, arena, construct, notices);
        leave_out_foreign(dump, path, construct, notices);
    }
    if (format->stack)
        *stacks = stacks_open(path_join(arena, folder, str_of(format->stack)), dump->names, arena,
                              notices);
}

static const char *listed_file(const char *folder, const FolderList *list, const char *pattern,
                               Arena *arena)
{
    for (size_t i = 0; i < list->count; i++)
        if (fits(list->items[i], pattern))
            return path_join(arena, folder, list->items[i]);
    return NULL;
}

static const char *named_file(const char *folder, const char *name, Arena *arena)
{
    const char *file = path_join(arena, folder, str_of(name));
    return file_kind(file) == FILE_NONE ? NULL : file;
}

// Of the formats whose names are patterns where there is a list of the folder, else of the others.
static const char *first_file(const char *folder, const FolderList *list, Arena *arena)
{
    const char *file = NULL;
    for (size_t i = 0; i < FORMATS * FILE_NAMES_MAX && !file; i++) {
        const char *name = formats[i / FILE_NAMES_MAX].files[i % FILE_NAMES_MAX];
        if (!name || (name[0] == '*') != (list != NULL))
            continue;
        file = list ? listed_file(folder, list, name, arena) : named_file(folder, name, arena);
    }
    return file;
}

// Of a tool whose files have no name of their own.
static bool is_nameless(const char *path)
{
    File file;
    Error ignored;
    if (file_kind_unfollowed(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return false;
    const struct DumpFormat *format = format_of(path, file.text);
    file_close(&file);
    return format != formats && !format->files[0];
}

// How many there are in a folder, two at most, by name. A folder with many files is one of
// something else.
static size_t nameless_files(const char *folder, const FolderList *list, Arena *arena, Str out[2])
{
    enum { FILES_MAX = 16 };
    size_t found = 0;
    for (size_t i = 0; i < list->count && list->count <= FILES_MAX && found < 2; i++)
        if (STR_IN(path_suffix(list->items[i]), ".txt", ".log", ".csv", ".json", ".jsonl") &&
            is_nameless(path_join(arena, folder, list->items[i])))
            out[found++] = list->items[i];
    return found;
}

bool dump_rivals_in(const char *folder, Arena *arena, Str out[2])
{
    Error ignored;
    FolderList list = {0};
    return folder_list(folder, arena, &list, &ignored) &&
           nameless_files(folder, &list, arena, out) > 1;
}

const char *dump_file_in(const char *folder, Arena *arena)
{
    Error ignored;
    Str nameless[2];
    FolderList list = {0};
    const char *file = first_file(folder, NULL, arena);
    if (file || !folder_list(folder, arena, &list, &ignored))
        return file;
    file = first_file(folder, &list, arena);
    bool only = !file && nameless_files(folder, &list, arena, nameless) == 1;
    return only ? path_join(arena, folder, nameless[0]) : file;
}

bool dump_is_file_name(Str name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (fits(name, formats[i].construct) || fits(name, formats[i].stack))
            return true;
    return dump_is_record_name(name);
}
