// SPDX-License-Identifier: Apache-2.0
// Lines of other comparators.
//     Polygraphy   "FAILED | Output: 'attn_out' | Difference exceeds tolerance (rel=1e-05)"
//     scripts      "layer:0, o_proj_in, diff: 28629, diff>1e-05:[14461/35840] diff_max:0.48"
//                  "layer 3: max diff 0.0012", "model.layers.3.mlp max_abs_diff=1.2e-3 PASS"
#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/log/lines.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

// Of a line that says no limit and no word: what half precision rounds by is not called an error.
static const double ROUNDED = 1e-3;

// Where the largest difference begins, and the number after it; SIZE_MAX: the line has none.
static size_t difference_in(Str line, Str *text, double *value)
{
    static const char *const keys[] = {"diff_max",
                                       "max_abs_diff",
                                       "max_diff",
                                       "max diff",
                                       "max abs diff",
                                       "maxdiff",
                                       "max_err",
                                       "max error",
                                       "max abs error",
                                       "max_error",
                                       "Max diff",
                                       "Max Diff",
                                       "max absolute difference",
                                       "Max abs diff"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t at = str_find(line, str_of(keys[i]), 0), from = at;
        if (at == SIZE_MAX)
            continue;
        from += str_of(keys[i]).size;
        while (from < line.size &&
               (line.data[from] == ' ' || line.data[from] == ':' || line.data[from] == '='))
            from++;
        size_t size = number_parse(str_slice(line, from, line.size), value);
        Str word = str_slice(line, from, from + 3);
        if (!size && (str_equal_nocase(word, STR("nan")) || str_equal_nocase(word, STR("inf")))) {
            *value = (double)INFINITY;
            size = 3;
        }
        *text = str_slice(line, from, from + size);
        if (size)
            return at;
    }
    return SIZE_MAX;
}

// "diff>1e-05:[14461/35840]": how many elements are beyond the limit of the script; -1: not told.
static double beyond_in(Str line)
{
    double count;
    size_t mark = str_find(line, STR("diff>"), 0), open = str_find_char(line, '[', mark);
    if (mark == SIZE_MAX || open == SIZE_MAX ||
        !number_parse(str_slice(line, open + 1, line.size), &count))
        return -1;
    return count;
}

static PrecheckStatus word_in(Str line)
{
    static const struct {
        const char *word;
        PrecheckStatus status;
    } words[] = {{"FAIL", PRECHECK_ERROR},
                 {"MISMATCH", PRECHECK_ERROR},
                 {"mismatch", PRECHECK_ERROR},
                 {"PASS", PRECHECK_PASS},
                 {" OK", PRECHECK_PASS},
                 {"[OK]", PRECHECK_PASS},
                 {"\u274c", PRECHECK_ERROR},
                 {"\u2705", PRECHECK_PASS},
                 {"\u2717", PRECHECK_ERROR},
                 {"\u2713", PRECHECK_PASS},
                 {"allclose=False", PRECHECK_ERROR},
                 {"allclose=True", PRECHECK_PASS},
                 {"allclose: False", PRECHECK_ERROR},
                 {"allclose: True", PRECHECK_PASS}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(line, str_of(words[i].word), 0) != SIZE_MAX)
            return words[i].status;
    return PRECHECK_UNTOLD;
}

// What is in front of the first figure: "layer:0, o_proj_in", without "diff" and punctuation.
static Str name_of(Str line, size_t at)
{
    size_t diff = str_find(line, STR("diff"), 0);
    Str name = str_slice(line, 0, diff < at ? diff : at);
    for (size_t equal; (equal = str_rfind_char(name, '=')) != SIZE_MAX;) {
        // "name=mlp cos=0.99": figures between the name and the largest difference
        size_t blank = str_rfind_char(str_slice(name, 0, equal), ' ');
        name = str_slice(name, blank == SIZE_MAX ? equal + 1 : 0,
                         blank == SIZE_MAX ? name.size : blank);
    }
    while (name.size && (is_space(name.data[name.size - 1]) ||
                         str_find_char(STR(",:|-(["), name.data[name.size - 1], 0) != SIZE_MAX))
        name.size--;
    return str_trim(name);
}

