// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/rule_table.h"

#include "base/words.h"
#include "read/known_rows.h"

// In the order in which they are asked, by scope.
const RuleRow rule_table[RULE_COUNT] = {
    [REASON_NONE] = {"none", RULE_CHECKS, "", NULL},
    [REASON_NONFINITE] = {"nonfinite", RULE_CHECKS, "error", TR("NaN or Inf on one side only")},
    [REASON_DTYPE] = {"dtype", RULE_CHECKS, "error", TR("the dtypes differ")},
    [REASON_SHAPE] = {"shape", RULE_CHECKS, "error", TR("the shapes differ")},
    [REASON_ARGUMENT] = {"argument", RULE_CHECKS, "error", TR("an argument differs")},
    [REASON_EXACT] = {"exact", RULE_CHECKS, "error", TR("a value that nothing computed differs")},
    [REASON_CHECKSUM] = {"checksum", RULE_CHECKS, "error", TR("the checksums differ")},
    [REASON_STATISTIC] = {"statistic", RULE_CHECKS, "warning, error",
                          TR("a statistic differs beyond its floor")},
    [REASON_ELEMENTS] = {"elements", RULE_CHECKS, "warning, error",
                         TR("elements differ beyond their floor")},
    [REASON_UNMATCHED] = {"unmatched", RULE_CHECKS, "warning, error",
                          TR("only one side has this value")},
    [REASON_IGNORED] = {"ignored", RULE_CHECKS, "no data", TR("left out by the criteria")},
    [REASON_UNCOMPARABLE] = {"uncomparable", RULE_CHECKS, "no data", TR("cannot be compared")},
    [REASON_NOT_RECORDED] = {"not recorded", RULE_CHECKS, "no data",
                             TR("the other side did not record it")},
    [REASON_LOST] = {"lost", RULE_CHECKS, "no data, same, pass",
                     TR("one side records a value that the other lost")},

    [REASON_OVERWRITTEN] = {"overwritten", RULE_EXCUSES, "pass",
                            TR("only a place that the call fills")},
    [REASON_SAME_MEANING] = {"same-meaning", RULE_EXCUSES, "same",
                             TR("the arguments mean the same")},
    [REASON_INTEGER_TYPE] = {"integer-type", RULE_EXCUSES, "pass",
                             TR("the same integers, of another type")},
    [REASON_AXES] = {"axes", RULE_EXCUSES, "pass", TR("the same elements, of other leading axes")},
    [REASON_REGROUPED] = {"regrouped", RULE_EXCUSES, "no data",
                          TR("its module does the same in other parts")},
    [REASON_WEIGHT_SUMS] = {"weight-sums", RULE_EXCUSES, "pass",
                            TR("off by rounding alone, of an op whose results agree")},
    [REASON_NOISE_GRADIENT] = {"noise-gradient", RULE_EXCUSES, "pass",
                               TR("its last gradient was rounding alone")},
    [REASON_INHERITED] = {"inherited", RULE_EXCUSES, "pass",
                          TR("off by no more than the inputs of the op")},
    [REASON_INSIDE] = {"inside", RULE_EXCUSES, "pass", TR("the same value as one that passes")},

    [RULE_CANCELS] = {"cancels", RULE_FLOORS, "wider", NULL},
    [RULE_OUTSIDE] = {"outside", RULE_FLOORS, "narrower", NULL},
    [RULE_FEW] = {"few", RULE_FLOORS, "wider", NULL},
    [RULE_LATER] = {"later", RULE_FLOORS, "wider", NULL},
    [RULE_DIGITS] = {"digits", RULE_FLOORS, "wider", NULL},
    [RULE_LOST_NORM] = {"lost-norm", RULE_FLOORS, "other", NULL},
    [RULE_COMPUTED_NUMBER] = {"computed-number", RULE_FLOORS, "wider", NULL},
    [RULE_FIRST_CHANGE] = {"first-change", RULE_FLOORS, "narrower", NULL},

    [RULE_LOST_GIFT] = {"lost-gift", RULE_ACCUSES, "PARTIAL", NULL},
    [RULE_NOT_UPDATED] = {"not-updated", RULE_ACCUSES, "error", NULL},

    [RULE_LAYERS] = {"layers", RULE_SETTLES, "no data", NULL},
    [RULE_KINDS] = {"kinds", RULE_SETTLES, "no data", NULL},
    [RULE_RISK_LEVEL] = {"risk-level", RULE_SETTLES, "no data", NULL},
    [RULE_INSIDE_MODULE] = {"inside-module", RULE_SETTLES, "no data", NULL},
    [RULE_SCOPE] = {"scope", RULE_SETTLES, "no data", NULL},
    [RULE_NAMED] = {"named", RULE_SETTLES, "no data", NULL},
    [RULE_LIST] = {"list", RULE_SETTLES, "no data", NULL},
    [RULE_END] = {"end", RULE_SETTLES, "no data", NULL},
    [RULE_CALLED_OTHERWISE] = {"called-otherwise", RULE_SETTLES, "PARTIAL", NULL},
    [RULE_LOGGING] = {"logging", RULE_SETTLES, "no data", NULL},
    [RULE_REWRITTEN] = {"rewritten", RULE_SETTLES, "no data", NULL},
    [RULE_NO_EFFECT] = {"no-effect", RULE_SETTLES, "no data", NULL},

    [RULE_CHANGES_NOTHING] = {"changes-nothing", RULE_PLACES, "later op", NULL},
    [RULE_MISSING_SOURCE] = {"missing-source", RULE_PLACES, "missing op", NULL},
};

Rule rule_by_id(Str id)
{
    for (int rule = REASON_NONE + 1; rule < RULE_COUNT; rule++)
        if (rule_table[rule].scope != RULE_CHECKS && str_equal(id, str_of(rule_table[rule].id)))
            return (Rule)rule;
    return RULE_COUNT;
}

const char *rule_says(Rule rule, Arena *arena)
{
    return known_text("rules.table", "rule", str_of(rule_table[rule].id), "says", arena);
}
