// SPDX-License-Identifier: Apache-2.0
// What each kind of summary is explained by. Paths are keys of docs/schema.
#include <string.h>

#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"

// Whether it is one command of vernier for a shell, and nothing else: the summary may be anybody's.
static bool is_command(Str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if ((unsigned char)c < ' ' || (!quoted && strchr(";|&`$<>(){}\\\"!#*?~", c)))
            return false;
        quoted = c == '\'' ? !quoted : quoted;
    }
    return !quoted && str_starts(text, STR("vernier "));
}

// The command of the first stage that failed is the one that shows it.
static void next_of_study(Explain *explain)
{
    const JsonNode *stages = value_at(explain->root, "stages");
    Str dump = value_text(explain->root, "symptom.dump");
    if (dump.size)
        explain_say(explain,
                    str_printf(explain->arena, tr("To collect: " STR_FMT "."), STR_ARG(dump)));
    for (const JsonNode *stage = stages ? stages->child : NULL; stage; stage = stage->next) {
        Str command = value_text(stage, "command");
        if (!str_equal(value_text(stage, "status"), STR("failed")) || !is_command(command))
            continue;
        explain_say(explain, str_of(tr("The first stage that failed, alone and in full:")));
        strbuf_add(&explain->commands, command);
        strbuf_add_char(&explain->commands, '\n');
        return;
    }
}

static void why_of_history(Explain *explain)
{
    static const Listing changes = {
        "changes",
        NULL,
        NULL,
        {TR("change"), TR("kind"), TR("place"), TR("name"), TR("metric"), TR("value"), TR("since"),
         NULL},
        {"change", "kind", "place", "name", "metric", "value", "began.label", NULL}};
    const JsonNode *commands = value_at(explain->root, "commands");
    for (const JsonNode *one = commands ? commands->child : NULL; one; one = one->next) {
        const JsonNode *list = value_at(one, "changes");
        bool none = !list || !list->child;
        explain_say(explain,
                    str_printf(explain->arena,
                               none ? tr("Of " STR_FMT ", nothing changed in the newest night.")
                                    : tr("Of " STR_FMT ", in the newest night:"),
                               STR_ARG(value_text(one, "command"))));
        explain_listing(explain, one, &changes);
    }
}

static void compared_of_history(Explain *explain)
{
    static const Listing nights = {
        "nights",
        NULL,
        NULL,
        {TR("night"), TR("status"), TR("new"), TR("recovered"), TR("lasting"), NULL},
        {"label", "status", "new", "recovered", "lasting", NULL}};
    const JsonNode *commands = value_at(explain->root, "commands");
    for (const JsonNode *one = commands ? commands->child : NULL; one; one = one->next)
        explain_listing_of_last(explain, one, &nights);
}

