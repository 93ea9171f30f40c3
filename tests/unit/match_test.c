// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match.h"

#include <time.h>

#include "check.h"
#include "compare/compare.h"
#include "graph_text.h"
#include "op_lines.h"

static Arena *arena;
static Notices notices;

typedef struct Pair {
    Graph golden, target;
    OpMatch match;
    NodeMatch nodes;
} Pair;

static Pair *match_texts(const GraphText *golden, const GraphText *target)
{
    Pair *pair = ARENA_NEW(arena, Pair);
    graph_text_build("match_golden", golden, GRAPH_VERNIER, arena, &pair->golden, &notices);
    graph_text_build("match_target", target, GRAPH_VERNIER, arena, &pair->target, &notices);
    MatchSides sides = {pair->golden.dump, pair->target.dump, &pair->golden, &pair->target};
    match_ops(&sides, NULL, arena, &pair->match);
    match_nodes(&pair->golden, &pair->target, &pair->match, arena, &pair->nodes);
    return pair;
}

// Flat dumps, without construct.
static Pair *match_flat(const char *golden, const char *target)
{
    return match_texts(&(GraphText){.construct = "{}", .data = op_lines(golden, arena).data},
                       &(GraphText){.construct = "{}", .data = op_lines(target, arena).data});
}

static Pair *match_trees(const char *golden, const char *target)
{
    OpLines b = op_lines(golden, arena), n = op_lines(target, arena);
    return match_texts(&(GraphText){.construct = b.construct, .data = b.data},
                       &(GraphText){.construct = n.construct, .data = n.data});
}

static uint32_t op_named(const Dump *dump, const char *name)
{
    NameId id = names_find(dump->names, str_of(name));
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].name == id)
            return i;
    return OP_NONE;
}

// Golden's name of a target op, "-" without a partner.
static Str partner(const Pair *pair, const char *target)
{
    uint32_t op = op_named(pair->target.dump, target);
    if (op == OP_NONE)
        return STR("no such op");
    uint32_t golden = pair->match.golden_of[op];
    return golden == OP_NONE
               ? STR("-")
               : names_text(pair->golden.dump->names, pair->golden.dump->ops[golden].name);
}

static Str partner_node(const Pair *pair, const char *target)
{
    NodeId node = graph_text_find(&pair->target, target);
    NodeId golden = node == NODE_NONE ? NODE_NONE : pair->nodes.golden_of[node];
    return golden == NODE_NONE
               ? STR("-")
               : names_text(pair->golden.dump->names, pair->golden.nodes[golden].name);
}

static void check_one_to_one(const Pair *pair)
{
    const OpMatch *match = &pair->match;
    for (uint32_t i = 0; i < pair->target.dump->op_count; i++)
        CHECK(match->golden_of[i] == OP_NONE || match->target_of[match->golden_of[i]] == i);
    for (uint32_t i = 0; i < pair->golden.dump->op_count; i++)
        CHECK(match->target_of[i] == OP_NONE || match->golden_of[match->target_of[i]] == i);
}

static void ops_of_one_name_are_partners_whatever_their_order(void)
{
    Pair *pair =
        match_flat("Torch.a.0.forward;Torch.b.0.forward", "Torch.b.0.forward;Torch.a.0.forward");
    CHECK_TEXT(partner(pair, "Torch.a.0.forward"), "Torch.a.0.forward");
    CHECK_TEXT(partner(pair, "Torch.b.0.forward"), "Torch.b.0.forward");
    CHECK(pair->match.counts.by_name == 2 && pair->match.counts.renumbered == 0);
}

// msProbe drops the first and never tells of the second.
static void ops_without_a_direction_and_ops_of_golden_alone_are_seen(void)
{
    Pair *pair = match_flat("api;Torch.a.0.forward;Torch.b.0.forward", "api;Torch.a.0.forward");
    CHECK_TEXT(partner(pair, "api"), "api");
    CHECK(pair->match.target_of[op_named(pair->golden.dump, "Torch.b.0.forward")] == OP_NONE);
    CompareOptions options = {0};
    Comparison out;
    compare_graphs(&pair->golden, &pair->target, &options, arena, &out);
    CHECK(out.op_count == 3 && out.op_counts[STATUS_NO_DATA] == 1 && out.status == STATUS_SAME);
    CHECK(out.ops[2].target == OP_NONE && out.ops[2].absence == ABSENCE_API);
}

