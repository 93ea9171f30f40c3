// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"

typedef struct Entry {
    const char *english, *text;
} Entry;

typedef struct Catalogue {
    Entry *items;
    size_t count, capacity;
} Catalogue;

// Written by words_use and words_speak while no thread runs, else only read.
static Lang chosen = LANG_EN;
static Str text_of_run;  // of the catalogue, until it is read
static Catalogue catalogue_of_run;
static Arena *arena_of_run;

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->english, ((const Entry *)b)->english);
}

static const char *unescape(Arena *arena, Str text)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\\' && i + 1 < text.size) {
            c = text.data[++i];
            c = c == 'n' ? '\n' : c;
        }
        out[size++] = c;
    }
    return out;
}

static void read_catalogue(Str text)
{
    Str rest = text, line, english = {0};
    while (str_split(&rest, '\n', &line)) {
        if (str_starts(line, STR("en: "))) {
            english = str_slice(line, 4, line.size);
        } else if (str_starts(line, STR("zh: ")) && english.size) {
            Entry *entry = ARRAY_PUSH(arena_of_run, &catalogue_of_run);
            entry->english = unescape(arena_of_run, english);
            entry->text = unescape(arena_of_run, str_slice(line, 4, line.size));
        }
    }
    if (catalogue_of_run.count > 1)
        qsort(catalogue_of_run.items, catalogue_of_run.count, sizeof(Entry), compare_entries);
}

void words_use(Lang lang, Str catalogue)
{
    arena_release(arena_of_run);
    arena_of_run = arena_new();
    catalogue_of_run = (Catalogue){0};
    text_of_run = str_copy(arena_of_run, catalogue);
    words_speak(lang);
}

void words_speak(Lang lang)
{
    chosen = lang;
    if (lang == LANG_EN)
        return;
    read_catalogue(text_of_run);
    text_of_run = (Str){"", 0};
}

Lang words_lang(void)
{
    return chosen;
}

const char *tr(const char *english)
{
    if (chosen == LANG_EN || catalogue_of_run.count == 0)
        return english;
    Entry key = {.english = english};
    const Entry *entry = bsearch(&key, catalogue_of_run.items, catalogue_of_run.count,
                                 sizeof(Entry), compare_entries);
    return entry ? entry->text : english;
}

const char *tr_count(uint64_t count, const char *one, const char *many)
{
    return tr(count == 1 ? one : many);
}
