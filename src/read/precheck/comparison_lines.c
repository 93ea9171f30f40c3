// SPDX-License-Identifier: Apache-2.0
// Lines of other comparators.
//     Polygraphy   "FAILED | Output: 'attn_out' | Difference exceeds tolerance (rel=1e-05)"
//     scripts      "layer:0, o_proj_in, diff: 28629, diff>1e-05:[14461/35840] diff_max:0.48"
//                  "layer 3: max diff 0.0012", "model.layers.3.mlp max_abs_diff=1.2e-3 PASS"
//                  "Greatest absolute difference: 0.5 at index (0, 3)" below a name
#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/log/lines.h"
#include "read/precheck/comparison_figure.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

// What stands between the name of a figure and its number.
static size_t skip_marks(Str line, size_t at)
{
    Str among = STR(" among violations");
    if (str_starts(str_slice(line, at, line.size), among))
        at += among.size;
    while (at < line.size && str_find_char(STR(" :=)"), line.data[at], 0) != SIZE_MAX)
        at++;
    return at;
}

// Where the first figure of the line that has a number begins; SIZE_MAX: it has none.
static size_t figures_in(Str line, ComparisonFigures *out)
{
    size_t first = SIZE_MAX, size;
    double value;
    int kind;
    for (size_t from = 0, at;
         (at = figure_find(str_slice(line, from, line.size), &kind, &size)) != SIZE_MAX;) {
        size_t begin = from + at, number = skip_marks(line, begin + size);
        size_t length = figure_value(str_slice(line, number, line.size), &value);
        if (length && !out->values[kind].size)
            out->values[kind] = str_slice(line, number, number + length);
        if (length && first == SIZE_MAX)
            first = begin;
        from = length ? number + length : begin + size;
    }
    return first;
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
                 {"allclose: True", PRECHECK_PASS},
                 {"allclose = False", PRECHECK_ERROR},
                 {"allclose = True", PRECHECK_PASS}};
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

// What the line says of the name, with its figures.
static bool fill_line(Str name, Str line, ComparisonFigures *figures, PrecheckFinding *out)
{
    double beyond = beyond_in(line);
    figures->name = name;
    figures->status = word_in(line);
    if (figures->status == PRECHECK_UNTOLD && beyond >= 0)
        figures->status = beyond > 0 ? PRECHECK_ERROR : PRECHECK_PASS;
    return figure_judge(figures, out);
}

// "step 30" and "epoch 2, loss 2.1" name a moment of a training, nothing that is compared.
static bool names_moment(Str name)
{
    Str start = str_slice(name, 0, 4);
    return str_equal_nocase(start, STR("step")) || str_equal_nocase(start, STR("epoc")) ||
           str_equal_nocase(start, STR("iter")) || str_find(name, STR("loss"), 0) != SIZE_MAX;
}

static bool take_figures(Str line, PrecheckFinding *out)
{
    ComparisonFigures figures = {0};
    size_t at = figures_in(line, &figures);
    Str name = at == SIZE_MAX ? STR("") : name_of(line, at);
    return name.size && (figures.values[0].size || !names_moment(name)) &&
           fill_line(name, line, &figures, out);
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

// A name and a result without figures, which the lines below may have:
//     "[layers.2_MatMul     ]  NOT_SIMILAR [FAILED]", "layers.2 allclose: False"
static bool take_marked(Str line, PrecheckFinding *out)
{
    ComparisonFigures none = {0};
    size_t close = str_find_char(line, ']', 0), from = 1, end = close;
    if (!str_starts(line, STR("[")) || close == SIZE_MAX ||
        !(str_ends(line, STR("[FAILED]")) || str_ends(line, STR("[PASSED]")))) {
        close = str_find(line, STR("allclose"), from = 0);
        end = close;
    }
    return close != SIZE_MAX && word_in(str_slice(line, close, line.size)) != PRECHECK_UNTOLD &&
           fill_line(name_of(str_trim(str_slice(line, from, line.size)), end - from),
                     str_slice(line, close, line.size), &none, out);
}

// torch.compile's check of accuracy: the error is written in a line before the name.
static bool take_compiled(Str line, Str error, PrecheckFinding *out)
{
    Str mark = STR("Accuracy failed for key name "), figure = STR("RMSE (res-fp64): ");
    size_t at = str_find(line, mark, 0);
    if (at == SIZE_MAX)
        return false;
    size_t from = str_find(error, figure, 0);
    *out = (PrecheckFinding){.api = str_trim(str_slice(line, at + mark.size, line.size)),
                             .plain = true,
                             .status = PRECHECK_ERROR,
                             .size = (double)NAN,
                             .standard = TR("PyTorch's check of compiled models")};
    if (from != SIZE_MAX)
        out->message = str_slice(error, from, str_find(error, STR(" and shape"), from));
    return out->api.size > 0;
}

// What is said below a name.
typedef struct Above {
    Str name, error;
    PrecheckStatus status;  // that the line with the name states
} Above;

static bool is_part(Str line)
{
    return !line.size || STR_ANY(line, str_starts, "Mismatched elements", "Greatest ",
                                 "Tensor-likes", "Max ", "Not equal to", "AssertionError", "ACTUAL",
                                 "DESIRED", "x:", "y:", "---", "===", "(");
}

static bool take_below(const Above *above, Str line, PrecheckFinding *out)
{
    ComparisonFigures figures = {.name = above->name};
    if (!above->name.size || figures_in(line, &figures) != 0)
        return false;
    bool asserted = str_starts(line, STR("Greatest ")) || str_starts(line, STR("Max "));
    figures.status = asserted ? PRECHECK_ERROR : above->status;
    return figure_judge(&figures, out);
}

static bool take_line(Above *above, Str line, PrecheckFinding *out)
{
    if (take_compiled(line, above->error, out) || take_polygraphy(line, out) ||
        take_figures(line, out) || take_below(above, line, out))
        return true;
    if (take_marked(line, out)) {
        above->name = out->api;
        above->status = out->status;
        return true;
    }
    if (str_find(line, STR("RMSE (res-fp64)"), 0) != SIZE_MAX)
        above->error = line;
    if (!is_part(line)) {
        size_t word = str_starts(line, STR("FAIL: ")) ? 6 : 0;
        above->name = str_slice(line, word, str_find_char(line, ' ', word));
        above->status = PRECHECK_UNTOLD;
    }
    return false;
}

bool comparison_lines_is(Str text)
{
    enum { LOOK_BYTES = 1 << 16, LEAST = 2 };
    Arena *arena = arena_new();
    Above above = {0};
    Str line, rest = text_plain(str_slice(text, 0, LOOK_BYTES), arena);
    PrecheckFinding row;
    size_t found = 0, others = 0;
    bool console = STR_ANY(rest, str_has, " | Output: '",
                           "Greatest absolute difference: ", "Max absolute difference",
                           "Accuracy failed for key name ", "npz compare ");
    while (str_split(&rest, '\n', &line)) {
        bool is = take_line(&above, str_trim(line), &row);
        found += is;
        others += !is && str_trim(line).size;
    }
    arena_release(arena);
    return console ? found > 0 : found >= LEAST && found > others / 4;
}

bool comparison_lines_read(const char *path, Str text, Arena *arena, Precheck *out,
                           Notices *notices, Error *err)
{
    (void)err;
    Arena *scratch = arena_new();
    Above above = {0};
    Str line, rest = text_plain(text, scratch);
    PrecheckFinding row;
    size_t left = 0;
    while (str_split(&rest, '\n', &line)) {
        if (take_line(&above, str_trim(line), &row)) {
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
