// SPDX-License-Identifier: Apache-2.0
// What calls that do the same work in one dump have in common: layers of a model, and micro batches
// of a step. One that does otherwise than nearly all of its siblings is named.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

// ---- siblings: one of many that is otherwise than the others

typedef struct Kind {
    NameId value;
    uint32_t first, last;  // ops that have it
    size_t count;
} Kind;

// What calls that do the same work have, of two values.
typedef struct Siblings {
    LocalLaw law;
    Kind kinds[2];
    size_t all, changes;
    NameId last;
    uint32_t changed;  // the first op that has another value than the one before it
} Siblings;

typedef struct AllSiblings {
    Names *names;     // of keys and values
    Siblings *items;  // by key
    size_t count;
    uint32_t *losses;  // by key of a loss: its last backward call, from 1
    size_t loss_count;
} AllSiblings;

enum { NEIGHBOURS = 3, WINDOW = 2 * NEIGHBOURS + 1, KEY_PARTS = WINDOW + 2 };

// `key`: what siblings have in common; its last but one is left for the law.
static void note_sibling(Looking *of, AllSiblings *all, LocalLaw law, NameId *key, NameId value,
                         uint32_t op)
{
    key[KEY_PARTS - 1] = (NameId)law;
    NameId id = names_add(all->names, (Str){(const char *)key, KEY_PARTS * sizeof *key});
    Siblings *it = &ARRAY_REACH(of->scratch, all->items, all->count, id)[id];
    it->law = law;
    it->changed = it->all && it->last != value && it->changes++ == 0 ? op : it->changed;
    it->last = value;
    it->all++;
    for (size_t i = 0; i < 2; i++) {
        Kind *kind = &it->kinds[i];
        if (kind->count && kind->value != value)
            continue;
        *kind = (Kind){value, kind->count ? kind->first : op, op, kind->count + 1};
        return;
    }
}

static NameId word_of(AllSiblings *all, const char *word)
{
    return names_add(all->names, str_of(word));
}

static void break_sibling(Looking *of, const AllSiblings *all, const Siblings *it,
                          const Kind *other, const Kind *usual)
{
    TensorSeen seen = {0};
    const Op *op = &of->dump->ops[other->first];
    bool told = look_tensor(of, op, "output.0", &seen);
    Str name = look_name(of, op), value = names_text(all->names, other->value);
    Str others = names_text(all->names, usual->value);
    if (it->law == LOCAL_LAYERS)
        look_break(of, it->law, look_name(of, &of->dump->ops[it->changed]),
                   tr("its positions start elsewhere, at " STR_FMT " before it"),
                   STR_ARG(names_text(all->names, it->kinds[0].value)));
    else if (it->law == LOCAL_MICRO)
        look_break(of, it->law, name,
                   tr(STR_FMT " arrives, at the %zu other micro batches " STR_FMT), STR_ARG(value),
                   usual->count, STR_ARG(others));
    else if (it->law == LOCAL_LAYER_DTYPES)
        look_break(of, it->law, name, tr("gives " STR_FMT ", %zu siblings give " STR_FMT),
                   STR_ARG(value), usual->count, STR_ARG(others));
    else if (it->law == LOCAL_CAUSAL && told && str_equal(others, STR("masked rows")))
        look_break(of, it->law, name,
                   tr("its largest probability is %.6g; of %zu others with masked scores it is 1"),
                   seen.stat[STAT_MAX], usual->count);
    else if (it->law == LOCAL_CAUSAL)
        look_break(of, it->law, name, tr("it gets no mask, %zu siblings get one"), usual->count);
    else if (is_digit(others.data[0]) && is_digit(value.data[0]))
        look_break(
            of, it->law, name,
            tr("the experts of its layer take " STR_FMT " rows, those of %zu others " STR_FMT),
            STR_ARG(value), usual->count, STR_ARG(others));
    else
        look_break(of, it->law, name,
                   tr("its gates sum up to %.6g, those of %zu siblings to " STR_FMT),
                   told ? seen.stat[STAT_MEAN] * (double)look_dimension(seen.shape, -1) : 0,
                   usual->count, STR_ARG(others));
}

