// SPDX-License-Identifier: Apache-2.0
#include "report/curves/decision_table.h"

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

typedef struct Decision {
    Judged states[3];
    const char *look;
} Decision;

static const Decision decisions[] = {
    {{JUDGED_OFF, JUDGED_ANY, JUDGED_ANY}, TR("forward pass")},
    {{JUDGED_FINE, JUDGED_OFF, JUDGED_ANY}, TR("backward pass")},
    {{JUDGED_FINE, JUDGED_FINE, JUDGED_OFF}, TR("optimizer")},
    {{JUDGED_FINE, JUDGED_UNKNOWN, JUDGED_OFF}, TR("backward pass or optimizer")},
    {{JUDGED_FINE, JUDGED_ANY, JUDGED_FINE}, TR("nothing here: train on for long")},
};

static bool fits(const Decision *rule, const Judged found[3])
{
    for (int i = 0; i < 3; i++)
        if (rule->states[i] != JUDGED_ANY && rule->states[i] != found[i])
            return false;
    return true;
}

// The row that fits is the view.
static Cell marked(const Row *row, Str text)
{
    return cell_styled(row->view == row->item ? STYLE_STRONG : STYLE_MUTED, text);
}

static void decision_columns(Row *row)
{
    static const char *const words[] = {TR("any"), TR("fine"), TR("off"), TR("unknown")};
    const Decision *it = row->item;
    TEXT(row, TR("Step-1 loss"), 12, marked(row, str_of(tr(words[it->states[0]]))));
    TEXT(row, TR("Local norms"), 12, marked(row, str_of(tr(words[it->states[1]]))));
    TEXT(row, TR("Step-2 loss"), 12, marked(row, str_of(tr(words[it->states[2]]))));
    TEXT(row, TR("Look at"), 34,
         marked(row, str_printf(row->arena, "%s%s", row->view == it ? "→ " : "", tr(it->look))));
}

Table *decision_table(const Judged found[3], Arena *arena)
{
    size_t count = sizeof decisions / sizeof *decisions, here = 0;
    while (here < count && !fits(&decisions[here], found))
        here++;
    return here == count ? NULL
                         : COLUMNS_TABLE(TR("Where to look"), decision_columns, &decisions[here],
                                         decisions, count, arena);
}
