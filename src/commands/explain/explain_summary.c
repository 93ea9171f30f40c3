// SPDX-License-Identifier: Apache-2.0
// The parts that every explanation has, from the table of its kind.
#include "base/utf8.h"
#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"
#include "commands/machinery/command_line.h"

enum { ROWS_SHOWN = 12 };

void explain_say(Explain *explain, Str text)
{
    if (text.size)
        report_text(explain->out, text);
}

static Table *new_table(Explain *explain, const char *const *titles, size_t count)
{
    Arena *arena = explain->arena;
    Table *table = ARENA_NEW(arena, Table);
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){.title = str_of(tr(titles[i]))};
    table_init_rows(table, ARENA_NEW(arena, TableRows), "", columns, count, arena);
    return table;
}

static bool is_listed(const Listing *listing, const JsonNode *item)
{
    Str only = listing->only_key ? value_text(item, listing->only_key) : STR("");
    return !listing->only_key || str_equal(only, str_of(listing->only_value));
}

static void list_objects(Explain *explain, const JsonNode *node, const Listing *listing, bool last)
{
    const JsonNode *list = value_at(node, listing->list);
    size_t count = listing->columns, listed = 0, at = 0;
    if (!list || list->kind != JSON_LIST)
        return;
    Table *table = new_table(explain, listing->titles, count);
    for (const JsonNode *item = list->child; item; item = item->next)
        listed += is_listed(listing, item);
    size_t left_out = listed > ROWS_SHOWN ? listed - ROWS_SHOWN : 0, from = last ? left_out : 0;
    for (const JsonNode *item = list->child; item; item = item->next) {
        if (!is_listed(listing, item) || at++ < from || table->row_count == ROWS_SHOWN)
            continue;
        Cell *cells = table_add_row(table);
        for (size_t i = 0; i < count; i++)
            cells[i] = cell_text(value_shown(item, listing->paths[i], explain->arena));
    }
    if (left_out)
        table->note = str_printf(explain->arena,
                                 last ? tr("… and %zu earlier in the summary")
                                      : tr("… and %zu more in the summary"),
                                 left_out);
    if (table->row_count)
        report_table(explain->out, table);
}

void explain_listing(Explain *explain, const JsonNode *node, const Listing *listing)
{
    list_objects(explain, node, listing, false);
}

void explain_listing_of_last(Explain *explain, const JsonNode *node, const Listing *listing)
{
    list_objects(explain, node, listing, true);
}

static void say_part(Explain *explain, const ExplainPart *part)
{
    static const char *const titles[] = {TR("what"), TR("value")};
    Table *table = new_table(explain, titles, 2);
    for (size_t i = 0; i < part->figure_count; i++) {
        Str shown = value_shown(explain->root, part->figures[i].path, explain->arena);
        if (!shown.size)
            continue;
        Cell *cells = table_add_row(table);
        cells[0] = cell_text(str_of(tr(part->figures[i].label)));
        cells[1] = cell_text(shown);
    }
    if (table->row_count)
        report_table(explain->out, table);
    for (size_t i = 0; i < part->listing_count; i++)
        explain_listing(explain, explain->root, &part->listings[i]);
}

Str explain_word(const Explain *explain, Str text)
{
    Str word = command_argument(NULL, utf8_display(text, explain->arena), explain->arena);
    Str command = command_join(&word, 1, explain->arena);
    return str_slice(command, STR("vernier ").size, command.size);
}

// The path that the summary names, as a shell takes it, or the word in capitals.
static Str path_or_word(const Explain *explain, const char *key, const char *word)
{
    Str path = value_text(explain->root, key);
    if (!path.size)
        path = value_text(value_at(explain->root, key), "path");
    return path.size ? explain_word(explain, path) : str_of(word);
}