// A share of the step, which the number of its micro batches divides, and the scale of a loss may
// multiply: a power of two, from 128 on as scalers begin and end.
static bool is_share(double value, size_t all)
{
    static const double least = 128, near = 4e-3;  // a step of bfloat16
    int power;
    double whole = value * (double)all, half = frexp(whole, &power);
    return fabs(whole - 1) <= near ||
           (whole >= least * (1 - near) && (fabs(2 * half - 1) <= near || fabs(half - 1) <= near));
}

// Siblings are judged where there are four, and where no more than one in four is another: two
// kinds of layers that take turns are more. The ends of a model may be otherwise than its middle.
// Positions change once for a part; a micro batch may be the last.
static void judge_siblings(Looking *of, const AllSiblings *all, const Siblings *it)
{
    enum { SIBLINGS_FROM = 4, BATCHES_FROM = 3, CHANGES = 2 };
    const Kind *usual = &it->kinds[it->kinds[1].count > it->kinds[0].count];
    const Kind *other = &it->kinds[usual == &it->kinds[0]];
    Str others = names_text(all->names, usual->value);
    bool alone = it->law == LOCAL_ROUTING || str_equal(others, STR("mask"));
    bool odd = usual->first < other->first && usual->last > other->last &&
               SIBLINGS_FROM * other->count <= it->all && (!alone || other->count == 1);
    bool open = it->law == LOCAL_CAUSAL && str_equal(others, STR("open"));
    bool both = usual->count + other->count == it->all;
    double share = NAN;
    if (it->law == LOCAL_LAYERS)
        odd = (both = it->changes <= CHANGES);
    else if (it->law == LOCAL_MICRO)
        odd = other->count == 1 && number_of_text(others, &share) && is_share(share, it->all);
    if (it->all < (it->law == LOCAL_MICRO ? BATCHES_FROM : SIBLINGS_FROM) || !both || open ||
        (other->count && !odd))
        return;
    of->out->local[it->law].checked += it->law == LOCAL_LAYERS ? 1 : it->all;
    if (other->count)
        break_sibling(of, all, it, other, usual);
}

// ---- positions

// From Min to Max by one, as Mean and Norm of such numbers alone are.
static bool counts_up(const TensorSeen *seen)
{
    enum { FEWEST = 4 };
    static const double near = 1e-6;
    double low = seen->stat[STAT_MIN], high = seen->stat[STAT_MAX], many = (double)seen->elements;
    if (!sums_told(seen) || !tensor_seen_has_ends(seen) || tensor_seen_rounded(seen) ||
        seen->elements < FEWEST || high - low + 1 != many)
        return false;
    double mean = (low + high) / 2, squares = mean * mean + (many * many - 1) / 12;
    return fabs(seen->stat[STAT_MEAN] - mean) <= near * (fabs(mean) + 1) &&
           fabs(seen->stat[STAT_NORM] - sqrt(squares * many)) <= near * sqrt(squares * many);
}

static NameId number_of(const Looking *of, AllSiblings *all, double value)
{
    return names_add(all->names, str_printf(of->scratch, "%.6g", value));
}

// Siblings multiply positions with the same rates; where they start is what they have.
static void note_positions(Looking *of, uint32_t index, AllSiblings *all)
{
    TensorSeen one, two;
    const Op *op = &of->dump->ops[index];
    const OpName *name = &of->names[index];
    if ((!(of->traits[index] & (OP_MULTIPLIES | OP_MATMUL)) &&
         !STR_IN(name->type_name, "outer", "ger", "einsum")) ||
        !look_tensor(of, op, "input.0", &one) || !look_tensor(of, op, "input.1", &two))
        return;
    const TensorSeen *positions = counts_up(&one) ? &one : &two;
    const TensorSeen *rates = positions == &one ? &two : &one;
    if (!counts_up(positions) || !tensor_seen_rich(rates) || counts_up(rates))
        return;
    NameId key[KEY_PARTS] = {names_add(all->names, name->stem),
                             names_add(all->names, positions->shape),
                             names_add(all->names, tensor_seen_text(rates, of->scratch))};
    note_sibling(of, all, LOCAL_LAYERS, key, number_of(of, all, positions->stat[STAT_MIN]), index);
}

