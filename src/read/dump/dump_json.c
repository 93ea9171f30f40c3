// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_json.h"

#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/pages.h"
#include "base/sort.h"
#include "base/words.h"
#include "read/dump/dump_parts.h"
#include "read/dump/op_name.h"

// Walks the file once: header keys, then the members of `data`, each read as one op.

static void init_reader(Reader *reader, Dump *out, Names *names, Arena *arena, Notices *notices)
{
    *reader = (Reader){
        .dump = out, .names = names, .arena = arena, .scratch = arena_new(), .notices = notices};
    reader->path = strbuf_new(reader->scratch);
    reader->decoded = strbuf_new(reader->scratch);
    reader->python = strbuf_new(reader->scratch);
}

static void release_reader(Reader *reader)
{
    arena_release(reader->scratch);
}

static ScanFile scan_file(const Reader *reader)
{
    return (ScanFile){reader->dump->path.data, reader->text, reader->notices};
}

// From here on the file gives nothing more: what was complete stays.
static void break_off(Reader *reader, size_t at, ScanStatus status)
{
    ScanFile file = scan_file(reader);
    reader->dump->partial_at = (int64_t)(at);
    scan_break_off(&file, at, status);
}

static Op *add_op(Reader *reader)
{
    Dump *dump = reader->dump;
    if (dump->op_count == reader->op_capacity)
        dump->ops =
            reader_more(reader, dump->ops, sizeof *dump->ops, dump->op_count, &reader->op_capacity);
    return &dump->ops[dump->op_count++];
}

// The op of the entry `name` at byte `at`; its slots follow.
static Op *begin_op(Reader *reader, Str name, size_t at)
{
    OpName parts = op_name_classify(name);
    Op *op = add_op(reader);
    *op = (Op){.name = names_add(reader->names, name),
               .first_slot = reader->dump->slot_count,
               .offset = at,
               .call = parts.call,
               .kind = (uint8_t)parts.kind,
               .direction = (uint8_t)parts.direction};
    if (reader->debug_file && op->kind != OP_GRADS)
        op->kind = OP_DEBUG;
    return op;
}

// The last one: its entry was bad.
static void drop_op(Reader *reader)
{
    Dump *dump = reader->dump;
    dump->seen -= dump->slot_count - dump->ops[--dump->op_count].first_slot;
    dump->slot_count = dump->ops[dump->op_count].first_slot;
    while (dump->extra_count && dump->extras[dump->extra_count - 1].slot >= dump->slot_count)
        dump->extra_count--;
    reader->text_stats = 0;
}

// Told once the entry is known to stay: an entry can be read twice, or be dropped.
static void tell_text_stats(Reader *reader)
{
    for (; reader->text_stats; reader->text_stats--)
        notices_partial(
            reader->notices, WHERE_FILE(reader->dump->path.data), "%s",
            tr("there is text in place of a statistic of a tensor; it is not compared"));
}

// A repeated name: the later op takes the place of the first, as in a Python dict.
static void end_op(Reader *reader)
{
    Dump *dump = reader->dump;
    uint32_t index = dump->op_count - 1;
    Op *op = &dump->ops[index];
    op->slot_count = dump->slot_count - op->first_slot;
    tell_text_stats(reader);
    uint32_t *first = &ARRAY_REACH(reader->scratch, reader->op_of_name, reader->op_of_name_count,
                                   op->name)[op->name];
    if (*first == 0) {
        *first = index + 1;
        return;
    }
    notices_partial(reader->notices, reader_where(reader, op->offset), "%s",
                    tr("an entry is repeated; the last one counts, at the place of the first"));
    dump->ops[*first - 1] = *op;
    dump->op_count--;
    reader->repeated_ops = true;
}

static void bad_entry(Reader *reader, size_t at, const char *text)
{
    Dump *dump = reader->dump;
    NameId name = dump->ops[dump->op_count - 1].name;
    ARRAY_REACH(reader->arena, dump->unread, dump->unread_names, name)[name] = true;
    drop_op(reader);
    notices_partial(reader->notices, reader_where(reader, at), "%s", text);
}

