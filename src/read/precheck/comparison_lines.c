// SPDX-License-Identifier: Apache-2.0
// Lines of other comparators.
//     Polygraphy   "FAILED | Output: 'attn_out' | Difference exceeds tolerance (rel=1e-05)"
//     scripts      "layer:0, o_proj_in, diff: 28629, diff>1e-05:[14461/35840] diff_max:0.48"
//                  "layer 3: max diff 0.0012", "model.layers.3.mlp max_abs_diff=1.2e-3 PASS"
//                  "Greatest absolute difference: 0.5 at index (0, 3)" below a name
//                  tables with a column for the name and one for the largest difference
#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/log/lines.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

// Of a line that says no limit and no word: what half precision rounds by is not called an error.
static const double ROUNDED = 1e-3;

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '-' || c == '.' || c == '|';
}

// How many bytes at `at` are the words, in any case and with any gaps: "max diff" is "MaxDiff",
// "max_diff", "max-differ…". 0: others.
static size_t words_at(Str line, size_t at, const char *words)
{
    size_t from = at;
    for (; *words; words++) {
        if (*words == ' ') {
            while (at < line.size && is_gap(line.data[at]))
                at++;
            continue;
        }
        if (at >= line.size || (line.data[at] | 0x20) != *words)
            return 0;
        at++;
    }
    while (at < line.size && is_letter(line.data[at]))
        at++;
    return at - from;
}

// Where the name of a largest difference begins; SIZE_MAX: the text has none. *end: after it.
static size_t difference_named(Str line, size_t *end)
{
    static const char *const names[] = {
        "max abs diff", "max absolute diff", "max diff",
        "max abs err",  "max absolute err",  "max err",
        "diff max",     "greatest abs diff", "greatest absolute diff"};
    for (size_t at = 0; at < line.size; at++) {
        bool starts = at == 0 || !is_letter(line.data[at - 1]);
        for (size_t i = 0; starts && i < sizeof names / sizeof *names; i++) {
            size_t size = words_at(line, at, names[i]);
            *end = at + size;
            if (size)
                return at;
        }
    }
    return SIZE_MAX;
}

static bool figure_of(Str text, double *value, size_t *size)
{
    Str word = str_slice(text, 0, 3);
    *size = number_parse(text, value);
    if (*size || (!str_equal_nocase(word, STR("nan")) && !str_equal_nocase(word, STR("inf"))))
        return *size > 0;
    *value = (double)INFINITY;
    *size = 3;
    return true;
}

// Where the largest difference begins, and the number after it; SIZE_MAX: the line has none.
static size_t difference_in(Str line, Str *text, double *value)
{
    size_t from = 0, size, at = difference_named(line, &from);
    if (at == SIZE_MAX)
        return at;
    while (from < line.size && (line.data[from] == ' ' || line.data[from] == ':' ||
                                line.data[from] == '=' || line.data[from] == ')'))
        from++;
    bool good = figure_of(str_slice(line, from, line.size), value, &size);
    *text = str_slice(line, from, from + size);
    return good ? at : SIZE_MAX;
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

// What a line says of the differences of a name.
static bool fill_difference(Str name, Str line, Str text, double value, PrecheckFinding *out)
{
    double beyond = beyond_in(line);
    *out = (PrecheckFinding){.api = name,
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

static bool take_difference(Str line, PrecheckFinding *out)
{
    double value;
    Str text;
    size_t at = difference_in(line, &text, &value);
    return at != SIZE_MAX && fill_difference(name_of(line, at), line, text, value, out);
}

// The columns of a table that a script wrote: CSV, Markdown, or with blanks between its cells.
typedef struct Columns {
    char stop;  // '\0': no table
    size_t count, name, difference;
} Columns;

enum { CELLS_MAX = 64 };

static size_t split_cells(Str line, char stop, Str cells[CELLS_MAX])
{
    size_t count = 0, from = 0;
    line = str_trim(line);
    while (from < line.size && count < CELLS_MAX) {
        size_t end = from, after;
        while (end < line.size && line.data[end] != stop &&
               !(stop == ' ' && (line.data[end] == '\t')))
            end++;
        for (after = end + 1; stop == ' ' && after < line.size && is_space(line.data[after]);)
            after++;
        Str cell = str_trim(str_slice(line, from, end));
        if (stop != '|' || cell.size)
            cells[count++] = cell;
        from = after;
    }
    return count;
}

static bool take_header(Str line, Columns *out)
{
    static const char stops[] = {'|', ',', ' '};
    static const char *const names[] = {"name",   "layer", "module", "module_name", "op",
                                        "tensor", "key",   "param",  "layer_name",  "output"};
    for (size_t s = 0; s < sizeof stops; s++) {
        Str cells[CELLS_MAX];
        *out = (Columns){.stop = stops[s], .name = SIZE_MAX, .difference = SIZE_MAX};
        out->count = split_cells(line, stops[s], cells);
        for (size_t i = 0; i < out->count; i++) {
            size_t end;
            bool name = false;
            for (size_t k = 0; k < sizeof names / sizeof *names; k++)
                name = name || str_equal_nocase(cells[i], str_of(names[k]));
            if (out->name == SIZE_MAX && name)
                out->name = i;
            else if (out->difference == SIZE_MAX && difference_named(cells[i], &end) == 0)
                out->difference = i;
        }
        if (out->name != SIZE_MAX && out->difference != SIZE_MAX)
            return true;
    }
    return false;
}

static bool take_row(const Columns *columns, Str line, PrecheckFinding *out)
{
    Str cells[CELLS_MAX];
    double value;
    size_t size;
    return columns->stop && split_cells(line, columns->stop, cells) == columns->count &&
           figure_of(cells[columns->difference], &value, &size) &&
           fill_difference(cells[columns->name], line, cells[columns->difference], value, out);
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

// What is said below a name, or in a table below its heading.
typedef struct Above {
    Columns columns;
    Str name;
} Above;

static bool take_line(Above *above, Str line, PrecheckFinding *out)
{
    static const char *const parts[] = {"Mismatched elements", "Greatest ", "Tensor-likes"};
    double value;
    Str text;
    Columns columns;
    if (!take_difference(line, out) && take_header(line, &columns)) {
        above->columns = columns;
        return false;
    }
    if (take_polygraphy(line, out) || take_row(&above->columns, line, out) ||
        take_difference(line, out))
        return true;
    if (difference_in(line, &text, &value) == 0 && above->name.size)
        return fill_difference(above->name, STR("FAIL"), text, value, out);
    bool part = !line.size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        part = part || str_starts(line, str_of(parts[i]));
    if (!part)
        above->name = str_slice(line, 0, str_find_char(line, ' ', 0));
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
    bool console = str_find(rest, STR(" | Output: '"), 0) != SIZE_MAX ||
                   str_find(rest, STR("Greatest absolute difference: "), 0) != SIZE_MAX;
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
