// SPDX-License-Identifier: Apache-2.0
#include "read/dump/shard_join.h"

#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "read/dump/shard_dims.h"
#include "read/tensor/tensor_values.h"
#include "read/tensor/torch_state.h"

enum { GROUPS_MAX = SHARD_SHARES_MAX + 4 };

// A group of ranks, and what it does to the tensor.
typedef struct Step {
    ShardShare share;
    bool copies;  // it shares nothing
    uint64_t size;
} Step;

typedef struct Joining {
    Arena *arena, *made;  // `made` keeps the tensors
    const char *path;     // of the first part
    TorchState *states;
    Tensor *parts;
    size_t count;
    Step steps[GROUPS_MAX];
    size_t step_count;
    bool within;  // a group of the dims is some ranks of tp
    Error *err;
} Joining;

static bool refuse(const Joining *work, const char *why)
{
    return error_set(work->err, ERR_INPUT, WHERE_FILE(work->path), "%s", why);
}

// The name without the numbers that differ from rank to rank; empty: it is no file of the dumper.
static Str common_part(Str file, Str *rank, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str rest = str_behind(file, '/');
    bool named = false;
    strbuf_add(&out, str_slice(file, 0, file.size - rest.size));
    while (rest.size) {
        size_t end = str_find(rest, STR("___"), 0);
        Str tag = str_slice(rest, 0, end);
        rest = end == SIZE_MAX ? STR("") : str_slice(rest, end + 3, rest.size);
        Str key = str_slice(tag, 0, str_find_char(tag, '=', 0));
        named = named || str_equal(key, STR("name"));
        if (str_equal(key, STR("rank")))
            *rank = tag;
        else if (!str_equal(key, STR("dump_index")) && !str_ends(key, STR("_rank")))
            strbuf_printf(&out, STR_FMT "___", STR_ARG(tag));
    }
    return named && rank->size ? strbuf_str(&out) : STR("");
}

ShardGroups shard_groups_find(const Str *files, size_t count, Arena *arena)
{
    Names *names = names_new(arena);
    size_t *calls = NULL, calls_count = 0, *of = ARENA_ARRAY(arena, size_t, count + 1);
    size_t *sizes = ARENA_ARRAY(arena, size_t, count + 1);
    ShardGroups out = {.items = ARENA_ARRAY(arena, ShardGroup, count + 1), .of = of};
    Names *groups = names_new(arena);
    for (size_t i = 0; i < count; i++) {
        Str rank = {0}, common = common_part(files[i], &rank, arena);
        of[i] = SIZE_MAX;
        if (!common.size)
            continue;
        NameId own = names_add(
            names, str_printf(arena, STR_FMT "|" STR_FMT, STR_ARG(rank), STR_ARG(common)));
        size_t call = ARRAY_REACH(arena, calls, calls_count, own)[own]++;
        of[i] = names_add(groups, str_printf(arena, STR_FMT "#%zu", STR_ARG(common), call)) - 1;
        sizes[of[i]]++;
    }
    for (size_t i = 0; i < count; i++) {
        ShardGroup *group = of[i] == SIZE_MAX ? NULL : &out.items[of[i]];
        if (!group)
            continue;
        size_t *items =
            group->count ? (size_t *)group->files : ARENA_ARRAY(arena, size_t, sizes[of[i]]);
        items[group->count++] = i;
        group->files = items;
    }
    return out;
}

static const PickleValue *find_value(const TorchState *state, Str name)
{
    for (size_t i = 0; i < state->count; i++)
        if (str_equal(state->items[i].name, name))
            return state->items[i].value;
    return NULL;
}

// "tp_rank" or "tp_size" of a part.
static bool find_number(const Joining *work, const TorchState *state, Str group, const char *what,
                        uint64_t *out)
{
    static const char *const tables[] = {"meta.sglang_parallel_info.",
                                         "meta.megatron_parallel_info.", "meta."};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const PickleValue *value = find_value(
            state, str_printf(work->arena, "%s" STR_FMT "_%s", tables[i], STR_ARG(group), what));
        if (value && value->kind == PICKLE_INT && value->integer >= 0) {
            *out = (uint64_t)value->integer;
            return true;
        }
    }
    return false;
}

