// SPDX-License-Identifier: Apache-2.0
#include "compare/peer.h"

#include "base/words.h"
#include "compare/judge.h"
#include "compare/mapping_rows.h"
#include "compare/peer_colour.h"
#include "compare/source.h"

static bool mode_of(const Dump *golden, const Dump *target, CompareMode *mode, Error *err)
{
    *mode = compare_mode(golden, target);
    if (*mode == MODE_TENSOR && !str_equal(target->task, STR("tensor")))
        *mode = MODE_STATISTICS;
    if (*mode == MODE_STATISTICS && golden->has_checksum != target->has_checksum)
        return error_set(err, ERR_INPUT, WHERE_FILE(target->path.data), "%s",
                         tr("only one side has checksums: the rules of msprobe compare statistics "
                            "with statistics or checksums with checksums"));
    return true;
}

static PeerMetrics *no_metrics(size_t count, Arena *arena)
{
    PeerMetrics *metrics = ARENA_ARRAY(arena, PeerMetrics, count + 1);
    for (size_t i = 0; i < count; i++) {
        for (int metric = 0; metric < PEER_METRIC_COUNT; metric++)
            metrics[i].cells[metric].kind = PEER_UNSUPPORTED;
        metrics[i].note = NOTE_NO_FILE;
    }
    return metrics;
}

bool peer_pair(const Graph *golden, const Graph *target, Rules rules, const MatchOptions *match,
               Arena *arena, PeerComparison *out, Error *err)
{
    PeerGeneration generation = rules == RULES_MSPROBE8 ? PEER_8 : PEER_26;
    *out = (PeerComparison){.golden = golden, .target = target, .rules = rules, .match = match};
    if (!mode_of(golden->dump, target->dump, &out->mode, err))
        return false;
    if (mapping_rows_wanted(match))
        mapping_rows_build(golden, target, generation, match, arena, &out->rows);
    else
        peer_rows_build(golden->dump, target->dump, generation, arena, &out->rows);
    if (out->mode == MODE_TENSOR)
        out->metrics = no_metrics(out->rows.count, arena);
    out->golden_columns = peer_columns(golden->dump);
    out->target_columns = peer_columns(target->dump);
    return true;
}

// ---- metrics of a node's items: those of the row of the same target slot

typedef struct MetricsOfSlots {
    const PeerComparison *peer;
    uint32_t *row_of;  // by target slot: its first row, or UINT32_MAX
} MetricsOfSlots;

static const PeerMetrics *metrics_of(void *context, uint32_t golden, uint32_t target)
{
    const MetricsOfSlots *slots = context;
    uint32_t row = slots->row_of[target];
    if (row == UINT32_MAX || slots->peer->rows.items[row].golden != golden)
        return NULL;
    return &slots->peer->metrics[row];
}

static uint32_t *rows_by_slot(const PeerComparison *peer, Arena *arena)
{
    size_t count = peer->target->dump->slot_count;
    uint32_t *row_of = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        row_of[i] = UINT32_MAX;
    for (size_t i = peer->rows.count; i > 0; i--)
        row_of[peer->rows.items[i - 1].target] = (uint32_t)(i - 1);
    return row_of;
}

void peer_judge_pair(PeerComparison *peer, Arena *arena)
{
    if (peer->rules == RULES_MSPROBE8)
        peer_rows_colour(&peer->rows, peer->mode, peer->metrics);
    else
        peer_rows_judge(&peer->rows, peer->mode, peer->metrics);
    Arena *scratch = arena_new();
    MetricsOfSlots slots = {.peer = peer, .row_of = rows_by_slot(peer, scratch)};
    PeerMetricsSource source = {.of = metrics_of, .context = &slots};
    CompareMode mode = peer_graph_mode(peer->golden->dump, peer->target->dump);
    MatchOptions match = peer->match ? *peer->match : (MatchOptions){0};
    match.fuzzy = match.fuzzy || peer->golden->dump->merged || peer->target->dump->merged;
    peer_nodes_compare(peer->golden, peer->target, mode, &match, peer->metrics ? &source : NULL,
                       arena, &peer->nodes);
    arena_release(scratch);
}

