// SPDX-License-Identifier: Apache-2.0
#include "report/compare/op_tree.h"

#include <math.h>

#include "base/names.h"
#include "base/utf8.h"
#include "base/words.h"
#include "picture/compare/node_name.h"
#include "picture/compare/outline.h"
#include "verdict/figure_text.h"

// Values past so many bytes, and trees past so many, are left out: a page has its limit.
enum { VALUE_BYTES = 160000, TREE_BYTES = 400000 };

typedef struct Tree {
    const Comparison *comparison;
    Outline outline;
    uint32_t held;   // ops
    uint32_t *base;  // by tree row: its first op; PAIR_NONE: it holds none
    NameId *shape;   // by tree row
    Names *shapes;   // texts once each: equal subtrees have one
    size_t bytes;    // of them
    Arena *scratch;
} Tree;

void base36_add(StrBuf *buf, uint32_t value)
{
    char digits[8];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
        value /= 36;
    } while (value);
    while (count)
        strbuf_add_char(buf, digits[--count]);
}

// ---- the hierarchy

// Children with the same shape at one distance from each other.
typedef struct Run {
    NameId shape;
    uint32_t from, step, count;
} Run;

static void run_write(const Run *run, StrBuf *out)
{
    if (!run->count)
        return;
    strbuf_add_char(out, ' ');
    base36_add(out, run->shape);
    strbuf_add_char(out, '.');
    base36_add(out, run->from);
    if (run->count == 1)
        return;
    strbuf_add_char(out, '*');
    base36_add(out, run->count);
    strbuf_add_char(out, '+');
    base36_add(out, run->step);
}

// Takes a child at `at` after the parent's first op into the run, or begins a new one.
static void run_take(Run *run, NameId shape, uint32_t at, StrBuf *out)
{
    uint32_t last = run->from + run->step * (run->count ? run->count - 1 : 0);
    if (run->count && run->shape == shape && at >= last &&
        (run->count == 1 || at - last == run->step)) {
        run->step = at - last;
        run->count++;
        return;
    }
    run_write(run, out);
    *run = (Run){.shape = shape, .from = at, .count = 1};
}

static uint32_t own_op(const Tree *tree, uint32_t row)
{
    uint32_t op = tree->comparison->tree[row].pair;
    return op < tree->held ? op : PAIR_NONE;
}

// Called for children before their parents.
static void add_shape(Tree *tree, uint32_t row)
{
    uint32_t own = own_op(tree, row), base = own;
    const Outline *outline = &tree->outline;
    for (uint32_t at = outline_first(outline, row); at != PAIR_NONE; at = outline_next(outline, at))
        base = tree->base[at] < base ? tree->base[at] : base;
    tree->base[row] = base;
    if (base == PAIR_NONE || tree->bytes > TREE_BYTES)
        return;
    Arena *arena = arena_new();
    StrBuf text = strbuf_new(arena);
    Run run = {0};
    if (own != PAIR_NONE)
        base36_add(&text, own - base);
    for (uint32_t at = outline_first(outline, row); at != PAIR_NONE; at = outline_next(outline, at))
        if (tree->base[at] != PAIR_NONE)
            run_take(&run, tree->shape[at], tree->base[at] - base, &text);
    run_write(&run, &text);
    if (own == PAIR_NONE)
        strbuf_printf(&text, "|" STR_FMT, STR_ARG(node_name(tree->comparison, row, arena).local));
    size_t before = names_count(tree->shapes);
    tree->shape[row] = names_add(tree->shapes, strbuf_str(&text));
    if (names_count(tree->shapes) > before)
        tree->bytes += text.size + 1;
    arena_release(arena);
}

static void add_sections(const Tree *tree, StrBuf *out)
{
    static const char kinds[] = {
        [SECTION_FORWARD] = 'F', [SECTION_BACKWARD] = 'B', [SECTION_AFTER] = 'A'};
    bool whole = tree->bytes <= TREE_BYTES;
    strbuf_printf(out, "%u\n", whole ? tree->outline.section_count : 0);
    for (uint32_t i = 0; whole && i < tree->outline.section_count; i++) {
        const Section *section = &tree->outline.sections[i];
        Run run = {0};
        strbuf_printf(out, "%c%u", kinds[section->kind], section->micro_step);
        for (uint32_t k = 0; k < section->count; k++) {
            uint32_t row = tree->outline.tops[section->first + k];
            if (tree->base[row] != PAIR_NONE)
                run_take(&run, tree->shape[row], tree->base[row], out);
        }
        run_write(&run, out);
        strbuf_add_char(out, '\n');
    }
    size_t count = whole ? names_count(tree->shapes) : 0;
    strbuf_printf(out, "%zu\n", count);
    for (NameId i = 1; i <= count; i++)
        strbuf_printf(out, STR_FMT "\n", STR_ARG(names_text(tree->shapes, i)));
}

// ---- what is known of each op