// The state before an entry, for when its direct reading is given up.
typedef struct Mark {
    uint32_t slot_count, extra_count;
    uint64_t seen, described;
    bool has_checksum, has_data_name;
} Mark;

// True if the entry at *at is of a known shape, *at then is after it.
static bool read_directly(Reader *reader, Op *op, size_t *at)
{
    Dump *dump = reader->dump;
    Mark mark = {dump->slot_count, dump->extra_count,  dump->seen,
                 dump->described,  dump->has_checksum, dump->has_data_name};
    size_t end = reader->direct ? direct_entry(reader->direct, op, *at) : 0;
    if (end) {
        *at = end;
        return true;
    }
    dump->slot_count = mark.slot_count;
    dump->extra_count = mark.extra_count;
    dump->seen = mark.seen;
    dump->described = mark.described;
    dump->has_checksum = mark.has_checksum;
    dump->has_data_name = mark.has_data_name;
    reader->text_stats = 0;
    op->recompute = op->is_nan = TRI_ABSENT;
    return false;
}

static ScanStatus read_any_entry(Reader *reader, Op *op, size_t key_at, size_t *at)
{
    size_t from = *at;
    ScanStatus status = scan_value(reader->text, at, 2);
    bool object = reader->text.data[from] == '{';
    if (status == SCAN_CUT || status == SCAN_BAD) {
        drop_op(reader);
        return status;
    }
    if (status == SCAN_DEEP) {
        bad_entry(reader, key_at, tr("an entry is nested deeper than 512 levels; it is left out"));
    } else if (!object && op->kind != OP_DEBUG) {
        bad_entry(reader, key_at,
                  tr("expected an object as entry of 'data'; other entries are left out"));
    } else if (!dump_tree_entry(reader, op, from, *at)) {
        bad_entry(reader, key_at, tr("an entry is no valid JSON; it is left out"));
    } else {
        end_op(reader);
    }
    return SCAN_OK;
}

static ScanStatus read_entry(Reader *reader, Str name, size_t key_at, size_t *at)
{
    Op *op = begin_op(reader, name, key_at);
    if (!read_directly(reader, op, at))
        return read_any_entry(reader, op, key_at, at);
    end_op(reader);
    return SCAN_OK;
}

// The members of `data`. False: the file gives nothing beyond.
static bool read_data(Reader *reader, size_t *at)
{
    ScanObject data;
    ScanString key;
    size_t key_at, ahead = 0;
    scan_object_open(&data, reader->text, *at);
    while (scan_object_next(&data, &key, &key_at)) {
        Str name;
        pages_ahead(reader->text.data, reader->text.size, key_at, &ahead);
        if (!scan_text(key, &reader->decoded, &name)) {
            notices_partial(reader->notices, reader_where(reader, key_at), "%s",
                            tr("the name of an entry is no valid JSON string; it is left out"));
            data.status = scan_value(reader->text, &data.at, 2);
        } else {
            data.status = read_entry(reader, name, key_at, &data.at);
        }
        if (data.status == SCAN_CUT || data.status == SCAN_BAD)
            break;
    }
    *at = data.at;
    if (data.status == SCAN_CUT || data.status == SCAN_BAD)
        break_off(reader, data.at, data.status);
    return reader->dump->partial_at < 0;
}

static Framework framework_of(Str text)
{
    for (int i = FRAMEWORK_PYTORCH; i <= FRAMEWORK_MINDTORCH; i++)
        if (str_equal(text, str_of(framework_text((Framework)i))))
            return (Framework)i;
    return FRAMEWORK_UNKNOWN;
}

