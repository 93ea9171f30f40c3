// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_pairs.h"

#include <math.h>
#include <string.h>

#include "read/known_rows.h"

static bool is_name_letter(char c)
{
    return is_letter(c) || c == '_';
}

// Letters, digits and "-./@"; those but '@' stand side by side in ASCII.
static bool is_key_byte(char c)
{
    return is_name_letter(c) || (c >= '-' && c <= '9') || c == '@';
}

static char char_at(Str text, size_t at)
{
    return at < text.size ? text.data[at] : ' ';
}

// "training's l2": the word goes on after such an ending.
static size_t possessed_end(Str text, size_t at)
{
    if (char_at(text, at) != '\'' || char_at(text, at + 1) != 's' || char_at(text, at + 2) != ' ' ||
        !is_name_letter(char_at(text, at + 3)))
        return at;
    for (at += 3; at < text.size && is_key_byte(text.data[at]);)
        at++;
    return at;
}

// A word that begins with a letter; what goes on after a number is its unit ("5ms", "01T10").
static Str next_key(Scan *scan)
{
    Str text = scan->text;
    for (size_t at = scan->at;;) {
        while (at < text.size && !is_name_letter(text.data[at]))
            at++;
        size_t from = at;
        while (at < text.size && is_key_byte(text.data[at]))
            at++;
        scan->at = at = possessed_end(text, at);
        if (from == 0 || from == at || !is_digit(text.data[from - 1]))
            return str_slice(text, from, at);
    }
}

// What says where a line comes from: "train.py:70", "pid=12", "[INFO|DP=0|PP=1|TP=0|host]".
static bool is_origin(Str key)
{
    char end = key.data[key.size - 1];
    if (end == 'P')
        return STR_IN(key, "DP", "PP", "TP", "CP", "EP");
    return (end == 'y' || end == 'c' || end == 'p') &&
           (str_ends(key, STR(".py")) || str_ends(key, STR(".cc")) || str_ends(key, STR(".cpp")));
}

// A number that goes on as a date, a time of day, an address or a version: "2026-03-01", "0:10:05",
// "10.0.0.1".
static bool is_clock(Str text, size_t stop)
{
    char mark = char_at(text, stop);
    bool two = is_digit(char_at(text, stop + 1)) && is_digit(char_at(text, stop + 2));
    if (mark == '.' && is_digit(char_at(text, stop + 1)))
        return true;
    return two && (mark == ':' || (mark == '-' && char_at(text, stop + 3) == '-'));
}

// "Tensor(shape=[], dtype=Float32, value= 2.5)" of MindSpore.
static void skip_tensor(Scan *at)
{
    Scan scan = *at;
    if (!scan_word(&scan, "Tensor(shape=[") || !scan_find(&scan, "value="))
        return;
    scan_blanks(&scan);
    *at = scan;
}

// Numbers that Python shows with their type.
static void skip_type(Scan *at)
{
    static const char *const types[] = {"np.float64(", "np.float32(", "np.int64(",   "tensor(",
                                        "tf.Tensor(",  "Array(",      "DeviceArray("};
    char first = char_at(at->text, at->at);
    for (size_t i = 0; is_name_letter(first) && i < sizeof types / sizeof *types; i++)
        if (first == types[i][0] && scan_word(at, types[i]))
            return;
    skip_tensor(at);
}

static bool is_mark(char c)
{
    return c == ' ' || c == ':' || c == ']' || c == '[' || c == '-' || c == '.';
}

// The word that ends in front of `at` and the marks there: letters, and hyphens between them.
static Str word_before(Str text, size_t at)
{
    size_t stop = at;
    while (stop > 0 && is_mark(text.data[stop - 1]))
        stop--;
    size_t from = stop;
    while (from > 0 && (is_name_letter(text.data[from - 1]) ||
                        (text.data[from - 1] == '-' && from > 1 && from < stop &&
                         is_name_letter(text.data[from - 2]))))
        from--;
    bool whole = from == 0 || !is_key_byte(text.data[from - 1]);
    return stop < at && whole ? str_slice(text, from, stop) : STR("");
}

