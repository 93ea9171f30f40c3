// SPDX-License-Identifier: Apache-2.0
#include "read/precheck/precheck_add.h"

#include <math.h>

#include "base/array.h"
#include "base/utf8.h"

static PrecheckFinding *finding_of(Precheck *out, Arena *arena, const PrecheckFinding *row,
                                   const char *apart)
{
    Str key = str_printf(arena, "%d%s|" STR_FMT, row->backward, apart, STR_ARG(row->api));
    NameId id = names_add(out->names, key);
    uint32_t *place = &ARRAY_REACH(arena, out->of_name, out->of_name_count, id)[id];
    if (*place == 0) {
        PrecheckFinding *added = ARRAY_PUSH(arena, out);
        *added = (PrecheckFinding){.place = (uint32_t)out->count, .size = (double)NAN};
        *place = (uint32_t)out->count;
    }
    return &out->items[*place - 1];
}

// Whether the row says worse than what is known, or the same and also why.
static bool decides(const PrecheckFinding *row, const PrecheckFinding *known)
{
    if (known->rows == 0 || row->status != known->status)
        return known->rows == 0 || row->status > known->status;
    bool further = !isnan(row->size) && !(row->size <= known->size);
    return further || (!known->standard && row->standard) || (!known->figure && row->figure);
}

// What is longer is cut: no API and no figure is, and messages say it at their beginning.
static Str kept(Arena *arena, Str text)
{
    enum { KEPT = 512 };
    if (text.size == 0)
        return (Str){"", 0};
    if (text.size <= KEPT)
        return str_copy(arena, text);
    return str_printf(arena, STR_FMT "…", STR_ARG(utf8_start(text, KEPT)));
}

// The worst that each file says of it.
static void note_file(const Precheck *out, const PrecheckFinding *row, PrecheckFinding *known)
{
    uint32_t file = (uint32_t)out->file_count;
    if (known->file == file) {
        known->file_status = row->status > known->file_status ? row->status : known->file_status;
        return;
    }
    known->told |= (uint8_t)(1U << known->file_status);
    known->file = file;
    known->file_status = row->status;
}

void precheck_add(Precheck *out, Arena *arena, const PrecheckFinding *row, const char *apart)
{
    PrecheckFinding *known = finding_of(out, arena, row, apart);
    size_t rows = known->rows + 1;
    uint32_t place = known->place;
    Str message = known->message;
    note_file(out, row, known);
    uint32_t file = known->file;
    PrecheckStatus file_status = known->file_status;
    uint8_t told = known->told;
    if (decides(row, known)) {
        *known = *row;
        known->api = kept(arena, row->api);
        known->output = kept(arena, row->output);
        known->value = kept(arena, row->value);
        known->dtype = kept(arena, row->dtype);
        known->shape = kept(arena, row->shape);
        known->message = message;
    }
    if (known->message.size == 0)
        known->message = kept(arena, row->message);
    known->rows = rows;
    known->place = place;
    known->file = file;
    known->file_status = file_status;
    known->told = told;
}

bool precheck_word(Str word, PrecheckStatus *out)
{
    static const struct {
        const char *word;
        PrecheckStatus status;
    } words[] = {{"pass", PRECHECK_PASS},       {"yes", PRECHECK_PASS},
                 {"true", PRECHECK_PASS},       {"warning", PRECHECK_WARNING},
                 {"error", PRECHECK_ERROR},     {"fail", PRECHECK_ERROR},
                 {"failed", PRECHECK_ERROR},    {"different", PRECHECK_ERROR},
                 {"false", PRECHECK_ERROR},     {"no", PRECHECK_ERROR},
                 {"skip", PRECHECK_SKIPPED},    {"skipped", PRECHECK_SKIPPED},
                 {"no data", PRECHECK_SKIPPED}, {"unmatched", PRECHECK_SKIPPED},
                 {"n/a", PRECHECK_SKIPPED}};
    *out = PRECHECK_UNTOLD;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(word, str_of(words[i].word)))
            *out = words[i].status;
    return *out != PRECHECK_UNTOLD;
}

void precheck_split(Str name, PrecheckFinding *out)
{
    static const char *const directions[] = {".forward", ".backward", ".parameters_grad"};
    out->api = name;
    out->plain = true;
    for (size_t i = 0; i < 3; i++) {
        size_t at = str_find(name, str_of(directions[i]), 0);
        size_t end = at == SIZE_MAX ? at : at + str_of(directions[i]).size;
        if (at == SIZE_MAX || (end < name.size && name.data[end] != '.'))
            continue;
        out->plain = false;
        out->backward = i > 0;
        out->api = str_slice(name, 0, i == 2 ? end : at);
        out->output = str_slice(name, end + (end < name.size), name.size);
    }
}