// `text`: the value is one, else a number, true, false or null as it is written.
static void note_header(Reader *reader, Str key, size_t key_at, Str value, bool text)
{
    static const Str silent[] = {{"data", 4}, {"dump_data_dir", 13}, {"data_path", 9}};
    Dump *dump = reader->dump;
    if (str_equal(key, STR("task"))) {
        dump->task = str_copy(reader->arena, value);
    } else if (str_equal(key, STR("level"))) {
        dump->level = str_copy(reader->arena, value);
        reader->debug_file = reader->debug_file || str_equal(value, STR("debug"));
    } else if (str_equal(key, STR("framework"))) {
        dump->framework = framework_of(value);
    } else if (str_equal(key, STR("is_merged"))) {
        dump->merged = str_equal(value, STR("true"));
    } else if (!(text && dump_add_version(dump, key, value, reader->arena)) &&
               !str_equal(key, silent[0]) && !str_equal(key, silent[1]) &&
               !str_equal(key, silent[2])) {
        notices_add(reader->notices, NOTICE_INFO, reader_where(reader, key_at), "%s",
                    tr("a key of the header is not known and is skipped"));
    }
}

static ScanStatus read_header_key(Reader *reader, ScanString key, size_t key_at, size_t *at)
{
    Str name, value;
    size_t from = *at;
    ScanString string;
    ScanStatus status = scan_value(reader->text, at, 1);
    if (status == SCAN_CUT || status == SCAN_BAD)
        return status;
    value = str_slice(reader->text, from, *at);
    bool text = reader->text.data[from] == '"';
    if (!scan_text(key, &reader->decoded, &name))
        return SCAN_OK;
    name = str_copy(reader->scratch, str_slice(name, 0, 64));
    if (text && scan_string(reader->text, &from, &string) == SCAN_OK)
        scan_text(string, &reader->decoded, &value);
    if (text || value.size < 16)
        note_header(reader, name, key_at, value, text);
    return SCAN_OK;
}

static void start_data(Reader *reader, size_t key_at, bool again)
{
    if (!again)
        return;
    notices_partial(reader->notices, reader_where(reader, key_at), "%s",
                    tr("'data' is repeated; the last one counts"));
    Dump *dump = reader->dump;
    dump->repeated += dump->slot_count;
    dump->op_count = dump->slot_count = dump->extra_count = 0;
    dump->has_checksum = dump->has_data_name = false;
    if (reader->op_of_name)
        memset(reader->op_of_name, 0, reader->op_of_name_count * sizeof *reader->op_of_name);
}

// True if there is a `data` object, whole or not.
static bool read_document(Reader *reader, size_t at)
{
    ScanObject top;
    ScanString key;
    size_t key_at;
    bool found = false;
    scan_object_open(&top, reader->text, at);
    while (scan_object_next(&top, &key, &key_at)) {
        if (str_equal(key.raw, STR("data")) && reader->text.data[top.at] == '{') {
            start_data(reader, key_at, found);
            found = true;
            if (!read_data(reader, &top.at))
                return true;
            continue;
        }
        top.status = read_header_key(reader, key, key_at, &top.at);
        if (top.status == SCAN_CUT || top.status == SCAN_BAD)
            break;
    }
    ScanFile file = scan_file(reader);
    if (top.status == SCAN_CUT || top.status == SCAN_BAD)
        break_off(reader, top.at, top.status);
    else
        scan_trailing(&file, top.at);
    return found;
}

// The first extra of slot `slot` or a later one; extras are in the order of the slots.
static uint32_t first_extra(const Dump *dump, uint32_t slot)
{
    size_t at;
    FIND_FIRST(at, dump->extra_count, dump->extras[at].slot < slot);
    return (uint32_t)at;
}

// Moves the slots into the order of the ops and drops those of replaced ops.
static void compact(Reader *reader)
{
    Dump *dump = reader->dump;
    Slot *slots = ARENA_ARRAY(reader->arena, Slot, dump->slot_count);
    SlotExtra *extras = ARENA_ARRAY(reader->arena, SlotExtra, dump->extra_count);
    uint32_t slot_count = 0, extra_count = 0;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        Op *op = &dump->ops[i];
        uint32_t from = op->first_slot, to = from + op->slot_count;
        for (uint32_t k = first_extra(dump, from), end = first_extra(dump, to); k < end; k++) {
            extras[extra_count] = dump->extras[k];
            extras[extra_count++].slot += slot_count - from;
        }
        if (op->slot_count)
            memcpy(&slots[slot_count], &dump->slots[from], op->slot_count * sizeof *slots);
        op->first_slot = slot_count;
        slot_count += op->slot_count;
    }
    dump->repeated += dump->slot_count - slot_count;
    dump->slots = slots;
    dump->slot_count = slot_count;
    dump->extras = extras;
    dump->extra_count = extra_count;
}