void explain_command_line(Explain *explain, const char *command)
{
    static const struct {
        const char *mark, *key, *word;
    } places[] = {{"{golden}", "golden", "GOLDEN"},
                  {"{target}", "target", "TARGET"},
                  {"{dump}", "dump", "DUMP"}};
    StrBuf *out = &explain->commands;
    const char *gap = "";
    for (Str rest = str_of(command), word; str_split(&rest, ' ', &word); gap = " ") {
        Str shown = word;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (str_equal(word, str_of(places[i].mark)))
                shown = path_or_word(explain, places[i].key, places[i].word);
        strbuf_printf(out, "%s" STR_FMT, gap, STR_ARG(shown));
    }
    strbuf_add_char(out, '\n');
}

// "alone" where curves were drawn and none compared, "unjudged" where none was judged either.
static const char *curves_alone(const JsonNode *root)
{
    const JsonNode *compared = value_at(root, "comparisons"), *runs = value_at(root, "runs");
    if (!str_equal(value_text(root, "schema"), STR("vernier.curves/1")) || !compared ||
        compared->child || !runs)
        return NULL;
    for (const JsonNode *run = runs->child; run; run = run->next)
        if (value_text(run, "judged").size)
            return "alone";
    return "unjudged";
}

static bool is_meant(const Explain *explain, const NextStep *step)
{
    Str status = value_text(explain->root, "status");
    const char *alone = curves_alone(explain->root);
    if (alone)
        return STR_IN(step->status, "any", alone);
    bool good = STR_IN(status, "same", "pass"), nothing = str_equal(status, STR("no data"));
    return STR_IN(step->status, "any", good ? "good" : nothing ? "nothing" : "bad");
}

static void say_why(Explain *explain)
{
    const ExplainKind *kind = explain->kind;
    if (kind->meaning)
        explain_say(explain, str_of(tr(kind->meaning)));
    say_part(explain, &kind->why);
    if (kind->say_why)
        kind->say_why(explain);
}

static void say_compared(Explain *explain)
{
    static const Listing problems = {"problems",
                                     NULL,
                                     NULL,
                                     {TR("problem"), TR("file"), TR("how bad"), TR("times")},
                                     {"text", "file", "level", "count"},
                                     4};
    const ExplainKind *kind = explain->kind;
    if (value_true(explain->root, "partial"))
        explain_say(explain, str_of(tr("Part of the input could not be read or compared: the "
                                       "verdict speaks of the rest alone.")));
    if (kind->say_compared)
        kind->say_compared(explain);
    say_part(explain, &kind->compared);
    explain_listing(explain, explain->root, &problems);
}

static void say_next(Explain *explain)
{
    const ExplainKind *kind = explain->kind;
    for (size_t i = 0; i < kind->next_count; i++) {
        if (!is_meant(explain, &kind->next[i]))
            continue;
        explain_say(explain, str_of(tr(kind->next[i].text)));
        if (kind->next[i].command)
            explain_command_line(explain, kind->next[i].command);
    }
    if (kind->say_next)
        kind->say_next(explain);
}

// A heading, and what stands under it; neither where nothing does.
static void section(Explain *explain, const char *heading, void (*say)(Explain *explain))
{
    size_t before = explain->out->count;
    report_heading(explain->out, 2, "", str_of(heading), STR(""));
    say(explain);
    if (explain->out->count == before + 1)
        explain->out->count = before;
}

void explain_summary(Explain *explain)
{
    Report *out = explain->out;
    explain->commands = strbuf_new(explain->arena);
    Verdict *verdict = ARENA_NEW(explain->arena, Verdict);
    verdict->sentence = value_text(explain->root, "verdict");
    out->title = verdict->sentence;
    report_verdict(out, verdict);
    section(explain, tr("Why"), say_why);
    section(explain, tr("What was compared, and what was not"), say_compared);
    section(explain, tr("What to do next"), say_next);
    if (explain->commands.size)
        report_code(out, strbuf_str(&explain->commands));
}
