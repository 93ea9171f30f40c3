// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/path.h"
#include "base/words.h"
#include "read/dump/tensor_set.h"

// Where ops are named, by the id of the name; 0: not yet.
typedef struct Turns {
    Names *names;
    size_t *of;
    size_t count, next;
    Arena *arena;
} Turns;

static void take_turn(Turns *turns, NameId id)
{
    size_t *turn = &ARRAY_REACH(turns->arena, turns->of, turns->count, id)[id];
    if (*turn == 0)
        *turn = ++turns->next;
}

// All texts in quotes that are names of ops.
static void take_stacks(Turns *turns, const char *path)
{
    File file;
    Error ignored;
    if (file_kind(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return;
    Str text = file.text;
    for (size_t at = str_find_char(text, '"', 0); at != SIZE_MAX;) {
        size_t end = str_find_char(text, '"', at + 1);
        NameId id =
            end == SIZE_MAX ? NAME_NONE : names_find(turns->names, str_slice(text, at + 1, end));
        if (id != NAME_NONE)
            take_turn(turns, id);
        at = end == SIZE_MAX ? end : str_find_char(text, '"', end + 1);
    }
    file_close(&file);
}

typedef struct Turn {
    size_t at;
    Op op;
} Turn;

static int by_turn(const void *a, const void *b)
{
    const Turn *one = a, *two = b;
    return (one->at > two->at) - (one->at < two->at);
}

static void order_ops(Dump *dump, Turns *turns)
{
    Turn *order = ARENA_ARRAY(turns->arena, Turn, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        NameId id = dump->ops[i].name;
        take_turn(turns, id);  // those that nothing named come last
        order[i] = (Turn){turns->of[id], dump->ops[i]};
    }
    qsort(order, dump->op_count, sizeof *order, by_turn);
    Slot *slots = ARENA_ARRAY(turns->arena, Slot, (size_t)dump->slot_count + 1);
    uint32_t next = 0;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        dump->ops[i] = order[i].op;
        for (uint32_t k = 0; k < order[i].op.slot_count; k++)
            slots[next + k] = dump->slots[order[i].op.first_slot + k];
        dump->ops[i].first_slot = next;
        next += order[i].op.slot_count;
    }
    memcpy(dump->slots, slots, next * sizeof *slots);
}

// Files hold no arguments that are no tensors: where the ops have some, the other side's would lack
// a partner.
static bool tensors_alone(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].kind != SLOT_TENSOR)
            return false;
    return dump->op_count > 0;
}

void dump_cut_take_tensors(Dump *dump, Arena *arena, Notices *notices)
{
    Dump tensors;
    Error ignored;
    const char *folder = str_cstr(arena, path_folder(dump->path));
    const char *below = path_join(arena, folder, STR("dump_tensor_data"));
    if (dump->partial_at < 0 || !tensors_alone(dump) || file_kind(below) != FILE_FOLDER ||
        !tensor_set_read(below, dump->names, arena, &tensors, notices, &ignored) ||
        tensors.op_count <= dump->op_count || tensors.extra_count)
        return;
    Arena *scratch = arena_new();
    Turns turns = {.names = dump->names, .arena = scratch};
    for (uint32_t i = 0; i < dump->op_count; i++)
        take_turn(&turns, dump->ops[i].name);
    take_stacks(&turns, path_join(scratch, folder, STR("stack.json")));
    order_ops(&tensors, &turns);
    arena_release(scratch);
    notices_partial(notices, WHERE_BYTE(dump->path.data, dump->partial_at), "%s",
                    tr("the dump breaks off here: the tensors in dump_tensor_data are read "
                       "instead, without arguments that are no tensors"));
    tensors.framework = dump->framework ? dump->framework : tensors.framework;
    tensors.level = dump->level.size ? dump->level : tensors.level;
    *dump = tensors;
}

void dump_files_tell(const Dump *dump, Arena *arena, Notices *notices)
{
    FolderList list;
    Error ignored;
    size_t files = 0, named = 0;
    const char *folder = str_cstr(arena, path_folder(dump->path));
    const char *below = path_join(arena, folder, STR("dump_tensor_data"));
    if (dump->partial_at >= 0 || file_kind(below) != FILE_FOLDER ||
        !folder_list(below, arena, &list, &ignored))
        return;
    for (size_t i = 0; i < list.count; i++)
        files += tensor_set_has_name(list.items[i]);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        named += dump->slots[i].data_name != NAME_NONE;
    if (files > named)
        notices_partial(notices, WHERE_FILE(below),
                        tr_count(files - named, "%zu file is named by no entry of the dump",
                                 "%zu files are named by no entry of the dump"),
                        files - named);
}

enum { OPS_TOLD = 4 };

// "… Failed to save Functional.gelu.0.forward.output.0: no space": the op, without its slot.
static bool op_of_line(Str line, Str *out)
{
    static const char *const parts[] = {".input.",  ".output.",     ".input_args.",
                                        ".kwargs.", ".parameters.", NULL};
    Str rest = line, word;
    while (str_split(&rest, ' ', &word)) {
        if (str_ends(word, STR(":")))
            word = str_slice(word, 0, word.size - 1);
        size_t end = word.size;
        for (size_t i = 0; parts[i]; i++) {
            size_t at = str_find(word, str_of(parts[i]), 0);
            end = at < end ? at : end;
        }
        Str name = str_slice(word, 0, end);
        bool direction = str_find(name, STR(".forward"), 0) != SIZE_MAX ||
                         str_find(name, STR(".backward"), 0) != SIZE_MAX;
        *out = name;
        if (direction)
            return true;
    }
    return false;
}

void dump_errors_tell(Dump *dump, Arena *arena, Notices *notices)
{
    File file;
    Error ignored;
    const char *path =
        path_join(arena, str_cstr(arena, path_folder(dump->path)), STR("dump_error_info.log"));
    if (file_kind(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return;
    Str rest = file.text, line, name;
    StrBuf told = strbuf_new(arena);
    size_t lines = 0, ops = 0;
    while (rest.size && str_split(&rest, '\n', &line)) {
        lines += str_trim(line).size > 0;
        if (!op_of_line(str_trim(line), &name))
            continue;
        NameId id = names_add(dump->names, name);
        ARRAY_REACH(arena, dump->unread, dump->unread_names, id)[id] = true;
        if (ops++ < OPS_TOLD)
            strbuf_printf(&told, "%s" STR_FMT, ops > 1 ? ", " : "", STR_ARG(name));
    }
    if (lines)
        notices_partial(
            notices, WHERE_FILE(path),
            tr("the dump tool reports %zu lines of errors; what it could not save: " STR_FMT "%s"),
            lines, STR_ARG(ops ? strbuf_str(&told) : STR("-")), ops > OPS_TOLD ? ", ..." : "");
    file_close(&file);
}
