// SPDX-License-Identifier: Apache-2.0
#include "read/settings/parallel_layout.h"

#include <stddef.h>

#include "base/file.h"
#include "base/words.h"
#include "read/json/python_literal.h"

// More ranks than any job has; keeps products within 64 bits.
#define LARGEST 1000000000

ParallelLayout parallel_layout_none(void)
{
    return (ParallelLayout){
        .tp = 1, .pp = 1, .vpp = 1, .cp = 1, .ep = 1, .order = STR("tp-cp-ep-dp-pp")};
}

int64_t parallel_layout_batches(const ParallelLayout *layout)
{
    int64_t a = layout->ep, b = layout->cp;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return layout->cp * (layout->dp ? layout->dp : layout->ep / a);
}

typedef struct NumberKey {
    const char *name;
    size_t offset;
} NumberKey;

static const NumberKey number_keys[] = {
    {"tp", offsetof(ParallelLayout, tp)},
    {"pp", offsetof(ParallelLayout, pp)},
    {"vpp", offsetof(ParallelLayout, vpp)},
    {"cp", offsetof(ParallelLayout, cp)},
    {"ep", offsetof(ParallelLayout, ep)},
    {"dp", offsetof(ParallelLayout, dp)},
    {"rank_size", offsetof(ParallelLayout, rank_size)},
};

static int64_t *number_of(ParallelLayout *layout, Str key)
{
    for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++)
        if (str_equal(key, str_of(number_keys[i].name)))
            return (int64_t *)(void *)((char *)layout + number_keys[i].offset);
    return NULL;
}

static bool order_is_good(Str order)
{
    for (size_t i = 0; i < order.size; i++)
        if (order.data[i] != '-' && (order.data[i] < 'a' || order.data[i] > 'z'))
            return false;
    return order.size > 0;
}

static bool set_loss(ParallelLayout *out, Str value, Where where, ErrorKind kind, Error *err)
{
    out->mean = str_equal(value, STR("mean"));
    return out->mean || str_equal(value, STR("sum")) ||
           error_set(err, kind, where,
                     tr("parallel merge: loss: expected mean or sum, found '" STR_FMT "'"),
                     STR_ARG(value));
}

static bool set_member(ParallelLayout *out, Str key, Str value, Where where, ErrorKind kind,
                       Error *err)
{
    int64_t *number = number_of(out, key);
    if (number)
        return (str_to_int64(value, number) && *number >= 1 && *number <= LARGEST) ||
               error_set(err, kind, where,
                         tr("parallel merge: " STR_FMT
                            ": expected a whole number above 0, found '" STR_FMT "'"),
                         STR_ARG(key), STR_ARG(value));
    if (str_equal(key, STR("loss")))
        return set_loss(out, value, where, kind, err);
    if (!str_equal(key, STR("order")))
        return error_set(err, kind, where,
                         tr("parallel merge: expected tp, pp, vpp, cp, ep, dp, loss, order or "
                            "rank_size, found '" STR_FMT "'"),
                         STR_ARG(key));
    out->order = value;
    return order_is_good(value) ||
           error_set(err, kind, where,
                     tr("parallel merge: order: expected lower-case names with hyphens between "
                        "them, found '" STR_FMT "'"),
                     STR_ARG(value));
}

bool parallel_layout_parse(Str text, ParallelLayout *out, Error *err)
{
    Str part;
    *out = parallel_layout_none();
    while (str_split(&text, ',', &part)) {
        part = str_trim(part);
        size_t equals = str_find_char(part, '=', 0);
        if (equals == SIZE_MAX)
            return error_set(
                err, ERR_USAGE, NOWHERE,
                tr("parallel merge: expected a list like tp=2,pp=4, found '" STR_FMT "'"),
                STR_ARG(part));
        if (!set_member(out, str_trim(str_slice(part, 0, equals)),
                        str_trim(str_slice(part, equals + 1, part.size)), NOWHERE, ERR_USAGE, err))
            return false;
    }
    return true;
}

// ---- msProbe's file

static bool read_layout(LiteralReader *reader, const char *path, Arena *arena, ParallelLayout *out,
                        Error *err)
{
    Str key;
    *out = parallel_layout_none();
    if (!literal_enter(reader, '{'))
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, reader->at), "%s",
                         tr("parallel merge: expected an object with rank_size, tp and pp"));
    while (literal_member(reader, &key)) {
        size_t at = reader->at;
        Literal value = literal_value(reader);
        Str text = value.text;
        if (value.kind == LITERAL_NULL)
            continue;
        if (value.kind == LITERAL_NUMBER)
            text = str_trim(str_slice(reader->text, at, reader->at));
        else if (value.kind != LITERAL_TEXT)
            return error_set(err, ERR_INPUT, WHERE_BYTE(path, at),
                             tr("parallel merge: expected a number or a text at '" STR_FMT "'"),
                             STR_ARG(key));
        if (!set_member(out, key, str_copy(arena, text), WHERE_BYTE(path, at), ERR_INPUT, err))
            return false;
    }
    return true;
}

static bool read_sides(LiteralReader *reader, const char *path, Arena *arena,
                       ParallelLayout *golden, ParallelLayout *target, Error *err)
{
    Str key;
    if (!literal_enter(reader, '{'))
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, reader->at), "%s",
                         tr("parallel merge: expected an object with npu and bench"));
    while (literal_member(reader, &key)) {
        ParallelLayout *side = str_equal(key, STR("npu"))     ? target
                               : str_equal(key, STR("bench")) ? golden
                                                              : NULL;
        if (side ? !read_layout(reader, path, arena, side, err) : !literal_skip(reader))
            return false;
    }
    return true;
}

