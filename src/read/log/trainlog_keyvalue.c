// SPDX-License-Identifier: Apache-2.0

// Any line with a step or an epoch and a loss, a norm or a rate: torchtitan, verl, hand-written
// loops (docs/spec/curves.md §4.6). A line that only counts is the heading of those below it.

#include "read/log/trainlog_keyvalue.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "read/log/line_sections.h"
#include "read/log/trainlog_dialects.h"

enum { HEADING_LINES = 200 };

static bool has_any(Str line, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_find(line, str_of(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static bool is_whole(const Pair *pair)
{
    return pair->figure.decimals <= 0 && pair->figure.value >= 0 &&
           number_can_count(pair->figure.value);
}

// "1.2e+03", as printers of numbers round a step, too.
static bool is_step_count(const Pair *pair)
{
    const Figure *figure = &pair->figure;
    return is_whole(pair) ||
           (figure->exponent && figure->value >= 1 && number_can_count(figure->value) &&
            figure->value == floor(figure->value));
}

static bool is_epoch(Str key)
{
    return str_equal_nocase(key, STR("epoch")) || str_equal_nocase(key, STR("epochs"));
}

static const Pair *find_epoch(const Pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_whole(&pairs[i]) && is_epoch(pairs[i].key))
            return &pairs[i];
    return NULL;
}

// "[batch=3/1000]", "Epoch 1, batch 50", "it 3/1000": a number of a batch where it counts, not its
// size.
static const Pair *find_batch(const Pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_whole(&pairs[i]) &&
            ((str_equal_nocase(pairs[i].key, STR("batch")) &&
              (pairs[i].total || find_epoch(pairs, count))) ||
             (str_equal(pairs[i].key, STR("it")) && (pairs[i].total || pairs[i].marked))))
            return &pairs[i];
    return NULL;
}

// The pair that holds the step, or NULL.
static const Pair *find_step(const Pair *pairs, size_t count)
{
    const Pair *found = NULL;
    int best = 1000;
    for (size_t i = 0; i < count; i++)
        if (is_step_count(&pairs[i]) && pairs[i].facts.step && pairs[i].facts.order < best &&
            !str_equal_nocase(pairs[i].word, STR("micro"))) {
            best = pairs[i].facts.order;
            found = &pairs[i];
        }
    return found ? found : find_batch(pairs, count);
}

// Counters that never begin anew.
static bool is_global(Str key)
{
    return str_starts(key, STR("global")) || str_starts(key, STR("Global")) ||
           str_starts(key, STR("num_updates"));
}

static bool place_of(const Pair *step, const Pair *epoch, LogPlace *out)
{
    *out =
        (LogPlace){.has_step = step != NULL, .has_epoch = epoch && !(step && is_global(step->key))};
    if (step) {
        out->step = (int64_t)step->figure.value;
        // "1.5k" and "1.5e+03" are no rows of digits.
        int rounded = step->figure.exponent ? (int)floor(log10(fmax(step->figure.value, 1))) : 0;
        rounded -= step->figure.decimals;
        out->step_text =
            step->figure.exponent || step->figure.decimals < 0 ? NULL : step->figure.text;
        if (rounded > 0)
            out->unit = (int64_t)pow(10, fmin(rounded, 15));
        out->total = step->total;
        out->total_text = step->total_text;
    }
    if (out->has_epoch) {
        out->epoch = (int64_t)epoch->figure.value;
        out->epoch_text = epoch->figure.text;
    }
    return out->has_step || out->has_epoch;
}

bool pairs_measure(const Pair *pairs, size_t count, bool *evaluation)
{
    bool measure = false;
    *evaluation = false;
    for (size_t i = 0; i < count; i++) {
        measure = measure || pairs[i].facts.measure;
        *evaluation = *evaluation || pairs[i].facts.evaluation;
    }
    return measure;
}

// The line in front of its first pair, or all of it where that stands elsewhere.
static Str head_of(Str line, const Pair *pairs, size_t count)
{
    bool within = count && line.size && pairs[0].key.data >= line.data &&
                  pairs[0].key.data <= line.data + line.size;
    return within ? str_slice(line, 0, (size_t)(pairs[0].key.data - line.data)) : line;
}

bool pairs_are_evaluation(const TrainLog *log, Str line, const Pair *pairs, size_t count)
{
    size_t first = 0;
    while (first + 1 < count && !pairs[first].facts.measure && !pairs[first].facts.evaluation)
        first++;
    Str head = head_of(line, pairs + first, count ? count - first : 0);
    return line_phase(head, PHASE_NONE) == PHASE_EVALUATION &&
           !(log->census && census_is_called(log->census));
}

// "step 10: train loss 8.0, val loss 8.1": both are means of an evaluation.
static bool is_train_beside(const Pair *pair)
{
    return str_equal_nocase(pair->key, STR("train loss"));
}

static Str evaluation_name(TrainLog *log, const Pair *pair)
{
    return str_printf(log->arena, "eval_" STR_FMT, STR_ARG(pair->key));
}

// What an evaluation calls "acc" is none of training: "eval_acc".
static bool is_success(TrainLog *log, const Pair *pair)
{
    return !pair->facts.metric && !pair->facts.speed && !str_starts(pair->key, STR("train")) &&
           name_facts(log->names, evaluation_name(log, pair)).metric;
}

static void add_pair(TrainLog *log, Part *part, const Pair *pair, bool evaluation)
{
    bool own = pair->facts.evaluation;
    if (evaluation && is_train_beside(pair)) {
        part_add(part, STR("eval_train_loss"), pair->figure);
    } else if (evaluation && !own && (pair->facts.measure || is_success(log, pair))) {
        part_add(part, evaluation_name(log, pair), pair->figure);
    } else if (!evaluation || own || !pair->facts.speed) {
        part_add(part, pair->key, pair->figure);
    }
}

bool pairs_store(TrainLog *log, const char *format, int64_t x, bool evaluation, const Pair *pairs,
                 size_t count)
{
    Part *part = trainlog_part(log, format);
    bool has_evaluation;
    bool measure = pairs_measure(pairs, count, &has_evaluation);
    int64_t before = part->last_step;
    trainlog_begin(log, part, x, evaluation || !measure ? -1 : log->kind);
    for (size_t i = 0; i < count; i++) {
        const NameFacts *name = &pairs[i].facts;
        bool norm = measure && str_equal(pairs[i].key, STR("norm"));
        bool shown = pairs[i].marked || name->measure || name->evaluation || norm;
        bool beside = has_evaluation && is_train_beside(&pairs[i]);
        if (pairs[i].absent)
            part_add_absent(part, pairs[i].key);
        else if (!name->step && shown)
            add_pair(log, part, &pairs[i], evaluation || beside);
    }
    if (evaluation) {
        bool any = part_end(part);
        log->found += any;
        log->evaluated += any && part != log->stepless;
        part_event(part, EVENT_EVAL, x, 1, log->number, STR("evaluation"));
        part->last_step = before > x ? before : x;
        return true;
    }
    return trainlog_end(log, part);
}

// What stands at the last record of training, in steps and in epochs.
static bool store_beside(TrainLog *log, bool evaluation, const Pair *pairs, size_t count)
{
    bool any = false;
    for (int of_epochs = 0; of_epochs < 2; of_epochs++) {
        Part *part = trainlog_find(log, of_epochs);
        part = part || of_epochs ? part : log->stepless;
        if (!part || part->record_count == 0)
            continue;
        log->part = part;
        any = pairs_store(log, "text", part->last_step, evaluation, pairs, count) || any;
        log->evaluated += !evaluation && part != log->stepless;
    }
    return any;
}

static bool store_at_last(TrainLog *log, const Pair *pairs, size_t count)
{
    return store_beside(log, true, pairs, count);
}

static bool is_reward(const Pair *pair)
{
    return pair->marked && pair->facts.reward;
}

static bool tells_reward(const Pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_reward(&pairs[i]))
            return true;
    return false;
}