static void an_extra_call_shifts_no_other(void)
{
    Pair *pair = match_flat("Torch.norm.0.forward;Torch.gelu.0.forward;Tensor.add.0.forward;"
                            "Torch.norm.1.forward;Torch.gelu.1.forward;Tensor.add.1.forward;"
                            "Torch.norm.2.forward;Torch.gelu.2.forward;Tensor.add.2.forward",
                            "Torch.norm.0.forward;Torch.gelu.0.forward;"
                            "Torch.norm.1.forward;Torch.gelu.1.forward;Tensor.add.0.forward;"
                            "Torch.norm.2.forward;Torch.gelu.2.forward;Tensor.add.1.forward");
    CHECK_TEXT(partner(pair, "Tensor.add.0.forward"), "Tensor.add.1.forward");
    CHECK_TEXT(partner(pair, "Tensor.add.1.forward"), "Tensor.add.2.forward");
    CHECK_TEXT(partner(pair, "Torch.norm.1.forward"), "Torch.norm.1.forward");
    CHECK(pair->match.target_of[op_named(pair->golden.dump, "Tensor.add.0.forward")] == OP_NONE);
    CHECK(pair->match.counts.renumbered == 2 && pair->match.counts.by_name == 6);
    check_one_to_one(pair);
}

static void backward_calls_follow_their_forward_calls(void)
{
    Pair *pair = match_flat("Torch.r.0.forward;Torch.s.0.forward;Torch.r.1.forward;"
                            "Torch.r.1.backward;Torch.s.0.backward;Torch.r.0.backward",
                            "Torch.s.0.forward;Torch.r.0.forward;"
                            "Torch.r.0.backward;Torch.s.0.backward");
    CHECK_TEXT(partner(pair, "Torch.r.0.forward"), "Torch.r.1.forward");
    CHECK_TEXT(partner(pair, "Torch.r.0.backward"), "Torch.r.1.backward");
    check_one_to_one(pair);
}

// docs/spec/compare.md W5
static void a_missing_backward_call_leaves_the_others_with_their_partners(void)
{
    Pair *pair = match_flat("Torch.r.0.forward;Torch.r.1.forward;Torch.r.2.forward;"
                            "Torch.r.1.backward;Torch.r.0.backward",
                            "Torch.r.0.forward;Torch.r.1.forward;Torch.r.2.forward;"
                            "Torch.r.2.backward;Torch.r.1.backward;Torch.r.0.backward");
    CHECK_TEXT(partner(pair, "Torch.r.2.backward"), "-");
    CHECK_TEXT(partner(pair, "Torch.r.1.backward"), "Torch.r.1.backward");
    CHECK_TEXT(partner(pair, "Torch.r.0.backward"), "Torch.r.0.backward");
}

// A run that recomputes gives its backward calls the numbers of the second forward calls.
static void recomputed_calls_pair_with_the_calls_that_were_made_once(void)
{
    Pair *pair = match_flat("Module.a.L.forward.0;Module.b.L.forward.0;"
                            "Module.b.L.backward.0;Module.a.L.backward.0",
                            "Module.a.L.forward.0;Module.b.L.forward.0;"
                            "Module.b.L.forward.1;Module.b.L.backward.1;"
                            "Module.a.L.forward.1;Module.a.L.backward.1");
    CHECK_TEXT(partner(pair, "Module.a.L.forward.0"), "Module.a.L.forward.0");
    CHECK_TEXT(partner(pair, "Module.a.L.forward.1"), "-");
    CHECK_TEXT(partner(pair, "Module.a.L.backward.1"), "Module.a.L.backward.0");
    CHECK_TEXT(partner(pair, "Module.b.L.backward.1"), "Module.b.L.backward.0");
    check_one_to_one(pair);
}

