// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_reports.h"

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/words.h"
#include "commands/machinery/input_kind.h"
#include "read/dump/place_name.h"
#include "read/json/json_tree.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"
#include "verdict/sentence.h"

enum { ROWS_MOST = 2000, RANGES = 16, SEVERITY_AGREES = 1, SEVERITY_UNKNOWN = 5 };

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
    } ranks;  // of the first of those that changed alike
} Entry;

typedef struct ReportsJob {
    Arena *arena;
    Names *places;
    struct {
        Entry *items;
        size_t count, capacity;
    } entries;
    const JsonNode *roots[2];
    Str schema;
    uint64_t counts[CHANGE_COUNT];
    Verdict verdict;
} ReportsJob;

static const char *report_path(Str path, Arena *arena)
{
    const char *name = str_cstr(arena, path);
    return file_kind(name) == FILE_FOLDER ? path_join(arena, name, STR("summary.json")) : name;
}

bool compare_reports_wanted(const Str paths[2], Arena *arena)
{
    return input_kind_is_report(str_cstr(arena, paths[0]), arena) &&
           input_kind_is_report(str_cstr(arena, paths[1]), arena);
}

static bool read_side(ReportsJob *job, Str path, int side, Error *err)
{
    File file;
    JsonTree tree;
    const char *name = report_path(path, job->arena);
    if (!file_open(name, &file, err))
        return false;
    bool good = tree_parse(str_copy(job->arena, file.text), job->arena, &tree);
    file_close(&file);
    if (!good)
        return error_set(err, ERR_INPUT, WHERE_FILE(name), "%s", tr("this is not JSON"));
    job->roots[side] = tree.root;
    Str schema = tree_member_text(tree.root, "schema");
    if (side == 1 && !str_equal(schema, job->schema))
        return error_set(err, ERR_INPUT, WHERE_FILE(name),
                         tr("the reports are of two kinds: " STR_FMT " and " STR_FMT),
                         STR_ARG(job->schema), STR_ARG(schema));
    job->schema = schema;
    return true;
}

static Str shown(const JsonNode *node, const char *key, Arena *arena)
{
    const JsonNode *value = tree_member(node, str_of(key));
    StrBuf text = strbuf_new(arena);
    if (value && value->kind != JSON_NULL)
        tree_python(value, &text);
    return strbuf_str(&text);
}

static Str place_of(const JsonNode *pair, Arena *arena)
{
    Str step = shown(pair, "step", arena), stage = shown(pair, "stage", arena);
    Str rank = shown(pair, "rank", arena);
    return str_printf(arena, tr("step " STR_FMT "%s" STR_FMT ", rank " STR_FMT), STR_ARG(step),
                      stage.size ? " " : "", STR_ARG(stage), STR_ARG(rank));
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
    const JsonNode *pairs = tree_member(job->roots[side], STR("pairs"));
    if (!pairs || pairs->kind != JSON_LIST) {
        add_entry(job, str_of(tr("the whole")), job->roots[side], side);
        return;
    }
    for (const JsonNode *pair = pairs->child; pair; pair = pair->next)
        add_entry(job, place_of(pair, job->arena), pair, side);
}

// 0 and 1 agree; what was not compared is worst: less is known of it.
static int severity(const JsonNode *node)
{
    static const char *const order[] = {"same", "pass", "warning", "unmatched", "error"};
    Str status = tree_member_text(node, "status");
    int at = 0;
    while (at < SEVERITY_UNKNOWN && !str_equal(status, str_of(order[at])))
        at++;
    return at;
}

static Str first_op(const JsonNode *node)
{
    const JsonNode *first = tree_member(node, STR("first_divergence"));
    Str op = tree_member_text(first, "target");
    return op.size ? op : tree_member_text(first, "golden");
}

static Change change_of(const Entry *entry)
{
    if (!entry->sides[1])
        return CHANGE_WORSE;
    int now = severity(entry->sides[1]);
    if (!entry->sides[0])
        return now > SEVERITY_AGREES ? CHANGE_NEW : CHANGE_ADDED;
    int before = severity(entry->sides[0]);
    bool agreed = before <= SEVERITY_AGREES, agrees = now <= SEVERITY_AGREES;
    if (agreed && agrees)
        return CHANGE_NONE;
    // A difference where nothing was compared before is no improvement.
    if (agreed || (before == SEVERITY_UNKNOWN && !agrees && now != SEVERITY_UNKNOWN))
        return CHANGE_NEW;
    if (agrees)
        return CHANGE_FIXED;
    if (before != now)
        return now > before ? CHANGE_WORSE : CHANGE_BETTER;
    return str_equal(first_op(entry->sides[0]), first_op(entry->sides[1])) ? CHANGE_NONE
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
    return node ? cell_text(shown(node, key, arena)) : cell_dash();
}

static Cell op_cell(const Entry *entry, int side)
{
    Str op = entry->sides[side] ? first_op(entry->sides[side]) : STR("");
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

// Equal for pairs of one step that changed alike.
static Str look_of(const Entry *entry, Arena *arena)
{
    StrBuf look = strbuf_new(arena);
    for (int side = 0; side < 2; side++)
        if (entry->sides[side])
            strbuf_printf(&look, "%d " STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT "\n", side,
                          STR_ARG(shown(entry->sides[side], "step", arena)),
                          STR_ARG(shown(entry->sides[side], "stage", arena)),
                          STR_ARG(shown(entry->sides[side], "status", arena)),
                          STR_ARG(first_op(entry->sides[side])));
    return strbuf_str(&look);
}

// Pairs that changed alike are one row, that of the first.
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
        str_to_int64(shown(entry->sides[entry->sides[1] != NULL], "rank", job->arena), &rank);
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
    for (size_t i = 0; i < job->entries.count; i++) {
        Entry *entry = &job->entries.items[i];
        entry->change = change_of(entry);
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
    out->partial = str_equal(shown(job->roots[1], "partial", job->arena), STR("True"));
    out->sentence = verdict_sentence(out, out->reason, job->arena);
}

static Str verdict_text(const ReportsJob *job, int side)
{
    return tree_member_text(job->roots[side], "verdict");
}

static void add_verdicts(const ReportsJob *job, Report *page)
{
    report_text(page,
                str_printf(job->arena, tr("before: " STR_FMT), STR_ARG(verdict_text(job, 0))));
    report_text(page, str_printf(job->arena, tr("now: " STR_FMT), STR_ARG(verdict_text(job, 1))));
}

bool compare_reports(const CommandCall *call, const Str paths[2], Product *out)
{
    Arena *arena = call->arena;
    ReportsJob *job = ARENA_NEW(arena, ReportsJob);
    *job = (ReportsJob){.arena = arena, .places = names_new(arena)};
    for (int side = 0; side < 2; side++) {
        if (!read_side(job, paths[side], side, call->err))
            return false;
        find_entries(job, side);
    }
    judge(job);
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
    product_page(out, page, NULL);
    product_ticket(out, page, "summary");
    out->verdict = job->verdict;
    out->status = job->verdict.style == STYLE_ERROR ? PRODUCT_DIFFERS : PRODUCT_AGREES;
    return true;
}
