// SPDX-License-Identifier: Apache-2.0
#include "compare/kept_state.h"

#include "compare/judge/fold.h"
#include "compare/judge/slot_source.h"

bool kept_state_asked(const Comparison *comparison, const SlotPair *pair, const uint8_t *sources)
{
    if (pair->status != STATUS_WARNING || pair->reason != REASON_STATISTIC || pair->exact ||
        pair->golden == SLOT_NONE || comparison->tolerances || comparison->noise_known)
        return false;
    const Slot *slot = &comparison->golden->dump->slots[pair->golden];
    return sources[pair->golden] == SOURCE_COMPUTED && !slot_is_result(slot);
}

bool kept_state_pass(const Comparison *comparison, SlotPair *pair, SlotsBefore before[2],
                     const SlotValues *results)
{
    const Dump *dump = before[0].graph->dump;
    uint32_t found = slot_values_find(results, &comparison->golden->dump->slots[pair->golden]);
    if (found == UINT32_MAX)
        return false;
    const Op *twin =
        slot_before_op(before[1].graph, names_text(dump->names, dump_op_with(dump, found)->name));
    const Slot *other =
        slot_before_find(&before[1], twin, names_text(dump->names, dump->slots[found].path),
                         names_text(dump->names, dump->slots[found].shape));
    if (!other || !slot_values_equal(other, &comparison->target->dump->slots[pair->target]))
        return false;
    return fold_excuse(comparison, pair, REASON_KEPT);
}
