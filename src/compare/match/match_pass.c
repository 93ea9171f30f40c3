// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_pass.h"

#include "base/array.h"
#include "compare/match/align_sequence.h"

// Backward calls run in an order of their own, and gradients stand where they became ready, so the
// frame is of one direction or of gradients.
static bool is_backward(const Matcher *matcher, int side, uint32_t op)
{
    return matcher->sides[side].dump->ops[op].direction == DIR_BACKWARD;
}

// ---- places in the hierarchy

enum { PLACE_ROOT, PLACE_PAIRED, PLACE_NAMED, PLACE_OWN };

// A module that has a partner is known by the pair, one without data on either side by its name (a
// file that breaks off holds the calls inside a module, but not its own, which comes last); any
// other is like nothing on the other side.
static int place_of_module(const Matcher *matcher, int side, NodeId node, uint64_t *place)
{
    const Graph *graph = matcher->sides[side].graph;
    uint32_t op = graph->nodes[node].op;
    NameId name = matcher->keys.node_name[side][node];
    uint32_t partner = op == OP_NONE ? OP_NONE : matcher->partner[side][op];
    if (op == OP_NONE || (partner == OP_NONE && matcher->keys.node_bare[1 - side][name])) {
        *place = name;
        return PLACE_NAMED;
    }
    *place = partner == OP_NONE ? op : side == 0 ? op : partner;
    return partner == OP_NONE ? PLACE_OWN : PLACE_PAIRED;
}

static uint64_t place_token(int kind, int side, uint64_t place)
{
    // Small numbers are spread first: mixed as they are, two of them could cancel out.
    uint64_t sort = match_mix(0, kind == PLACE_OWN ? (uint64_t)(kind + side) : (uint64_t)kind);
    return match_mix(sort, place + 1);
}

static uint64_t scope_token(const Matcher *matcher, int side, uint32_t op)
{
    NodeId node = matcher->keys.ops[side][op].scope;
    uint64_t place = 0;
    if (!matcher->scoped || node == NODE_NONE)
        return 0;
    int kind = place_of_module(matcher, side, node, &place);
    return place_token(kind, side, place);
}

static uint64_t near_token(const Matcher *matcher, int side, uint32_t op)
{
    NodeId node = matcher->keys.ops[side][op].scope;
    while (matcher->scoped && node != NODE_NONE && node != 0) {
        uint64_t place = 0;
        int kind = place_of_module(matcher, side, node, &place);
        if (kind == PLACE_PAIRED ||
            (kind == PLACE_NAMED && matcher->keys.node_known[1 - side][place]))
            return place_token(kind, side, place);
        node = matcher->sides[side].graph->nodes[node].parent;
    }
    return 0;
}

bool match_pass_same_place(const Matcher *matcher, uint32_t first, uint32_t second)
{
    return scope_token(matcher, 0, first) == scope_token(matcher, 1, second) ||
           near_token(matcher, 0, first) == near_token(matcher, 1, second);
}

// ---- tokens

static uint64_t token_of(const Matcher *matcher, int side, uint32_t op, MatchPass pass)
{
    const OpKey *key = &matcher->keys.ops[side][op];
    const Op *record = &matcher->sides[side].dump->ops[op];
    uint64_t token = match_mix((uint64_t)record->kind * 4 + record->direction, (uint64_t)pass);
    if (pass & BY_NAME)
        token = match_mix(token, key->whole);
    if (pass & BY_CLASS)
        token = match_mix(token, key->class);
    if (pass & BY_LEAF)
        token = match_mix(token, key->leaf);
    if (pass & BY_PATH)
        token = match_mix(token, key->path);
    if (pass & BY_TYPE)
        token = match_mix(token, key->type);
    if (pass & BY_SCOPE)
        token = match_mix(token, scope_token(matcher, side, op));
    if (pass & BY_NEAR)
        token = match_mix(token, near_token(matcher, side, op));
    if (pass & BY_SIGNATURE)
        token = match_mix(token, key->signature);
    if (pass & BY_SIZES)
        token = match_mix(token, key->sizes);
    if (pass & BY_VALUES)
        token = match_mix(token, key->values);
    return token;
}