// Where the header does not tell, the first type that names a framework does.
static Framework framework_of_types(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        Str type = names_text(dump->names, dump->slots[i].type);
        if (str_starts(type, STR("mindspore")))
            return FRAMEWORK_MINDSPORE;
        if (str_starts(type, STR("torch")))
            return FRAMEWORK_PYTORCH;
    }
    return FRAMEWORK_PYTORCH;
}

static void finish(Reader *reader)
{
    Dump *dump = reader->dump;
    if (reader->repeated_ops)
        compact(reader);
    if (dump->framework == FRAMEWORK_UNKNOWN)
        dump->framework = framework_of_types(dump);
    if (dump->task.size == 0 && dump->slot_count)
        dump->task = dump->has_data_name ? STR("tensor") : STR("statistics");
}

static bool no_data(Reader *reader, Error *err)
{
    const char *path = reader->dump->path.data;
    if (reader->dump->partial_at >= 0) {
        error_set(err, ERR_INPUT, WHERE_BYTE(path, reader->dump->partial_at), "%s",
                  tr("the file breaks off before its 'data'"));
        return error_hint(err, "%s", tr("dump again, or wait until the run has written it"));
    }
    error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("expected an object 'data', found none"));
    return error_hint(err, "%s", tr("name a dump.json or debug.json of msProbe"));
}

// The direct reader needs a '}' with readable bytes after it. A small text is copied for that,
// with one after its end; in a large one the last entries go through a tree.
static void prepare_direct(Reader *reader)
{
    enum { SMALL = 1 << 16 };
    size_t size = reader->text.size;
    if (size <= SMALL) {
        char *copy = arena_alloc(reader->scratch, size + DIRECT_PADDING + 1);
        memcpy(copy, reader->text.data, size);
        copy[size] = '}';
        reader->text.data = copy;
        reader->direct = direct_new(reader, size);
        return;
    }
    size_t brace = str_rfind_char(str_slice(reader->text, 0, size - DIRECT_PADDING), '}');
    if (brace != SIZE_MAX)
        reader->direct = direct_new(reader, brace);
}

static bool read_clean_text(Reader *reader, bool as_trees, Error *err)
{
    const char *path = reader->dump->path.data;
    size_t at = scan_space(reader->text, 0);
    if (reader->text.data[at] != '{') {
        error_set(err, ERR_INPUT, WHERE_BYTE(path, at), "%s", tr("expected a JSON object"));
        return error_hint(err, "%s", tr("name a dump.json or debug.json of msProbe"));
    }
    if (!as_trees)
        prepare_direct(reader);
    if (!read_document(reader, at))
        return no_data(reader, err);
    finish(reader);
    return true;
}

static bool read_text(const char *path, Str text, bool as_trees, Names *names, Arena *arena,
                      Dump *out, Notices *notices, Error *err)
{
    *out = (Dump){.path = str_copy(arena, str_of(path)),
                  .names = names,
                  .bytes = text.size,
                  .partial_at = -1};
    Reader reader;
    init_reader(&reader, out, names, arena, notices);
    reader.debug_file = str_equal(path_base(out->path), STR("debug.json"));
    bool good = scan_clean(out->path.data, text, &reader.text, notices, err) &&
                read_clean_text(&reader, as_trees, err);
    release_reader(&reader);
    return good;
}

bool dump_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    return read_text(path, text, false, names, arena, out, notices, err);
}

bool dump_json_read_as_trees(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                             Notices *notices, Error *err)
{
    return read_text(path, text, true, names, arena, out, notices, err);
}