// Modules without a partner, of one shape and one API, are told apart whatever their places are.
static void recomputed_modules_of_one_shape_pair_with_their_own(void)
{
    enum { MODULES = 40 };
    StrBuf golden, target;
    golden = strbuf_new(arena);
    target = strbuf_new(arena);
    strbuf_add(&target, STR("Torch.y.0.forward;"));
    for (int i = 0; i < MODULES; i++)
        for (int side = 0; side < 2; side++)
            strbuf_printf(side ? &target : &golden,
                          "Torch.x.%d.forward < Module.m%d.L.forward.0;Module.m%d.L.forward.0;", i,
                          i, i);
    for (int i = MODULES; i-- > 0;) {
        int again = 2 * MODULES - 1 - i;
        strbuf_printf(&golden,
                      "Torch.x.%d.backward < Module.m%d.L.backward.0;Module.m%d.L.backward.0%s", i,
                      i, i, i ? ";" : "");
        strbuf_printf(&target,
                      "Torch.x.%d.forward < Module.m%d.L.forward.1;Module.m%d.L.forward.1;", again,
                      i, i);
        strbuf_printf(&target,
                      "Torch.x.%d.backward < Module.m%d.L.backward.1;Module.m%d.L.backward.1%s",
                      again, i, i, i ? ";" : "");
    }
    Pair *pair =
        match_trees(str_cstr(arena, strbuf_str(&golden)), str_cstr(arena, strbuf_str(&target)));
    for (int i = 0; i < MODULES; i++) {
        Str name = str_printf(arena, "Torch.x.%d.backward", 2 * MODULES - 1 - i);
        Str own = str_printf(arena, "Torch.x.%d.backward", i);
        CHECK(str_equal(partner(pair, str_cstr(arena, name)), own));
    }
}

static void equal_numbers_of_calls_stay_with_their_names(void)
{
    Pair *pair =
        match_flat("Torch.x.0.forward;Torch.y.0.forward;Torch.x.1.forward;Torch.y.1.forward",
                   "Torch.y.0.forward;Torch.x.0.forward;Torch.y.1.forward;Torch.x.1.forward");
    CHECK(pair->match.counts.by_name == 4);
}

static void shapes_that_differ_everywhere_move_nothing(void)
{
    Pair *pair = match_flat("Torch.x.0.forward [2,2];Torch.x.1.forward [2,2]",
                            "Torch.x.0.forward [8,8];Torch.x.1.forward [8,8]");
    CHECK(pair->match.counts.by_name == 2);
}

static void shapes_that_prove_a_shift_move_the_pairs(void)
{
    Pair *pair =
        match_flat("Torch.x.0.forward [8,8];Torch.x.1.forward [2,2];Torch.x.2.forward [2,2]",
                   "Torch.x.0.forward [2,2];Torch.x.1.forward [2,2];Torch.x.2.forward [8,8]");
    CHECK_TEXT(partner(pair, "Torch.x.0.forward"), "Torch.x.1.forward");
    CHECK_TEXT(partner(pair, "Torch.x.1.forward"), "Torch.x.2.forward");
    check_one_to_one(pair);
}

static void an_op_under_another_name_has_no_partner(void)
{
    Pair *pair = match_flat("Torch.norm.0.forward;Torch.c.0.forward;Torch.gelu.0.forward",
                            "Torch.norm.0.forward;Torch.d.0.forward;Torch.gelu.0.forward");
    CHECK_TEXT(partner(pair, "Torch.d.0.forward"), "-");
    CHECK(pair->match.counts.by_name == 2);
}

