// SPDX-License-Identifier: Apache-2.0
// vernier help criteria: what a file of --criteria may say; the tables of docs/criteria.md, which a
// test holds equal.
#include <stdio.h>

#include "base/words.h"
#include "commands/help_topics.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"

enum { TERM_WIDTH = 21 };

static const HelpEntry metrics[] = {
    {"norm, max, min, mean", TR("the statistic of that name")},
    {"value", TR("an argument that is a number")},
    {"elements", TR("the tensors themselves, where the dump holds them: |target − golden| / "
                    "|golden| in the L2 norm")},
};

static const HelpEntry selectors[] = {
    {"ops", TR("the op's name in the target, `Functional.linear.3.forward`, "
               "`Module.layers.0.mlp.MLP.forward.0`")},
    {"slots", TR("the slot below it: `input.0`, `output.1.2`, `parameters.weight`")},
    {"dtypes", TR("golden's dtype as written (`torch.bfloat16`) or without the framework "
                  "(`bfloat16`)")},
};

static const HelpEntry others[] = {
    {"limits",
     TR("up to `pass` passes, up to `warning` warns, above is an error; a number is both")},
    {"absolute", TR("of a limit, `{pass: 1e-3, absolute: 1e-6}`: a difference up to it passes "
                    "whatever the relative one is")},
    {"ignore", TR("true: the slots are left out, whatever they hold")},
    {"reason", TR("your words, which the report repeats")},
    {"order", TR("next to `rules`: `first` or `last` (as shipped) of those that fit counts")},
    {"unmatched", TR("next to `rules`: `fail`: what no rule fits has to be equal")},
};

static const char example[] = "  limits:\n"
                              "    norm: {pass: 1e-4, warning: 1e-3}\n"
                              "    mean: 0.01\n"
                              "  rules:\n"
                              "    - ops: \"Functional.softmax.*\"\n"
                              "      slots: \"output.*\"\n"
                              "      limits: {norm: 1e-3}\n"
                              "      reason: \"sums in another order\"\n"
                              "    - ops: [\"Tensor.empty.*\", \"Torch.empty_like.*\"]\n"
                              "      ignore: true\n";

int command_help_criteria(void)
{
    terminal_print(
        stdout, 0, 0,
        tr("A file of --criteria (YAML): `limits` for every slot, then `rules`, of which "
           "the last one that fits counts. What it does not name keeps its floor "
           "('vernier help rules')."));
    printf("\n%s\n", example);
    printf("%s\n", tr("Limits, as fractions, on the relative difference of"));
    help_print_entries(metrics, sizeof metrics / sizeof *metrics, TERM_WIDTH);
    printf("\n%s\n", tr("Selectors of a rule: patterns with * and ?, or lists of them; without "
                        "one it fits every slot"));
    help_print_entries(selectors, sizeof selectors / sizeof *selectors, TERM_WIDTH);
    printf("\n%s\n", tr("What a rule says"));
    help_print_entries(others, sizeof others / sizeof *others, TERM_WIDTH);
    printf("\n%s\n", tr("More: docs/criteria.md"));
    return 0;
}
