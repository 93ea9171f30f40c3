// SPDX-License-Identifier: Apache-2.0
#include "read/dump/shard_dims.h"

#include <string.h>

static bool is_word(Str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return text.size > 0;
}

// "zigzag", "natural", "partial" and "sharded" are about the group before them.
static bool take_word(Str word, ShardShare *share, bool *qualifies)
{
    *qualifies = STR_IN(word, "zigzag", "natural", "partial", "sharded");
    share->zigzag = share->zigzag || str_equal(word, STR("zigzag"));
    share->partial = share->partial || str_equal(word, STR("partial"));
    return is_word(word);
}

// "cp:zigzag+partial,sp" or "cp,zigzag".
static bool take_shares(Str text, ShardShare first, ShardDims *out)
{
    size_t begin = out->count;
    Str rest = text, word;
    for (size_t i = 0; i < text.size; i++)
        if (strchr("[]()", text.data[i]))
            return false;
    while (rest.size) {
        size_t end = 0;
        while (end < rest.size && !strchr(",:+", rest.data[end]))
            end++;
        word = str_trim(str_slice(rest, 0, end));
        rest = str_slice(rest, end < rest.size ? end + 1 : end, rest.size);
        ShardShare share = first;
        bool qualifies, has = out->count > begin;
        if (!take_word(word, has ? &out->items[out->count - 1] : &share, &qualifies) ||
            (qualifies && !has) || (!qualifies && out->count == SHARD_SHARES_MAX))
            return false;
        share.group = word;
        if (!qualifies)
            out->items[out->count++] = share;
    }
    // The innermost parts, named last, are joined first.
    for (size_t low = begin, high = out->count; low + 1 < high; low++, high--) {
        ShardShare moved = out->items[low];
        out->items[low] = out->items[high - 1];
        out->items[high - 1] = moved;
    }
    return out->count > begin;
}

// "h", "1", "h[tp]", "h(tp)", "(a*b)", "(a*b)[tp]".
static bool take_dim(Str token, ShardDims *out)
{
    Str name = token, shares = {0};
    size_t from = token.data[0] == '(' ? str_find_char(token, ')', 0) : 0;
    if (from == SIZE_MAX)
        return false;
    for (size_t i = from + 1; i < token.size && !shares.size; i++) {
        char close = token.data[i] == '[' ? ']' : ')';
        if (token.data[i] != '[' && token.data[i] != '(')
            continue;
        if (token.data[token.size - 1] != close || i + 2 >= token.size)
            return false;
        name = str_slice(token, 0, i);
        shares = str_slice(token, i + 1, token.size - 1);
    }
    bool fused = from > 0;
    if (!fused && !is_word(name) && !str_equal(name, STR("1")))
        return false;
    ShardShare share = {.dim = out->rank++, .packed = str_equal(name, STR("t"))};
    return !shares.size || take_shares(shares, share, out);
}

// Each group of ranks shares one dim.
static bool are_apart(const ShardDims *dims)
{
    for (size_t i = 0; i < dims->count; i++)
        for (size_t k = 0; k < i; k++)
            if (str_equal(dims->items[i].group, dims->items[k].group))
                return false;
    return true;
}

bool shard_dims_parse(Str text, ShardDims *out)
{
    Str rest = str_slice(text, 0, str_find_char(text, '#', 0));
    *out = (ShardDims){.count = 0};
    for (size_t at = 0; at < rest.size;) {
        size_t end = at;
        int depth = 0;  // a blank within brackets is none between dims
        for (; end < rest.size && (depth > 0 || rest.data[end] != ' '); end++)
            depth += strchr("[(", rest.data[end]) ? 1 : strchr("])", rest.data[end]) ? -1 : 0;
        if (end > at && (out->rank == TENSOR_MAX_RANK || !take_dim(str_slice(rest, at, end), out)))
            return false;
        at = end + 1;
    }
    return out->rank > 0 && are_apart(out);
}