static void branches_that_run_in_another_order_pair_by_their_modules(void)
{
    Pair *pair = match_trees("Torch.x.0.forward < Module.a.L.forward.0;Module.a.L.forward.0;"
                             "Torch.x.1.forward < Module.b.L.forward.0;Module.b.L.forward.0",
                             "Torch.x.0.forward < Module.b.L.forward.0;Module.b.L.forward.0;"
                             "Torch.x.1.forward < Module.a.L.forward.0;Module.a.L.forward.0");
    CHECK_TEXT(partner(pair, "Torch.x.0.forward"), "Torch.x.1.forward");
    CHECK_TEXT(partner(pair, "Torch.x.1.forward"), "Torch.x.0.forward");
    check_one_to_one(pair);
}

// A module's own call comes after the calls inside it, so that a file that breaks off lacks it.
static void calls_in_a_module_that_was_cut_off_stay_with_their_names(void)
{
    const char *all = "Torch.x.0.forward < Module.a.L.forward.0;Module.a.L.forward.0;"
                      "Torch.x.1.forward < Module.b.L.forward.0;"
                      "Torch.x.2.forward < Module.b.L.forward.0;Module.b.L.forward.0";
    const char *cut = "Torch.x.0.forward < Module.a.L.forward.0;Module.a.L.forward.0;"
                      "Torch.x.1.forward < Module.b.L.forward.0";
    GraphText whole = {.construct = op_lines(all, arena).construct,
                       .data = op_lines(all, arena).data};
    GraphText part = {.construct = whole.construct, .data = op_lines(cut, arena).data};
    Pair *there = match_texts(&whole, &part), *back = match_texts(&part, &whole);
    CHECK_TEXT(partner(there, "Torch.x.1.forward"), "Torch.x.1.forward");
    CHECK_TEXT(partner(back, "Torch.x.1.forward"), "Torch.x.1.forward");
    CHECK_TEXT(partner(back, "Torch.x.2.forward"), "-");
}

static void a_renamed_wrapper_costs_itself_only(void)
{
    Pair *pair =
        match_trees("Torch.x.0.forward < Module.net.fc.Linear.forward.0;"
                    "Module.net.fc.Linear.forward.0 < Module.net.Net.forward.0;"
                    "Module.net.Net.forward.0;Module.net.fc.Linear.backward.0;"
                    "Module.net.fc.Linear.parameters_grad",
                    "Torch.x.0.forward < Module.ddp.module.fc.Linear.forward.0;"
                    "Module.ddp.module.fc.Linear.forward.0 < Module.ddp.module.Net.forward.0;"
                    "Module.ddp.module.Net.forward.0 < Module.ddp.Wrapper.forward.0;"
                    "Module.ddp.Wrapper.forward.0;Module.ddp.module.fc.Linear.backward.0;"
                    "Module.ddp.module.fc.Linear.parameters_grad.3");
    CHECK_TEXT(partner(pair, "Module.ddp.module.fc.Linear.forward.0"),
               "Module.net.fc.Linear.forward.0");
    CHECK_TEXT(partner(pair, "Module.ddp.module.fc.Linear.backward.0"),
               "Module.net.fc.Linear.backward.0");
    CHECK_TEXT(partner(pair, "Module.ddp.module.fc.Linear.parameters_grad.3"),
               "Module.net.fc.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Module.ddp.module.Net.forward.0"), "Module.net.Net.forward.0");
    CHECK_TEXT(partner(pair, "Module.ddp.Wrapper.forward.0"), "-");
    CHECK_TEXT(partner(pair, "Torch.x.0.forward"), "Torch.x.0.forward");
    CHECK_TEXT(partner_node(pair, "Module.ddp.module.fc.Linear.forward.0"),
               "Module.net.fc.Linear.forward.0");
    CHECK(pair->match.counts.renamed == 4 && pair->match.counts.by_name == 1);
    check_one_to_one(pair);
}

