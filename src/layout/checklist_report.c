// SPDX-License-Identifier: Apache-2.0
#include "layout/checklist_report.h"

#include "base/number.h"
#include "base/words.h"
#include "layout/compare_tables.h"

enum { VERDICT_NAMES = 4 };

static Str count_text(size_t count, Arena *arena)
{
    char text[NUMBER_BYTES];
    number_count(count, text);
    return str_copy(arena, str_of(text));
}

static bool is_mismatch(const CheckResult *row)
{
    return row->row->rule == CHECK_SAME && row->status == CHECK_DIFFERS;
}

// "beta2 0.95 / 0.999, weight_decay 0.1 / 0.0 and 2 more"
static Str differing_names(const Checklist *list, Arena *arena)
{
    StrBuf text;
    strbuf_init(&text, arena);
    size_t shown = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!is_mismatch(row) || ++shown > VERDICT_NAMES)
            continue;
        strbuf_printf(&text, "%s%s " STR_FMT " / " STR_FMT, shown > 1 ? ", " : "", row->row->key,
                      STR_ARG(row->golden.text), STR_ARG(row->target.text));
    }
    if (shown > VERDICT_NAMES)
        strbuf_printf(&text, tr(" and %zu more"), shown - VERDICT_NAMES);
    return strbuf_str(&text);
}

void checklist_verdict(const Checklist *list, bool partial, Arena *arena, Verdict *out)
{
    *out = (Verdict){.partial = partial, .place = STR("")};
    Str equal = count_text(list->equal, arena), advice = count_text(list->advice, arena);
    out->context = str_printf(arena,
                              tr("settings equal: " STR_FMT
                                 " · values that the checklist advises against: " STR_FMT
                                 " · on one side only: %zu"),
                              STR_ARG(equal), STR_ARG(advice), list->one_side);
    if (list->differs) {
        out->style = STYLE_ERROR;
        out->word = str_of(tr("DIFFERS"));
        out->reason = str_printf(arena,
                                 list->differs == 1 ? tr("%zu setting differs: " STR_FMT)
                                                    : tr("%zu settings differ: " STR_FMT),
                                 list->differs, STR_ARG(differing_names(list, arena)));
    } else if (list->equal) {
        out->style = list->advice ? STYLE_WARNING : STYLE_PASS;
        out->word = str_of(tr("AGREES"));
        out->reason = str_of(tr("no setting of the checklist differs"));
    } else {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("the two sides have no setting of the checklist in common"));
    }
    Str rest = str_printf(
        arena,
        tr(STR_FMT "; " STR_FMT " equal; values that the checklist advises against: " STR_FMT),
        STR_ARG(out->reason), STR_ARG(equal), STR_ARG(advice));
    out->sentence = summary_sentence(out, rest, arena);
}

// ---- summary.json

static void write_side(JsonWriter *json, const char *key, const CheckSide *side, Arena *scratch)
{
    json_key(json, key);
    if (!side->known)
        json_null(json);
    else
        json_str(json, str_printf(scratch, STR_FMT "=" STR_FMT, STR_ARG(side->name),
                                  STR_ARG(side->text)));
}

static void write_differences(JsonWriter *json, const Checklist *list)
{
    json_key(json, "mismatch");
    json_array(json);
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!is_mismatch(row))
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        summary_str(json, "golden", row->golden.text);
        summary_str(json, "target", row->target.text);
        summary_str(json, "group", str_of(row->row->group));
        summary_str(json, "golden_name", row->golden.name);
        summary_str(json, "target_name", row->target.name);
        summary_str(json, "text", str_of(row->row->text ? tr(row->row->text) : ""));
        json_object_end(json);
    }
    json_array_end(json);
}

static const char *advice_side(const CheckResult *row)
{
    if (row->advice_golden && row->advice_target)
        return "both";
    return row->advice_golden ? "golden" : "target";
}

// "131071; advised: a multiple of 16"
static Str advised_text(const CheckRow *row, Arena *arena)
{
    switch (row->advice) {
    case ADVICE_EQUAL:
        return str_of(row->bound);
    case ADVICE_BELOW:
        return str_printf(arena, tr("below %s"), row->bound);
    case ADVICE_MULTIPLE:
        return str_printf(arena, tr("a multiple of %s"), row->bound);
    case ADVICE_ON:
        return str_of(tr("on"));
    case ADVICE_OFF:
        return str_of(tr("off"));
    case ADVICE_CAPACITY:
        return str_of(tr("below 0, or from 1 to experts / top k"));
    case ADVICE_NONE:
        break;
    }
    return STR("");
}

static Str advice_value(const CheckResult *row)
{
    return row->advice_target ? row->target.text : row->golden.text;
}