// ---- causal rows

// Masks add or fill in what no score is: their least is -1e4 (BERT, GPT-2), scores are below 1e3.
// The first row of a causal softmax has one number alone, and that is 1.
static void note_rows(Looking *of, uint32_t index, AllSiblings *all)
{
    static const double mask = -1e3;
    TensorSeen scores, rows;
    const Op *op = &of->dump->ops[index];
    if (!look_tensor(of, op, "input.0", &scores) || !look_tensor(of, op, "output.0", &rows) ||
        look_dimension(rows.shape, -1) < 2 ||
        look_dimension(rows.shape, -1) != look_dimension(rows.shape, -2) ||
        !tensor_seen_has_ends(&scores) || !tensor_seen_has_ends(&rows) ||
        tensor_seen_nan(&scores) || tensor_seen_nan(&rows))
        return;
    NameId key[KEY_PARTS] = {look_slot(of, op, "output.0")->shape};
    double step = tensor_seen_step(&rows);
    bool causal = rows.stat[STAT_MAX] >= 1 - step - tensor_seen_blur(&rows, STAT_MAX);
    if (!causal || scores.stat[STAT_MIN] < mask)
        note_sibling(of, all, LOCAL_CAUSAL, key, word_of(all, causal ? "masked rows" : "open"),
                     index);
}

// Attention in one call: its arguments tell whether it masks.
static void note_mask(Looking *of, uint32_t index, AllSiblings *all)
{
    const Op *op = &of->dump->ops[index];
    const Names *names = of->dump->names;
    const Slot *first = look_slot(of, op, "input.0");
    NameId key[KEY_PARTS] = {
        names_add(all->names, witness_without_digits(of->names[index].stem, of->scratch)),
        first ? first->shape : NAME_NONE};
    bool masked = false;
    for (uint32_t k = op->first_slot; first && k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &of->dump->slots[k];
        Str last = str_behind(names_text(names, slot->path), '.');
        if (slot->group == GROUP_OUTPUT)
            continue;
        if (STR_IN(last, "attn_mask", "attention_mask", "atten_mask", "mask", "src_mask"))
            masked = masked || slot->kind == SLOT_TENSOR;
        else if (STR_IN(last, "is_causal", "causal"))
            masked = masked || str_equal_nocase(names_text(names, slot->value), STR("true"));
    }
    if (first)
        note_sibling(of, all, LOCAL_CAUSAL, key, word_of(all, masked ? "mask" : "open"), index);
}

// ---- one dtype

// Casts are what parts siblings of other dtypes.
static bool is_cast(Str is)
{
    return STR_IN(is, "to", "type", "type_as", "float", "half", "bfloat16", "double");
}

// The float tensor that the op gives first, with what tells siblings.
static void note_output(Looking *of, uint32_t index, NameId *key, AllSiblings *all)
{
    const Slot *slot = look_slot(of, &of->dump->ops[index], "output.0");
    if (!slot || slot->kind != SLOT_TENSOR || slot->dtype == NAME_NONE ||
        flow_precision(of->flow, slot) == PRECISION_EXACT)
        return;
    key[KEY_PARTS - 2] = slot->shape;
    note_sibling(of, all, LOCAL_LAYER_DTYPES, key,
                 names_add(all->names, names_text(of->dump->names, slot->dtype)), index);
}

