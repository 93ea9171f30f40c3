// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_reports.h"

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/report_file.h"
#include "export/summary/summary.h"
#include "read/dump/place_name.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"
#include "verdict/sentence.h"

enum { ROWS_MOST = 2000, RANGES = 16 };

typedef enum Change {
    CHANGE_NEW,
    CHANGE_WORSE,
    CHANGE_FIXED,
    CHANGE_BETTER,
    CHANGE_MOVED,
    CHANGE_ADDED,
    CHANGE_NONE,
    CHANGE_COUNT
} Change;

// One pair, or the whole of a report without pairs, in both reports.
typedef struct Entry {
    Str place;
    const JsonNode *sides[2];  // NULL: the report does not have it
    Change change;
    struct {
        int64_t *items;
        size_t count, capacity;
    } ranks;  // of the first of those that changed in the same way
} Entry;

typedef struct ReportsJob {
    Arena *arena;
    Names *places;
    struct {
        Entry *items;
        size_t count, capacity;
    } entries;
    const JsonNode *roots[2];
    Str schema, paths[2];
    const Notices *notices;
    uint64_t counts[CHANGE_COUNT];
    Verdict verdict;
} ReportsJob;

bool compare_reports_wanted(const Str paths[2], Arena *arena)
{
    return input_kind_is_report(str_cstr(arena, paths[0]), arena) &&
           input_kind_is_report(str_cstr(arena, paths[1]), arena);
}

static bool read_side(ReportsJob *job, Str path, int side, Error *err)
{
    const char *name = str_cstr(job->arena, path);
    const JsonNode *root = report_file_read(name, job->arena, err);
    if (!root)
        return false;
    Str schema = tree_member_text(root, "schema");
    if (side == 1 && !str_equal(schema, job->schema))
        return error_set(err, ERR_INPUT, WHERE_FILE(name),
                         tr("the reports are of two kinds: " STR_FMT " and " STR_FMT),
                         STR_ARG(job->schema), STR_ARG(schema));
    job->schema = schema;
    job->roots[side] = root;
    return true;
}

static void add_entry(ReportsJob *job, Str place, const JsonNode *node, int side)
{
    NameId id = names_add(job->places, place);
    if (!job->entries.items || id > job->entries.count)
        *ARRAY_PUSH(job->arena, &job->entries) = (Entry){.place = place};
    job->entries.items[id - 1].sides[side] = node;
}

static void find_entries(ReportsJob *job, int side)
{
    const JsonNode *pairs = report_pairs(job->roots[side]);
    if (!pairs) {
        add_entry(job, str_of(tr("the whole")), job->roots[side], side);
        return;
    }
    for (const JsonNode *pair = pairs->child; pair; pair = pair->next)
        add_entry(job, report_pair_place(pair, job->arena), pair, side);
}

static Change change_of(const Entry *entry)
{
    if (!entry->sides[1])
        return CHANGE_WORSE;
    ReportState now = report_state(entry->sides[1]);
    if (!entry->sides[0])
        return now > REPORT_PASS ? CHANGE_NEW : CHANGE_ADDED;
    ReportState before = report_state(entry->sides[0]);
    bool agreed = before <= REPORT_PASS, agrees = now <= REPORT_PASS;
    if (agreed && agrees)
        return CHANGE_NONE;
    // A difference where nothing was compared before is no improvement.
    if (agreed || (before == REPORT_UNKNOWN && !agrees && now != REPORT_UNKNOWN))
        return CHANGE_NEW;
    if (agrees)
        return CHANGE_FIXED;
    if (before != now)
        return now > before ? CHANGE_WORSE : CHANGE_BETTER;
    return str_equal(report_first_op(entry->sides[0]), report_first_op(entry->sides[1]))
               ? CHANGE_NONE
               : CHANGE_MOVED;
}

static const char *const change_words[CHANGE_COUNT] = {
    [CHANGE_NEW] = TR("new"),       [CHANGE_WORSE] = TR("worse"), [CHANGE_FIXED] = TR("fixed"),
    [CHANGE_BETTER] = TR("better"), [CHANGE_MOVED] = TR("moved"), [CHANGE_ADDED] = TR("added"),
    [CHANGE_NONE] = TR("unchanged")};

static CellStyle change_style(Change change)
{
    return change <= CHANGE_WORSE    ? STYLE_ERROR
           : change == CHANGE_MOVED  ? STYLE_WARNING
           : change <= CHANGE_BETTER ? STYLE_SAME
                                     : STYLE_PLAIN;
}

static Cell side_cell(const Entry *entry, int side, const char *key, Arena *arena)
{
    const JsonNode *node = entry->sides[side];
    return node ? cell_text(report_text_of(node, key, arena)) : cell_dash();
}

static Cell op_cell(const Entry *entry, int side)
{
    Str op = entry->sides[side] ? report_first_op(entry->sides[side]) : STR("");
    return op.size ? cell_code(op) : cell_dash();
}