bool parallel_layout_read(const char *path, Arena *arena, ParallelLayout *golden,
                          ParallelLayout *target, Error *err)
{
    File file;
    bool found = false, good = true;
    Str key;
    if (!file_open(path, &file, err))
        return false;
    LiteralReader reader = literal_open(str_copy(arena, file.text), 0, arena);
    file_close(&file);
    error_set(err, ERR_INPUT, WHERE_BYTE(path, 0), "%s",
              tr("parallel merge: the file breaks off or is no JSON"));
    bool object = literal_enter(&reader, '{');
    while (object && good && literal_member(&reader, &key)) {
        bool here = str_equal(key, STR("parallel_merge"));
        found = found || here;
        good = here ? read_sides(&reader, path, arena, golden, target, err) : literal_skip(&reader);
    }
    if (!good || reader.broken || !object)
        return false;
    return found || error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                              tr("parallel merge: the file has no object parallel_merge"));
}

// ---- the layout of a number of ranks

typedef struct Dimension {
    const char *name;
    int64_t size;
    int64_t stride;
} Dimension;

enum { DIMENSION_TP, DIMENSION_PP, DIMENSION_DP, DIMENSION_CP, DIMENSION_EP, DIMENSIONS };

// Names that the order does not have have stride 0. False if it has a name that is none. Experts
// are spread over the ranks of cp x dp, so either these are laid out or they are.
static bool lay_out(const ParallelLayout *layout, int64_t ranks, bool experts,
                    Dimension out[DIMENSIONS])
{
    int64_t cp = experts ? 1 : layout->cp, ep = experts ? layout->ep : 1;
    out[DIMENSION_TP] = (Dimension){"tp", layout->tp, 0};
    out[DIMENSION_PP] = (Dimension){"pp", layout->pp, 0};
    out[DIMENSION_DP] = (Dimension){"dp", ranks / (layout->tp * layout->pp) / (cp * ep), 0};
    out[DIMENSION_CP] = (Dimension){"cp", cp, 0};
    out[DIMENSION_EP] = (Dimension){"ep", ep, 0};
    Str order = layout->order, name;
    int64_t stride = 1;
    while (str_split(&order, '-', &name)) {
        int i = 0;
        while (i < DIMENSIONS && !str_equal(name, str_of(out[i].name)))
            i++;
        if (i == DIMENSIONS || out[i].stride)
            return false;
        out[i].stride = stride;
        stride *= out[i].size;
    }
    return true;
}

static bool check_batches(const ParallelLayout *layout, int64_t copies, Error *err)
{
    int64_t batches = parallel_layout_batches(layout);
    if (batches < 1 || batches > copies || copies % batches != 0)
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("parallel merge: %lld ranks for each share and stage cannot be parts "
                            "of %lld (cp x dp)"),
                         (long long)copies, (long long)batches);
    return batches % layout->ep == 0 ||
           error_set(err, ERR_USAGE, NOWHERE,
                     tr("parallel merge: the experts of ep %lld are not whole on %lld ranks (cp x "
                        "dp)"),
                     (long long)layout->ep, (long long)batches);
}

static bool check_order(const ParallelLayout *layout, int64_t ranks, bool experts, Error *err)
{
    Dimension dimensions[DIMENSIONS];
    if (!lay_out(layout, ranks, experts, dimensions))
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("parallel merge: order: expected each of tp, cp, ep, dp, pp at most "
                            "once, found '" STR_FMT "'"),
                         STR_ARG(layout->order));
    for (int i = 0; i < DIMENSIONS; i++)
        if (dimensions[i].size > 1 && dimensions[i].stride == 0)
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("parallel merge: order: '" STR_FMT "' has no %s"),
                             STR_ARG(layout->order), dimensions[i].name);
    return true;
}

bool parallel_layout_check(const ParallelLayout *layout, int64_t ranks, Error *err)
{
    if (layout->rank_size && ranks > layout->rank_size)
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("parallel merge: rank_size is %lld, but there are %lld ranks"),
                         (long long)layout->rank_size, (long long)ranks);
    if (layout->vpp > 1 && layout->pp == 1)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("parallel merge: virtual stages (vpp) need pipeline stages (pp)"));
    if (ranks % (layout->tp * layout->pp) != 0) {
        error_set(err, ERR_USAGE, NOWHERE,
                  tr("parallel merge: %lld ranks cannot be tp %lld x pp %lld"), (long long)ranks,
                  (long long)layout->tp, (long long)layout->pp);
        return error_hint(err, "%s",
                          tr("where ranks are missing, rank_size=N says how many there should be"));
    }
    return check_batches(layout, ranks / (layout->tp * layout->pp), err) &&
           check_order(layout, ranks, false, err) && check_order(layout, ranks, true, err);
}

ParallelStrides parallel_layout_strides(const ParallelLayout *layout, int64_t ranks)
{
    Dimension dimensions[DIMENSIONS];
    lay_out(layout, ranks, false, dimensions);
    ParallelStrides strides = {.tp = dimensions[DIMENSION_TP].stride,
                               .pp = dimensions[DIMENSION_PP].stride,
                               .dp = dimensions[DIMENSION_DP].stride,
                               .cp = dimensions[DIMENSION_CP].stride};
    lay_out(layout, ranks, true, dimensions);
    strides.ep = dimensions[DIMENSION_EP].stride;
    return strides;
}