// A dump of backward alone, or of a `scope`.
static void a_wrapper_costs_nothing_where_no_forward_call_is_told(void)
{
    Pair *pair = match_trees(
        "Torch.x.0.backward < Module.b.fc.Linear.backward.0;"
        "Module.b.fc.Linear.backward.0;Module.b.fc.Linear.parameters_grad;"
        "Torch.x.1.backward < Module.a.fc.Linear.backward.0;"
        "Module.a.fc.Linear.backward.0;Module.a.fc.Linear.parameters_grad",
        "Torch.x.0.backward < Module.module.b.fc.Linear.backward.0;"
        "Module.module.b.fc.Linear.backward.0;Module.module.b.fc.Linear.parameters_grad;"
        "Torch.x.1.backward < Module.module.a.fc.Linear.backward.0;"
        "Module.module.a.fc.Linear.backward.0;Module.module.a.fc.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Module.module.a.fc.Linear.backward.0"),
               "Module.a.fc.Linear.backward.0");
    CHECK_TEXT(partner(pair, "Module.module.a.fc.Linear.parameters_grad"),
               "Module.a.fc.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Module.module.b.fc.Linear.parameters_grad"),
               "Module.b.fc.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Torch.x.1.backward"), "Torch.x.1.backward");
    check_one_to_one(pair);
    pair = match_flat("Module.b.fc.Linear.parameters_grad;Module.a.fc.Linear.parameters_grad",
                      "Module._orig_mod.b.fc.Linear.parameters_grad;"
                      "Module._orig_mod.a.fc.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Module._orig_mod.a.fc.Linear.parameters_grad"),
               "Module.a.fc.Linear.parameters_grad");
    check_one_to_one(pair);
}

// The stem of the last op is the last text of all.
static void gradients_that_golden_has_not_pair_with_nothing_where_their_module_comes_last(void)
{
    Pair *pair = match_flat("Module.c.b.Linear.backward.0;Module.c.b.Linear.parameters_grad",
                            "Module.c.b.Linear.backward.0;Module.c.b.Linear.parameters_grad;"
                            "Module.a.b.Linear.parameters_grad");
    CHECK_TEXT(partner(pair, "Module.a.b.Linear.parameters_grad"), "-");
    CHECK_TEXT(partner(pair, "Module.c.b.Linear.backward.0"), "Module.c.b.Linear.backward.0");
    check_one_to_one(pair);
}

// A dump of some layers against one of all, wrapped: the first layers of both are not the same.
static void what_a_wrapper_adds_to_a_path_does_not_shift_the_layers_of_a_range(void)
{
    Pair *pair =
        match_trees("Torch.x.1.forward < Module.layers.1.fc.Linear.forward.0;"
                    "Module.layers.1.fc.Linear.forward.0",
                    "Torch.x.0.forward < Module.module.layers.0._inner.fc.Linear.forward.0;"
                    "Module.module.layers.0._inner.fc.Linear.forward.0;"
                    "Torch.x.1.forward < Module.module.layers.1._inner.fc.Linear.forward.0;"
                    "Module.module.layers.1._inner.fc.Linear.forward.0");
    CHECK_TEXT(partner(pair, "Module.module.layers.1._inner.fc.Linear.forward.0"),
               "Module.layers.1.fc.Linear.forward.0");
    CHECK_TEXT(partner(pair, "Module.module.layers.0._inner.fc.Linear.forward.0"), "-");
    CHECK_TEXT(partner(pair, "Torch.x.1.forward"), "Torch.x.1.forward");
    check_one_to_one(pair);
}

static void a_branch_that_one_run_has_beside_its_like_is_no_wrapper(void)
{
    Pair *pair =
        match_flat("Module.layers.0.fc.Linear.forward.0", "Module.aux.layers.0.fc.Linear.forward.0;"
                                                          "Module.layers.0.fc.Linear.forward.0");
    CHECK_TEXT(partner(pair, "Module.layers.0.fc.Linear.forward.0"),
               "Module.layers.0.fc.Linear.forward.0");
    CHECK_TEXT(partner(pair, "Module.aux.layers.0.fc.Linear.forward.0"), "-");
}