// Modules whose names differ in their numbers alone; functions with the same calls around them.
static void look_dtypes(Looking *of, AllSiblings *all)
{
    size_t count = 0;
    uint32_t *calls = ARENA_ARRAY(of->scratch, uint32_t, of->dump->op_count + (size_t)1);
    NameId *stems = ARENA_ARRAY(of->scratch, NameId, of->dump->op_count + (size_t)1);
    uint32_t end = of->out->has_backward ? look_passes_end(of) : of->dump->op_count;
    for (uint32_t i = 0; i < end; i++) {
        const OpName *name = &of->names[i];
        NameId key[KEY_PARTS] = {0};
        if (of->dump->ops[i].direction != DIR_FORWARD)
            continue;
        if (of->dump->ops[i].kind == OP_MODULE) {
            key[0] = names_add(all->names, witness_without_digits(name->stem, of->scratch));
            note_output(of, i, key, all);
        } else if (of->dump->ops[i].kind == OP_API && !is_cast(name->type_name) &&
                   !op_is_in_place(name->type_name)) {
            stems[count] = names_add(all->names, name->stem);
            calls[count++] = i;
        }
    }
    for (size_t i = NEIGHBOURS; i + NEIGHBOURS < count; i++) {
        NameId key[KEY_PARTS] = {0};
        memcpy(key, &stems[i - NEIGHBOURS], WINDOW * sizeof *key);
        note_output(of, calls[i], key, all);
    }
}

// ---- routers and experts

// The last tensor of its shape that a router made of what it chose.
typedef struct AllGates {
    uint32_t *slots;
    size_t count, capacity;
    uint32_t *of;  // by first slot of a value: the gates that it is, from 1
} AllGates;

static void follow_gates(Looking *of, uint32_t index, AllGates *all)
{
    const Op *op = &of->dump->ops[index];
    const Slot *out = look_slot(of, op, "output.0");
    uint32_t at = out ? (uint32_t)(out - of->dump->slots) : SLOT_NONE, gates = 0;
    if (!out || out->requires_grad != TRI_TRUE || of->flow->same[at] == SLOT_NONE)
        return;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count && !gates; k++)
        if (of->dump->slots[k].group == GROUP_INPUT && of->dump->slots[k].shape == out->shape &&
            of->flow->same[k] != SLOT_NONE)
            gates = all->of[of->flow->same[k]];
    if (gates && gates <= all->count)
        all->slots[gates - 1] = at;
    else if (str_equal(of->names[index].type_name, STR("topk")))
        *ARRAY_ADD(of->scratch, all->slots, all->count, all->capacity) = at;
    else
        return;
    all->of[of->flow->same[at]] = gates ? gates : (uint32_t)all->count;
}

static double sum_of_gates(const Looking *of, const Slot *slot, TensorSeen *seen)
{
    look_read(of, slot, seen);
    int64_t chosen = look_dimension(seen->shape, -1);
    bool told =
        chosen > 1 && sums_told(seen) && tensor_seen_has_ends(seen) && seen->stat[STAT_MIN] >= 0;
    return told ? seen->stat[STAT_MEAN] * (double)chosen : (double)NAN;
}

static void note_gates(Looking *of, const AllGates *gates, AllSiblings *all)
{
    for (size_t i = 0; i < gates->count; i++) {
        TensorSeen seen;
        const Slot *slot = &of->dump->slots[gates->slots[i]];
        double sum = sum_of_gates(of, slot, &seen);
        double slack = 64 * tensor_seen_step(&seen) + tensor_seen_blur(&seen, STAT_MEAN);
        NameId key[KEY_PARTS] = {word_of(all, "gates"), slot->shape};
        if (!isnan(sum))
            note_sibling(of, all, LOCAL_ROUTING, key,
                         word_of(all, fabs(sum - 1) <= slack ? "1" : "else"),
                         (uint32_t)(dump_op_with(of->dump, gates->slots[i]) - of->dump->ops));
    }
}

// What the experts of one layer take.
typedef struct Load {
    uint32_t op;  // its first expert
    int64_t rows;
} Load;