static void entry_columns(Row *row)
{
    const Entry *entry = row->item;
    TEXT(row, TR("change"), 12,
         cell_styled(change_style(entry->change), str_of(tr(change_words[entry->change]))));
    TEXT(row, TR("first pair"), 24, cell_text(entry->place));
    TEXT(row, TR("ranks"), 24,
         cell_text(rank_ranges(entry->ranks.items, entry->ranks.count, RANGES, row->arena)));
    NUMBER(row, TR("pairs"), 8, cell_count(entry->ranks.count, row->arena));
    TEXT(row, TR("before"), 12, side_cell(entry, 0, "status", row->arena));
    TEXT(row, TR("now"), 12, side_cell(entry, 1, "status", row->arena));
    TEXT(row, TR("first divergence before"), 48, op_cell(entry, 0));
    TEXT(row, TR("first divergence now"), 48, op_cell(entry, 1));
}

// Equal for pairs of one step that changed in the same way.
static Str look_of(const Entry *entry, Arena *arena)
{
    StrBuf look = strbuf_new(arena);
    for (int side = 0; side < 2; side++)
        if (entry->sides[side])
            strbuf_printf(&look, "%d " STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT "\n", side,
                          STR_ARG(report_text_of(entry->sides[side], "step", arena)),
                          STR_ARG(report_text_of(entry->sides[side], "stage", arena)),
                          STR_ARG(report_text_of(entry->sides[side], "status", arena)),
                          STR_ARG(report_first_op(entry->sides[side])));
    return strbuf_str(&look);
}

// Pairs that changed in the same way are one row, that of the first.
static void fold_entries(ReportsJob *job)
{
    Names *looks = names_new(job->arena);
    Entry **first = ARENA_ARRAY(job->arena, Entry *, job->entries.count);
    for (size_t i = 0; i < job->entries.count; i++) {
        Entry *entry = &job->entries.items[i];
        size_t known = names_count(looks);
        NameId id = names_add(looks, look_of(entry, job->arena));
        if (id > known)
            first[id - 1] = entry;
        int64_t rank = 0;
        str_to_int64(report_text_of(entry->sides[entry->sides[1] != NULL], "rank", job->arena),
                     &rank);
        *ARRAY_PUSH(job->arena, &first[id - 1]->ranks) = rank;
    }
}

static Table *table_of_changes(const ReportsJob *job)
{
    Table *table = columns_table(TR("Changes"), entry_columns, job, job->arena);
    for (int change = 0; change < CHANGE_NONE; change++)
        for (size_t i = 0; i < job->entries.count && table->row_count < ROWS_MOST; i++)
            if (job->entries.items[i].change == (Change)change && job->entries.items[i].ranks.count)
                columns_add(table, &job->entries.items[i]);
    return table;
}

// "1 new, 2 worse, 3 fixed, 57 unchanged."
static void judge(ReportsJob *job)
{
    StrBuf counts = strbuf_new(job->arena);
    bool unknown = false;
    for (size_t i = 0; i < job->entries.count; i++) {
        Entry *entry = &job->entries.items[i];
        entry->change = change_of(entry);
        unknown = unknown || (entry->sides[1] && report_state(entry->sides[1]) == REPORT_UNKNOWN);
        job->counts[entry->change]++;
    }
    for (int change = 0; change < CHANGE_COUNT; change++)
        if (job->counts[change])
            strbuf_printf(&counts, "%s%llu %s", counts.size ? ", " : "",
                          (unsigned long long)job->counts[change], tr(change_words[change]));
    bool worse = job->counts[CHANGE_NEW] + job->counts[CHANGE_WORSE] > 0;
    bool better = job->counts[CHANGE_FIXED] + job->counts[CHANGE_BETTER] > 0;
    Verdict *out = &job->verdict;
    out->style = worse ? STYLE_ERROR : STYLE_SAME;
    out->word = str_of(worse ? tr("WORSE") : better ? tr("BETTER") : tr("UNCHANGED"));
    out->joint = STR(" ");
    out->reason = str_printf(job->arena, STR_FMT ".", STR_ARG(strbuf_str(&counts)));
    // What the second report did not compare, this does not either.
    out->partial = (unknown && !worse) ||
                   str_equal(report_text_of(job->roots[1], "partial", job->arena), STR("True"));
    out->sentence = verdict_sentence(out, out->reason, job->arena);
}

static Str verdict_text(const ReportsJob *job, int side)
{
    return tree_member_text(job->roots[side], "verdict");
}

static int64_t compared_values(const JsonNode *root)
{
    int64_t count = 0;
    const JsonNode *coverage = tree_member(root, STR("coverage"));
    const JsonNode *compared = coverage ? tree_member(coverage, STR("compared")) : NULL;
    return compared && str_to_int64(compared->text, &count) ? count : 0;
}