// "Learner Steps": the key, and the word in front of it.
static Str counter_name(const Pair *step)
{
    const Str *key = &step->key, *word = &step->word;
    bool apart =
        word->size == 0 || key->data != word->data + word->size + 1 || key->data[-1] != ' ';
    return apart ? *key : (Str){word->data, word->size + 1 + key->size};
}

// Of several counters that which training had before, else one that rises with each line where that
// which its name prefers stays.
static const Pair *leading_step(const TrainLog *log, const Pair *step, const Pair *pairs,
                                size_t count)
{
    const CensusRole *role = &log->role;
    bool known = log->counter_name.size > 0;
    for (size_t i = 0; step && i < count; i++) {
        if (!pairs[i].facts.step || !is_step_count(&pairs[i]) ||
            str_equal_nocase(pairs[i].word, STR("micro")))
            continue;
        bool leads = role->leads && role->is_once && !role->falls &&
                     pairs[i].figure.text == role->place.step_text;
        if (known ? str_equal(counter_name(&pairs[i]), log->counter_name) : leads)
            return &pairs[i];
    }
    return step;
}

// "average reward score: 1.2" below a record of training, "step 10 reward: 1.2" next to those of
// loss: at the step of the line where that counts as training does, else at the last one.
static bool take_rewards(TrainLog *log, const Pair *step, const LogPlace *place, const Pair *pairs,
                         size_t count)
{
    Pair rewards[PAIRS_MAX];
    size_t found = 0;
    for (size_t i = 0; log->found && i < count; i++)
        if (is_reward(&pairs[i]))
            rewards[found++] = pairs[i];
    if (found == 0)
        return false;
    if (!step || place->has_epoch || !str_equal(counter_name(step), log->counter_name))
        return store_beside(log, false, rewards, found);
    log->evaluated++;
    return pairs_store(log, "text", place->step, false, rewards, found);
}

