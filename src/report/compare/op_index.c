// SPDX-License-Identifier: Apache-2.0
#include "report/compare/op_index.h"

#include "base/array.h"
#include "base/names.h"
#include "base/utf8.h"
#include "base/words.h"
#include "compare/value_flow.h"
#include "read/dump/place_name.h"
#include "report/compare/op_tree.h"
#include "report/kit/cell.h"

// Numbers of more digits stay part of the form.
enum { FORM_NUMBERS = 8, FORM_DIGITS = 9, NAME_BYTES = 4096 };

enum { KEY = 4 };  // equal names that are looked up together

typedef struct Form {
    bool used;
    uint32_t count;
    int64_t last[FORM_NUMBERS], step[FORM_NUMBERS];
} Form;

typedef struct Index {
    const Comparison *comparison;
    const uint32_t *givers;
    Arena *arena;
    Names *forms, *errors;  // texts once each
    Form *form;             // by NameId of `forms`
    size_t form_count;
    size_t text_bytes;  // of forms and errors
    StrBuf names, marks, in, out, from;
    char mark;
    uint32_t run;  // how many of the last mark
} Index;

// How many digits at `at` are a number that prints as it stands; 0: it stays in the form.
static size_t number_at(Str name, size_t at)
{
    size_t end = at;
    while (end < name.size && is_digit(name.data[end]))
        end++;
    bool canonical = end - at == 1 || name.data[at] != '0';
    return end - at <= FORM_DIGITS && canonical ? end - at : 0;
}

static Str form_of(Str name, int64_t numbers[FORM_NUMBERS], uint32_t *count, Arena *arena)
{
    StrBuf form = strbuf_new(arena);
    *count = 0;
    bool literal = str_find_char(name, '#', 0) != SIZE_MAX;
    strbuf_add_char(&form, literal ? '=' : '#');
    if (literal) {
        strbuf_add(&form, name);
        return strbuf_str(&form);
    }
    for (size_t i = 0; i < name.size;) {
        bool starts = is_digit(name.data[i]) && (i == 0 || !is_digit(name.data[i - 1]));
        size_t digits = starts && *count < FORM_NUMBERS ? number_at(name, i) : 0;
        if (!digits) {
            strbuf_add_char(&form, name.data[i++]);
            continue;
        }
        str_to_int64(str_slice(name, i, i + digits), &numbers[(*count)++]);
        strbuf_add_char(&form, '#');
        i += digits;
    }
    return strbuf_str(&form);
}

static bool as_foretold(const Form *form, const int64_t *numbers)
{
    if (!form->used)
        return form->count == 0;
    for (uint32_t i = 0; i < form->count; i++)
        if (numbers[i] != form->last[i] + form->step[i])
            return false;
    return true;
}

static uint32_t text_id(Index *index, Names *texts, Str text)
{
    size_t before = names_count(texts);
    NameId id = names_add(texts, text);
    if (names_count(texts) > before)
        index->text_bytes += text.size + 1;
    return id;
}

static void add_name(Index *index, Str name, Arena *scratch)
{
    int64_t numbers[FORM_NUMBERS];
    uint32_t count;
    Str shown = utf8_display(str_slice(name, 0, NAME_BYTES), scratch);
    shown = form_of(shown, numbers, &count, scratch);
    uint32_t id = text_id(index, index->forms, shown);
    Form *form = &ARRAY_REACH(index->arena, index->form, index->form_count, id)[id];
    form->count = count;
    base36_add(&index->names, id);
    if (!as_foretold(form, numbers))
        for (uint32_t i = 0; i < count; i++)
            strbuf_printf(&index->names, "%c%lld", i ? ',' : ':',
                          (long long)(numbers[i] - form->last[i]));
    for (uint32_t i = 0; i < count; i++) {
        form->step[i] = form->used ? numbers[i] - form->last[i] : 0;
        form->last[i] = numbers[i];
    }
    form->used = true;
    strbuf_add_char(&index->names, ' ');
}

static char mark_of(const OpPair *op)
{
    switch ((Status)op->status) {
    case STATUS_ERROR:
        return op->inherited ? 'e' : 'E';
    case STATUS_WARNING:
        return op->inherited ? 'w' : 'W';
    case STATUS_UNMATCHED:
        return op->target == OP_NONE ? 'G' : 'T';
    case STATUS_PASS:
        return op->inherited ? 'p' : 'P';
    case STATUS_SAME:
        return 'S';
    default:
        return 'N';
    }
}

static void end_run(Index *index)
{
    if (index->run > 1)
        strbuf_printf(&index->marks, "%u", index->run);
    if (index->run)
        strbuf_add_char(&index->marks, index->mark);
    index->run = 0;
}

static void add_mark(Index *index, char mark)
{
    if (mark != index->mark)
        end_run(index);
    index->mark = mark;
    index->run++;
}