typedef struct AllLoads {
    Names *layers;
    Load *items;  // by layer
    size_t count;
} AllLoads;

static void add_load(Looking *of, uint32_t index, AllLoads *all)
{
    Str path = of->names[index].path;
    size_t dot = str_rfind_char(path, '.');
    Str layer = str_slice(path, 0, dot == SIZE_MAX ? 0 : dot);
    const Slot *slot = look_slot(of, &of->dump->ops[index], "input.0");
    if (!str_ends(layer, STR("experts")) || !is_digit(path.data[dot + 1]) || !slot)
        return;
    NameId id = names_add(all->layers, layer);
    Load *it = &ARRAY_REACH(of->scratch, all->items, all->count, id)[id];
    it->op = it->rows ? it->op : index;
    it->rows += look_dimension(names_text(of->dump->names, slot->shape), 0);
}

static void note_loads(Looking *of, const AllLoads *loads, AllSiblings *all)
{
    for (NameId i = 1; i < loads->count; i++) {
        Str layer = witness_without_digits(names_text(loads->layers, i), of->scratch);
        NameId key[KEY_PARTS] = {word_of(all, "rows"), names_add(all->names, layer)};
        Str rows = str_printf(of->scratch, "%lld", (long long)loads->items[i].rows);
        if (loads->items[i].rows)
            note_sibling(of, all, LOCAL_ROUTING, key, names_add(all->names, rows),
                         loads->items[i].op);
    }
}

// ---- micro batches

// A loss of which the backward comes before its next forward call is one of a micro batch; several
// losses of one batch may weigh what they like. Siblings are those of one function and shape.
static void note_loss(Looking *of, uint32_t index, AllSiblings *all)
{
    const Op *op = &of->dump->ops[index], *forward = look_forward(of, op);
    TensorSeen came;
    const Slot *input = forward ? look_slot(of, forward, "input.0") : NULL;
    if (!input || !look_tensor(of, op, "input.0", &came) || came.elements != 1 ||
        !tensor_seen_has_ends(&came) || !tensor_seen_finite(&came))
        return;
    NameId key[KEY_PARTS] = {names_add(all->names, of->names[index].stem), input->shape};
    NameId id = names_add(all->names, (Str){(const char *)key, sizeof key});
    uint32_t *last = &ARRAY_REACH(of->scratch, all->losses, all->loss_count, id)[id];
    bool within = *last > look_index(of, forward) + 1;
    *last = index + 1;
    if (!within)
        note_sibling(of, all, LOCAL_MICRO, key, number_of(of, all, came.stat[STAT_MAX]), index);
}

void witness_layers(Looking *of)
{
    AllSiblings all = {.names = names_new(of->scratch)};
    AllLoads loads = {.layers = names_new(of->scratch)};
    AllGates gates = {.of = ARENA_ARRAY(of->scratch, uint32_t, of->dump->slot_count + (size_t)1)};
    bool trains = false;
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        Str is = of->names[i].type_name;
        if (op->direction == DIR_BACKWARD) {
            trains = true;
            if (of->traits[i] & OP_LOSS)
                note_loss(of, i, &all);
        }
        if (op->direction != DIR_FORWARD)
            continue;
        if (str_find(is, STR("ttention"), 0) != SIZE_MAX ||
            str_find(is, STR("flash_attn"), 0) != SIZE_MAX)
            note_mask(of, i, &all);
        if (op->kind == OP_MODULE)
            add_load(of, i, &loads);
        if (op->kind != OP_API)
            continue;
        note_positions(of, i, &all);
        follow_gates(of, i, &gates);
        if (str_equal(is, STR("softmax")))
            note_rows(of, i, &all);
    }
    look_dtypes(of, &all);
    note_gates(of, &gates, &all);
    note_loads(of, &loads, &all);
    for (size_t i = 0; i < all.count; i++)
        if (trains || all.items[i].law != LOCAL_LAYERS)
            judge_siblings(of, &all, &all.items[i]);
}