static bool has_error(const Pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].marked && series_facts(pairs[i].key).eval_error)
            return true;
    return false;
}

// "Epoch 3: val_acc: 0.7", "eval_loss: 2.5": what an evaluation gives, at the step of the line,
// else of the last record.
static bool take_metrics(TrainLog *log, const LogPlace *place, const Pair *pairs, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || (pairs[i].marked && (pairs[i].facts.metric || pairs[i].facts.evaluation));
    if (any && place->has_step && !place->has_epoch)
        return pairs_store(log, "text", place->step, true, pairs, count);
    return any && store_at_last(log, pairs, count);
}

// "Epoch 1, validation: loss=0.5", "Epoch 1 loss: 0.5 val_loss: 0.6": what is of an evaluation
// stands at the last step too. `evaluation`: a word says that all of it is.
static bool take_epoch_line(TrainLog *log, const LogPlace *place, bool evaluation,
                            const Pair *pairs, size_t count)
{
    Part *steps = trainlog_find(log, false);
    Pair own[PAIRS_MAX];
    size_t own_count = 0;
    int64_t x;
    for (size_t i = 0; i < count; i++)
        if (evaluation || pairs[i].facts.evaluation || pairs[i].facts.metric)
            own[own_count++] = pairs[i];
    log->part = steps;
    if (own_count && steps && steps->record_count)
        pairs_store(log, "text", steps->last_step, true, own, own_count);
    trainlog_part_of_epochs(log, "text");
    // An evaluation stands where its epoch does, and counts nothing.
    bool has_evaluation;
    if (evaluation || !pairs_measure(pairs, count, &has_evaluation))
        return pairs_store(log, "text", epoch_counter_peek(&log->epochs, place), true, pairs,
                           count);
    if (log->role.is_once && log->role.counts && log->role.place.step_text == place->epoch_text &&
        !log->epochs.numbered)
        return pairs_store(log, "text", place->epoch, false, pairs, count);
    return epoch_counter_next(&log->epochs, place, log->arena, &x) &&
           pairs_store(log, "text", x, false, pairs, count);
}