// docs/spec/graph.md X4
static void call_numbers_that_are_shifted_everywhere_cost_nothing(void)
{
    Pair *pair = match_trees("Tensor.mul.15.forward < Module.m.Blk.forward.0;"
                             "Tensor.mul.16.forward < Module.m.Blk.forward.0;"
                             "Tensor.sum.5.forward < Module.m.Blk.forward.0;"
                             "Tensor.div.2.forward < Module.m.Blk.forward.0;Module.m.Blk.forward.0;"
                             "Torch.cat.3.forward;Torch.cat.4.forward;Module.n.X.forward.1;"
                             "Torch.abs.7.forward",
                             "Tensor.mul.20.forward < Module.m.Blk.forward.0;"
                             "Tensor.add.2.forward < Module.m.Blk.forward.0;"
                             "Tensor.mul.21.forward < Module.m.Blk.forward.0;"
                             "Tensor.sum.5.forward < Module.m.Blk.forward.0;"
                             "Tensor.div.3.forward < Module.m.Blk.forward.0;Module.m.Blk.forward.0;"
                             "Torch.cat.0.forward;Torch.cat.1.forward;Module.n.X.forward.0;"
                             "Torch.abs.7.forward");
    CHECK_TEXT(partner(pair, "Tensor.mul.20.forward"), "Tensor.mul.15.forward");
    CHECK_TEXT(partner(pair, "Tensor.mul.21.forward"), "Tensor.mul.16.forward");
    CHECK_TEXT(partner(pair, "Tensor.add.2.forward"), "-");
    CHECK_TEXT(partner(pair, "Tensor.div.3.forward"), "Tensor.div.2.forward");
    CHECK_TEXT(partner(pair, "Torch.cat.0.forward"), "Torch.cat.3.forward");
    CHECK_TEXT(partner(pair, "Torch.cat.1.forward"), "Torch.cat.4.forward");
    CHECK_TEXT(partner(pair, "Module.n.X.forward.0"), "Module.n.X.forward.1");
    CHECK_TEXT(partner_node(pair, "Apis_Between_Modules.0"), "Apis_Between_Modules.0");
    check_one_to_one(pair);
}

// docs/spec/graph.md X4, second pair
static void a_wrapper_that_is_left_out_costs_itself_only(void)
{
    Pair *pair = match_trees(
        "Torch.cat.0.forward < Module.x.B.forward.0;Module.x.B.forward.0;Module.a.A.forward.0",
        "Torch.cat.0.forward < Module.x.B.forward.0;Module.x.B.forward.0 < Module.a.A.forward.0;"
        "Module.a.A.forward.0");
    CHECK(pair->match.counts.by_name == 3);
    CHECK_TEXT(partner_node(pair, "Module.x.B.forward.0"), "Module.x.B.forward.0");
}

static void several_gradients_of_one_name_are_no_cross_product(void)
{
    static const char data[] = "{\"Module.fc.L.parameters_grad\":{\"weight\":[" OP_TENSOR(
        "[2,2]") "," OP_TENSOR("[2,2]") "]}}";
    GraphText text = {.construct = "{}", .data = data};
    Pair *pair = match_texts(&text, &text);
    CHECK(pair->match.golden_slot_of[0] == 0 && pair->match.golden_slot_of[1] == 1);
}

// ---- properties

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// A program of calls of a few APIs; `edits` in 1000 of them are left out or made once more.
static const char *random_calls(uint32_t count, uint64_t program, uint64_t edits, uint64_t edited)
{
    static const char *const apis[] = {"add", "mul", "matmul", "softmax", "gelu", "norm", "view"};
    uint32_t calls[7] = {0};
    StrBuf buf;
    buf = strbuf_new(arena);
    strbuf_add_char(&buf, '{');
    for (uint32_t i = 0; i < count; i++) {
        uint64_t api = next_random(&program) % 7, shape = next_random(&program) % 5;
        int times = 1;
        if (edits && next_random(&edited) % 1000 < edits)
            times = next_random(&edited) % 2 ? 0 : 2;
        for (; times > 0; times--)
            strbuf_printf(&buf, "%s\"Torch.%s.%u.forward\":{\"output\":[" OP_TENSOR("[%u,2]") "]}",
                          buf.size > 1 ? "," : "", apis[api], (unsigned)calls[api]++,
                          (unsigned)shape);
    }
    strbuf_add_char(&buf, '}');
    strbuf_add_char(&buf, 0);
    return buf.data;
}