static bool is_free(const Matcher *matcher, const PassOps *ops, int side, uint32_t op,
                    MatchPass pass)
{
    return matcher->partner[side][op] == OP_NONE && matcher->stage[side][op] == ops->stage &&
           (!ops->only[side] || ops->only[side][op]) &&
           (!(pass & BY_VALUES) || matcher->keys.ops[side][op].values != 0);
}

// ---- the frame and what lies between

typedef struct Line {
    uint32_t *ops;  // of one direction, in the order of the file
    uint32_t count;
} Line;

typedef struct Gaps {
    Matcher *matcher;
    const PassOps *ops;
    MatchPass pass;
    Line lines[2];
    uint32_t *free[2];    // ops of the gap at work that may pair up
    uint64_t *tokens[2];  // theirs
    uint32_t *second_of;
} Gaps;

static uint32_t count_free(const Matcher *matcher, const PassOps *ops, int side, MatchPass pass)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < matcher->sides[side].dump->op_count; i++)
        count += is_free(matcher, ops, side, i, pass);
    return count;
}

static void collect_line(Gaps *gaps, int side, Arena *scratch)
{
    bool backward = gaps->ops->stage == STAGE_BACKWARD, grads = gaps->ops->stage == STAGE_GRADS;
    const Dump *dump = gaps->matcher->sides[side].dump;
    Line *line = &gaps->lines[side];
    line->ops = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++)
        if ((dump->ops[i].kind == OP_GRADS) == grads &&
            (grads || is_backward(gaps->matcher, side, i) == backward))
            line->ops[line->count++] = i;
}

// By place in line 0: the place of its partner in line 1, ALIGN_NONE without one.
static uint32_t *partner_places(const Gaps *gaps, Arena *scratch)
{
    const Line *line = &gaps->lines[1];
    uint32_t *place_of = array_of_none(scratch, gaps->matcher->sides[1].dump->op_count);
    for (uint32_t i = 0; i < line->count; i++)
        place_of[line->ops[i]] = i;
    uint32_t *places = ARENA_ARRAY(scratch, uint32_t, (size_t)gaps->lines[0].count + 1);
    for (uint32_t i = 0; i < gaps->lines[0].count; i++) {
        uint32_t partner = gaps->matcher->partner[0][gaps->lines[0].ops[i]];
        places[i] = partner == OP_NONE ? ALIGN_NONE : place_of[partner];
    }
    return places;
}

static TokenSequence collect_free(Gaps *gaps, int side, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t op = gaps->lines[side].ops[i];
        if (!is_free(gaps->matcher, gaps->ops, side, op, gaps->pass))
            continue;
        gaps->free[side][count] = op;
        gaps->tokens[side][count++] = token_of(gaps->matcher, side, op, gaps->pass);
    }
    return (TokenSequence){gaps->tokens[side], count};
}

static void pair_gap(Gaps *gaps, const uint32_t from[2], const uint32_t to[2])
{
    TokenSequence first = collect_free(gaps, 0, from[0], to[0]);
    if (first.count == 0)
        return;
    TokenSequence second = collect_free(gaps, 1, from[1], to[1]);
    if (second.count == 0)
        return;
    align_sequences(first, second, gaps->second_of);
    for (uint32_t i = 0; i < first.count; i++)
        if (gaps->second_of[i] != ALIGN_NONE)
            match_pair(gaps->matcher, gaps->free[0][i], gaps->free[1][gaps->second_of[i]]);
}

static void pair_gaps(Gaps *gaps, const uint32_t *places, const bool *kept)
{
    uint32_t from[2] = {0, 0};
    for (uint32_t i = 0; i < gaps->lines[0].count; i++) {
        if (!kept[i])
            continue;
        uint32_t to[2] = {i, places[i]};
        pair_gap(gaps, from, to);
        from[0] = i + 1;
        from[1] = places[i] + 1;
    }
    uint32_t end[2] = {gaps->lines[0].count, gaps->lines[1].count};
    pair_gap(gaps, from, end);
}

