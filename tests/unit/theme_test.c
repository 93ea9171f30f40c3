// SPDX-License-Identifier: Apache-2.0
#include "scene/theme.h"

#include "check.h"
#include "templates/templates.h"

static Str builtin_theme(void)
{
    for (const Template *at = templates; at->name; at++)
        if (strcmp(at->name, "vernier.theme") == 0)
            return (Str){at->data, at->size};
    return (Str){"", 0};
}

static Str with_change(Arena *arena, const char *part, const char *by)
{
    return str_replace(arena, builtin_theme(), str_of(part), str_of(by));
}

static void the_builtin_theme_gives_every_role_two_colours(void)
{
    Theme theme;
    Error err;
    char hex[8];
    CHECK(theme_read(builtin_theme(), "vernier.theme", &theme, &err));
    CHECK_TEXT(str_of(theme_hex(&theme, ROLE_PAPER, false, hex)), "#FFFFFF");
    CHECK_TEXT(str_of(theme_hex(&theme, ROLE_PAPER, true, hex)), "#14171A");
    CHECK_TEXT(str_of(theme_hex(&theme, ROLE_OVERFLOW_C, false, hex)), "#5B2FA8");
    CHECK(str_starts(theme.sans, STR("Inter, ")) && str_ends(theme.mono, STR("monospace")));
    CHECK_TEXT(str_of(role_name(ROLE_ERROR_FILL)), "error.fill");
}

static void the_heat_scale_passes_through_its_anchors(void)
{
    Theme theme;
    Error err;
    CHECK(theme_read(builtin_theme(), "vernier.theme", &theme, &err));
    CHECK(theme_rgb(&theme, ROLE_HEAT, false) == 0x2166AC);
    CHECK(theme_rgb(&theme, (Role)(ROLE_HEAT + HEAT_STEPS / 2), false) == 0xF7F7F7);
    CHECK(theme_rgb(&theme, (Role)(ROLE_HEAT + HEAT_STEPS - 1), true) == 0xFF705C);
    uint32_t between = theme_rgb(&theme, (Role)(ROLE_HEAT + 1), false);
    CHECK(between == 0x3879B6);
}

static void light_colours_tell_all_roles_apart(void)
{
    Theme theme;
    Error err;
    CHECK(theme_read(builtin_theme(), "vernier.theme", &theme, &err));
    for (int a = ROLE_NONE + 1; a < ROLE_COUNT; a++)
        for (int b = a + 1; b < ROLE_COUNT; b++)
            CHECK(theme.rgb[0][a] != theme.rgb[0][b]);
}

static void check_refused(Str text, uint64_t line, const char *want)
{
    Theme theme;
    Error err;
    CHECK(!theme_read(text, "my.theme", &theme, &err));
    CHECK(err.line == line);
    CHECK_TEXT(str_of(err.text), want);
}

static void bad_themes_are_refused_with_their_line(void)
{
    Arena *arena = arena_new();
    check_refused(STR("# a\n\nblue #000000 #111111\n"), 3, "unknown role 'blue'");
    check_refused(STR("ink #00000 #111111"), 1,
                  "expected two colours like #1B1E22 after 'ink', light and dark");
    check_refused(STR("ink #00000g #111111"), 1,
                  "expected two colours like #1B1E22 after 'ink', light and dark");
    check_refused(STR("ink #000000 #111111 #222222"), 1,
                  "expected two colours like #1B1E22 after 'ink', light and dark");
    check_refused(STR("font serif Times"), 1,
                  "expected 'font sans' or 'font mono', found 'font serif'");
    check_refused(STR("font sans"), 1, "expected a list of font families");
    check_refused(STR(""), 0, "'paper' is missing");
    check_refused(with_change(arena, "heat.3", "# heat.3"), 0, "'heat.3' is missing");
    check_refused(with_change(arena, "#F6F7F9", "#FFFFFF"), 0,
                  "'paper' and 'panel' have the same light colour but different dark ones; change "
                  "one of them in the last digit");
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(the_builtin_theme_gives_every_role_two_colours);
    CHECK_RUN(the_heat_scale_passes_through_its_anchors);
    CHECK_RUN(light_colours_tell_all_roles_apart);
    CHECK_RUN(bad_themes_are_refused_with_their_line);
    return CHECK_RESULT;
}
