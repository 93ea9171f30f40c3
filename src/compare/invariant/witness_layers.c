// SPDX-License-Identifier: Apache-2.0
// What calls that do the same work in one dump have in common: layers of a model, and micro batches
// of a step. One that does otherwise than nearly all of its siblings is named.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/invariant/witness_look.h"
#include "model/graph/graph.h"

// Siblings are judged where there are so many, and where no more than one in so many is another.
// Two kinds of layers that take turns are more.
enum { SIBLINGS_FROM = 4 };

static bool is_odd_one(size_t others, size_t all)
{
    return all >= SIBLINGS_FROM && others > 0 && SIBLINGS_FROM * others <= all;
}

// ---- positions

typedef struct Turn {
    Str key;  // the op, the number of positions and what they are multiplied with
    double first;
    size_t calls, changes;
    Str op;  // where they changed first
    double other;
} Turn;

typedef struct Turns {
    Turn *items;
    size_t count, capacity;
} Turns;

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

static void look_positions(Looking *of, const Op *op, unsigned traits, Turns *all)
{
    TensorSeen one, two;
    const OpName *name = &of->names[look_index(of, op)];
    bool product = traits & (OP_MULTIPLIES | OP_MATMUL);
    if ((!product && !STR_IN(name->type_name, "outer", "ger", "einsum")) ||
        !look_tensor(of, op, "input.0", &one) || !look_tensor(of, op, "input.1", &two))
        return;
    const TensorSeen *positions = counts_up(&one) ? &one : &two;
    const TensorSeen *rates = positions == &one ? &two : &one;
    if (!counts_up(positions) || !tensor_seen_rich(rates) || counts_up(rates))
        return;
    Str key = str_printf(of->scratch, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(name->stem),
                         STR_ARG(positions->shape), STR_ARG(tensor_seen_text(rates, of->scratch)));
    Turn *it = all->items, *end = all->items + all->count;
    while (it < end && !str_equal(it->key, key))
        it++;
    if (it == end) {
        it = ARRAY_PUSH(of->scratch, all);
        *it = (Turn){.key = key, .first = positions->stat[STAT_MIN]};
        it->other = it->first;
    }
    it->calls++;
    if (positions->stat[STAT_MIN] != it->other) {
        it->op = it->changes++ ? it->op : look_name(of, op);
        it->other = positions->stat[STAT_MIN];
    }
}

// Positions that change again and again are those of parts that take turns.
static void judge_positions(Looking *of, const Turns *all)
{
    enum { CALLS_FROM = 4, CHANGES = 2 };
    for (size_t i = 0; i < all->count; i++) {
        const Turn *it = &all->items[i];
        if (it->calls < CALLS_FROM || it->changes > CHANGES)
            continue;
        of->out->local[LOCAL_LAYERS].checked++;
        if (it->changes)
            look_break(of, LOCAL_LAYERS, it->op,
                       tr("its positions start elsewhere, at %.6g before it"), it->first);
    }
}

// ---- causal rows

typedef struct Rows {
    size_t causal, open;
    size_t before;  // causal ones before the first that is open
    bool behind;    // a causal one comes after the last that is open
    Str op;         // the first that is open
    double most;
} Rows;

typedef struct AllRows {
    Rows *items;  // by NameId of the shape
    size_t count;
} AllRows;

// The last two sizes are one number, and more than one: each position looks at all.
static bool is_square(Str shape)
{
    size_t last = str_rfind_char(shape, ',');
    if (last == SIZE_MAX)
        return false;
    size_t before = str_rfind_char(str_slice(shape, 0, last), ',');
    Str rows = str_trim(str_slice(shape, before == SIZE_MAX ? 1 : before + 1, last));
    Str columns = str_trim(str_slice(shape, last + 1, shape.size - 1));
    return str_equal(rows, columns) && !str_equal(rows, STR("1"));
}

// Masks add or fill in what no score is: their least is -1e4 (BERT, GPT-2), scores are below 1e3.
static void note_rows(Looking *of, const Op *op, AllRows *all)
{
    static const double mask = -1e3;
    TensorSeen scores, rows;
    if (!look_tensor(of, op, "input.0", &scores) || !look_tensor(of, op, "output.0", &rows) ||
        !is_square(rows.shape) || !tensor_seen_has_ends(&scores) || !tensor_seen_has_ends(&rows) ||
        tensor_seen_nan(&scores) || tensor_seen_nan(&rows))
        return;
    NameId shape = look_slot(of, op, "output.0")->shape;
    Rows *it = &ARRAY_REACH(of->scratch, all->items, all->count, shape)[shape];
    double most = rows.stat[STAT_MAX], step = tensor_seen_step(&rows);
    bool causal = most >= 1 - step - tensor_seen_blur(&rows, STAT_MAX);
    if (causal && scores.stat[STAT_MIN] < mask)
        it->causal++;
    else if (!causal && it->open++ == 0)
        *it = (Rows){it->causal, it->open, it->causal, false, look_name(of, op), most};
    it->behind = causal;
}