const ExplainKind explain_kinds[] = {
    {.schema = "compare",
     .say_why = explain_compare_why,
     .say_compared = explain_compare_compared,
     .say_next = explain_compare_next},
    {.schema = "weights",
     .meaning = TR("The checkpoints are compared with each other weight by weight, under whatever "
                   "names and layouts the two sides give them."),
     .why = {{"weights",
              "status",
              "error",
              {TR("golden"), TR("target"), TR("relative L2"), TR("at"), NULL},
              {"golden", "target", "rel_l2", "worst_at", NULL}}},
     .figures = {{TR("weights of golden"), "counts.golden"},
                 {TR("weights of the target"), "counts.target"},
                 {TR("compared"), "counts.compared"},
                 {TR("equal bit for bit"), "counts.same"},
                 {TR("in golden alone"), "counts.unmatched_golden"},
                 {TR("in the target alone"), "counts.unmatched_target"}},
     .next = {{"bad",
               TR("Weights at the start: look at loading, conversion and initialisation. Weights "
                  "after training: compare those at the start first."),
               "vernier compare GOLDEN_START TARGET_START"},
              {"good", TR("The weights are not the cause: compare what the runs compute."),
               "vernier compare GOLDEN_DUMP TARGET_DUMP"}}},
    {.schema = "runs",
     .meaning = TR("Runs of one configuration should be equal; where the first difference is born "
                   "they are not deterministic."),
     .why_figures = {{TR("identical"), "identical"}, {TR("part"), "parting"}},
     .why = {{"born",
              NULL,
              NULL,
              {TR("born in"), TR("runs"), TR("op"), TR("rel. diff"), NULL},
              {"place", "runs", "op", "error", NULL}}},
     .compared = {{"runs",
                   NULL,
                   NULL,
                   {TR("run"), TR("status"), TR("differing ops"), TR("leaves first at"),
                    TR("beyond tolerance first at"), NULL},
                   {"path", "status", "differing_ops", "first.op", "beyond.op", NULL}}},
     .next = {{"bad",
               TR("Look at the flags for deterministic algorithms and at the op named above; until "
                  "it is fixed, give these runs as the noise of a comparison."),
               "vernier compare GOLDEN TARGET --noise RUN2 --noise RUN3"}}},
    {.schema = "graph",
     .meaning = TR("One dump is shown; nothing is compared with it. An op that turns finite inputs "
                   "into NaN or Inf has an overflow level."),
     .why = {{"dumps",
              NULL,
              NULL,
              {TR("step"), TR("rank"), TR("critical"), TR("high"), TR("medium"), TR("first"), NULL},
              {"step", "rank", "overflow.critical", "overflow.high", "overflow.medium",
               "first_overflow", NULL}}},
     .compared = {{"dumps",
                   NULL,
                   NULL,
                   {TR("step"), TR("rank"), TR("level"), TR("ops"), TR("modules"),
                    TR("ops without statistics"), NULL},
                   {"step", "rank", "level", "ops", "modules", "ops_without_statistics", NULL}}},
     .next = {{"bad", TR("Find where the NaN or Inf is born over all ranks."),
               "vernier locate {dump}"},
              {"good", TR("Hold it against a run that is trusted, or against its own invariants."),
               "vernier check {dump}"}}},
    {.schema = "locate",
     .meaning = TR("An op whose inputs are finite and whose result is not gives birth to a NaN or "
                   "Inf; what follows inherits it. −Inf of masks and unset memory are healthy."),
     .why = {{"origins",
              NULL,
              NULL,
              {TR("op"), TR("slot"), TR("kind"), TR("step"), TR("rank"), TR("inputs finite"), NULL},
              {"op", "slot", "kind", "step", "rank", "inputs_finite", NULL}},
             {"spread",
              NULL,
              NULL,
              {TR("spread through"), TR("from rank"), TR("to ranks"), NULL},
              {"through", "from_rank", "to_ranks", NULL}}},
     .figures = {{TR("steps read"), "steps_read"},
                 {TR("steps left out"), "steps_left"},
                 {TR("tensors"), "tensors"},
                 {TR("tensors without values"), "untold"},
                 {TR("healthy ops with −Inf"), "healthy_ops"}},
     .next = {{"bad",
               TR("Look at the op named first: a division by nought, a logarithm or root of what "
                  "is not positive, an overflow of the number format. Its largest input tells."),
               "vernier graph {dump}"},
              {"good", TR("No NaN is the cause: see whether the run obeys its own laws."),
               "vernier check {dump}"}}},
    {.schema = "check",
     .meaning = TR("Laws that must hold in any run are checked without a golden one; what the "
                   "dumps tell too little of cannot be checked and is no pass."),
     .why = {{"invariants",
              "verdict",
              "broken",
              {TR("broken"), TR("checked"), TR("times broken"), NULL},
              {"name", "checked", "broken", NULL}}},
     .figures = {{TR("hold"), "counts.holds"},
                 {TR("broken"), "counts.broken"},
                 {TR("cannot be checked"), "counts.cannot be checked"},
                 {TR("skipped"), "counts.skipped"}},
     .compared = {{"invariants",
                   "verdict",
                   "cannot be checked",
                   {TR("cannot be checked"), TR("why"), NULL},
                   {"name", "why", NULL}}},
     .next = {{"bad", TR("The evidence of each law names ranks and ops."), "vernier help checks"},
              {NULL, TR("A law holds for errors that break it alone: a golden run tells more."),
               "vernier compare GOLDEN TARGET"}}},
    {.schema = "curves",
     .meaning = TR("Curves are compared with each other point by point. A difference counts where "
                   "it lasts, and is beyond the noise of golden or, without runs that tell this "
                   "noise, beyond fixed limits."),
     .why = {{"comparisons",
              NULL,
              NULL,
              {TR("series"), TR("target"), TR("finding"), TR("mean |diff|"), TR("largest"),
               TR("at step"), TR("points"), NULL},
              {"series", "target", "finding", "mae", "max_abs", "max_at", "points", NULL}}},
     .compared = {{"runs",
                   NULL,
                   NULL,
                   {TR("run"), TR("role"), TR("format"), TR("judged"), NULL},
                   {"name", "role", "format", "judged", NULL}},
                  {"noise_floor",
                   NULL,
                   NULL,
                   {TR("noise from"), TR("series"), TR("points"), TR("mean |diff|"), NULL},
                   {"noise", "series", "points", "mae", NULL}}},
     .next =
         {{"bad",
           TR("From the step on where the curves part: dump both runs there, and at step 0, and "
              "compare. A difference at the first step comes from data, weights or settings."),
           "vernier compare GOLDEN_DUMP TARGET_DUMP"},
          {"good",
           TR("Nothing to look for in these curves. Without --noise a fixed limit spoke: two "
              "more runs of golden tell its noise."),
           "vernier curves GOLDEN TARGET --noise GOLDEN_AGAIN"},
          {"nothing", TR("Nothing was compared with each other: name two runs."),
           "vernier curves GOLDEN TARGET"}}},
    {.schema = "advise",
     .meaning = TR("What a threshold would have skipped of this run, or which checkpoints are "
                   "healthy; nothing is judged against another run."),
     .why_figures = {{TR("threshold"), "skip.threshold"},
                     {TR("ends the run after so many in a row"), "skip.count"},
                     {TR("longest row"), "skip.longest_row"},
                     {TR("run ends at step"), "skip.abort_at"},
                     {TR("suggested threshold"), "skip.suggested.threshold"}},
     .next = {{NULL,
               TR("Set the threshold in the configuration of the run, and look at its curve."),
               "vernier curves RUN"}}},
    {.schema = "monitor",
     .meaning = TR("Each series is compared with its own past; an alarm is a value beyond what its "
                   "rule allows."),
     .why = {{"alarms",
              NULL,
              NULL,
              {TR("rule"), TR("series"), TR("type"), TR("rank"), TR("step"), TR("times history"),
               TR("level"), NULL},
              {"rule", "name", "type", "rank", "step", "ratio", "level", NULL}}},
     .compared = {{"runs",
                   NULL,
                   NULL,
                   {TR("run"), TR("types"), TR("series"), TR("files"), TR("alarms left out"), NULL},
                   {"name", "types", "series", "files", "alarms_left_out", NULL}}},
     .next = {{"bad",
               TR("Dump the step of the first alarm and the one before, on that rank, and look "
                  "for what is not finite and for laws that are broken."),
               "vernier check DUMP"},
              {"good", TR("The series keep to their past; a run to hold them against tells more."),
               "vernier monitor GOLDEN=DIR1 TARGET=DIR2"}}},
    {.schema = "history",
     .meaning = TR("Nights are compared with each other: what is new, what lasts, what recovered."),
     .say_why = why_of_history,
     .say_compared = compared_of_history,
     .next = {{NULL,
               TR("What is new comes with the changes since the nightly run before: its own report "
                  "shows where."),
               "vernier history FILE"}}},
    {.schema = "study",
     .meaning = TR("Every stage of the case was judged by its own rule; the earliest that failed "
                   "decides where to look."),
     .why_figures = {{TR("symptom"), "symptom.kind"},
                     {TR("evidence"), "symptom.evidence"},
                     {TR("place"), "symptom.place"},
                     {TR("also"), "symptom.also"},
                     {TR("certainty"), "symptom.certainty"}},
     .why = {{"stages",
              "status",
              "failed",
              {TR("failed"), TR("number"), TR("rule"), NULL},
              {"title", "number", "rule", NULL}}},
     .figures = {{TR("passed"), "counts.passed"},
                 {TR("failed"), "counts.failed"},
                 {TR("not done"), "counts.not_done"}},
     .compared = {{"stages",
                   "status",
                   "not done",
                   {TR("not done"), TR("it would be judged by"), NULL},
                   {"title", "rule", NULL}}},
     .next = {{NULL,
               TR("A stage that was not done says nothing: name its data in the study, and run it "
                  "again."),
               NULL}},
     .say_next = next_of_study},
    {.schema = "checklist",
     .meaning = TR("Settings that change what a model computes must agree; those that are only "
                   "advised against are listed."),
     .why = {{"mismatch",
              NULL,
              NULL,
              {TR("setting"), TR("golden"), TR("target"), TR("why it matters"), NULL},
              {"key", "golden", "target", "text", NULL}},
             {"advice",
              NULL,
              NULL,
              {TR("advised against"), TR("side"), TR("value"), TR("advised"), NULL},
              {"key", "side", "value", "advised", NULL}}},
     .figures = {{TR("equal settings"), "equal"}},
     .compared = {{"one_side",
                   NULL,
                   NULL,
                   {TR("on one side alone"), TR("golden"), TR("target"), NULL},
                   {"key", "golden", "target", NULL}},
                  {"open",
                   NULL,
                   NULL,
                   {TR("to be answered by hand"), TR("question"), NULL},
                   {"key", "text", NULL}}},
     .next = {{"bad",
               TR("Set them to the same values, run again, and only then compare what the runs "
                  "compute."),
               "vernier checklist {golden} {target}"},
              {"good", TR("The settings are not the cause, as far as the files tell them."),
               "vernier compare GOLDEN_DUMP TARGET_DUMP"}}},
    {.schema = "tokens",
     .meaning = TR("Log-probabilities are compared with each other token by token; the mean factor "
                   "of the probabilities decides, against its limit."),
     .why_figures = {{TR("mean factor"), "mean_factor"},
                     {TR("limit"), "limit"},
                     {TR("mean |diff|"), "mean_abs"},
                     {TR("largest"), "max_abs"},
                     {TR("explained by"), "cause.name"},
                     {TR("its figure"), "cause.figure"}},
     .figures = {{TR("samples"), "counts.samples"},
                 {TR("tokens compared"), "counts.tokens"},
                 {TR("masked"), "counts.masked"},
                 {TR("samples in golden alone"), "counts.only_golden"},
                 {TR("samples in the target alone"), "counts.only_target"},
                 {TR("samples of other length"), "counts.other_lengths"},
                 {TR("samples of other tokens"), "counts.other_tokens"}},
     .next =
         {{"bad",
           TR("Mend what explains it first (temperature, mask, shift by a token); where nothing "
              "does, dump both engines for one sample and compare."),
           "vernier compare GOLDEN_DUMP TARGET_DUMP"},
          {"good", TR("The engines agree on these tokens."), NULL}}},
    {.schema = "precheck",
     .meaning = TR("Each API was run alone against a reference; what fails there is likely to fail "
                   "in a model."),
     .why = {{"findings",
              NULL,
              NULL,
              {TR("API"), TR("direction"), TR("status"), TR("standard"), TR("value"), NULL},
              {"api", "direction", "status", "standard", "value", NULL}}},
     .figures = {{TR("failed"), "counts.error"},
                 {TR("warned"), "counts.warning"},
                 {TR("passed"), "counts.pass"},
                 {TR("skipped"), "counts.skipped"},
                 {TR("untold"), "counts.untold"}},
     .next = {{"bad", TR("Look for the API that failed in a dump of the model."),
               "vernier compare GOLDEN_DUMP TARGET_DUMP"},
              {"good", TR("No API fails in isolation: compare the model as a whole."),
               "vernier compare GOLDEN_DUMP TARGET_DUMP"}}},
    {.schema = "merge",
     .meaning = TR("Row tables of ranks were joined: of each metric the largest values."),
     .why = {{"metrics", NULL, NULL, {TR("metric"), NULL}, {"name", NULL}}},
     .figures = {{TR("rows"), "rows"}, {TR("ranks"), "ranks"}},
     .next = {{NULL, TR("Compare the dumps of the rank that stands out."),
               "vernier compare GOLDEN TARGET --rank N"}}},
    {.schema = NULL},
};