// Lines without a counter of their own, below one that only counts.
static bool take_below_heading(TrainLog *log, const Pair *pairs, size_t count, bool measure)
{
    if (!log->has_heading || log->number > log->heading_line + HEADING_LINES)
        return false;
    Str line = str_trim(log->line);
    bool begins = count && (line.data == pairs[0].key.data ||
                            (line.data == pairs[0].word.data && is_evaluation_word(pairs[0].word)));
    bool alone = line.size && count == 1 && pairs[0].marked && !log->role.is_footer && begins &&
                 line.data != log->line.data;
    if (!measure && (log->role.is_heading || !alone) && !tells_reward(pairs, count))
        return false;
    bool evaluation = log->evaluates || pairs_are_evaluation(log, log->line, pairs, count);
    LogPlace place = {.has_epoch = true, .epoch = log->heading_x};
    if (log->heading_is_epoch && log->counter_name.size)
        return take_epoch_line(log, &place, evaluation, pairs, count);
    return pairs_store(log, "text", log->heading_x, evaluation, pairs, count);
}

// What the line says of training, then what it says of the evaluation at the same step; where the
// first is no record, such as means of ESPnet over an epoch, the second stands at the last step.
static bool take_sections(TrainLog *log, const Pair *pairs, size_t count)
{
    Pair training[PAIRS_MAX], evaluation[PAIRS_MAX];
    size_t training_count, evaluation_count;
    if (!line_sections(log->line, pairs, count, training, &training_count, evaluation,
                       &evaluation_count))
        return false;
    if (pairs_take(log, training, training_count))
        return log->part->of_epochs ? store_at_last(log, evaluation, evaluation_count)
                                    : pairs_store(log, "text", log->part->last_step, true,
                                                  evaluation, evaluation_count);
    return log->found && store_at_last(log, evaluation, evaluation_count);
}

// What nothing in the line but its words says is of an evaluation, "Test set loss: 2.5", and what
// names itself so after numbered records: results at the last of these.
static bool take_results(TrainLog *log, const Pair *pairs, size_t count, bool measure)
{
    LogPlace nowhere = {0};
    bool any = measure, named;
    if (log->found == 0) {
        pairs_measure(pairs, count, &named);
        if (measure ? pairs_are_evaluation(log, log->line, pairs, count) : named)
            log->early_line = log->early_count++ ? log->early_line : log->number;
        return false;
    }
    if (!measure && take_metrics(log, &nowhere, pairs, count))
        return true;
    for (size_t i = 0; i < count; i++)
        any = any || (pairs[i].marked && is_success(log, &pairs[i]));
    return any && pairs_are_evaluation(log, log->line, pairs, count) &&
           store_at_last(log, pairs, count);
}

// Batches below the heading of an evaluation: they are others than those of training, or training
// has a heading, too, or the epoch is counted again.
static bool is_below_evaluation(const TrainLog *log, const LogPlace *place)
{
    bool again = place->has_epoch && log->counter.started && place->epoch == log->counter.epoch &&
                 place->step <= log->counter.step;
    return log->evaluates && place->total &&
           (place->total != log->training_total || log->trains || again);
}

// A loss and no counter: records are numbered.
static bool take_stepless(TrainLog *log, const Pair *pairs, size_t count)
{
    bool loss = false;
    for (size_t i = 0; i < count; i++)
        loss = loss || ((pairs[i].marked || log->role.is_record) && pairs[i].facts.loss);
    if (!loss || pairs_are_evaluation(log, log->line, pairs, count) || trainlog_counts(log))
        return false;
    if (log->role.is_other)
        return log->found && store_at_last(log, pairs, count);
    if (!log->stepless)
        log->stepless = part_new(log->parts, log->path, INT64_MIN, "text", log->arena);
    log->part = log->stepless;
    log->shapes_again += log->role.count != 1;
    log->numbers_lines = true;
    int64_t last = log->stepless->last_step;
    return pairs_store(log, "text", last < 0 ? 1 : last + 1, false, pairs, count);
}

