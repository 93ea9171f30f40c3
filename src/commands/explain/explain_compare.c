// SPDX-License-Identifier: Apache-2.0
// vernier.compare/1: the first divergence, the coverage of all pairs, what follows.
#include <math.h>

#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"
#include "verdict/advice.h"
#include "verdict/figure_text.h"

enum { OBSERVATIONS_SHOWN = 6 };

static const JsonNode *pairs_of(const Explain *explain)
{
    const JsonNode *pairs = value_at(explain->root, "pairs");
    return pairs && pairs->kind == JSON_LIST ? pairs->child : NULL;
}

static bool parts(const JsonNode *pair)
{
    const JsonNode *first = value_at(pair, "first_divergence");
    return first && first->kind == JSON_OBJECT;
}

// The pair whose divergence the verdict of all speaks of; of a summary that does not tell it, the
// first that parts.
static const JsonNode *speaking_pair(const Explain *explain)
{
    double origin = value_number(explain->root, "origin"), index = 0;
    for (const JsonNode *pair = pairs_of(explain); pair; pair = pair->next, index++)
        if (parts(pair) && (isnan(origin) || index == origin))
            return pair;
    return NULL;
}

static Str op_of(const JsonNode *first)
{
    Str target = value_text(first, "target");
    return target.size ? target : value_text(first, "golden");
}

static Str filled(const Explain *explain, Str text, Str mark, Str by)
{
    return str_replace(explain->arena, text, mark, by);
}

// What the kind of the divergence means, of this op and slot.
static Str meaning_of(const Explain *explain, const JsonNode *first)
{
    static const struct {
        const char *kind, *text;
    } meanings[] = {
        {"output", TR("Up to here the runs agree: the inputs of {op} are those of golden, and its "
                      "{slot} is not. So the difference arises in this op.")},
        {"argument", TR("The code calls {op} otherwise than in golden: its argument {slot} "
                        "differs. That is no matter of precision.")},
        {"parameter", TR("When {op} runs, its weight {slot} already differs from golden's: the "
                         "difference is older than the op.")},
        {"input", TR("{slot} of {op} differs, and no earlier op that both dumps hold explains it. "
                     "The difference comes from outside of what was compared.")},
        {"missing", TR("{op} is on one side only, and what follows feels it: the two runs do not "
                       "execute the same program.")},
    };
    Str kind = value_text(first, "kind"), op = op_of(first), slot = value_text(first, "slot");
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (str_equal(kind, str_of(meanings[i].kind)))
            return filled(explain,
                          filled(explain, str_of(tr(meanings[i].text)), STR("{slot}"), slot),
                          STR("{op}"), op);
    return STR("");
}

// The number that decided, against the noise where that was measured.
static void say_size(Explain *explain, const JsonNode *first)
{
    Arena *arena = explain->arena;
    double value = value_number(first, "value"), noise = value_number(first, "noise");
    Str metric = value_text(first, "metric");
    bool by_number = str_equal(value_text(first, "reason"), STR("statistic")) ||
                     str_equal(value_text(first, "reason"), STR("tensor"));
    if (isnan(value) || !metric.size || !by_number)
        return;
    Str shown = value_shown(first, "value", arena), floor = value_shown(first, "noise", arena);
    if (isnan(noise))
        explain_say(explain,
                    str_printf(arena,
                               tr(STR_FMT " of it is " STR_FMT
                                          ". The noise of golden is unknown: the limit came from "
                                          "the number format, and a small difference may be "
                                          "rounding."),
                               STR_ARG(metric), STR_ARG(shown)));
    else if (noise > 0)
        explain_say(
            explain,
            str_printf(arena,
                       tr(STR_FMT " of it is " STR_FMT ", %.3g times the noise that was measured "
                                  "(" STR_FMT ")."),
                       STR_ARG(metric), STR_ARG(shown), value / noise, STR_ARG(floor)));
}

static void say_divergence(Explain *explain, const JsonNode *first)
{
    Arena *arena = explain->arena;
    explain_say(explain, meaning_of(explain, first));
    Str module = value_text(first, "module");
    if (module.size)
        explain_say(explain, str_printf(arena, tr("Module: " STR_FMT), STR_ARG(module)));
    say_size(explain, first);
    const JsonNode *list = value_at(first, "observations");
    int said = 0;
    for (const JsonNode *one = list ? list->child : NULL; one && said < OBSERVATIONS_SHOWN;
         one = one->next, said++)
        if (one->kind == JSON_STRING)
            explain_say(explain, one->text);
    if (value_count(first, "later"))
        explain_say(explain,
                    str_printf(arena, tr("Ops that inherit it, and are no causes: " STR_FMT "."),
                               STR_ARG(value_shown(first, "later", arena))));
}

static void say_calm(Explain *explain)
{
    Str status = value_text(explain->root, "status");
    const char *text =
        str_equal(status, STR("same"))
            ? tr("Everything that both dumps record is equal bit for bit.")
        : STR_IN(status, "pass", "warning")
            ? tr("The dumps differ, nowhere by more than the noise or the tolerances allow.")
        : str_equal(status, STR("no data"))
            ? tr("Nothing could be compared with each other. That is no pass.")
            : "";
    explain_say(explain, str_of(text));
}