// "learning rate", "val loss", "Val. Loss", "Validation accuracy": two words that are one name.
static Str joined_key(Str text, Str word, Str key, NameMemo *names)
{
    if (word.size == 0 || key.data[-1] != ' ')
        return key;
    size_t apart = (size_t)(key.data - word.data) - word.size;
    if (apart != 1 && (apart != 2 || key.data[-2] != '.'))
        return key;
    size_t from = (size_t)(word.data - text.data);
    Str both = str_slice(text, from, from + word.size + apart + key.size);
    NameFacts facts = name_facts(names, both);
    bool which = name_facts(names, key).success && known_group_has("which", word);
    return facts.joined || facts.metric || which ? both : key;
}

// "Train Loss mse: 0.5", "Loss ce: 2.5": which of several losses it is comes after the words that
// say so. "Loss points: 60" counts.
static Str loss_behind(Str text, Str word, Str key, NameMemo *names)
{
    NameFacts facts = name_facts(names, key);
    if (!str_equal_nocase(word, STR("loss")) || key.data != word.data + word.size + 1 ||
        key.data[-1] != ' ' || facts.joined || facts.speed)
        return key;
    size_t from = (size_t)(word.data - text.data);
    Str phase = word_before(text, from);
    bool beside =
        from && phase.size && word.data == phase.data + phase.size + 1 &&
        text.data[from - 1] == ' ' &&
        (STR_IN(phase, "train", "Train", "training", "Training") || series_facts(phase).split);
    bool criterion = series_facts(key).criterion;
    if (!criterion && (facts.measure || !beside))
        return key;
    from -= beside ? phase.size + 1 : 0;
    return str_slice(text, from, (size_t)(key.data - text.data) + key.size);
}

// "trainer:train:87 - ": where a logger was called.
static bool is_place(Str text, Str key, size_t stop)
{
    size_t from = (size_t)(key.data - text.data);
    return from > 1 && text.data[from - 1] == ':' && is_key_byte(text.data[from - 2]) &&
           str_starts(str_slice(text, stop, text.size), STR(" - "));
}

// Whether a word goes on at `at`: "nanms" does, "nan/6.5" and "nan." are numbers and what follows.
static bool goes_on(Str text, size_t at)
{
    char c = char_at(text, at), next = char_at(text, at + 1);
    if (is_name_letter(c) || is_digit(c) || c == '@')
        return true;
    return is_key_byte(c) && is_name_letter(next) && (next | 0x20) != 'n' && (next | 0x20) != 'i';
}

// After nan and inf no word goes on: "nanms" is a time without value.
static bool take_figure(Scan *scan, Figure *out)
{
    Scan at = *scan;
    if (!scan_grouped(&at, out))
        return false;
    if (!isfinite(out->value) && goes_on(at.text, at.at))
        return false;
    if (is_clock(at.text, at.at))
        return false;
    *scan = at;
    return true;
}

// "10.5K", "1.2M": thousands of thousands, as programs round for people; "MB", "GiB" are units.
static void take_thousands(Scan *at, Figure *figure)
{
    static const struct {
        char letter;
        int power;
        double factor;
    } letters[] = {{'K', 3, 1e3}, {'k', 3, 1e3}, {'M', 6, 1e6},
                   {'B', 9, 1e9}, {'G', 9, 1e9}, {'T', 12, 1e12}};
    char letter = char_at(at->text, at->at);
    if (!is_name_letter(letter) || is_key_byte(char_at(at->text, at->at + 1)) || figure->exponent)
        return;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter) {
            figure->value *= letters[i].factor;
            figure->decimals -= letters[i].power;
            at->at++;
        }
}

// "2,5134", "0,001", and "2,513" in a log with such numbers: the comma of many languages stands for
// the point. One that parts a list or thousands is followed by another number, or by three digits.
static void take_decimal_comma(Scan *at, NameMemo *names, bool measure, Figure *figure)
{
    Str text = at->text;
    size_t from = (size_t)(figure->text - text.data), stop = from;
    stop += char_at(text, stop) == '-';
    size_t whole = stop;
    while (is_digit(char_at(text, stop)))
        stop++;
    size_t comma = stop++;
    while (is_digit(char_at(text, stop)))
        stop++;
    char behind = char_at(text, stop);
    bool goes_on = ((behind == ',' || behind == '.') && is_digit(char_at(text, stop + 1))) ||
                   behind == ':' || behind == '/' || is_name_letter(behind);
    bool thousands = stop == comma + 4 && text.data[whole] != '0' && comma <= whole + 3;
    char room[32];
    if (comma == whole || char_at(text, comma) != ',' || stop == comma + 1 || goes_on ||
        stop - from > sizeof room || !(names->decimal_comma || (measure && !thousands)))
        return;
    memcpy(room, text.data + from, stop - from);
    room[comma - from] = '.';
    Figure point;
    if (!figure_of_text((Str){room, stop - from}, &point))
        return;
    point.text = figure->text;
    *figure = point;
    at->at = stop;
    names->decimal_comma = true;
}

