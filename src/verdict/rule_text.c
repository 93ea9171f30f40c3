// SPDX-License-Identifier: Apache-2.0
#include "verdict/rule_text.h"

#include "base/number.h"
#include "base/words.h"

bool rule_text_given(const Comparison *comparison, const SlotPair *pair, StrBuf *out)
{
    bool both = pair->golden != SLOT_NONE && pair->target != SLOT_NONE;
    const Given *given =
        comparison->given && both ? &comparison->given[pair - comparison->slots] : NULL;
    char error[NUMBER_BYTES];
    if (!given || (!given->slot && given->error == 0))
        return false;
    const Dump *golden = comparison->golden->dump;
    number_significant((double)given->error, 2, error);
    if (given->slot) {
        uint32_t slot = comparison->slots[given->slot - 1].golden;
        const Op *op = dump_op_with(golden, slot);
        if (op != dump_op_with(golden, pair->golden))
            strbuf_printf(out, STR_FMT " ", STR_ARG(names_text(golden->names, op->name)));
        strbuf_add(out, names_text(golden->names, golden->slots[slot].path));
    } else {
        strbuf_add(out, str_of(tr("the inputs of the op together")));
    }
    strbuf_printf(out, tr(" differs by %s"), error);
    return true;
}

Str rule_text_of_slot(const Comparison *comparison, const SlotPair *pair, StrBuf *out)
{
    const RuleRow *row = &rule_table[pair->reason];
    out->size = 0;
    // A statistic that was compared with its floor and is within it.
    bool within = !status_differs((Status)pair->status) &&
                  (pair->reason == REASON_STATISTIC || pair->reason == REASON_EXACT);
    if (!row->said || within)
        return (Str){"", 0};
    if (row->scope == RULE_EXCUSES)
        strbuf_printf(out, "%s: ", row->id);
    strbuf_add(out, str_of(tr(row->said)));
    size_t end = out->size;
    if (row->scope != RULE_EXCUSES)
        return strbuf_str(out);
    strbuf_add(out, STR(" ("));
    if (rule_text_given(comparison, pair, out))
        strbuf_add_char(out, ')');
    else
        out->size = end;
    return strbuf_str(out);
}

Str rule_text_of_op(const OpPair *op, StrBuf *out)
{
    out->size = 0;
    if (op->rule == REASON_NONE)
        return (Str){"", 0};
    strbuf_printf(out, "%s: %s", rule_table[op->rule].id,
                  tr(rule_says((Rule)op->rule, out->arena)));
    return strbuf_str(out);
}