// The first row of a causal softmax has one number alone, and that is 1.
static void judge_rows(Looking *of, const AllRows *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const Rows *it = &all->items[i];
        bool odd = it->before && it->behind && is_odd_one(it->open, it->open + it->causal);
        if (it->causal < SIBLINGS_FROM - 1)
            continue;
        of->out->local[LOCAL_CAUSAL].checked += it->causal + odd;
        if (odd)
            look_break(of, LOCAL_CAUSAL, it->op,
                       tr("its largest probability is %.6g; of %zu others with masked "
                          "scores it is 1"),
                       it->most, it->causal);
    }
}

// ---- one dtype

// Calls of functions with the same calls around them.
typedef struct Sibling {
    NameId dtype;
    uint32_t first, last;  // ops that have it
    size_t count;
} Sibling;

typedef struct Siblings {
    Sibling kinds[2];  // of two dtypes
    size_t all;
} Siblings;

enum { NEIGHBOURS = 3, WINDOW = 2 * NEIGHBOURS + 1 };

// Casts are what parts siblings of other dtypes.
static bool is_cast(Str is)
{
    return STR_IN(is, "to", "type", "type_as", "float", "half", "bfloat16", "double");
}

static void note_sibling(Siblings *it, NameId dtype, uint32_t op)
{
    it->all++;
    for (size_t i = 0; i < 2; i++) {
        Sibling *kind = &it->kinds[i];
        if (kind->count && kind->dtype != dtype)
            continue;
        *kind = (Sibling){dtype, kind->count ? kind->first : op, op, kind->count + 1};
        return;
    }
}

static void judge_siblings(Looking *of, const Siblings *it)
{
    const Sibling *usual = &it->kinds[it->kinds[1].count > it->kinds[0].count];
    const Sibling *other = &it->kinds[usual == &it->kinds[0]];
    if (it->all < SIBLINGS_FROM || usual->count + other->count < it->all)
        return;
    bool within = usual->first < other->first && usual->last > other->last;
    bool odd = within && is_odd_one(other->count, it->all);
    if (other->count && !odd)  // the ends of a model may be kept in another dtype
        return;
    of->out->local[LOCAL_LAYER_DTYPES].checked += it->all;
    if (odd)
        look_break(of, LOCAL_LAYER_DTYPES, look_name(of, &of->dump->ops[other->first]),
                   tr("gives " STR_FMT ", %zu siblings give " STR_FMT),
                   STR_ARG(names_text(of->dump->names, other->dtype)), usual->count,
                   STR_ARG(names_text(of->dump->names, usual->dtype)));
}

typedef struct AllSiblings {
    Names *keys;
    Siblings *items;  // by key
    size_t count;
} AllSiblings;

// The float tensor that the op gives first, with what tells siblings.
static void note_output(Looking *of, uint32_t index, NameId *key, size_t size, AllSiblings *all)
{
    const Slot *slot = look_slot(of, &of->dump->ops[index], "output.0");
    if (!slot || slot->kind != SLOT_TENSOR || slot->dtype == NAME_NONE ||
        flow_precision(of->flow, slot) == PRECISION_EXACT)
        return;
    key[size] = slot->shape;
    NameId id = names_add(all->keys, (Str){(const char *)key, (size + 1) * sizeof *key});
    note_sibling(&ARRAY_REACH(of->scratch, all->items, all->count, id)[id], slot->dtype, index);
}