static void add_step(Joining *work, ShardShare share, bool copies)
{
    uint64_t size = 1;
    if (find_number(work, &work->states[0], share.group, "size", &size) && size > 1)
        work->steps[work->step_count++] = (Step){share, copies, size};
}

static bool is_shared(const ShardDims *dims, Str group)
{
    for (size_t i = 0; i < dims->count; i++)
        if (str_equal(dims->items[i].group, group))
            return true;
    return false;
}

static bool lies_in_tp(Str group)
{
    return str_starts(group, STR("attn_")) || str_starts(group, STR("moe_"));
}

// SGLang makes the groups of attention and of experts out of the ranks of tp: one that is all of
// them stands for tp, and one that is less is not joined, since what the others hold is not known.
static bool stand_for_tp(Joining *work, const ShardDims *dims)
{
    uint64_t inner = 1, size, all;
    for (size_t i = 0; i < dims->count; i++)
        if (lies_in_tp(dims->items[i].group) &&
            find_number(work, &work->states[0], dims->items[i].group, "size", &size) && size > 1)
            inner = size > UINT64_MAX / inner ? UINT64_MAX : inner * size;
    if (inner == 1 || !find_number(work, &work->states[0], STR("tp"), "size", &all))
        return inner > 1;
    work->within = inner != all || is_shared(dims, STR("tp"));
    return !work->within;
}

// Groups that hold copies first, then those that share, innermost first.
static void list_steps(Joining *work, ShardDims *dims)
{
    static const char *const groups[] = {"cp", "ep", "sp", "tp"};
    uint64_t size;
    for (size_t i = 0; i < dims->count; i++)
        if (str_equal(dims->items[i].group, STR("sp")) && !is_shared(dims, STR("tp")) &&
            !find_number(work, &work->states[0], STR("sp"), "size", &size))
            dims->items[i].group = STR("tp");
    bool instead = stand_for_tp(work, dims);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!is_shared(dims, str_of(groups[i])) &&
            !(instead && str_equal(str_of(groups[i]), STR("tp"))))
            add_step(work, (ShardShare){.group = str_of(groups[i])}, true);
    for (size_t i = 0; i < dims->count; i++)
        if (!work->within || !lies_in_tp(dims->items[i].group))
            add_step(work, dims->items[i], false);
}

// Where a part stands among all, the group that is joined first counting fastest; past the number
// of parts only that it is so far.
static bool find_place(const Joining *work, const TorchState *state, size_t *place)
{
    uint64_t number, size, stride = 1, far = work->count + 1;
    *place = 0;
    for (size_t i = 0; i < work->step_count; i++) {
        const Step *step = &work->steps[i];
        if (!find_number(work, state, step->share.group, "rank", &number) ||
            !find_number(work, state, step->share.group, "size", &size) || size != step->size ||
            number >= size)
            return false;
        *place += (size_t)(stride * (number < far ? number : far));
        stride *= size < far ? size : far;
        stride = stride < far ? stride : far;
    }
    return true;
}

// Of which ranks there is no file: "cp rank 0, tp rank 1".
static ShardJoin report_missing(const Joining *work, size_t place)
{
    StrBuf ranks = strbuf_new(work->arena);
    uint64_t left = place;
    for (size_t i = 0; i < work->step_count; i++) {
        const Step *step = &work->steps[i];
        strbuf_printf(&ranks, "%s" STR_FMT " rank %llu", i ? ", " : "", STR_ARG(step->share.group),
                      (unsigned long long)(left % step->size));
        left /= step->size;
    }
    error_set(work->err, ERR_INPUT, WHERE_FILE(work->path),
              tr("parts of it are missing, the first: %s"),
              str_cstr(work->arena, strbuf_str(&ranks)));
    return SHARDS_MISSING;
}