static void write_advice(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    json_key(json, "advice");
    json_array(json);
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (!row->advice_golden && !row->advice_target)
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        summary_str(json, "side", str_of(advice_side(row)));
        summary_str(json, "value", advice_value(row));
        summary_str(json, "advised", advised_text(row->row, scratch));
        summary_str(json, "text", str_of(row->row->text ? tr(row->row->text) : ""));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_pairs(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    size_t equal = 0;
    json_key(json, "equal_pairs");
    json_array(json);
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status != CHECK_EQUAL)
            continue;
        equal++;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        write_side(json, "golden", &row->golden, scratch);
        write_side(json, "target", &row->target, scratch);
        json_object_end(json);
    }
    json_array_end(json);
    summary_int(json, "equal", (int64_t)equal);
}

static void write_one_side(JsonWriter *json, const Checklist *list, Arena *scratch)
{
    json_key(json, "one_side");
    json_array(json);
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (row->status != CHECK_ONE_SIDE)
            continue;
        json_object_flat(json);
        summary_str(json, "key", str_of(row->row->key));
        write_side(json, "golden", &row->golden, scratch);
        write_side(json, "target", &row->target, scratch);
        json_object_end(json);
    }
    json_array_end(json);
    json_key(json, "open");
    json_array(json);
    for (size_t i = 0; i < list->row_count; i++)
        if (list->rows[i].row->rule == CHECK_HAND) {
            json_object_flat(json);
            summary_str(json, "key", str_of(list->rows[i].row->key));
            summary_str(json, "text", str_of(tr(list->rows[i].row->text)));
            json_object_end(json);
        }
    json_array_end(json);
    json_key(json, "other_differences");
    json_array(json);
    for (size_t i = 0; i < list->others.count; i++) {
        const CheckOther *other = &list->others.items[i];
        if (other->equal)
            continue;
        json_object_flat(json);
        summary_str(json, "key", other->golden_name);
        summary_str(json, "golden", other->golden);
        summary_str(json, "target", other->target);
        json_object_end(json);
    }
    json_array_end(json);
}

void checklist_summary_write(const ChecklistView *view, Sink *out)
{
    Arena *scratch = arena_new();
    JsonWriter json;
    const char *status = view->list->differs  ? "error"
                         : view->list->advice ? "warning"
                         : view->list->equal  ? "pass"
                                              : "no data";
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.checklist/1",
                                 .version = view->version,
                                 .status = status,
                                 .verdict = &view->verdict},
                  out);
    summary_str(&json, "golden", view->golden_path);
    summary_str(&json, "target", view->target_path);
    write_differences(&json, view->list);
    write_advice(&json, view->list, scratch);
    write_pairs(&json, view->list, scratch);
    write_one_side(&json, view->list, scratch);
    summary_end(&json, view->notices);
    arena_release(scratch);
}

// ---- tables

static Column *columns_of(Arena *arena, const char *const *titles, const double *widths,
                          size_t count)
{
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){.title = str_of(tr(titles[i])), .width = widths[i]};
    return columns;
}

static Str side_text(const CheckSide *side, Arena *arena)
{
    if (!side->known)
        return str_of("—");
    if (side->derived)
        return str_printf(arena, tr(STR_FMT " (from " STR_FMT ")"), STR_ARG(side->text),
                          STR_ARG(side->name));
    return str_printf(arena, STR_FMT " = " STR_FMT, STR_ARG(side->name), STR_ARG(side->text));
}

static Str reason_text(const CheckResult *row)
{
    return str_of(row->row->text ? tr(row->row->text) : "");
}

static CellStyle style_of(const CheckResult *row)
{
    if (row->status == CHECK_EQUAL)
        return STYLE_SAME;
    if (row->status == CHECK_ONE_SIDE)
        return STYLE_UNMATCHED;
    if (row->row->rule == CHECK_SAME)
        return STYLE_ERROR;
    return STYLE_PASS;
}

static const char *status_text(const CheckResult *row)
{
    if (row->status == CHECK_EQUAL)
        return TR("equal");
    if (row->status == CHECK_ONE_SIDE)
        return TR("one side only");
    return row->row->rule == CHECK_SAME ? TR("differs") : TR("differs, may do so");
}

static void add_row(Table *table, const CheckResult *row, Arena *arena)
{
    Cell *cells = table_add_row(table);
    cells[0] = cell_styled(style_of(row), str_of(tr(status_text(row))));
    cells[1] = cell_text(str_of(tr(row->row->group)));
    cells[2] = cell_styled(STYLE_STRONG, str_of(row->row->key));
    cells[3] = cell_text(side_text(&row->golden, arena));
    cells[4] = cell_text(side_text(&row->target, arena));
    cells[5] = cell_text(reason_text(row));
}

static void add_advice(Table *table, const CheckResult *row, Arena *arena)
{
    for (int side = 0; side < 2; side++) {
        if (!(side ? row->advice_target : row->advice_golden))
            continue;
        Cell *cells = table_add_row(table);
        cells[0] = side ? cell_styled(STYLE_TARGET, str_of(tr("target")))
                        : cell_styled(STYLE_GOLDEN, str_of(tr("golden")));
        cells[1] = cell_styled(STYLE_STRONG, str_of(row->row->key));
        cells[2] = cell_styled(STYLE_WARNING, side_text(side ? &row->target : &row->golden, arena));
        cells[3] = cell_text(advised_text(row->row, arena));
        cells[4] = cell_text(reason_text(row));
    }
}