// "[eval=c4,step=5/5]" of OLMo-core, "[Eval batch=5/5] …" of Composer: what is printed below has
// the name of the evaluation in its own and is of the step before.
static bool is_evaluation_progress(Str line)
{
    return str_find(line, STR("[eval="), 0) != SIZE_MAX ||
           str_find(line, STR("[Eval batch="), 0) != SIZE_MAX;
}

// "Resuming from checkpoint step: 500", "Saving checkpoint: step=20": nothing stands below it.
static bool is_of_checkpoint(Str line)
{
    static const char *const words[] = {"heckpoint", "ckpt", "esuming", "esumed", "estored"};
    return has_any(line, words, sizeof words / sizeof *words) && !str_ends(line, STR(":"));
}

static void note_heading(TrainLog *log, const LogPlace *place, bool counts)
{
    if (is_of_checkpoint(str_trim(log->line)) || log->role.is_footer)
        return;
    if (log->has_heading && is_evaluation_progress(log->line)) {
        log->heading_line = log->number;
        return;
    }
    bool opens = place->has_step && str_ends(str_trim(log->line), STR(":"));
    log->dict_line = opens ? log->number + 1 : 0;
    log->dict_x = place->step;
    log->has_heading = counts;
    log->heading_line = log->number;
    log->heading_is_epoch = !place->has_step;
    if (counts && place->has_step && place->has_epoch)
        epoch_counter_next(&log->counter, place, log->arena, &log->heading_x);
    else if (counts)
        log->heading_x = place->has_step ? place->step : place->epoch;
}

void pairs_head(TrainLog *log, const LogPlace *place)
{
    note_heading(log, place, true);
}

// "    optim/LR (group 0)=1e-4", "    train/CE loss=2.5" below a heading: a path whose name has
// blanks, and its value, alone on their line.
static bool take_spaced_name(TrainLog *log, Pair *out)
{
    Str line = str_trim(log->line);
    size_t mark = str_rfind_char(line, '='), blank = str_find_char(line, ' ', 0);
    if (mark == SIZE_MAX || blank > mark || line.data == log->line.data ||
        str_find_char(str_slice(line, 0, blank), '/', 0) == SIZE_MAX || !is_letter(line.data[0]))
        return false;
    *out = (Pair){.key = str_trim(str_slice(line, 0, mark)), .marked = true};
    Scan value = {line, mark + 1};
    for (size_t i = 0; i < out->key.size; i++)
        if (memchr("=:,;'\"|", out->key.data[i], 7))
            return false;
    out->facts = name_facts(log->names, out->key);
    return scan_grouped(&value, &out->figure) && scan_done(&value);
}

// "[200, 0.0001]" directly below a line with the epoch: the step and the rate of what follows.
static bool take_listed_step(TrainLog *log)
{
    Str line = str_trim(log->line);
    size_t open = str_rfind_char(line, '[');
    Scan scan = {line, open + 1};
    int64_t step;
    Pair rate = {.key = STR("lr"), .marked = true, .facts = name_facts(log->names, STR("lr"))};
    if (log->number != log->heading_line + 1 || open == SIZE_MAX || !scan_uint(&scan, &step) ||
        !scan_word(&scan, ", ") || !scan_figure(&scan, &rate.figure) || !scan_word(&scan, "]") ||
        !scan_done(&scan) || !(rate.figure.value >= 0 && rate.figure.value < 1))
        return false;
    log->heading_x = step;
    return pairs_store(log, "text", step, false, &rate, 1);
}

