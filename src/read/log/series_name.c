// SPDX-License-Identifier: Apache-2.0
#include "read/log/series_name.h"

#include <string.h>

#include "base/line_scan.h"
#include "base/path.h"
#include "read/known_rows.h"
#include "read/log/log_words.h"

enum { PLAIN_MAX = 96, NAME_MOST = 256, BELOW_MAX = 1024 };

// What a model is fitted by where its name has no "loss".
typedef enum Fitted {
    OF_TREES = 1 << 0,  // by boosted trees, whose lines name the set of data too
    ALONE = 1 << 1,     // also where it is all that a table has
    OF_LOOP = 1 << 2,   // what a loop calls its loss by the formula
} Fitted;

// What templates/series.names knows of a name.
typedef struct Spelling {
    bool known;  // as a spelling of the canonical name, which is empty for no series
    Str canonical;
    double factor;
    bool core;
    int step;         // its place in the order of preference; -1: no step
    unsigned fitted;  // Fitted
} Spelling;

static bool is_ascii(Str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] & 0x80)
            return false;
    return true;
}

static Str plain_of(Str printed, char out[PLAIN_MAX])
{
    size_t size = 0;
    char english[PLAIN_MAX];
    if (!is_ascii(printed))
        printed = (Str){english, log_words_english(NULL, printed, english, sizeof english)};
    for (size_t i = 0; i < printed.size && size < PLAIN_MAX; i++) {
        char c = printed.data[i];
        if (c == '_' || c == '-' || c == ' ')
            continue;
        out[size++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    Str plain = {out, size};
    // A rate of an optimizer or of one of its groups: "lr-AdamW/group0", "train/lr-pg_0".
    if (str_starts(printed, STR("lr-")) || str_starts(printed, STR("train/lr-")))
        return STR("lr");
    static const Str prefixes[] = {{"train/samples/", 14}, {"train/", 6}, {"training/", 9}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(plain, prefixes[i]) && plain.size > prefixes[i].size)
            return str_slice(plain, prefixes[i].size, plain.size);
    return plain;
}

static Spelling spelled(Str plain)
{
    Spelling out = {.factor = 1, .step = -1};
    Str rest = known_row(known_rows("series.names").text, plain), word = known_word(&rest);
    bool step = str_equal(word, STR("step"));
    out.known = word.size && !step && !str_equal(word, STR("?"));
    out.canonical = out.known && !str_equal(word, STR("-")) ? word : STR("");
    while (rest.size) {
        word = known_word(&rest);
        Scan number = {word, word.data[0] == 'x'};
        int64_t value;
        out.core = out.core || str_equal(word, STR("core"));
        out.fitted |= str_equal(word, STR("trees"))   ? OF_TREES
                      : str_equal(word, STR("alone")) ? ALONE
                      : str_equal(word, STR("loop"))  ? OF_LOOP
                                                      : 0;
        if (!scan_uint(&number, &value))
            continue;
        out.step = step ? (int)value : out.step;
        out.factor = step ? out.factor : (double)value;
    }
    return out;
}

static bool is_spelling_of(const Spelling *known, const char *canonical)
{
    return known->known && str_equal(known->canonical, str_of(canonical));
}

// "lr(LinearWarmup)", as PaddleClas names the rate by its schedule.
static bool is_scheduled(Str plain)
{
    return str_ends(plain, STR("warmup)")) || str_ends(plain, STR("decay)"));
}

static bool has(Str plain, const char *word)
{
    return str_find(plain, str_of(word), 0) != SIZE_MAX;
}

static bool is_evaluation(Str plain)
{
    if (str_starts(plain, STR("value")))
        return false;
    return str_starts(plain, STR("eval")) || str_starts(plain, STR("val")) ||
           str_starts(plain, STR("test")) || str_starts(plain, STR("predict")) ||
           (str_starts(plain, STR("dev")) && !str_starts(plain, STR("devi"))) ||
           has(plain, "validation");
}

// "train_grad_norm" and "Grad norm (L2)" are norms of the gradient too.
static Spelling spelling_of(Str plain)
{
    Spelling own = spelled(plain);
    // "loss/total", "grad_norms/summary/total": the whole of a path.
    bool loss = has(plain, "loss/total") || has(plain, "losses/total");
    if (!own.known && str_ends(plain, STR("/total")) && (has(plain, "gradnorm") || loss))
        own = spelled(has(plain, "gradnorm") ? STR("gradnorm")
                      : is_evaluation(plain) ? STR("evalloss")
                                             : STR("loss"));
    size_t open = str_find_char(plain, '(', 0);
    size_t from = str_starts(plain, STR("train")) ? strlen("train") : 0;
    size_t end = str_ends(plain, STR(")")) && open != SIZE_MAX ? open : plain.size;
    if (own.known || (from == 0 && end == plain.size) || from >= end)
        return own;
    Spelling inner = spelled(str_slice(plain, from, end));
    bool good = is_spelling_of(&inner, "grad_norm") ||
                (is_spelling_of(&inner, "lr") && is_scheduled(plain));
    return good ? inner : own;
}

// The printed name with '_' for blanks and without the "train/" that says nothing.
static Str tidy(Str printed, const char *prefix, Arena *arena)
{
    printed = str_trim(printed);
    if (str_starts(printed, STR("train/")))
        printed = str_slice(printed, 6, printed.size);
    Str copy = str_printf(arena, "%s" STR_FMT, prefix, STR_ARG(printed));
    char *data = (char *)copy.data;  // this function's own copy
    for (size_t i = 0; i < copy.size; i++)
        if (data[i] == ' ')
            data[i] = '_';
    return copy;
}

// "lr(1e-4)": the name without the factor that its values are counted in.
static Str without_factor(Str printed, double *factor)
{
    size_t open = str_rfind_char(printed, '(');
    Figure figure;
    *factor = 1;
    if (open == SIZE_MAX || open == 0 || !str_ends(printed, STR(")")) ||
        !figure_of_text(str_slice(printed, open + 1, printed.size - 1), &figure) ||
        !(figure.value > 0))
        return printed;
    *factor = figure.value;
    return str_slice(printed, 0, open);
}

static bool is_fitted(Str metric, Fitted by)
{
    return (spelled(metric).fitted & by) != 0;
}

// "training's l2" of LightGBM, "train-rmse" of XGBoost.
static bool is_training_error(Str plain)
{
    static const Str prefixes[] = {{"training's", 10}, {"train", 5}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(plain, prefixes[i]))
            return is_fitted(str_slice(plain, prefixes[i].size, plain.size), OF_TREES);
    return false;
}

// What a loss is multiplied by or made of is none: weights, scales, factors.
static bool is_setting_of_loss(Str plain)
{
    static const char *const settings[] = {"weight", "scal",   "coef",     "factor",
                                           "ratio",  "lambda", "timestamp"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (has(plain, settings[i]) && !str_ends(plain, STR("loss")))
            return true;
    // So many of them: "full_loss_num".
    return str_ends(plain, STR("num")) || str_ends(plain, STR("count"));
}

static bool is_criterion(Str plain)
{
    return is_fitted(str_starts(plain, STR("train")) ? str_slice(plain, 5, plain.size) : plain,
                     OF_LOOP);
}

static bool is_loss_name(Str plain)
{
    return !is_setting_of_loss(plain) && (has(plain, "loss") || is_training_error(plain)) &&
           !is_evaluation(plain);
}

// "valid_0's l2", "cv_agg's l2" of LightGBM, "eval-logloss" of XGBoost,
// "Validation-cross-entropy" of Sockeye: what an evaluation gives for the loss.
static bool is_valid_loss(Str printed)
{
    char room[PLAIN_MAX];
    size_t of = str_find(printed, STR("'s "), 0), dash = str_find_char(printed, '-', 0);
    size_t end = of != SIZE_MAX ? of + 3 : dash != SIZE_MAX ? dash + 1 : printed.size;
    Str set = plain_of(str_slice(printed, 0, end), room);
    if (!str_starts(set, STR("value")) && (is_evaluation(set) || str_equal(set, STR("cvagg's")))) {
        Str metric = plain_of(str_slice(printed, end, printed.size), room);
        return str_ends(metric, STR("logloss")) || str_equal(metric, STR("crossentropy")) ||
               (of != SIZE_MAX && (has(metric, "loss") || is_fitted(metric, OF_TREES)));
    }
    return false;
}

// The word is in the name, in any case, and no letters go on before or after it: "data_time",
// "Steps/Sec", not "beta".
static bool is_word_of(Str name, Str word)
{
    for (size_t at = 0; at + word.size <= name.size; at++) {
        char before = at ? name.data[at - 1] : ' ';
        char behind = at + word.size < name.size ? name.data[at + word.size] : ' ';
        if ((name.data[at] | 0x20) == word.data[0] && !is_letter(before) && !is_letter(behind) &&
            str_equal_nocase(str_slice(name, at, at + word.size), word))
            return true;
    }
    return false;
}

// "reward_std", "critic/score/max", "MaxEpRet", "Min Reward": how far values spread, no mean.
static bool is_spread(Str printed, Str plain)
{
    static const char *const spreads[] = {"std", "max", "min"};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        Str word = str_of(spreads[i]);
        char next = printed.size > word.size ? printed.data[word.size] : ' ';
        if (str_ends(plain, word) || (str_equal_nocase(str_slice(printed, 0, word.size), word) &&
                                      !(next >= 'a' && next <= 'z')))
            return true;
    }
    return false;
}

// Whether one of the group is in the name as a whole.
static bool has_word(Str name, const char *group)
{
    Str words = known_group(group);
    while (words.size) {
        Str word = known_word(&words);
        bool other = word.data[0] & 0x80;
        if (other ? str_find(name, word, 0) != SIZE_MAX : is_word_of(name, word))
            return true;
    }
    return false;
}

static bool is_eval_error(Str plain)
{
    for (size_t at = 0; at < plain.size; at++)
        if (is_fitted(str_slice(plain, at, plain.size), OF_TREES))
            return true;
    return str_ends(plain, STR("error"));
}

bool series_name_is_step(Str printed, int *order)
{
    char room[PLAIN_MAX];
    *order = spelled(plain_of(printed, room)).step;
    return *order >= 0;
}

static void spell_facts(const Spelling *known, Str plain, NameFacts *out)
{
    out->loss = is_spelling_of(known, "loss");
    out->rate = is_spelling_of(known, "lr");
    out->core = out->loss || out->rate || is_spelling_of(known, "grad_norm") ||
                str_equal(plain, STR("lmloss"));
}

// What a word of a set of data, or the name of what holds one, says.
static void split_facts(Str printed, Str plain, NameFacts *out)
{
    char room[PLAIN_MAX];
    Str word = plain_of(str_slice(printed, 0, str_find_char(printed, '_', 0)), room);
    out->split = STR_IN(word, "val", "valid", "validation", "validate", "eval", "evaluation",
                        "evaluate", "test", "dev");
    out->holds_split = STR_IN(plain, "split", "mode", "phase", "stage", "set", "type", "subset",
                              "context", "runcontext", "metric.context.subset", "context.subset");
    out->holds_name = STR_IN(plain, "metric", "metricname", "metric.name", "name", "key", "tag",
                             "series", "variable", "scalar", "scalarname");
}

static void success_facts(Str printed, Str plain, NameFacts *out)
{
    if (is_spread(printed, plain) || is_setting_of_loss(plain) || is_loss_name(plain))
        return;
    out->reward = known_group_in("reward", plain) || STR_IN(plain, "rew", "rm", "ret");
    out->success = out->reward || known_group_in("success", plain) || str_ends(plain, STR("acc"));
}

NameFacts series_facts(Str printed)
{
    NameFacts out = {0};
    char room[PLAIN_MAX], bare_room[PLAIN_MAX];
    double factor;
    if (printed.size > NAME_MOST)
        return out;  // text, and no name
    Str plain = plain_of(printed, room);
    size_t slash = str_rfind_char(printed, '/');
    Str last = str_slice(printed, slash == SIZE_MAX ? 0 : slash + 1, printed.size);
    Str without = without_factor(printed, &factor);
    Str bare = without.size == printed.size ? plain : plain_of(without, bare_room);
    Spelling known = spelling_of(plain), of_bare = spelling_of(bare);
    bool evaluates = is_evaluation(plain);
    NameFacts core = {0};
    spell_facts(&of_bare, bare, &core);
    spell_facts(&known, plain, &out);
    split_facts(printed, plain, &out);
    success_facts(printed, plain, &out);
    out.order = known.step;
    out.step = out.order >= 0;
    out.joined = known.known || out.step;
    out.total = str_equal(plain, STR("totalloss"));
    out.evaluation = known.known ? is_spelling_of(&known, "eval_loss") : is_valid_loss(printed);
    out.metric = evaluates && known_group_in("metric", plain);
    out.eval_error = evaluates && is_eval_error(plain);
    out.criterion = is_criterion(plain);
    out.measure =
        core.core || is_loss_name(bare) || STR_IN(bare, "xent", "pg") || is_criterion(bare);
    out.second_loss = !is_setting_of_loss(plain) && (has(plain, "loss") || has(plain, "xent"));
    out.error = is_fitted(plain, ALONE);
    out.fallback = !evaluates && has_word(last, "fallback");
    out.speed = has_word(printed, "speed");
    out.time = STR_IN(plain, "timestamp", "ts", "walltime", "runtime", "relativetime(process)",
                      "relativetime(wall)");
    return out;
}

static SeriesName unscaled_name(Str printed, bool total, Arena *arena)
{
    char room[PLAIN_MAX];
    Str plain = plain_of(printed, room);
    Spelling known = spelling_of(plain);
    if (known.known)
        return (SeriesName){known.canonical, known.factor, known.core};
    if (plain.size == 0 || known.step >= 0 || series_facts(printed).time)
        return (SeriesName){.factor = 1};
    if (is_valid_loss(printed))
        return (SeriesName){STR("eval_loss"), 1, false};
    if (str_equal(plain, STR("lmloss")) && total)
        return (SeriesName){STR("loss"), 1, true};
    if (is_loss_name(plain)) {
        size_t own = str_starts(printed, STR("loss.")) ? STR("loss.").size : 0;  // named by us
        return (SeriesName){tidy(str_slice(printed, own, printed.size), "loss.", arena), 1, true};
    }
    return (SeriesName){tidy(printed, "", arena), 1, false};
}

SeriesName series_name(Str printed, bool total, Arena *arena)
{
    double factor;
    SeriesName name = unscaled_name(without_factor(printed, &factor), total, arena);
    name.factor *= factor;
    return name;
}

Str series_stem(const char *path)
{
    Str name = path_base(str_of(path));
    Str stem = str_slice(name, 0, str_find_char(name, '.', 0));
    return series_facts(stem).measure || series_facts(stem).evaluation ? stem : STR("");
}

Str series_name_below(Str path, Str key, Arena *arena)
{
    Str start = str_slice(path, 0, BELOW_MAX);
    return path.size ? str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(start), STR_ARG(key)) : key;
}

NameSide series_name_side(Str name)
{
    bool golden = has_word(name, "golden");
    bool target = has_word(name, "target");
    return golden == target ? NAME_NEITHER : golden ? NAME_GOLDEN : NAME_TARGET;
}

static bool parts_words(char c)
{
    return c == ' ' || c == '_' || c == '-' || c == '/' || c == '.' || c == '(' || c == ')' ||
           c == ':' || c == '[' || c == ']' || c == '@';
}

static Str without_parting(Str text)
{
    while (text.size && parts_words(text.data[0]))
        text = str_slice(text, 1, text.size);
    while (text.size && parts_words(text.data[text.size - 1]))
        text.size--;
    return text;
}

static bool is_measured(Str name)
{
    NameFacts facts = series_facts(name);
    return facts.measure || facts.evaluation || facts.metric;
}

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

// Whether a word may end in front of `at`: at a mark, next to letters that are none of ASCII, or in
// front of a capital, "gpuLoss", "GPULoss".
static bool is_boundary(Str name, size_t at)
{
    char before = name.data[at - 1], here = name.data[at];
    bool other = is_letter(here) && !is_small(here);
    bool next = at + 1 < name.size && is_small(name.data[at + 1]);
    if ((before | here) & 0x80)
        return (here & 0xC0) != 0x80;
    return parts_words(here) || parts_words(before) ||
           (other && (is_small(before) || (is_letter(before) && next)));
}

// "gpuloss": of words that are grown together only devices are known.
static bool is_device(Str word)
{
    return str_equal_nocase(word, STR("gpu")) || str_equal_nocase(word, STR("npu")) ||
           str_equal_nocase(word, STR("cuda")) || str_equal_nocase(word, STR("ascend"));
}

bool series_name_split_side(Str printed, Str *side, Str *measure)
{
    for (size_t at = 1; at < printed.size; at++) {
        Str first = without_parting(str_slice(printed, 0, at));
        Str second = without_parting(str_slice(printed, at, printed.size));
        bool apart = is_boundary(printed, at);
        if (!(apart || is_device(first) || is_device(second)) || !first.size || !second.size)
            continue;
        bool front = (apart || is_device(first)) && series_name_side(first) &&
                     is_measured(second) && !series_name_side(second);
        bool back = (apart || is_device(second)) && series_name_side(second) &&
                    is_measured(first) && !series_name_side(first);
        *side = front ? first : second;
        *measure = front ? second : first;
        if (front || back)
            return true;
    }
    return false;
}