void match_pass_run(Matcher *matcher, const PassOps *ops, MatchPass pass)
{
    uint32_t free[2];
    for (int side = 0; side < 2; side++)
        if ((free[side] = count_free(matcher, ops, side, pass)) == 0)
            return;
    Arena *scratch = arena_new();
    Gaps gaps = {.matcher = matcher, .ops = ops, .pass = pass};
    for (int side = 0; side < 2; side++) {
        collect_line(&gaps, side, scratch);
        gaps.free[side] = ARENA_ARRAY(scratch, uint32_t, free[side]);
        gaps.tokens[side] = ARENA_ARRAY(scratch, uint64_t, free[side]);
    }
    gaps.second_of = ARENA_ARRAY(scratch, uint32_t, free[0]);
    const uint32_t *places = partner_places(&gaps, scratch);
    bool *kept = ARENA_ARRAY(scratch, bool, (size_t)gaps.lines[0].count + 1);
    align_increasing(places, gaps.lines[0].count, kept);
    pair_gaps(&gaps, places, kept);
    arena_release(scratch);
}

// ---- what stands elsewhere

// Open addressing from token to the first of a chain of ops of side 1.
typedef struct Chains {
    uint64_t *tokens;
    uint32_t *heads, *tails;  // op + 1; 0: empty
    uint32_t *next;           // by op
    size_t mask;
} Chains;

static size_t chain_of(const Chains *chains, uint64_t token)
{
    size_t place = (size_t)token & chains->mask;
    while (chains->tails[place] && chains->tokens[place] != token)
        place = (place + 1) & chains->mask;
    return place;
}

static void add_to_chain(Chains *chains, uint64_t token, uint32_t op)
{
    size_t place = chain_of(chains, token);
    chains->tokens[place] = token;
    if (chains->tails[place])
        chains->next[chains->tails[place] - 1] = op + 1;
    else
        chains->heads[place] = op + 1;
    chains->tails[place] = op + 1;
}

// Ops of the root lie in no particular place: shapes alone are no evidence there. A module is known
// by its path.
static bool may_move(const Matcher *matcher, const PassOps *ops, int side, uint32_t op,
                     MatchPass pass)
{
    return is_free(matcher, ops, side, op, pass) &&
           ((pass & BY_VALUES) || !(pass & BY_SCOPE) || scope_token(matcher, side, op) != 0);
}

static void pair_moved(Matcher *matcher, const PassOps *ops, MatchPass pass)
{
    uint32_t free = count_free(matcher, ops, 1, pass);
    if (free == 0 || count_free(matcher, ops, 0, pass) == 0)
        return;
    Arena *scratch = arena_new();
    size_t size = 16;
    while (size < (size_t)free * 2)
        size *= 2;
    uint32_t count = matcher->sides[1].dump->op_count;
    Chains chains = {.tokens = ARENA_ARRAY(scratch, uint64_t, size),
                     .heads = ARENA_ARRAY(scratch, uint32_t, size),
                     .tails = ARENA_ARRAY(scratch, uint32_t, size),
                     .next = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1),
                     .mask = size - 1};
    for (uint32_t i = 0; i < count; i++)
        if (may_move(matcher, ops, 1, i, pass))
            add_to_chain(&chains, token_of(matcher, 1, i, pass), i);
    for (uint32_t i = 0; i < matcher->sides[0].dump->op_count; i++) {
        if (!may_move(matcher, ops, 0, i, pass))
            continue;
        size_t place = chain_of(&chains, token_of(matcher, 0, i, pass));
        if (!chains.tails[place] || !chains.heads[place])
            continue;
        uint32_t op = chains.heads[place] - 1;
        chains.heads[place] = chains.next[op];
        match_pair(matcher, i, op);
    }
    arena_release(scratch);
}

void match_pass_moved(Matcher *matcher, const PassOps *ops, MatchPass place)
{
    pair_moved(matcher, ops, place | BY_SIGNATURE | BY_VALUES);
    pair_moved(matcher, ops, place | BY_SIGNATURE);
}