static void fill_rows(const Checklist *list, Arena *arena, ChecklistTables *out)
{
    for (size_t i = 0; i < list->row_count; i++) {
        const CheckResult *row = &list->rows[i];
        if (is_mismatch(row))
            add_row(&out->differs, row, arena);
        if (row->status != CHECK_NEITHER)
            add_row(&out->rows, row, arena);
        add_advice(&out->advice, row, arena);
        if (row->row->rule == CHECK_HAND) {
            Cell *cells = table_add_row(&out->open);
            cells[0] = cell_styled(STYLE_STRONG, str_of(row->row->key));
            cells[1] = cell_text(str_of(tr(row->row->text)));
            cells[2] = cell_text(side_text(&row->golden, arena));
            cells[3] = cell_text(side_text(&row->target, arena));
        }
    }
    for (size_t i = 0; i < list->others.count; i++) {
        const CheckOther *other = &list->others.items[i];
        Cell *cells = table_add_row(&out->others);
        cells[0] = other->equal ? cell_styled(STYLE_SAME, str_of(tr("equal")))
                                : cell_styled(STYLE_PASS, str_of(tr("differs")));
        cells[1] = cell_text(other->golden_name);
        cells[2] = cell_text(other->golden);
        cells[3] = cell_text(other->target);
    }
}

void checklist_tables(const ChecklistView *view, Arena *arena, ChecklistTables *out)
{
    static const char *const row_titles[] = {TR("Result"), TR("Group"),  TR("Setting"),
                                             TR("Golden"), TR("Target"), TR("Why it matters")};
    static const double row_widths[] = {16, 12, 22, 34, 34, 60};
    static const char *const advice_titles[] = {TR("Side"), TR("Setting"), TR("Value"),
                                                TR("Advised"), TR("Why it matters")};
    static const double advice_widths[] = {10, 22, 34, 24, 60};
    static const char *const open_titles[] = {TR("Setting"), TR("Question"), TR("Golden"),
                                              TR("Target")};
    static const double open_widths[] = {22, 70, 34, 34};
    static const char *const other_titles[] = {TR("Result"), TR("Setting"), TR("Golden"),
                                               TR("Target")};
    static const double other_widths[] = {12, 40, 34, 34};
    *out = (ChecklistTables){0};
    table_init_rows(&out->differs, &out->store[0], tr("Differences"),
                    columns_of(arena, row_titles, row_widths, 6), 6, arena);
    table_init_rows(&out->advice, &out->store[1], tr("Advice"),
                    columns_of(arena, advice_titles, advice_widths, 5), 5, arena);
    table_init_rows(&out->rows, &out->store[2], tr("Checklist"),
                    columns_of(arena, row_titles, row_widths, 6), 6, arena);
    table_init_rows(&out->open, &out->store[3], tr("Open questions"),
                    columns_of(arena, open_titles, open_widths, 4), 4, arena);
    table_init_rows(&out->others, &out->store[4], tr("Other settings"),
                    columns_of(arena, other_titles, other_widths, 4), 4, arena);
    out->rows.freeze = out->others.freeze = true;
    fill_rows(view->list, arena, out);
}

// ---- page

static void add_section(Report *report, const char *title, const char *note, const char *id,
                        Table *table)
{
    if (table->row_count == 0)
        return;
    report_heading(report, 2, id, str_of(tr(title)), str_of(*note ? tr(note) : ""));
    report_table(report, table);
}

void checklist_report(const ChecklistView *view, ChecklistTables *tables, Arena *arena, Report *out)
{
    report_init(out, arena);
    out->title = view->verdict.sentence;
    report_verdict(out, &view->verdict);
    report_text(out, str_printf(arena, tr("golden: " STR_FMT " · target: " STR_FMT),
                                STR_ARG(view->golden_path), STR_ARG(view->target_path)));
    if (view->picture)
        report_figure(out, view->picture, STR("settings"), STR(""));
    add_section(out, TR("Differences"), TR("settings that must agree and do not"), "differences",
                &tables->differs);
    add_section(out, TR("Advice"), TR("values that the accuracy checklist advises against"),
                "advice", &tables->advice);
    Table *problems = table_of_problems(view->notices, arena);
    if (problems)
        add_section(out, TR("Problems with the input"), "", "problems", problems);
    add_section(out, TR("Open questions"), TR("what no file tells"), "open", &tables->open);
    add_section(out, TR("All settings of the checklist"),
                TR("equal ones may be spelled differently"), "rows", &tables->rows);
    if (tables->others.row_count) {
        report_details(out, str_of(tr("Settings outside of the checklist that both sides have")));
        report_table(out, &tables->others);
        report_end(out);
    }
}
