// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/rule_table.h"

#include "base/words.h"

// In the order in which they are asked, by scope.
const RuleRow rule_table[RULE_COUNT] = {
    [REASON_NONE] = {"none", RULE_CHECKS, "", NULL, NULL, NULL},
    [REASON_NONFINITE] = {"nonfinite", RULE_CHECKS, "error", TR("NaN or Inf on one side only"),
                          TR("NaN or Inf on one side only, or infinities of different sign"),
                          TR("a value that is no number cannot be within noise")},
    [REASON_DTYPE] = {"dtype", RULE_CHECKS, "error", TR("the dtypes differ"),
                      TR("the dtypes differ, up to the spelling of the frameworks"),
                      TR("the run computes in another precision")},
    [REASON_SHAPE] = {"shape", RULE_CHECKS, "error", TR("the shapes differ"),
                      TR("the shapes differ, by more than how a gradient groups its leading axes"),
                      TR("another computation, or another pairing")},
    [REASON_ARGUMENT] =
        {"argument", RULE_CHECKS, "error", TR("an argument differs"),
         TR("a scalar or configuration argument differs; devices and object addresses do not "
            "count"),
         TR("nothing computes what a person wrote, so its noise is zero")},
    [REASON_EXACT] = {"exact", RULE_CHECKS, "error", TR("a value that nothing computed differs"),
                      TR("a weight or an index from outside the dump differs at all"),
                      TR("equal to the bit in all noise runs, or in most weights of the two runs")},
    [REASON_CHECKSUM] = {"checksum", RULE_CHECKS, "error", TR("the checksums differ"),
                         TR("checksums differ; of different lengths they are not comparable"),
                         TR("the dump compares bytes")},
    [REASON_STATISTIC] =
        {"statistic", RULE_CHECKS, "warning, error", TR("a statistic differs beyond its floor"),
         TR("Norm, Max, Min or Mean is off by more than its floor; by more than 10 floors: error"),
         TR("floors below, or measured from --noise runs (docs/noise.md)")},
    [REASON_ELEMENTS] =
        {"elements", RULE_CHECKS, "warning, error", TR("elements differ beyond their floor"),
         TR("tensor dumps: the elements differ by more than the floor in the L2 norm"),
         TR("four times the floor of the norm, or measured from --noise runs (docs/noise.md)")},
    [REASON_UNMATCHED] =
        {"unmatched", RULE_CHECKS, "warning, error", TR("only one side has this value"),
         TR("a value is on one side only: warning for an argument, error for a tensor"),
         TR("a missing value is no agreement")},
    [REASON_IGNORED] = {"ignored", RULE_CHECKS, "no data", TR("left out by the criteria"),
                        TR("left out by --criteria"), TR("the user's file")},
    [REASON_UNCOMPARABLE] =
        {"uncomparable", RULE_CHECKS, "no data", TR("cannot be compared"),
         TR("nothing to compare: no statistics, or the dump was cut in the middle of the call"),
         TR("no data is neither a pass nor an error")},
    [REASON_NOT_RECORDED] =
        {"not recorded", RULE_CHECKS, "no data", TR("the other side did not record it"),
         TR("a role that a whole side does not have: its collection was not set to "
            "record it"),
         TR("a setting of the collection is no difference")},
    [REASON_LOST] = {"lost", RULE_CHECKS, "no data, same, pass",
                     TR("one side tells a value that the other lost"),
                     TR("one side tells a value that the other lost: the verdict is PARTIAL"),
                     TR("missing information is no agreement")},

    [REASON_OVERWRITTEN] =
        {"overwritten", RULE_EXCUSES, "pass", TR("only a place that the call fills"),
         TR("the input of a communication is only a place for what it brings (recv, scatter, "
            "all_gather, broadcast but at its source), or a call fills it in place (zero_, copy_)"),
         TR("what stood there before the call does not matter")},
    [REASON_SAME_MEANING] =
        {"same-meaning", RULE_EXCUSES, "same", TR("the arguments mean the same"),
         TR("two arguments that differ mean the same: axis 2 and -1 of three, the dtype of what "
            "goes in and none"),
         TR("the signatures of PyTorch and MindSpore")},
    [REASON_INTEGER_TYPE] =
        {"integer-type", RULE_EXCUSES, "pass", TR("the same integers, of another type"),
         TR("an input of integers has another integer type and the same values, and the results "
            "of the op agree"),
         TR("int32 and int64 hold the same indices")},
    [REASON_REGROUPED] =
        {"regrouped", RULE_EXCUSES, "no data", TR("its module does the same in other parts"),
         TR("within a module of which both sides agree, calls on one side only or of other shapes "
            "do its work in other parts"),
         TR("what a module takes and gives says what its calls did together")},
    [REASON_WEIGHT_SUMS] =
        {"weight-sums", RULE_EXCUSES, "pass", TR("only its sums differ, as those of other weights"),
         TR("a weight whose Max and Min are equal and whose Norm and Mean are two steps of float32 "
            "off at most, as those of one weight in 8 at least"),
         TR("the order of a sum follows the platform and the layout in memory")},
    [REASON_NOISE_GRADIENT] =
        {"noise-gradient", RULE_EXCUSES, "pass", TR("its last gradient was rounding alone"),
         TR("a bias whose gradient a step before was no larger than the rounding of what it sums "
            "up, and that moved by no more than steps of the optimizer"),
         TR("Adam moves a weight by a whole step, however small its gradient is")},
    [REASON_INHERITED] =
        {"inherited", RULE_EXCUSES, "pass", TR("off by no more than what the op was given"),
         TR("a result is off by no more than an input that passes, in a sum by its share"),
         TR("a difference begins where it grows")},
    [REASON_INSIDE] =
        {"inside", RULE_EXCUSES, "pass", TR("the same value as one that passes"),
         TR("an input, or a result of a module, is on both sides to the bit a result before it "
            "that passes"),
         TR("one value is judged once")},

    [RULE_CANCELS] =
        {"cancels", RULE_FLOORS, "wider", NULL,
         TR("where numbers cancel in a sum, a mean, a product of matrices or a gradient, the "
            "result "
            "carries the rounding of what was summed"),
         TR("the error of a sum is as large as its terms: Higham, Accuracy and Stability of "
            "Numerical Algorithms, §3.5, §4")},
    [RULE_OUTSIDE] =
        {"outside", RULE_FLOORS, "narrower", NULL,
         TR("a value has the floor of the coarsest type upstream: one that no recorded op gave, as "
            "a float32 weight or buffer of a 16-bit run, that of its own"),
         TR("nothing was rounded that is not upstream")},
    [RULE_FEW] = {"few", RULE_FLOORS, "wider", NULL,
                  TR("norms and means in 16 bits that few numbers make up: up to twice as wide"),
                  TR("the errors of few numbers do not average out")},
    [RULE_LATER] =
        {"later", RULE_FLOORS, "wider", NULL,
         TR("what runs whose weights parted compute at a step after others: 5 times as wide, in "
            "16 bits 1.5 times"),
         TR("six models that round otherwise, their second step")},
    [RULE_DIGITS] = {"digits", RULE_FLOORS, "wider", NULL,
                     TR("half a digit of each writer that rounds what it tells"),
                     TR("the digits of all numbers of the dump")},
    [RULE_LOST_NORM] =
        {"lost-norm", RULE_FLOORS, "other", NULL,
         TR("float16: the largest element stands for a norm that the type cannot hold"),
         TR("squares below 2^-14 and sums above 65,504 are no numbers of float16")},
    [RULE_COMPUTED_NUMBER] =
        {"computed-number", RULE_FLOORS, "wider", NULL,
         TR("an argument of more than 9 digits on both sides, or one that fits the 16-bit type of "
            "the run, was computed and has the floor of a norm"),
         TR("a person writes few digits")},
    [RULE_FIRST_CHANGE] =
        {
            "first-change", RULE_FLOORS, "narrower", NULL,
            TR("the first op of which anything differs: where all its inputs are equal to the bit, "
               "its results have the floor of its own type, whatever the run computes in and "
               "whatever cancelled before it"),
            TR("only its own rounding is in them")},

    [RULE_LOST_GIFT] =
        {
            "lost-gift", RULE_ACCUSES, "PARTIAL", NULL,
            TR("a tensor that one rank gives to a communication is recorded by one "
               "side only"),
            TR("dumpers blank out the buffers that are filled, not those that are given")},
    [RULE_NOT_UPDATED] =
        {"not-updated", RULE_ACCUSES, "error", NULL,
         TR(
             "a weight stands where it stood a step before, where golden's moved by several steps "
             "of its type"),
         TR("an update is often less than the floor of 16 bits")},

    [RULE_LAYERS] = {"layers", RULE_SETTLES, "no data", NULL,
                     TR("the dump itself says that it leaves these layers out"),
                     TR("the fields of dump.json")},
    [RULE_KINDS] = {"kinds", RULE_SETTLES, "no data", NULL,
                    TR("a side holds no API, no module, no gradient of a weight, or no call of "
                       "this direction at all"),
                    TR("level and task of msProbe's config.json")},
    [RULE_RISK_LEVEL] = {"risk-level", RULE_SETTLES, "no data", NULL,
                         TR("all APIs of a side are of a risk level, and this one is not"),
                         TR("risk_level of msProbe's config.json and its list of APIs")},
    [RULE_INSIDE_MODULE] =
        {"inside-module", RULE_SETTLES, "no data", NULL,
         TR("a side holds the module around and no call of an API within it, of whole modules"),
         TR("a collection by modules does not look into compiled or scripted ones")},
    [RULE_AGAIN] = {"again", RULE_SETTLES, "no data", NULL,
                    TR("calls made again for the gradients, with the values of those before"),
                    TR("recomputation of activations on one side")},
    [RULE_SCOPE] = {"scope", RULE_SETTLES, "no data", NULL,
                    TR("a side holds nothing before the first and after the last op that both do"),
                    TR("scope of msProbe's config.json")},
    [RULE_NAMED] = {"named", RULE_SETTLES, "no data", NULL,
                    TR("construct.json of the side names calls of this API, and the dump holds "
                       "none of them"),
                    TR("construct.json names calls that are not recorded too")},
    [RULE_LIST] = {"list", RULE_SETTLES, "no data", NULL,
                   TR("all that a side holds has one of four names of an API or class, and this "
                      "op has none of them"),
                   TR("list of msProbe's config.json")},
    [RULE_END] = {"end", RULE_SETTLES, "no data", NULL,
                  TR("a side ends before the last ops of the other, a tenth of all at least"),
                  TR("a run that was stopped, or a scope with one end")},
    [RULE_CALLED_OTHERWISE] = {"called-otherwise", RULE_SETTLES, "PARTIAL", NULL,
                               TR("most ops of either side have no partner on the other"),
                               TR("which of them the other side does not have is not known then")},
    [RULE_LOGGING] = {"logging", RULE_SETTLES, "no data", NULL,
                      TR("nothing takes what the op gives, it has no backward call and writes "
                         "nothing in place"),
                      TR("what a run computes for its log changes no training")},
    [RULE_REWRITTEN] = {"rewritten", RULE_SETTLES, "no data", NULL,
                        TR("each side comes by ops of its own to a value that agrees"),
                        TR("one computation in other steps")},
    [RULE_NO_EFFECT] = {"no-effect", RULE_SETTLES, "no data", NULL,
                        TR("an op gives what it took, or what was there before it"),
                        TR("the values of the other side need no such op")},

    [RULE_CHANGES_NOTHING] =
        {"changes-nothing", RULE_PLACES, "later op", NULL,
         TR(
             "arguments and integer types that differ, of an op whose results are the same, do not "
             "hide a later op"),
         TR("p of a dropout in evaluation, int32 for int64")},
    [RULE_MISSING_SOURCE] = {"missing-source", RULE_PLACES, "missing op", NULL,
                             TR("of the ops on one side only that made the value which differs "
                                "first, at once, through views that nobody records or as a share "
                                "of a summed gradient, the first is named"),
                             TR("statistics tell who gave a value")},
};

Rule rule_by_id(Str id)
{
    for (int rule = REASON_NONE + 1; rule < RULE_COUNT; rule++)
        if (rule_table[rule].scope != RULE_CHECKS && str_equal(id, str_of(rule_table[rule].id)))
            return (Rule)rule;
    return RULE_COUNT;
}