// "{'0_default': 24.5, '1_fp32': 0.0}": the first member of an object is its value, but for one
// that is measured: "metrics: {'loss': 2.5}".
static void skip_to_member(Scan *at, NameMemo *names)
{
    Scan scan = *at;
    Figure figure;
    size_t quote;
    if (!scan_char(&scan, '{') || !scan_char(&scan, '\'') ||
        (quote = str_find_char(scan.text, '\'', scan.at)) == SIZE_MAX)
        return;
    NameFacts member = name_facts(names, str_slice(scan.text, scan.at, quote));
    if (member.measure || member.evaluation)
        return;
    scan.at = quote + 1;
    scan_word(&scan, ": ");
    Scan value = scan;
    bool good = scan_figure(&scan, &figure);
    char behind = char_at(scan.text, scan.at);
    if (good && (behind == '}' || behind == ','))
        *at = value;
}

// "Loss(train): 2.5": what the value is of belongs to the name.
static void take_qualifier(Scan *at, Pair *out)
{
    Scan scan = *at;
    if (!scan_char(&scan, '('))
        return;
    size_t from = scan.at;
    while (is_name_letter(char_at(scan.text, scan.at)))
        scan.at++;
    char mark = char_at(scan.text, scan.at + 1);
    if (scan.at == from || !scan_char(&scan, ')') || (mark != ':' && mark != '='))
        return;
    *at = scan;
    out->key = str_slice(at->text, (size_t)(out->key.data - at->text.data), at->at);
}

// The comma of "('loss', 2.5)"; not of a key of a dict, "('loss', 1): 2.5".
static bool skip_comma(Scan *at)
{
    Scan value = *at, behind;
    if (!scan_word(&value, ", "))
        return false;
    Figure figure;
    behind = value;
    if (scan_figure(&behind, &figure) && scan_word(&behind, "):"))
        return false;
    *at = value;
    return true;
}

// "outputs are (2.5, False)", "outputs are (Tensor(shape=[], dtype=Float32, value= 2.5), …": what a
// step of MindSpore returns, the loss first.
static void take_outputs(Scan *at, Pair *out)
{
    Scan scan = *at;
    if (!str_equal(out->key, STR("outputs")) || !scan_word(&scan, "are "))
        return;
    out->key.size = scan.at - 1 - (size_t)(out->key.data - scan.text.data);
    out->marked = scan_char(&scan, '(') || scan_char(&scan, '[');
    skip_tensor(&scan);
    *at = scan;
}

// Between key and number: blanks, quotes, ':' or '=', "is", and the factor of "lr(1e-4)".
static bool skip_gap(Scan *at, Pair *out)
{
    size_t from = at->at;
    Scan bracket = *at;
    Figure factor;
    if (scan_char(&bracket, '(') && scan_figure(&bracket, &factor) && scan_char(&bracket, ')')) {
        *at = bracket;
        out->key = str_slice(at->text, (size_t)(out->key.data - at->text.data), at->at);
    }
    take_qualifier(at, out);
    out->marked = false;
    for (; at->at < at->text.size; at->at++) {
        char c = at->text.data[at->at];
        if (c != ' ' && c != '\t' && c != ':' && c != '=' && c != '\'' && c != '"' && c != '`' &&
            c != '#')
            break;
        out->marked = out->marked || c == ':' || c == '=' || c == '#';
    }
    // "('loss', 2.5)" of a list of pairs.
    bool quoted = at->at == from + 1 && at->text.data[from] == '\'';
    if (quoted && char_at(at->text, (size_t)(out->key.data - at->text.data) - 2) == '(')
        out->marked = skip_comma(at) || out->marked;
    // "loss......2.5", as some print a column.
    if (at->at == from && scan_word(at, "..")) {
        while (scan_char(at, '.'))
            continue;
        out->marked = true;
    }
    bool apart = at->at > from;
    if (apart && (scan_word(at, "so far ") || scan_word(at, "now ")))
        out->marked = scan_char(at, ':') || scan_char(at, '=');
    if (apart && (scan_word(at, "is ") || scan_word(at, "is: ") || scan_word(at, "was "))) {
        scan_word(at, "now ");
        scan_blanks(at);
        out->marked = true;
    }
    take_outputs(at, out);
    return apart;
}