void explain_compare_why(Explain *explain)
{
    size_t parting = 0, all = 0;
    for (const JsonNode *pair = pairs_of(explain); pair; pair = pair->next) {
        all++;
        parting += parts(pair);
    }
    const JsonNode *pair = speaking_pair(explain);
    if (pair)
        say_divergence(explain, value_at(pair, "first_divergence"));
    else
        say_calm(explain);
    if (parting && all > 1)
        explain_say(explain,
                    str_printf(explain->arena,
                               tr("Of %zu pairs of a step and a rank %zu part; what is said here "
                                  "is of the one that does so first."),
                               all, parting));
}

// Over all pairs.
static uint64_t sum(const Explain *explain, const char *path)
{
    uint64_t total = 0;
    for (const JsonNode *pair = pairs_of(explain); pair; pair = pair->next)
        total += value_count(pair, path);
    return total;
}

static bool tells_coverage(const Explain *explain)
{
    for (const JsonNode *pair = pairs_of(explain); pair; pair = pair->next)
        if (value_at(pair, "coverage.compared"))
            return true;
    return false;
}

static void say_count(Explain *explain, const char *text, const char *path)
{
    uint64_t count = sum(explain, path);
    if (count)
        explain_say(explain,
                    filled(explain, str_of(text), STR("{n}"), figure_count(count, explain->arena)));
}

void explain_compare_compared(Explain *explain)
{
    static const Listing not_recorded = {
        "coverage.not_recorded",
        NULL,
        NULL,
        {TR("not recorded by"), TR("what"), TR("name"), TR("ops"), TR("why")},
        {"side", "what", "name", "ops", "why"},
        5};
    Arena *arena = explain->arena;
    if (!tells_coverage(explain))
        return;
    explain_say(
        explain,
        str_printf(arena,
                   tr("Compared were " STR_FMT " slots, of " STR_FMT " in golden and " STR_FMT
                      " in the target; " STR_FMT
                      " of them are tensors, the rest arguments of calls."),
                   STR_ARG(figure_count(sum(explain, "coverage.compared"), arena)),
                   STR_ARG(figure_count(sum(explain, "coverage.golden.slots"), arena)),
                   STR_ARG(figure_count(sum(explain, "coverage.target.slots"), arena)),
                   STR_ARG(figure_count(sum(explain, "coverage.compared_tensors"), arena))));
    say_count(explain, tr("Lost on one side, and not compared: {n} values."), "coverage.lost");
    say_count(explain, tr("Of {n} tensors neither dump holds a value."), "coverage.untold");
    say_count(explain,
              tr("{n} values are beyond their tolerance and pass by a rule, because of another "
                 "value."),
              "coverage.carried");
    say_count(explain,
              tr("{n} tensors pass only if the weights have drifted apart, which the dumps do not "
                 "record."),
              "coverage.widened");
    say_count(explain, tr("{n} ops run in another order than in golden."), "coverage.moved");
    for (const JsonNode *pair = pairs_of(explain); pair; pair = pair->next) {
        size_t before = explain->out->count;
        explain_listing(explain, pair, &not_recorded);
        if (explain->out->count > before)
            return;  // the others lack the same
    }
}

static void say_next_of(Explain *explain, const JsonNode *first)
{
    Arena *arena = explain->arena;
    Str kind = value_text(first, "kind");
    Str look = value_text(first, "look_at");
    const char *advice = look.size ? str_cstr(arena, look) : advice_of(kind);
    if (advice)
        explain_say(explain, str_printf(arena, tr("Look at next: %s."), advice));
    if (str_equal(kind, STR("argument")))
        explain_command_line(explain, "vernier checklist GOLDEN_CONFIG TARGET_CONFIG");
    if (str_equal(kind, STR("parameter")))
        explain_command_line(explain, "vernier compare GOLDEN_CHECKPOINT TARGET_CHECKPOINT");
    if (str_equal(kind, STR("output")) && isnan(value_number(first, "noise"))) {
        explain_say(explain,
                    str_of(tr("Two more runs of golden show whether it is more than noise.")));
        explain_command_line(explain,
                             "vernier compare {golden} {target} --noise GOLDEN2 --noise GOLDEN3");
    }
    explain_say(explain, str_of(tr("The ops around it:")));
    Str name = explain_word(explain, op_of(first));
    explain_command_line(explain, "vernier compare {golden} {target} -o focus.svg --focus");
    explain->commands.size--;  // the end of the line
    strbuf_printf(&explain->commands, " " STR_FMT "\n", STR_ARG(name));
}

void explain_compare_next(Explain *explain)
{
    const JsonNode *pair = speaking_pair(explain);
    Str status = value_text(explain->root, "status");
    if (pair) {
        say_next_of(explain, value_at(pair, "first_divergence"));
    } else if (STR_IN(status, "same", "pass", "warning")) {
        explain_say(explain, str_of(tr("If the losses differ all the same: dump a later step, the "
                                       "backward pass, or more ranks.")));
        explain_command_line(explain, "vernier curves GOLDEN_LOG TARGET_LOG");
    } else if (str_equal(status, STR("no data"))) {
        explain_say(
            explain,
            str_of(
                tr("Dump both runs in the same way: the same task (statistics), level and step.")));
        explain_command_line(explain, "vernier graph {golden}");
        explain_command_line(explain, "vernier graph {target}");
    }
}
