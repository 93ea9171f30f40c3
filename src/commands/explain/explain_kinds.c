// SPDX-License-Identifier: Apache-2.0
// What each kind of summary is explained by: the rows of templates/explain.table, and functions
// where rows cannot say it.
#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"
#include "read/known_rows.h"

// Whether it is one command of vernier for a shell, and nothing else: the summary may be anybody's.
static bool is_command(Str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if ((unsigned char)c < ' ' || (!quoted && strchr(";|&`$<>(){}\\\"!#*?~", c)))
            return false;
        quoted = c == '\'' ? !quoted : quoted;
    }
    return !quoted && str_starts(text, STR("vernier "));
}

// The command of the first stage that failed is the one that shows it.
static void next_of_study(Explain *explain)
{
    const JsonNode *stages = value_at(explain->root, "stages");
    Str dump = value_text(explain->root, "symptom.dump");
    if (dump.size)
        explain_say(explain,
                    str_printf(explain->arena, tr("To collect: " STR_FMT "."), STR_ARG(dump)));
    for (const JsonNode *stage = stages ? stages->child : NULL; stage; stage = stage->next) {
        Str command = value_text(stage, "command");
        if (!str_equal(value_text(stage, "status"), STR("failed")) || !is_command(command))
            continue;
        explain_say(explain, str_of(tr("The first stage that failed, alone and in full:")));
        strbuf_add(&explain->commands, command);
        strbuf_add_char(&explain->commands, '\n');
        return;
    }
}

static void why_of_history(Explain *explain)
{
    const Listing *changes = &explain->kind->why.listings[0];
    const JsonNode *commands = value_at(explain->root, "commands");
    for (const JsonNode *one = commands ? commands->child : NULL; one; one = one->next) {
        const JsonNode *list = value_at(one, changes->list);
        bool none = !list || !list->child;
        explain_say(explain,
                    str_printf(explain->arena,
                               none ? tr("Of " STR_FMT ", nothing changed in the newest night.")
                                    : tr("Of " STR_FMT ", in the newest night:"),
                               STR_ARG(value_text(one, "command"))));
        explain_listing(explain, one, changes);
    }
}

static void compared_of_history(Explain *explain)
{
    const JsonNode *commands = value_at(explain->root, "commands");
    for (const JsonNode *one = commands ? commands->child : NULL; one; one = one->next)
        explain_listing_of_last(explain, one, &explain->kind->compared.listings[0]);
}

static const struct {
    const char *schema;
    void (*say_why)(Explain *explain);
    void (*say_compared)(Explain *explain);
    void (*say_next)(Explain *explain);
} more[] = {
    {"compare", explain_compare_why, explain_compare_compared, explain_compare_next},
    {"history", why_of_history, compared_of_history, NULL},
    {"study", NULL, NULL, next_of_study},
};

// "TITLE | PATH": the path is after the last mark.
static const char *split_path(Str *text, Arena *arena)
{
    Str path = str_behind(*text, '|');
    *text = str_trim(str_slice(*text, 0, text->size - path.size - 1));
    return str_cstr(arena, str_trim(path));
}

static void take_list(ExplainPart *part, Str text, Arena *arena)
{
    Str words[3] = {{"", 0}};
    for (size_t i = 0; i < 3 && str_split(&text, '|', &words[i]);)
        i++;
    if (part->listing_count == LISTINGS_MAX)
        return;
    Listing *listing = &part->listings[part->listing_count++];
    listing->list = str_cstr(arena, str_trim(words[0]));
    listing->only_key = words[1].size ? str_cstr(arena, str_trim(words[1])) : NULL;
    listing->only_value = str_cstr(arena, str_trim(words[2]));
}

static void take_part_row(ExplainPart *part, Str key, Str text, Arena *arena)
{
    Listing *last = part->listing_count ? &part->listings[part->listing_count - 1] : NULL;
    if (str_equal(key, STR("list"))) {
        take_list(part, text, arena);
    } else if (str_equal(key, STR("figure")) && part->figure_count < FIGURES_MAX) {
        Figure *figure = &part->figures[part->figure_count++];
        figure->path = split_path(&text, arena);
        figure->label = str_cstr(arena, text);
    } else if (str_equal(key, STR("column")) && last && last->columns < LISTING_COLUMNS) {
        last->paths[last->columns] = split_path(&text, arena);
        last->titles[last->columns++] = str_cstr(arena, text);
    }
}

static void take_row(ExplainKind *kind, ExplainPart **part, Str key, Str text, Arena *arena)
{
    if (STR_IN(key, "why", "compared")) {
        *part = str_equal(key, STR("why")) ? &kind->why : &kind->compared;
    } else if (str_equal(key, STR("meaning"))) {
        kind->meaning = str_cstr(arena, text);
    } else if (STR_IN(key, "bad", "good", "nothing", "any", "alone", "unjudged") &&
               kind->next_count < STEPS_MAX) {
        kind->next[kind->next_count++] = (NextStep){key, str_cstr(arena, text), NULL};
    } else if (str_equal(key, STR("type")) && kind->next_count) {
        kind->next[kind->next_count - 1].command = str_cstr(arena, text);
    } else if (*part) {
        take_part_row(*part, key, text, arena);
    }
}

bool explain_kind_read(Str schema, Arena *arena, ExplainKind *out)
{
    KnownRows rows = known_rows("explain.table");
    ExplainPart *part = NULL;
    Str key, text;
    bool own = false, found = false;
    *out = (ExplainKind){.meaning = NULL};
    while (known_rows_next(&rows, &key, &text)) {
        bool head = str_equal(key, STR("kind"));
        if (head)
            own = str_equal(schema, str_printf(arena, "vernier." STR_FMT "/1", STR_ARG(text)));
        else if (own)
            take_row(out, &part, key, text, arena);
        found = found || own;
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (str_equal(schema, str_printf(arena, "vernier.%s/1", more[i].schema))) {
            out->say_why = more[i].say_why;
            out->say_compared = more[i].say_compared;
            out->say_next = more[i].say_next;
        }
    return found;
}
