// SPDX-License-Identifier: Apache-2.0
#include "base/array.h"
#include "compare/checklist/checklist.h"
#include "read/known_rows.h"

// Reads templates/checklist.table, whose head says what each line means.

static const char *const rules[] = {"same", "info", "hand", NULL};
static const char *const values[] = {"plain", "dtype",    "optimizer", "schedule", "activation",
                                     "norm",  "position", "switch",    NULL};
static const char *const advices[] = {"none", "equal", "below",    "multiple",
                                      "on",   "off",   "capacity", NULL};

static int place_of(Str word, const char *const *words)
{
    int place = 0;
    while (words[place] && !str_equal(word, str_of(words[place])))
        place++;
    return words[place] ? place : 0;
}

static void add_fact(CheckFacts *facts, Str rest, const char ***text, Arena *arena)
{
    CheckFact *fact = ARRAY_PUSH(arena, facts);
    *fact = (CheckFact){.text = ""};
    for (int i = 0; i < CHECK_FACT_WORDS && rest.size; i++)
        fact->words[i] = str_cstr(arena, known_word(&rest));
    *text = &fact->text;
}

// A line within a setting.
static void take_line(CheckRow *row, Str key, Str rest, Arena *arena)
{
    const char *text = str_cstr(arena, rest);
    if (str_equal(key, STR("read")))
        row->spellings = text;
    else if (str_equal(key, STR("rule")))
        row->rule = (CheckRule)place_of(rest, rules);
    else if (str_equal(key, STR("value")))
        row->value = (CheckValue)place_of(rest, values);
    else if (str_equal(key, STR("off")))
        row->off = text;
    else if (str_equal(key, STR("unsaid")))
        row->unsaid = text;
    else if (str_equal(key, STR("advice"))) {
        row->advice = (CheckAdvice)place_of(known_word(&rest), advices);
        row->bound = rest.size ? str_cstr(arena, rest) : NULL;
    }
}

void checklist_table_read(Arena *arena, CheckTable *out)
{
    Str key, rest;
    KnownRows rows = known_rows("checklist.table");
    const char *group = "", **about = NULL;
    *out = (CheckTable){0};
    while (known_rows_next(&rows, &key, &rest)) {
        if (str_equal(key, STR("group"))) {
            group = str_cstr(arena, rest);
        } else if (str_equal(key, STR("setting"))) {
            CheckRow *row = ARRAY_PUSH(arena, out);
            *row = (CheckRow){.group = group, .key = str_cstr(arena, rest), .spellings = ""};
            about = &row->text;
        } else if (str_equal(key, STR("text")) && about) {
            *about = str_cstr(arena, rest);
        } else if (str_equal(key, STR("packages"))) {
            out->packages = rest;
        } else if (str_equal(key, STR("deciding"))) {
            out->deciding = rest;
        } else if (str_equal(key, STR("places"))) {
            out->places = rest;
        } else if (str_equal(key, STR("unset"))) {
            add_fact(&out->unset, rest, &about, arena);
        } else if (str_equal(key, STR("conflict"))) {
            add_fact(&out->conflicts, rest, &about, arena);
        } else if (str_equal(key, STR("versions"))) {
            add_fact(&out->versions, rest, &about, arena);
        } else if (out->count) {
            take_line(&out->items[out->count - 1], key, rest, arena);
        }
    }
}