// So far in front of a name its words may stand.
enum { OUTSIDE_BYTES = 256 };

// "tot_loss[loss=2.5, …": the loss of what is in front. "validation mse <loss>=2.5" of
// SageMaker: what the first word says, after a comma.
static Str named_outside(Scan *at, Str key, Str *word)
{
    Str text = at->text;
    size_t open = (size_t)(key.data - text.data), from = --open;
    if (text.data[open] == '[') {
        while (from > 0 && is_key_byte(text.data[from - 1]))
            from--;
        Str outside = str_slice(text, from, open);
        return str_ends(outside, STR("_loss")) ? outside : key;
    }
    if (text.data[open] == '<' && scan_char(at, '>')) {
        size_t near = open > OUTSIDE_BYTES ? open - OUTSIDE_BYTES : 0;
        size_t comma = str_rfind_char(str_slice(text, near, open), ',');
        size_t first = comma == SIZE_MAX ? open : near + comma + 2, stop = first;
        while (stop < open && is_name_letter(text.data[stop]))
            stop++;
        *word = str_slice(text, first, stop);
    }
    return key;
}

// "best loss 2.0 at step 50 ": what was, and when, is said again; the line is not of that step.
static void skip_best_step(Scan *at, NameMemo *names)
{
    Scan scan = *at;
    int64_t step;
    scan_blanks(&scan);
    if (!scan_word(&scan, "(") && !scan_word(&scan, "at ") && !scan_word(&scan, "@ ") &&
        !scan_word(&scan, "in "))
        return;
    Str key = next_key(&scan);
    if (!name_facts(names, key).step && !str_equal_nocase(key, STR("epoch")))
        return;
    scan_char(&scan, ':');
    scan_char(&scan, '=');
    scan_blanks(&scan);
    if (scan_uint(&scan, &step))
        *at = scan;
}

// "loss 1: 2.5": a number within the name of one of several.
static void take_index(Scan *at, NameMemo *names, Pair *out)
{
    Scan scan = *at;
    Figure value;
    if (out->marked || out->figure.decimals || !name_facts(names, out->key).loss ||
        !(scan_char(&scan, ':') || scan_char(&scan, '=')))
        return;
    scan_blanks(&scan);
    if (!take_figure(&scan, &value))
        return;
    out->key = str_slice(at->text, (size_t)(out->key.data - at->text.data), at->at);
    out->figure = value;
    out->marked = true;
    *at = scan;
}

// The gap between a key and its number; `hash`: "#" is in front of the number.
static bool take_value(Scan *at, NameMemo *names, Pair *out, bool *hash)
{
    bool apart = skip_gap(at, out);
    scan_char(at, '[');
    scan_blanks(at);
    skip_type(at);
    skip_to_member(at, names);
    *hash = char_at(at->text, at->at - 1) == '#';
    if (!apart || is_origin(out->key) || !take_figure(at, &out->figure))
        return false;
    take_thousands(at, &out->figure);
    take_index(at, names, out);
    return true;
}