// Numbers of texts, equal ones that follow each other once: "2*40 1*3".
typedef struct Texts {
    Names *texts;
    StrBuf ids;
    NameId last;
    uint32_t run;
} Texts;

static void texts_end(Texts *texts)
{
    if (!texts->run)
        return;
    base36_add(&texts->ids, texts->last);
    strbuf_add_char(&texts->ids, '*');
    base36_add(&texts->ids, texts->run);
    strbuf_add_char(&texts->ids, ' ');
    texts->run = 0;
}

static void texts_add(Texts *texts, Str text)
{
    NameId id = text.size ? names_add(texts->texts, text) : NAME_NONE;
    if (id != texts->last)
        texts_end(texts);
    texts->last = id;
    texts->run++;
}

static Str dtype_of(const Comparison *comparison, const SlotPair *slot)
{
    bool target = slot->target != SLOT_NONE;
    const Dump *dump = target ? comparison->target->dump : comparison->golden->dump;
    Str dtype = names_text(dump->names, dump->slots[target ? slot->target : slot->golden].dtype);
    return str_starts(dtype, STR("torch.")) ? str_slice(dtype, 6, dtype.size) : dtype;
}

// "2.931/1.448/1.9e-06": the norms of both sides, or their largest elements, and the floor;
// no second norm where it prints as the first.
static void add_values(const Comparison *comparison, const SlotPair *slot, StrBuf *out)
{
    const Dump *dumps[] = {comparison->golden->dump, comparison->target->dump};
    const uint32_t slots[] = {slot->golden, slot->target};
    double values[2];
    Arena *arena = arena_new();
    for (int stat = STAT_NORM, tries = 0; tries < 2; stat = STAT_MAX, tries++) {
        bool known = true;
        for (int side = 0; side < 2; side++)
            known = known && slots[side] != SLOT_NONE &&
                    slot_stat(&dumps[side]->slots[slots[side]], (Stat)stat, &values[side]);
        if (!known)
            continue;
        Str golden = figure_number(values[0], 5, arena),
            target = figure_number(values[1], 5, arena);
        strbuf_printf(out, STR_FMT "/" STR_FMT "/", STR_ARG(golden),
                      STR_ARG(str_equal(golden, target) ? STR("") : target));
        if (!slot->exact && slot->floor > 0 && isfinite(slot->floor))
            strbuf_add(out, figure_number((double)slot->floor, 2, arena));
        break;
    }
    arena_release(arena);
}

static void add_facts(const Tree *tree, StrBuf *out)
{
    Texts dtypes = {.texts = names_new(tree->scratch), .ids = strbuf_new(tree->scratch)};
    Texts rules = {.texts = dtypes.texts, .ids = strbuf_new(tree->scratch)};
    StrBuf values = strbuf_new(tree->scratch);
    for (uint32_t i = 0; i < tree->held; i++) {
        const OpPair *op = &tree->comparison->ops[i];
        const SlotPair *slot = comparison_worst_slot(tree->comparison, op, OP_OUTPUTS);
        if (!slot || (status_differs((Status)op->input_status) &&
                      !status_differs((Status)op->output_status)))
            slot = comparison_worst_slot(tree->comparison, op, OP_INPUTS);
        const char *said =
            slot && slot->status != STATUS_SAME ? rule_table[slot->reason].said : NULL;
        texts_add(&dtypes, slot ? dtype_of(tree->comparison, slot) : STR(""));
        texts_add(&rules, said ? str_of(tr(said)) : STR(""));
        if (op->status < STATUS_PASS || op->status > STATUS_ERROR)
            continue;
        if (slot && values.size < VALUE_BYTES)
            add_values(tree->comparison, slot, &values);
        strbuf_add_char(&values, ' ');
    }
    texts_end(&dtypes);
    texts_end(&rules);
    const StrBuf *parts[] = {&dtypes.ids, &rules.ids, &values};
    for (size_t i = 0; i < 3; i++)
        strbuf_printf(out, STR_FMT "\n", STR_ARG(strbuf_str(parts[i])));
    strbuf_printf(out, "%zu\n", names_count(dtypes.texts));
    for (NameId i = 1; i <= names_count(dtypes.texts); i++)
        strbuf_printf(out, STR_FMT "\n",
                      STR_ARG(utf8_display(names_text(dtypes.texts, i), tree->scratch)));
}

void op_tree_add(const Comparison *comparison, uint32_t held, StrBuf *out)
{
    Tree tree = {.comparison = comparison, .held = held, .scratch = arena_new()};
    outline_build(comparison, tree.scratch, &tree.outline);
    tree.base = ARENA_ARRAY(tree.scratch, uint32_t, comparison->tree_count);
    tree.shape = ARENA_ARRAY(tree.scratch, NameId, comparison->tree_count);
    tree.shapes = names_new(tree.scratch);
    for (uint32_t row = comparison->tree_count; row-- > 0;)
        add_shape(&tree, row);
    add_facts(&tree, out);
    add_sections(&tree, out);
    arena_release(tree.scratch);
}