bool keyvalue_take(TrainLog *log)
{
    static const char *const words[] = {
        "loss", "Loss",     "LOSS",  "norm",   "lr",   "xent",   "step", "Step",          "iter",
        "poch", "learning", "LR",    "[batch", "'s ",  "train-", "STEP", "cross-entropy", "eval-",
        "val-", "alid",     "test-", "Eval",   "Test", "val ",   "Val ", "eward",         "eturn"};
    trainlog_role(log);
    bool counted = log->role.is_record && log->role.counts;
    if (!(log->has_heading || counted || has_any(log->line, words, sizeof words / sizeof *words)))
        return false;
    Pair pairs[PAIRS_MAX];
    bool below = log->has_heading;
    if (below && take_listed_step(log))
        return true;
    bool named = below && take_spaced_name(log, pairs);
    size_t count = named ? 1 : line_pairs(log->line, log->names, pairs);
    // "Mean surrogate loss: 2.5" alone on its line is one of several.
    if (below && count == 1)
        pairs_name_part(log->names, &pairs[0]);
    bool taken = pairs_take(log, pairs, count);
    log->reading.plain = log->reading.plain && !below && !log->role.falls && !log->role.is_summary;
    return taken;
}

bool pairs_step(TrainLog *log, LogPlace place, int64_t *x)
{
    log->has_heading = false;
    log->training_total = place.total;
    log->evaluates = false;
    if (place.total && !place.has_epoch && log->has_bar_epoch) {
        place.has_epoch = true;
        place.epoch = log->bar_epoch;
    }
    return epoch_counter_next(&log->counter, &place, log->arena, x);
}

bool keyvalue_again(TrainLog *log, LineShape *shape)
{
    int64_t x;
    return pairs_step(log, shape->reading.place, &x) && trainlog_again(log, shape, x);
}

// What is counted next to steps: "tokens_seen", "consumed_samples".
static bool is_amount(Str key)
{
    static const char *const words[] = {"token", "Token", "sample", "Sample"};
    return has_any(key, words, sizeof words / sizeof *words);
}

// "Epoch 1, 50/200; loss 2.5" while the first epoch goes on.
static bool is_within_epoch(const LogPlace *place, const LogPlace *counted, const Pair *pairs,
                            size_t count)
{
    bool within = place->has_epoch && !place->has_step && counted->total &&
                  counted->step_text > place->epoch_text;
    for (size_t i = 0; within && i < count; i++)
        within = !pairs[i].facts.measure || counted->step_text < pairs[i].figure.text;
    return within;
}

static void place_within(LogPlace *place, const LogPlace *counted)
{
    LogPlace epoch = *place;
    *place = *counted;
    place->has_epoch = true;
    place->epoch = epoch.epoch;
    place->epoch_text = epoch.epoch_text;
}

// What the census says of the line's counters, where names do not, or where the number that they
// name begins anew with another one.
static void place_by_census(const TrainLog *log, const Pair *pairs, size_t count, LogPlace *place)
{
    const CensusRole *role = &log->role;
    const LogPlace *counted = &role->place;
    bool nested = role->falls && counted->has_epoch;
    bool headed = counted->total && log->has_bar_epoch;
    if (!role->counts || (role->falls && !nested && !headed) || log->line.size == 0)
        return;
    bool same = place->step_text == counted->step_text;
    for (size_t i = 0; i < count; i++)
        if (pairs[i].figure.text == counted->step_text &&
            (pairs[i].facts.speed || pairs[i].facts.measure || pairs[i].facts.metric ||
             str_equal_nocase(pairs[i].word, STR("micro")) || is_amount(pairs[i].key)))
            return;
    bool first = counted->total > 0;
    for (size_t i = 0; i < count; i++)
        first = first || (counted->step_text < pairs[i].figure.text &&
                          (pairs[i].facts.measure || pairs[i].facts.evaluation));
    first = first || has_error(pairs, count);
    if (!place->has_step && !place->has_epoch && (first || nested) &&
        (!log->has_heading || (first && role->is_record)))
        *place = *counted;
    else if (nested && (place->has_step ? !place->has_epoch && same : !same))
        *place = *counted;
    else if (is_within_epoch(place, counted, pairs, count))
        place_within(place, counted);
}