// JOINED: all parts are there, each once.
static ShardJoin check_places(const Joining *work)
{
    bool *filled = ARENA_ARRAY(work->arena, bool, work->count + 1);
    bool twice = false;
    uint64_t all = 1;
    for (size_t i = 0; i < work->step_count; i++)  // past `count` it is only that
        if (all <= work->count)
            all = work->steps[i].size > work->count / all ? (uint64_t)work->count + 1
                                                          : all * work->steps[i].size;
    for (size_t i = 0; i < work->count; i++) {
        size_t place;
        if (!find_place(work, &work->states[i], &place))
            return refuse(work, tr("the ranks of its parts have no places in their groups")),
                   SHARDS_FAILED;
        if (place <= work->count) {
            twice = twice || filled[place];
            filled[place] = true;
        }
    }
    for (size_t place = 0; place < all; place++)
        if (!filled[place])
            return report_missing(work, place);
    if (twice)
        return refuse(work, tr("a part is there twice: data-parallel replicas")), SHARDS_FAILED;
    return SHARDS_JOINED;
}

// Room for elements of any type.
static unsigned char *make_room(const Joining *work, uint64_t elements, DType dtype)
{
    size_t size = (size_t)elements * dtype_size(dtype);
    return (unsigned char *)ARENA_ARRAY(work->made, double, size / sizeof(double) + 1);
}

static bool take_bytes(const Joining *work, const TorchState *state, const Tensor *from,
                       Tensor *out)
{
    if (!tensor_crc_fits(from, NULL))
        return refuse(work, tr("a part is damaged"));
    if (from->conj || from->neg || from->count > state->file.text.size)
        return refuse(work, tr("a part is a view and no tensor of its own"));
    *out = (Tensor){0};
    tensor_set_shape(out, from->dtype, from->rank, from->shape);
    size_t size = (size_t)from->count * dtype_size(from->dtype);
    unsigned char *bytes = make_room(work, from->count, from->dtype);
    const void *native = tensor_elements(from, 0, (size_t)from->count, bytes);
    if (native != bytes && size)
        memcpy(bytes, native, size);
    out->data = bytes;
    return true;
}

static bool place_parts(Joining *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const TorchState *state = &work->states[i];
        size_t place = 0, part = 0;
        while (part < state->count && !str_equal(state->items[part].name, STR("value")))
            part++;
        find_place(work, state, &place);  // as check_places saw
        Tensor tensor = torch_state_tensor(state, part);
        if (!take_bytes(work, state, &tensor, &work->parts[place]))
            return false;
    }
    return true;
}

static bool fit(const Tensor *a, const Tensor *b, uint32_t but)
{
    if (a->dtype != b->dtype || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (i != but && a->shape[i] != b->shape[i])
            return false;
    return true;
}

static uint16_t f16_bits(float value)
{
    uint32_t bits = bits_of_float(f16_round(value)), magnitude = bits & 0x7fffffffu;
    uint32_t sign = bits >> 16 & 0x8000u;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (magnitude == 0x7f800000u)
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u)
        return (uint16_t)(sign | (uint32_t)(float_of_bits(magnitude) * 16777216.0f));
    return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
}

