// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include "check.h"

enum { COUNT = 3000 };

static Str text_of(Arena *arena, uint32_t number)
{
    return number ? str_printf(arena, "name.%u", number % 1000 * 7 + number / 1000) : STR("");
}

static Names *table(Arena *arena, uint32_t from, uint32_t factor)
{
    Names *names = names_new(arena);
    for (uint32_t i = 0; i < COUNT; i++)
        names_add(names, text_of(arena, from + i * factor % COUNT));
    return names;
}

// In the same order, in another one, with gaps, with nothing in common.
static void translated_names_are_those_that_a_search_finds(void)
{
    static const uint32_t others[][2] = {{0, 1}, {0, 7}, {100, 1}, {0, 2}, {50000, 1}, {17, 2999}};
    Arena *arena = arena_new();
    Names *from = table(arena, 0, 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Names *to = table(arena, others[i][0], others[i][1]);
        NameId *to_of = names_translate(from, to, arena);
        CHECK(to_of[NAME_NONE] == NAME_NONE);
        for (NameId id = 1; id <= names_count(from); id++)
            CHECK(to_of[id] == names_find(to, names_text(from, id)));
    }
    arena_release(arena);
}

static void equal_text_has_an_equal_id(void)
{
    Arena *arena = arena_new();
    Names *names = names_new(arena);
    CHECK(names_add(names, STR("a")) == 1 && names_add(names, STR("")) == 2);
    CHECK(names_add(names, STR("a")) == 1 && names_find(names, STR("b")) == NAME_NONE);
    CHECK(names_count(names) == 2);
    CHECK_TEXT(names_text(names, 1), "a");
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(equal_text_has_an_equal_id);
    CHECK_RUN(translated_names_are_those_that_a_search_finds);
    return CHECK_RESULT;
}