static void swapped_sides_give_swapped_pairs(void)
{
    for (uint64_t round = 0; round < 60; round++) {
        const char *a = random_calls(120, round, 40, round + 1000);
        const char *b = random_calls(120, round, 40, round + 2000);
        GraphText left = {.construct = "{}", .data = a}, right = {.construct = "{}", .data = b};
        Pair *there = match_texts(&left, &right), *back = match_texts(&right, &left);
        check_one_to_one(there);
        for (uint32_t i = 0; i < there->target.dump->op_count; i++)
            CHECK(there->match.golden_of[i] == back->match.target_of[i]);
    }
}

// Modules that are called several times, with calls left out, wrapped and in another order.
static const char *random_tree(uint64_t seed)
{
    static const char *const modules[] = {"a.Block", "b.Block", "b.c.Linear", "w.a.Block"};
    static const char *const apis[] = {"Torch.add", "Torch.mul", "Tensor.view"};
    uint32_t module_calls[4] = {0}, api_calls[3] = {0};
    StrBuf buf;
    buf = strbuf_new(arena);
    for (int i = 0; i < 25; i++) {
        uint64_t module = next_random(&seed) % 4;
        Str parent = str_printf(arena, "Module.%s.forward.%u", modules[module],
                                (unsigned)module_calls[module]++);
        for (uint64_t k = next_random(&seed) % 4; k > 0; k--) {
            uint64_t api = next_random(&seed) % 3;
            strbuf_printf(&buf, "%s.%u.forward < " STR_FMT ";", apis[api],
                          (unsigned)api_calls[api]++, STR_ARG(parent));
        }
        strbuf_printf(&buf, STR_FMT ";", STR_ARG(parent));
    }
    strbuf_printf(&buf, "Torch.end.0.forward;Torch.add.0.backward;Torch.mul.1.backward");
    strbuf_add_char(&buf, 0);
    return buf.data;
}

static void trees_of_any_kind_pair_one_to_one_and_swap(void)
{
    for (uint64_t round = 0; round < 200; round++) {
        const char *a = random_tree(round * 2), *b = random_tree(round * 2 + 1);
        Pair *there = match_trees(a, b), *back = match_trees(b, a), *self = match_trees(a, a);
        check_one_to_one(there);
        for (uint32_t i = 0; i < there->target.dump->op_count; i++)
            CHECK(there->match.golden_of[i] == back->match.target_of[i]);
        CHECK(self->match.counts.by_name == self->target.dump->op_count);
    }
}

// Calls of one API that only the sizes of what they take tell apart; one of them left out.
static Pair *match_sizes(size_t left_out, double noise)
{
    static const double norms[] = {4.0, 9.0, 1.5, 7.0, 2.5, 5.5};
    GraphText text[2];
    for (int side = 0; side < 2; side++) {
        StrBuf data;
        data = strbuf_new(arena);
        for (size_t i = 0, call = 0; i < sizeof norms / sizeof *norms; i++) {
            if (side == 1 && i == left_out)
                continue;
            strbuf_printf(&data,
                          "%s\"Tensor.mul_.%zu.forward\":{\"input_args\":[{\"type\":"
                          "\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4],\"Max\":1,"
                          "\"Min\":-1,\"Mean\":0,\"Norm\":%.17g}],\"output\":[]}",
                          data.size ? "," : "{", call++, norms[i] * (side ? 1 + noise : 1));
        }
        strbuf_add_char(&data, '}');
        text[side] = (GraphText){.construct = "{}", .data = str_cstr(arena, strbuf_str(&data))};
    }
    return match_texts(&text[0], &text[1]);
}