static void add_error(Index *index, StrBuf *to, const OpPair *op, OpSide side, Arena *scratch)
{
    double error = side == OP_INPUTS ? op->error_in : op->error_out;
    Str shown = cell_op_error(op_error_word(index->comparison, op, side), error, scratch).text;
    if (!str_equal(shown, STR("=")))
        base36_add(to, text_id(index, index->errors, shown));
    strbuf_add_char(to, ' ');
}

static void add_op(Index *index, uint32_t at, Arena *scratch)
{
    const OpPair *op = &index->comparison->ops[at];
    bool golden = op->target == OP_NONE;
    const Dump *dump = golden ? index->comparison->golden->dump : index->comparison->target->dump;
    add_name(index, names_text(dump->names, dump->ops[golden ? op->golden : op->target].name),
             scratch);
    add_mark(index, mark_of(op));
    add_error(index, &index->in, op, OP_INPUTS, scratch);
    add_error(index, &index->out, op, OP_OUTPUTS, scratch);
    if (!status_differs((Status)op->status))
        return;
    if (index->givers[at] != PAIR_NONE)
        base36_add(&index->from, at - index->givers[at]);
    strbuf_add_char(&index->from, ' ');
}

static size_t bytes_of(const Index *index)
{
    return index->names.size + index->marks.size + index->in.size + index->out.size +
           index->from.size + index->text_bytes;
}

static void add_texts(StrBuf *out, const Names *texts)
{
    strbuf_printf(out, "%zu\n", names_count(texts));
    for (NameId i = 1; i <= names_count(texts); i++)
        strbuf_printf(out, STR_FMT "\n", STR_ARG(names_text(texts, i)));
}

// The names, those that repeat earlier ones as "COUNT*DISTANCE": layers and steps are equal.
static Str fold_repeats(const Index *index, uint32_t held)
{
    Str all = strbuf_str(&index->names), *token = ARENA_ARRAY(index->arena, Str, held);
    Names *texts = names_new(index->arena), *keys = names_new(index->arena);
    NameId *text = ARENA_ARRAY(index->arena, NameId, held);
    for (uint32_t i = 0; i < held && str_split(&all, ' ', &token[i]); i++)
        text[i] = names_add(texts, token[i]);
    uint32_t *last = ARENA_ARRAY(index->arena, uint32_t, (size_t)held + 1);
    StrBuf out = strbuf_new(index->arena);
    for (uint32_t i = 0, end = 0; i < held; i++) {
        uint32_t from = 0;
        if (i + KEY <= held) {
            Str end_token = token[i + KEY - 1];
            size_t size = (size_t)(end_token.data - token[i].data) + end_token.size;
            NameId key = names_add(keys, (Str){token[i].data, size});
            from = last[key];
            last[key] = i + 1;
        }
        if (i < end)
            continue;
        uint32_t distance = i + 1 - from;
        for (end = i; from && end < held && text[end] == text[end - distance];)
            end++;
        if (end > i)
            strbuf_printf(&out, "%u*%u ", end - i, distance);
        else
            strbuf_printf(&out, STR_FMT " ", STR_ARG(token[i]));
    }
    return strbuf_str(&out);
}

static Str join(Index *index, uint32_t held, Arena *arena)
{
    const Comparison *comparison = index->comparison;
    const Str parts[] = {fold_repeats(index, held), strbuf_str(&index->marks),
                         strbuf_str(&index->in), strbuf_str(&index->out), strbuf_str(&index->from)};
    StrBuf out = strbuf_new(arena);
    Str place = place_text(comparison->step, comparison->stage, comparison->rank, index->arena);
    strbuf_printf(&out, "%u %u\n" STR_FMT "\n", comparison->op_count, held, STR_ARG(place));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        strbuf_add(&out, parts[i]);
        strbuf_add_char(&out, '\n');
    }
    add_texts(&out, index->errors);
    add_texts(&out, index->forms);
    op_tree_add(comparison, held, &out);
    return strbuf_str(&out);
}

Str op_index_text(const Comparison *comparison, Arena *arena)
{
    Arena *scratch = arena_new();
    Index index = {.comparison = comparison,
                   .givers = value_flow_givers(comparison, scratch),
                   .arena = scratch,
                   .forms = names_new(scratch),
                   .errors = names_new(scratch),
                   .names = strbuf_new(scratch),
                   .marks = strbuf_new(scratch),
                   .in = strbuf_new(scratch),
                   .out = strbuf_new(scratch),
                   .from = strbuf_new(scratch)};
    uint32_t held = 0;
    while (held < comparison->op_count && bytes_of(&index) + 4 * NAME_BYTES < OP_INDEX_BYTES) {
        Arena *own = arena_new();
        add_op(&index, held++, own);
        arena_release(own);
    }
    end_run(&index);
    Str out = join(&index, held, arena);
    arena_release(scratch);
    return out;
}