// ---- the same as a Comparison

// One reason for a report's words; the first rule hit speaks.
static Reason reason_of(const PeerComparison *peer, const PeerRow *row)
{
    static const uint8_t reasons[PEER_RULE_COUNT] = {
        [PEER_NONFINITE] = REASON_NONFINITE, [PEER_NORMREL] = REASON_STATISTIC,
        [PEER_THOUSANDTH] = REASON_ELEMENTS, [PEER_REQGRAD] = REASON_ARGUMENT,
        [PEER_SCALAR] = REASON_ARGUMENT,     [PEER_DTYPE] = REASON_DTYPE,
        [PEER_SHAPE] = REASON_SHAPE,         [PEER_NORM10X] = REASON_STATISTIC,
        [PEER_COSDROP] = REASON_ELEMENTS,    [PEER_CRC] = REASON_CHECKSUM,
        [PEER_MD5MISS] = REASON_UNCOMPARABLE};
    if (row->golden == SLOT_NONE)
        return REASON_UNMATCHED;
    if (peer->rules == RULES_MSPROBE8)
        return row->hits >> NOTE_NONFINITE & 1 ? REASON_NONFINITE : REASON_STATISTIC;
    for (int rule = 0; rule < PEER_RULE_COUNT; rule++)
        if (row->hits >> rule & 1)
            return (Reason)reasons[rule];
    return REASON_NONE;
}

static void fill_slot(const PeerComparison *peer, uint32_t row_index, SlotPair *pair)
{
    if (row_index == UINT32_MAX) {
        pair->status = pair->golden == SLOT_NONE ? STATUS_UNMATCHED : STATUS_NO_DATA;
        return;
    }
    const PeerRow *row = &peer->rows.items[row_index];
    Status status = row->golden == SLOT_NONE ? STATUS_UNMATCHED : (Status)row->status;
    pair->status = (uint8_t)status;
    pair->reason = (uint8_t)(status >= STATUS_WARNING ? reason_of(peer, row) : REASON_NONE);
}

static bool is_output_slot(const Comparison *comparison, const SlotPair *pair)
{
    const Slot *slot = pair->target != SLOT_NONE ? &comparison->target->dump->slots[pair->target]
                                                 : &comparison->golden->dump->slots[pair->golden];
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS || slot->group == GROUP_DEBUG;
}

static void fill_op(const PeerComparison *peer, const uint32_t *row_of, Comparison *comparison,
                    OpPair *op)
{
    if (op->golden == OP_NONE || op->target == OP_NONE)
        return;
    op->input_status = op->output_status = STATUS_NO_DATA;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &comparison->slots[i];
        if (pair->target == SLOT_NONE)
            continue;  // the peer says nothing of what only golden has
        fill_slot(peer, row_of[pair->target], pair);
        uint8_t *side = is_output_slot(comparison, pair) ? &op->output_status : &op->input_status;
        // An unmatched slot passes under the peer's rules.
        Status status = pair->status == STATUS_UNMATCHED ? STATUS_PASS : (Status)pair->status;
        *side = (uint8_t)status_worst((Status)*side, status);
    }
    op->status = (uint8_t)status_worst((Status)op->input_status, (Status)op->output_status);
    op->inherited = status_differs((Status)op->input_status);
}

void peer_fill_comparison(const PeerComparison *peer, Arena *arena, Comparison *comparison)
{
    Arena *scratch = arena_new();
    const uint32_t *row_of = rows_by_slot(peer, scratch);
    comparison->mode = peer->mode;
    for (uint32_t i = 0; i < comparison->op_count; i++)
        fill_op(peer, row_of, comparison, &comparison->ops[i]);
    comparison->golden_of = peer->nodes.golden_of;
    comparison->target_of = peer->nodes.target_of;
    compare_sum_up(comparison, source_find(comparison->golden->dump, scratch), arena);
    arena_release(scratch);
}