static void of_calls_that_look_alike_the_sizes_tell_which_one_is_missing(void)
{
    static const double noises[] = {0, 1e-7};
    for (size_t left_out = 0; left_out < 6; left_out++)
        for (size_t i = 0; i < 2; i++) {
            Pair *pair = match_sizes(left_out, noises[i]);
            CHECK(pair->match.target_of[left_out] == OP_NONE);
            check_one_to_one(pair);
        }
    Pair *pair = match_sizes(2, 100);  // nothing is alike: what is left out is not known
    check_one_to_one(pair);
}

static void few_edits_in_many_ops_cost_little_time_and_few_pairs(void)
{
    enum { COUNT = 100000 };
    Pair *pair = ARENA_NEW(arena, Pair);
    GraphText golden = {.construct = "{}", .data = random_calls(COUNT, 5, 0, 0)};
    GraphText target = {.construct = "{}", .data = random_calls(COUNT, 5, 10, 9)};
    clock_t built = clock();
    graph_text_build("match_golden", &golden, GRAPH_VERNIER, arena, &pair->golden, &notices);
    graph_text_build("match_target", &target, GRAPH_VERNIER, arena, &pair->target, &notices);
    MatchSides sides = {pair->golden.dump, pair->target.dump, &pair->golden, &pair->target};
    clock_t start = clock();
    match_ops(&sides, NULL, arena, &pair->match);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check_one_to_one(pair);
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < pair->target.dump->op_count; i++)
        pairs += pair->match.golden_of[i] != OP_NONE;
    CHECK(pairs > COUNT - COUNT / 100);
    double building = (double)(start - built) / CLOCKS_PER_SEC;
    // With sanitizers; a quadratic one takes minutes. On a slow machine the reading is slow as
    // well.
    CHECK(seconds < 10 || seconds < 4 * building);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(ops_of_one_name_are_partners_whatever_their_order);
    CHECK_RUN(ops_without_a_direction_and_ops_of_golden_alone_are_seen);
    CHECK_RUN(an_extra_call_shifts_no_other);
    CHECK_RUN(backward_calls_follow_their_forward_calls);
    CHECK_RUN(a_missing_backward_call_leaves_the_others_with_their_partners);
    CHECK_RUN(recomputed_calls_pair_with_the_calls_that_were_made_once);
    CHECK_RUN(recomputed_modules_of_one_shape_pair_with_their_own);
    CHECK_RUN(equal_numbers_of_calls_stay_with_their_names);
    CHECK_RUN(shapes_that_differ_everywhere_move_nothing);
    CHECK_RUN(shapes_that_prove_a_shift_move_the_pairs);
    CHECK_RUN(an_op_under_another_name_has_no_partner);
    CHECK_RUN(branches_that_run_in_another_order_pair_by_their_modules);
    CHECK_RUN(calls_in_a_module_that_was_cut_off_stay_with_their_names);
    CHECK_RUN(a_renamed_wrapper_costs_itself_only);
    CHECK_RUN(a_wrapper_costs_nothing_where_no_forward_call_is_told);
    CHECK_RUN(gradients_that_golden_has_not_pair_with_nothing_where_their_module_comes_last);
    CHECK_RUN(what_a_wrapper_adds_to_a_path_does_not_shift_the_layers_of_a_range);
    CHECK_RUN(a_branch_that_one_run_has_beside_its_like_is_no_wrapper);
    CHECK_RUN(call_numbers_that_are_shifted_everywhere_cost_nothing);
    CHECK_RUN(a_wrapper_that_is_left_out_costs_itself_only);
    CHECK_RUN(several_gradients_of_one_name_are_no_cross_product);
    CHECK_RUN(swapped_sides_give_swapped_pairs);
    CHECK_RUN(trees_of_any_kind_pair_one_to_one_and_swap);
    CHECK_RUN(of_calls_that_look_alike_the_sizes_tell_which_one_is_missing);
    CHECK_RUN(few_edits_in_many_ops_cost_little_time_and_few_pairs);
    arena_release(arena);
    return CHECK_RESULT;
}
