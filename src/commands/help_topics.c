// SPDX-License-Identifier: Apache-2.0
#include "commands/help_topics.h"

#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/terminal_text.h"
#include "read/known_rows.h"
#include "read/log/log_forms.h"

// The next row of a topic; false: it has no other.
static bool next_row(KnownRows *rows, Str topic, bool *inside, Str *key, Str *text)
{
    while (known_rows_next(rows, key, text)) {
        if (!str_equal(*key, STR("topic"))) {
            if (*inside)
                return true;
        } else if (*inside) {
            return false;
        } else {
            *inside = str_equal(*text, topic);
        }
    }
    return false;
}

static void split_row(Str row, Arena *arena, const char **term, const char **text)
{
    size_t mark = str_find(row, STR(" | "), 0);
    *term = str_cstr(arena, str_slice(row, 0, mark));
    *text = mark < row.size ? str_cstr(arena, str_slice(row, mark + 3, row.size)) : "";
}

static void print_row(Str row, size_t width, Arena *arena)
{
    const char *term, *text;
    split_row(row, arena, &term, &text);
    terminal_print(stdout, (size_t)printf("  %s ", term), width + 3, tr(text));
}

static void print_entry(Str row, Arena *arena)
{
    const char *term, *text;
    split_row(row, arena, &term, &text);
    printf("  %s\n      ", tr(term));
    terminal_print(stdout, 6, 6, tr(text));
}

static void print_forms(Arena *arena)
{
    FormShows shows = {0};
    forms_shown(arena, &shows);
    for (size_t i = 0; i < shows.count; i++)
        printf("  %s\n      %s\n      %s: %s\n", tr(shows.items[i].name),
               tr(shows.items[i].example), tr("step"), tr(shows.items[i].step));
}

bool help_topic_print(Str topic)
{
    KnownRows rows = known_rows("help.table");
    Arena *arena = arena_new();
    Str key, text;
    uint64_t width = 0;
    bool inside = false;
    while (next_row(&rows, topic, &inside, &key, &text)) {
        if (str_equal(key, STR("say")))
            terminal_print(stdout, 0, 0, tr(str_cstr(arena, text)));
        else if (str_equal(key, STR("gap")))
            putchar('\n');
        else if (str_equal(key, STR("row")))
            print_row(text, (size_t)width, arena);
        else if (str_equal(key, STR("entry")))
            print_entry(text, arena);
        else if (str_equal(key, STR("code")))
            printf(STR_FMT "\n", STR_ARG(str_slice(text, 1, text.size)));
        else if (str_equal(key, STR("forms")))
            print_forms(arena);
        else if (str_equal(key, STR("width")))
            str_to_uint64(text, &width);
    }
    arena_release(arena);
    return inside;
}

void help_topic_rows(Str topic, Str kind, void (*take)(const char *term, const char *text))
{
    KnownRows rows = known_rows("help.table");
    Arena *arena = arena_new();
    Str key, text;
    bool inside = false;
    while (next_row(&rows, topic, &inside, &key, &text)) {
        const char *term, *said;
        if (!str_equal(key, kind))
            continue;
        split_row(text, arena, &term, &said);
        take(term, said);
    }
    arena_release(arena);
}