// The records of a second shape, whose counter falls after the steps or is named an epoch next to a
// step that stays: it is that of epochs.
static bool is_summary(const TrainLog *log, const LogPlace *place)
{
    if (!log->role.is_summary || !place->has_step)
        return false;
    const Part *part = trainlog_find(log, false);
    const char *counted = log->role.place.step_text;
    if (!part || part->record_count == 0)
        return false;
    return place->has_epoch ? counted == place->epoch_text && log->role.leads &&
                                  log->role.count > CENSUS_RECORDS_LEAST
                            : counted == place->step_text && place->step < part->last_step;
}

// An evaluation with a step of its own.
static bool store_evaluation(TrainLog *log, const LogPlace *place, const Pair *pairs, size_t count)
{
    int64_t x = place->step;
    // Fewer batches than those of training in the same epoch are counted for themselves.
    if (place->has_epoch && log->counter.started && place->epoch == log->counter.epoch &&
        place->step < log->counter.step)
        return store_at_last(log, pairs, count);
    if (place->has_epoch && !epoch_counter_next(&log->counter, place, log->arena, &x))
        return false;
    return pairs_store(log, "text", x, true, pairs, count);
}

bool pairs_take(TrainLog *log, const Pair *pairs, size_t count)
{
    bool sections = take_sections(log, pairs, count);
    log->reading.plain = false;
    if (sections)
        return true;
    bool has_evaluation, measure = pairs_measure(pairs, count, &has_evaluation);
    const Pair *step = leading_step(log, find_step(pairs, count), pairs, count);
    const Pair *epoch = find_epoch(pairs, count);
    LogPlace place;
    int64_t x;
    place_of(step, epoch, &place);
    has_evaluation = has_evaluation || (log->role.is_record && has_error(pairs, count));
    if (measure || has_evaluation)
        place_by_census(log, pairs, count, &place);
    if (!place.has_step && !place.has_epoch)
        return take_below_heading(log, pairs, count, measure || has_evaluation) ||
               take_stepless(log, pairs, count) || take_results(log, pairs, count, measure) ||
               take_rewards(log, NULL, &place, pairs, count);
    // What an Estimator of TensorFlow says of its evaluation.
    bool evaluation = pairs_are_evaluation(log, log->line, pairs, count) || log->role.is_other ||
                      str_find(log->line, STR("Saving dict for "), 0) != SIZE_MAX;
    if (!measure && !has_evaluation) {
        if (take_metrics(log, &place, pairs, count))
            return true;
        // "epochs: 3" of a configuration is how many there are.
        bool counts = log->role.is_heading ? true
                      : step               ? step->marked || count == 1
                             : epoch->marked && str_equal_nocase(epoch->key, STR("epoch"));
        note_heading(log, &place, !evaluation && counts);
        return take_rewards(log, step, &place, pairs, count);
    }
    log->has_heading = false;
    evaluation = evaluation || is_below_evaluation(log, &place);
    if (!evaluation && is_summary(log, &place))
        place = (LogPlace){.has_epoch = true,
                           .epoch = place.has_epoch ? place.epoch : place.step,
                           .epoch_text = log->role.place.step_text};
    if (!place.has_step)
        return take_epoch_line(log, &place, evaluation, pairs, count);
    bool alone = log->role.counts && !log->role.falls &&
                 log->role.place.step_text == place.step_text &&
                 log->role.count > CENSUS_RECORDS_LEAST;
    if (evaluation && place.total && !alone &&
        (place.total != log->training_total || is_below_evaluation(log, &place)))
        return place.step < place.total || store_at_last(log, pairs, count);
    if (!evaluation) {
        bool stored =
            pairs_step(log, place, &x) && pairs_store(log, "text", x, false, pairs, count);
        if (step && !str_equal(counter_name(step), log->counter_name))
            log->counter_name = str_copy(log->arena, counter_name(step));
        if (stored && place.step_text)
            trainlog_plain(log, log->part, &place);
        return stored;
    }
    return store_evaluation(log, &place, pairs, count);
}