// Modules whose names differ in their numbers alone; functions with the same calls around them.
static void look_dtypes(Looking *of)
{
    AllSiblings all = {.keys = names_new(of->scratch)};
    size_t count = 0;
    uint32_t *calls = ARENA_ARRAY(of->scratch, uint32_t, of->dump->op_count + (size_t)1);
    NameId *stems = ARENA_ARRAY(of->scratch, NameId, of->dump->op_count + (size_t)1);
    uint32_t end = of->out->has_backward ? look_passes_end(of) : of->dump->op_count;
    for (uint32_t i = 0; i < end; i++) {
        const OpName *name = &of->names[i];
        NameId key[2];
        if (of->dump->ops[i].direction != DIR_FORWARD)
            continue;
        if (of->dump->ops[i].kind == OP_MODULE) {
            key[0] = names_add(all.keys, witness_without_digits(name->stem, of->scratch));
            note_output(of, i, key, 1, &all);
        } else if (of->dump->ops[i].kind == OP_API && !is_cast(name->type_name) &&
                   !op_is_in_place(name->type_name)) {
            stems[count] = names_add(all.keys, name->stem);
            calls[count++] = i;
        }
    }
    for (size_t i = NEIGHBOURS; i + NEIGHBOURS < count; i++) {
        NameId key[WINDOW + 1];
        memcpy(key, &stems[i - NEIGHBOURS], WINDOW * sizeof *key);
        note_output(of, calls[i], key, WINDOW, &all);
    }
    for (size_t i = 0; i < all.count; i++)
        judge_siblings(of, &all.items[i]);
}

// ---- micro batches

// The losses of one function over one shape: what arrives at them, of two values.
typedef struct Weight {
    uint32_t op;  // the first backward call that has it
    double value, blur;
    size_t count;
} Weight;

typedef struct Losses {
    Weight weights[2];
    size_t all;
    uint32_t last;  // backward call
} Losses;

typedef struct AllLosses {
    Names *keys;
    Losses *items;  // by key
    size_t count;
} AllLosses;

static void note_weight(Losses *it, const Weight *new)
{
    it->all++;
    for (size_t i = 0; i < 2; i++) {
        Weight *old = &it->weights[i];
        if (old->count && fabs(old->value - new->value) > old->blur + new->blur)
            continue;
        *old = old->count ? *old : *new;
        old->count++;
        return;
    }
}

// A loss of which the backward comes before its next forward call is one of a micro batch; several
// losses of one batch may weigh what they like.
static void note_loss(Looking *of, uint32_t index, AllLosses *all)
{
    const Op *op = &of->dump->ops[index], *forward = look_forward(of, op);
    TensorSeen came;
    const Slot *input = forward ? look_slot(of, forward, "input.0") : NULL;
    if (!input || !look_tensor(of, op, "input.0", &came) || came.elements != 1 ||
        !tensor_seen_has_ends(&came) || !tensor_seen_finite(&came))
        return;
    NameId key[2] = {names_add(all->keys, of->names[index].stem), input->shape};
    NameId id = names_add(all->keys, (Str){(const char *)key, sizeof key});
    Losses *it = &ARRAY_REACH(of->scratch, all->items, all->count, id)[id];
    bool within = it->all && it->last > look_index(of, forward);
    it->last = index;
    double value = came.stat[STAT_MAX];
    double blur = tensor_seen_blur(&came, STAT_MAX) + tensor_seen_step(&came) * fabs(value);
    if (!within)
        note_weight(it, &(Weight){.op = index, .value = value, .blur = blur});
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

static void judge_weights(Looking *of, const AllLosses *all)
{
    enum { BATCHES_FROM = 3 };
    for (size_t i = 0; i < all->count; i++) {
        const Losses *it = &all->items[i];
        const Weight *odd = &it->weights[it->weights[0].count > it->weights[1].count];
        const Weight *usual = &it->weights[odd == &it->weights[0]];
        if (it->all < BATCHES_FROM || odd->count > 1 ||
            (odd->count && !is_share(usual->value, it->all)))
            continue;
        of->out->local[LOCAL_MICRO].checked += it->all;
        if (odd->count)
            look_break(of, LOCAL_MICRO, look_name(of, &of->dump->ops[odd->op]),
                       tr("%.6g arrives, at the %zu other micro batches %.6g"), odd->value,
                       usual->count, usual->value);
    }
}

void witness_layers(Looking *of)
{
    Turns turns = {0};
    AllRows rows = {0};
    AllLosses losses = {.keys = names_new(of->scratch)};
    bool trains = false;
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if (op->direction == DIR_BACKWARD) {
            trains = true;
            if (of->traits[i] & OP_LOSS)
                note_loss(of, i, &losses);
        } else if (op->kind == OP_API && op->direction == DIR_FORWARD) {
            look_positions(of, op, of->traits[i], &turns);
            if (str_equal(of->names[i].type_name, STR("softmax")))
                note_rows(of, op, &rows);
        }
    }
    judge_weights(of, &losses);
    judge_rows(of, &rows);
    if (trains)
        judge_positions(of, &turns);
    look_dtypes(of);
}