static bool take_difference(Str line, PrecheckFinding *out)
{
    double value;
    Str text;
    size_t at = difference_in(line, &text, &value);
    if (at == SIZE_MAX)
        return false;
    double beyond = beyond_in(line);
    *out = (PrecheckFinding){.api = name_of(line, at),
                             .plain = true,
                             .size = (double)NAN,
                             .standard = TR("a script that compares"),
                             .value = text};
    out->status = word_in(line);
    if (out->status == PRECHECK_UNTOLD && beyond >= 0)
        out->status = beyond > 0 ? PRECHECK_ERROR : PRECHECK_PASS;
    if (out->status == PRECHECK_UNTOLD)
        out->status = value > ROUNDED ? PRECHECK_ERROR
                      : value > 0     ? PRECHECK_WARNING
                                      : PRECHECK_PASS;
    out->figure = out->status >= PRECHECK_WARNING ? TR("largest absolute error") : NULL;
    return out->api.size > 0 && out->api.size < 256;
}

// Of each output the console has one line that ends it.
static bool take_polygraphy(Str line, PrecheckFinding *out)
{
    size_t mark = str_find(line, STR(" | Output: '"), 0);
    size_t from = mark + str_of(" | Output: '").size, end = str_find_char(line, '\'', from);
    if (mark == SIZE_MAX || end == SIZE_MAX)
        return false;
    size_t bar = str_find(line, STR(" | "), end);
    bool failed = str_find(str_slice(line, 0, mark), STR("FAILED"), 0) != SIZE_MAX;
    *out = (PrecheckFinding){
        .api = str_slice(line, from, end),
        .plain = true,
        .status = failed ? PRECHECK_ERROR : PRECHECK_PASS,
        .size = (double)NAN,
        .standard = TR("Polygraphy"),
        .message = bar == SIZE_MAX ? STR("") : str_trim(str_slice(line, bar + 3, line.size))};
    return true;
}

static bool take_line(Str line, PrecheckFinding *out)
{
    return take_polygraphy(line, out) || take_difference(line, out);
}

bool comparison_lines_is(Str text)
{
    enum { LOOK_BYTES = 1 << 16, LEAST = 2 };
    Arena *arena = arena_new();
    Lines lines;
    Str line;
    PrecheckFinding row;
    size_t found = 0, others = 0;
    lines_open(&lines, text_plain(str_slice(text, 0, LOOK_BYTES), arena), arena);
    while (lines_next(&lines, &line)) {
        bool polygraphy = take_polygraphy(line, &row);
        found += polygraphy ? LEAST : take_difference(line, &row);
        others += !polygraphy && str_trim(line).size && !take_difference(line, &row);
    }
    arena_release(arena);
    return found >= LEAST && (found > others / 4 || str_find(str_slice(text, 0, LOOK_BYTES),
                                                             STR(" | Output: '"), 0) != SIZE_MAX);
}

bool comparison_lines_read(const char *path, Str text, Arena *arena, Precheck *out,
                           Notices *notices, Error *err)
{
    (void)err;
    Arena *scratch = arena_new();
    Lines lines;
    Str line;
    PrecheckFinding row;
    size_t left = 0;
    lines_open(&lines, text_plain(text, scratch), scratch);
    while (lines_next(&lines, &line)) {
        if (take_line(str_trim(line), &row)) {
            precheck_add(out, arena, &row, "");
            out->rows++;
        } else if (str_find(line, STR("Comparing Output: '"), 0) != SIZE_MAX) {
            left++;
        }
    }
    if (left > out->rows)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("an output is compared without a result: the console was cut"));
    arena_release(scratch);
    return true;
}