static bool next_pair(Scan *scan, NameMemo *names, Pair *out)
{
    for (;;) {
        Str key = next_key(scan), phase = STR("");
        if (key.size == 0)
            return false;
        Scan at = *scan;
        if (str_equal(key, STR("loss")) && key.data > scan->text.data)
            key = named_outside(&at, key, &phase);
        *out = (Pair){.key = key};
        bool hash;
        if (!take_value(&at, names, out, &hash))
            continue;
        size_t qualifier = out->key.size - key.size;
        out->word =
            phase.size ? phase : word_before(scan->text, (size_t)(key.data - scan->text.data));
        out->key = joined_key(scan->text, out->word, key, names);
        if (out->marked && out->key.data == key.data)
            out->key = loss_behind(scan->text, out->word, key, names);
        out->key.size += qualifier;
        out->facts = name_facts(names, out->key);
        Str before = word_before(scan->text, (size_t)(out->key.data - scan->text.data));
        if ((out->facts.measure || out->facts.evaluation) &&
            STR_IN(before, "best", "Best", "BEST", "lowest", "Lowest", "minimum", "Minimum")) {
            skip_best_step(&at, names);
            *scan = at;
            continue;
        }
        // "Step#10" counts; "loss#1" is a name.
        if (hash && !out->facts.step && !str_equal_nocase(out->key, STR("epoch")))
            continue;
        if ((out->marked || out->facts.measure) && !out->facts.step &&
            !str_equal_nocase(out->key, STR("epoch")))
            take_decimal_comma(&at, names, out->facts.measure, &out->figure);
        bool percent = char_at(at.text, at.at) == '%';
        // A bar's "Steps: 20%", "train:  3%|", the loss of packets.
        if (percent && (out->facts.step || out->facts.loss || char_at(at.text, at.at + 1) == '|'))
            continue;
        if (!out->facts.measure && is_place(scan->text, out->key, at.at))
            continue;
        Scan slash = at;
        scan_blanks(&slash);
        if (scan_char(&slash, '/')) {
            scan_blanks(&slash);
            out->total_text = slash.text.data + slash.at;
            if (scan_uint(&slash, &out->total))
                at = slash;
            else
                out->total_text = NULL;
        }
        *scan = at;
        return true;
    }
}

// "Losses: [2.5, 0.5]": the loss in parts, which have no names but their places.
static size_t take_parts(Scan *scan, NameMemo *names, Pair *pairs, size_t count)
{
#define TEN(tens)                                                                             \
    "loss_" tens "0", "loss_" tens "1", "loss_" tens "2", "loss_" tens "3", "loss_" tens "4", \
        "loss_" tens "5", "loss_" tens "6", "loss_" tens "7", "loss_" tens "8", "loss_" tens "9"
    static const char *const places[] = {TEN(""),   TEN("1"),  TEN("2"), TEN("3"), TEN("4"),
                                         TEN("5"),  TEN("6"),  TEN("7"), TEN("8"), TEN("9"),
                                         TEN("10"), TEN("11"), TEN("12")};
#undef TEN
    enum { PLACES = sizeof places / sizeof *places };
    Pair part = pairs[count - 1];
    Scan at = *scan;
    if (!str_equal_nocase(part.key, STR("losses")) || !part.figure.text ||
        part.figure.text[-1] != '[' || !scan_word(&at, ", ") || !take_figure(&at, &part.figure))
        return count;
    pairs[count - 1].key = str_of(places[1]);
    pairs[count - 1].facts = part.facts = name_facts(names, str_of(places[1]));
    for (size_t i = 2; i < PLACES && count < PAIRS_MAX; i++) {
        part.key = str_of(places[i]);
        pairs[count++] = part;
        *scan = at;
        if (!scan_word(&at, ", ") || !take_figure(&at, &part.figure))
            break;
    }
    return count;
}

// "Training loss at step 10 is 2.5", "loss for epoch 3: 2.5": the number after the counter is that
// of the name in front of it.
static size_t take_sentence(Scan *scan, NameMemo *names, Pair *pairs, size_t count)
{
    Pair *counter = &pairs[count - 1], *out = &pairs[count];
    Scan at = *scan;
    if (count == PAIRS_MAX || counter->marked ||
        !STR_IN(counter->word, "at", "for", "after", "in", "of", "on") ||
        !(counter->facts.step || str_equal_nocase(counter->key, STR("epoch"))))
        return count;
    size_t stop = (size_t)(counter->word.data - at.text.data), from = stop > 0 ? --stop : 0;
    while (from > 0 && is_key_byte(at.text.data[from - 1]))
        from--;
    Str key = str_slice(at.text, from, stop);
    bool told = scan_word(&at, ": ") || scan_word(&at, " is ") || scan_word(&at, " was ") ||
                scan_word(&at, " = ") || scan_word(&at, ", ");
    if (!told || key.size == 0 || !name_facts(names, key).measure)
        return count;
    scan_blanks(&at);
    *out = (Pair){.key = key, .word = word_before(at.text, from), .marked = true};
    if (!take_figure(&at, &out->figure))
        return count;
    out->key = joined_key(at.text, out->word, key, names);
    out->facts = name_facts(names, out->key);
    *scan = at;
    return count + 1;
}