// What the states of the pairs do not show: other figures of what is unchanged, fewer values.
static void note_other_figures(const ReportsJob *job, Notices *notices)
{
    int64_t before = compared_values(job->roots[0]), now = compared_values(job->roots[1]);
    Str verdicts[2] = {verdict_text(job, 0), verdict_text(job, 1)};
    if (job->counts[CHANGE_NONE] == job->entries.count && !str_equal(verdicts[0], verdicts[1]))
        notices_add(notices, NOTICE_TOLD, NOWHERE,
                    tr("the verdicts differ; before: " STR_FMT " Now: " STR_FMT),
                    STR_ARG(verdicts[0]), STR_ARG(verdicts[1]));
    if (now < before)
        notices_add(notices, NOTICE_WARNING, NOWHERE,
                    tr("the second report compares %lld values, the first one %lld"),
                    (long long)now, (long long)before);
    account_see(&notices->account, job->entries.count);
    account_compare_rest(&notices->account);
}

static void add_verdicts(const ReportsJob *job, Report *page)
{
    report_text(page,
                str_printf(job->arena, tr("before: " STR_FMT), STR_ARG(verdict_text(job, 0))));
    report_text(page, str_printf(job->arena, tr("now: " STR_FMT), STR_ARG(verdict_text(job, 1))));
}

// ---- summary.json

static void write_side(JsonWriter *json, const char *key, const JsonNode *node, Arena *arena)
{
    json_object_flat(json_key(json, key));
    summary_name(json, "status", node ? report_text_of(node, "status", arena) : STR(""));
    summary_name(json, "first_divergence", node ? report_first_op(node) : STR(""));
    json_object_end(json);
}

static void write_change(const ReportsJob *job, const Entry *entry, JsonWriter *json)
{
    const JsonNode *shown = entry->sides[entry->sides[1] != NULL];
    json_object(json);
    summary_str(json, "change", str_of(change_words[entry->change]));
    int64_t step;
    bool stepped = str_to_int64(report_text_of(shown, "step", job->arena), &step);
    summary_int(json, "step", stepped ? step : INT64_MIN);
    summary_name(json, "stage", report_text_of(shown, "stage", job->arena));
    summary_ints(json, "ranks", entry->ranks.items, entry->ranks.count);
    write_side(json, "before", entry->sides[0], job->arena);
    write_side(json, "now", entry->sides[1], job->arena);
    json_object_end(json);
}

static void write_changes(const void *facts, Sink *out)
{
    static const char *const sides[] = {"before", "now"};
    const ReportsJob *job = facts;
    JsonWriter json;
    summary_begin(&json,
                  &(SummaryHead){.schema = "vernier.changes/1",
                                 .version = VERNIER_VERSION,
                                 .status = job->verdict.style == STYLE_ERROR ? "error" : "pass",
                                 .verdict = &job->verdict},
                  out);
    summary_str(&json, "of", job->schema);
    for (int side = 0; side < 2; side++) {
        json_object(json_key(&json, sides[side]));
        summary_str(&json, "path", job->paths[side]);
        summary_str(&json, "verdict", verdict_text(job, side));
        json_object_end(&json);
    }
    json_object_flat(json_key(&json, "counts"));
    for (int change = 0; change < CHANGE_COUNT; change++)
        summary_int(&json, change_words[change], (int64_t)job->counts[change]);
    json_object_end(&json);
    json_array(json_key(&json, "changes"));
    for (int change = 0; change < CHANGE_NONE; change++)
        for (size_t i = 0; i < job->entries.count; i++)
            if (job->entries.items[i].change == (Change)change && job->entries.items[i].ranks.count)
                write_change(job, &job->entries.items[i], &json);
    json_array_end(&json);
    summary_end(&json, job->notices);
}

bool compare_reports(const CommandCall *call, const Str paths[2], Product *out)
{
    Arena *arena = call->arena;
    ReportsJob *job = ARENA_NEW(arena, ReportsJob);
    *job = (ReportsJob){.arena = arena, .places = names_new(arena), .notices = call->notices};
    for (int side = 0; side < 2; side++) {
        job->paths[side] = redact_path(call->notices->redaction, paths[side], arena);
        if (!read_side(job, paths[side], side, call->err))
            return false;
        find_entries(job, side);
    }
    judge(job);
    note_other_figures(job, call->notices);
    fold_entries(job);
    Table *changes = table_of_changes(job);
    Report *page = ARENA_NEW(arena, Report);
    report_init(page, arena);
    report_verdict(page, &job->verdict);
    add_verdicts(job, page);
    if (changes->row_count)
        section_table(page, "changes", tr("Changes"), changes);
    section_problems(page, "problems", tr("Problems with the input"), call->notices);
    product_book(out, STR("changes"), true, &changes, 1);
    product_sheet(out, STR("changes"), true, changes);
    product_facts(out, write_changes, job);
    product_page(out, page, NULL);
    product_ticket(out, page, "summary");
    out->verdict = job->verdict;
    out->status = job->verdict.style == STYLE_ERROR ? PRODUCT_DIFFERS : PRODUCT_AGREES;
    return true;
}