static uint16_t bf16_bits(float value)
{
    uint32_t bits = bits_of_float(value);
    if (value != value)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static bool put_value(unsigned char *out, DType dtype, double value)
{
    float single = (float)value;
    uint16_t half = dtype == DTYPE_F16 ? f16_bits(single) : bf16_bits(single);
    if (dtype == DTYPE_F64)
        memcpy(out, &value, sizeof value);
    else if (dtype == DTYPE_F32)
        memcpy(out, &single, sizeof single);
    else if (dtype == DTYPE_F16 || dtype == DTYPE_BF16)
        memcpy(out, &half, sizeof half);
    else
        return false;
    return true;
}

// Terms of a sum, added in double and rounded once.
static bool add_up(const Joining *work, const Tensor *parts, size_t count, Tensor *out)
{
    double sums[BLOCK_ELEMENTS], room[BLOCK_ELEMENTS];
    size_t size = dtype_size(parts->dtype);
    unsigned char *bytes = make_room(work, parts->count, parts->dtype);
    *out = *parts;
    out->data = bytes;
    for (uint64_t at = 0; at < parts->count; at += BLOCK_ELEMENTS) {
        uint64_t left = parts->count - at;
        size_t block = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        memset(sums, 0, sizeof sums);
        for (size_t k = 0; k < count; k++) {
            const double *values = doubles_of(parts[k].data + at * size, parts->dtype, block, room);
            for (size_t i = 0; i < block; i++)
                sums[i] += values[i];
        }
        for (size_t i = 0; i < block; i++)
            if (!put_value(&bytes[(at + i) * size], parts->dtype, sums[i]))
                return refuse(work, tr("terms of a sum are of a type that is not added"));
    }
    return true;
}

// Bytes of a part after one index of the dims before `dim`.
static size_t row_size(const Tensor *tensor, uint32_t dim)
{
    size_t size = dtype_size(tensor->dtype);
    for (uint32_t i = dim; i < tensor->rank; i++)
        size *= (size_t)tensor->shape[i];
    return size;
}

static bool lay_side_by_side(const Joining *work, const Tensor *parts, size_t count, uint32_t dim,
                             Tensor *out)
{
    uint64_t shape[TENSOR_MAX_RANK], rows = 1;
    memcpy(shape, parts->shape, sizeof shape);
    for (size_t i = 1; i < count; i++)
        shape[dim] += parts[i].shape[dim];
    for (uint32_t i = 0; i < dim; i++)
        rows *= shape[i];
    *out = (Tensor){0};
    if (!tensor_set_shape(out, parts->dtype, parts->rank, shape))
        return refuse(work, tr("its parts are more than a tensor can hold"));
    unsigned char *to = make_room(work, out->count, out->dtype);
    out->data = to;
    for (uint64_t row = 0; out->count && row < rows; row++)
        for (size_t i = 0; i < count; i++) {
            size_t size = row_size(&parts[i], dim);
            if (size)
                memcpy(to, parts[i].data + row * size, size);
            to += size;
        }
    return true;
}

// The tensors of one group of ranks become one.
static bool join_group(const Joining *work, const Step *step, const Tensor *parts, Tensor *out)
{
    size_t count = (size_t)step->size;
    bool apart = !step->copies && !step->share.partial;
    for (size_t i = 1; i < count; i++)
        if (!fit(parts, &parts[i], apart ? step->share.dim : UINT32_MAX))
            return refuse(work, tr("its parts have shapes or types that do not fit together"));
    if (step->copies) {
        size_t size = (size_t)parts->count * dtype_size(parts->dtype);
        for (size_t i = 1; i < count; i++)
            if (memcmp(parts->data, parts[i].data, size) != 0)
                return refuse(work, tr("ranks that should be replicas of it are not"));
        *out = *parts;
        return true;
    }
    return step->share.partial ? add_up(work, parts, count, out)
                               : lay_side_by_side(work, parts, count, step->share.dim, out);
}

// Chunks 0, 2, 4, ... and then the others backward: those of rank r are the r-th and the r-th from
// the end.
static bool undo_zigzag(const Joining *work, const Step *step, Tensor *tensor)
{
    uint32_t dim = step->share.dim;
    size_t chunks = 2 * (size_t)step->size, row = row_size(tensor, dim);
    uint64_t rows = 1;
    if (tensor->shape[dim] % chunks)
        return refuse(work, tr("a sequence in zigzag has no whole chunks"));
    unsigned char *bytes = make_room(work, tensor->count, tensor->dtype);
    for (uint32_t i = 0; i < dim; i++)
        rows *= tensor->shape[i];
    for (uint64_t at = 0; tensor->count && at < rows; at++)
        for (size_t i = 0; i < chunks; i++) {
            size_t from = i < chunks / 2 ? 2 * i : 2 * (chunks - i) - 1, size = row / chunks;
            memcpy(&bytes[at * row + i * size], tensor->data + at * row + from * size, size);
        }
    tensor->data = bytes;
    return true;
}

static bool join_all(Joining *work, Tensor *out)
{
    size_t left = work->count;
    for (size_t i = 0; i < work->step_count; i++) {
        const Step *step = &work->steps[i];
        left /= (size_t)step->size;
        for (size_t k = 0; k < left; k++) {
            Tensor whole;
            if (!join_group(work, step, &work->parts[k * step->size], &whole))
                return false;
            work->parts[k] = whole;
        }
    }
    *out = work->parts[0];
    for (size_t i = 0; i < work->step_count; i++)
        if (work->steps[i].share.zigzag && !undo_zigzag(work, &work->steps[i], out))
            return false;
    return true;
}

// What is known of the dims can be joined; false with *err set otherwise.
static bool check_dims(const Joining *work, const ShardDims *dims, uint32_t rank)
{
    Str text = find_value(&work->states[0], STR("meta.dims"))->text;
    for (size_t i = 1; i < work->count; i++) {
        const PickleValue *own = find_value(&work->states[i], STR("meta.dims"));
        if (!own || own->kind != PICKLE_TEXT || !str_equal(own->text, text))
            return refuse(work, tr("the dims of its ranks contradict each other"));
    }
    if (dims->rank == 0)
        return refuse(work, tr("its dims are not written as SGLang writes them"));
    if (work->within)
        return refuse(work, tr("a group of its dims is only some ranks of tp"));
    for (size_t i = 0; i < work->step_count; i++)
        if (work->steps[i].share.packed && str_equal(work->steps[i].share.group, STR("cp")))
            return refuse(work, tr("packed sequences in parts of cp are not joined"));
    return dims->rank == rank ||
           refuse(work, tr("dims has another number of axes than the tensor"));
}

// What the first part says of its dims, and its rank; NULL: nothing, or not all are tensors.
static const PickleValue *dims_of(const Joining *work, uint32_t *rank)
{
    const TorchState *first = &work->states[0];
    const PickleValue *dims = find_value(first, STR("meta.dims"));
    for (size_t i = 0; i < work->count; i++) {
        const TorchState *state = &work->states[i];
        const PickleValue *value = find_value(state, STR("value"));
        Str ignored;
        if (!value || torch_state_text(value, work->arena, &ignored))
            return NULL;
    }
    for (size_t i = 0; i < first->count; i++)
        if (str_equal(first->items[i].name, STR("value")))
            *rank = torch_state_tensor(first, i).rank;
    return dims && dims->kind == PICKLE_TEXT ? dims : NULL;
}

static ShardJoin join(Joining *work, Tensor *out)
{
    ShardDims dims;
    uint32_t rank = 0;
    const PickleValue *text = dims_of(work, &rank);
    if (!text)
        return SHARDS_NONE;
    if (!shard_dims_parse(text->text, &dims))
        dims = (ShardDims){.count = 0};
    list_steps(work, &dims);
    if (work->step_count == 0)
        return SHARDS_NONE;
    ShardJoin places = check_places(work);
    if (places == SHARDS_MISSING)
        return places;
    work->parts = ARENA_ARRAY(work->arena, Tensor, work->count);
    return check_dims(work, &dims, rank) && places == SHARDS_JOINED && place_parts(work) &&
                   join_all(work, out)
               ? SHARDS_JOINED
               : SHARDS_FAILED;
}

ShardJoin shard_join(const char *const *paths, size_t count, TensorFile *out, Error *err)
{
    Joining work = {.arena = arena_new(), .made = arena_new(), .path = paths[0], .err = err};
    Notices quiet;
    ShardJoin done = SHARDS_NONE;
    *out = (TensorFile){.arena = NULL};
    notices_init(&quiet, work.arena);
    work.states = ARENA_ARRAY(work.arena, TorchState, count);
    while (work.count < count && torch_state_open_all(paths[work.count], work.arena,
                                                      &work.states[work.count], &quiet, err))
        work.count++;
    if (work.count == count)
        done = join(&work, &out->tensor);
    for (size_t i = 0; i < work.count; i++)
        torch_state_close(&work.states[i]);
    arena_release(work.arena);
    if (done == SHARDS_JOINED)
        out->arena = work.made;
    else
        arena_release(work.made);
    return work.count == count ? done : count == 1 ? SHARDS_NONE : SHARDS_FAILED;
}