// A word in front of a loss that says it is that of the trained model.
static bool says_trained(Str word)
{
    return str_equal_nocase(word, STR("actor")) || str_equal_nocase(word, STR("policy"));
}

// A word in front of a loss that does not say which of several it is.
static bool says_no_part(Str word)
{
    return word.size == 0 || known_group_has("no-part", word) || says_trained(word) ||
           series_facts(word).split;
}

static bool names_part(const Pair *pair)
{
    const Str *key = &pair->key, *word = &pair->word;
    return pair->facts.loss && !says_no_part(*word) && key->data == word->data + word->size + 1 &&
           key->data[-1] == ' ';
}

static void name_part(NameMemo *names, Pair *pair)
{
    pair->key = (Str){pair->word.data, pair->word.size + 1 + pair->key.size};
    pair->facts = name_facts(names, pair->key);
}

void pairs_name_part(NameMemo *names, Pair *pair)
{
    if (names_part(pair) && !says_trained(pair->word))
        name_part(names, pair);
}

// "[D loss: 0.7] [G loss: 0.9]": of losses of one name in a line the words in front say which is
// which. One of them may be that of the trained model: "Actor Loss: 0.7 Critic Loss: 0.9".
static void name_parts(NameMemo *names, Pair *pairs, size_t count)
{
    size_t first = 0, parts = 0, trained = 0;
    for (size_t i = 0; i < count; i++) {
        trained += pairs[i].facts.loss && says_trained(pairs[i].word);
        if (!names_part(&pairs[i]))
            continue;
        first = parts++ ? first : i;
        if (i > first && str_equal_nocase(pairs[i].word, pairs[first].word))
            return;
    }
    for (size_t i = first; parts && parts + trained > 1 && i < count; i++)
        if (names_part(&pairs[i]))
            name_part(names, &pairs[i]);
}

// How far a loss is from the one of the step by the word in front: none or that of training, one of
// this step, any other.
static int remoteness(const Pair *pair)
{
    Str word = pair->word;
    bool beside =
        word.size && pair->key.data == word.data + word.size + 1 && pair->key.data[-1] == ' ';
    if (!beside || STR_IN(word, "train", "Train", "training", "Training") ||
        series_facts(word).split)
        return 0;
    return STR_IN(word, "current", "Current", "cur", "this", "batch", "Batch", "step", "Step") ? 1
                                                                                               : 2;
}

// "avg loss: 2.5 loss: 2.25", "aux loss: 0.1 loss: 2.25": what would take the place of the loss of
// the step after it is called by its word.
static void name_remote(NameMemo *names, Pair *pairs, size_t count)
{
    for (size_t i = count; i-- > 1;) {
        bool training = str_equal_nocase(pairs[i].key, STR("train loss"));
        for (size_t k = 0; pairs[i].facts.loss && k < i; k++)
            if ((training ? str_equal_nocase(pairs[k].key, STR("loss"))
                          : str_equal_nocase(pairs[k].key, pairs[i].key)) &&
                remoteness(&pairs[k]) > remoteness(&pairs[i]))
                name_part(names, &pairs[k]);
    }
}

size_t line_pairs(Str line, NameMemo *names, Pair pairs[PAIRS_MAX])
{
    Scan scan = scan_of(line);
    size_t count = 0;
    bool comma = names->decimal_comma;
    while (count < PAIRS_MAX && next_pair(&scan, names, &pairs[count]))
        count = take_sentence(&scan, names, pairs, take_parts(&scan, names, pairs, count + 1));
    if (names->decimal_comma != comma)
        return line_pairs(line, names, pairs);  // what is in front has such commas too
    name_parts(names, pairs, count);
    name_remote(names, pairs, count);
    Pair beyond;
    names->cut = names->cut || (count == PAIRS_MAX && next_pair(&scan, names, &beyond));
    return count;
}
