// SPDX-License-Identifier: Apache-2.0
#include "scene/theme.h"

#include <string.h>

#include "base/words.h"

enum { ANCHORS = 5 };

static const char *const role_names[] = {"none",
#define ROLE_TEXT(id, name) name,
                                         ROLE_LIST(ROLE_TEXT)
#undef ROLE_TEXT
};

static const char *const heat_names[HEAT_STEPS] = {
    "heat+0",  "heat+1",  "heat+2",  "heat+3",  "heat+4",  "heat+5",  "heat+6",
    "heat+7",  "heat+8",  "heat+9",  "heat+10", "heat+11", "heat+12", "heat+13",
    "heat+14", "heat+15", "heat+16", "heat+17", "heat+18", "heat+19", "heat+20",
};

const char *role_name(Role role)
{
    return role >= ROLE_HEAT ? heat_names[role - ROLE_HEAT] : role_names[role];
}

uint32_t theme_rgb(const Theme *theme, Role role, bool dark)
{
    return theme->rgb[dark][role];
}

const char *theme_hex(const Theme *theme, Role role, bool dark, char out[8])
{
    uint32_t rgb = theme_rgb(theme, role, dark);
    out[0] = '#';
    for (int i = 0; i < 6; i++)
        out[1 + i] = "0123456789ABCDEF"[rgb >> (20 - 4 * i) & 0xF];
    out[7] = '\0';
    return out;
}

// What has been read so far; anchors of the heat scale wait until all five are there.
typedef struct Reading {
    Theme *theme;
    uint32_t anchor[2][ANCHORS];
    bool seen[ROLE_HEAT], anchor_seen[ANCHORS];
} Reading;

static Str next_word(Str *rest)
{
    *rest = str_trim(*rest);
    size_t end = 0;
    while (end < rest->size && rest->data[end] != ' ' && rest->data[end] != '\t')
        end++;
    Str word = str_slice(*rest, 0, end);
    *rest = str_trim(str_slice(*rest, end, rest->size));
    return word;
}

static bool read_hex(Str word, uint32_t *out)
{
    if (word.size != 7 || word.data[0] != '#')
        return false;
    *out = 0;
    for (size_t i = 1; i < word.size; i++) {
        const char *digits = "0123456789abcdef";
        char c =
            word.data[i] >= 'A' && word.data[i] <= 'F' ? (char)(word.data[i] + 32) : word.data[i];
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit)
            return false;
        *out = *out << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

// For a message: the word, cut at 40 bytes and ended by NUL.
static const char *shown(Str word, char out[41])
{
    size_t size = word.size < 40 ? word.size : 40;
    if (size)
        memcpy(out, word.data, size);
    out[size] = '\0';
    return out;
}

static bool read_font(Reading *reading, Str rest, Where where, Error *err)
{
    Str kind = next_word(&rest);
    Str *font = str_equal(kind, STR("sans"))   ? &reading->theme->sans
                : str_equal(kind, STR("mono")) ? &reading->theme->mono
                                               : NULL;
    if (!font)
        return error_set(err, ERR_INPUT, where,
                         tr("expected 'font sans' or 'font mono', found 'font %s'"),
                         shown(kind, (char[41]){0}));
    if (!rest.size)
        return error_set(err, ERR_INPUT, where, tr("expected a list of font families"));
    *font = rest;
    return true;
}

static int find_role(Str name)
{
    for (int role = ROLE_NONE + 1; role < ROLE_HEAT; role++)
        if (str_equal(name, str_of(role_names[role])))
            return role;
    return ROLE_NONE;
}

// 0 … 4 for "heat.0" … "heat.4", else -1.
static int find_anchor(Str name)
{
    if (name.size != 6 || !str_starts(name, STR("heat.")))
        return -1;
    int anchor = name.data[5] - '0';
    return anchor >= 0 && anchor < ANCHORS ? anchor : -1;
}

static bool read_role(Reading *reading, Str name, Str rest, Where where, Error *err)
{
    char text[41];
    int role = find_role(name);
    int anchor = find_anchor(name);
    if (role == ROLE_NONE && anchor < 0)
        return error_set(err, ERR_INPUT, where, tr("unknown role '%s'"), shown(name, text));
    uint32_t light, dark;
    if (!read_hex(next_word(&rest), &light) || !read_hex(next_word(&rest), &dark) || rest.size)
        return error_set(err, ERR_INPUT, where,
                         tr("expected two colours like #1B1E22 after '%s', light and dark"),
                         shown(name, text));
    if (anchor >= 0) {
        reading->anchor[0][anchor] = light;
        reading->anchor[1][anchor] = dark;
        reading->anchor_seen[anchor] = true;
    } else {
        reading->theme->rgb[0][role] = light;
        reading->theme->rgb[1][role] = dark;
        reading->seen[role] = true;
    }
    return true;
}

static bool all_seen(const Reading *reading, const char *path, Error *err)
{
    const char *missing = NULL;
    for (int role = ROLE_NONE + 1; role < ROLE_HEAT && !missing; role++)
        if (!reading->seen[role])
            missing = role_names[role];
    static const char *const anchors[ANCHORS] = {"heat.0", "heat.1", "heat.2", "heat.3", "heat.4"};
    for (int anchor = 0; anchor < ANCHORS && !missing; anchor++)
        if (!reading->anchor_seen[anchor])
            missing = anchors[anchor];
    if (!missing && !reading->theme->sans.size)
        missing = "font sans";
    if (!missing && !reading->theme->mono.size)
        missing = "font mono";
    return !missing || error_set(err, ERR_INPUT, WHERE_FILE(path), tr("'%s' is missing"), missing);
}

// A page recolours its pictures by the light colour alone, so that must tell the roles apart.
static bool all_distinct(const Theme *theme, const char *path, Error *err)
{
    for (int a = ROLE_NONE + 1; a < ROLE_HEAT; a++)
        for (int b = a + 1; b < ROLE_HEAT; b++)
            if (theme->rgb[0][a] == theme->rgb[0][b] && theme->rgb[1][a] != theme->rgb[1][b])
                return error_set(err, ERR_INPUT, WHERE_FILE(path),
                                 tr("'%s' and '%s' have the same light colour but different dark "
                                    "ones; change one of them in the last digit"),
                                 role_names[a], role_names[b]);
    return true;
}

static uint32_t mix(uint32_t from, uint32_t to, int part, int whole)
{
    uint32_t rgb = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int a = (int)(from >> shift & 0xFF);
        int b = (int)(to >> shift & 0xFF);
        int sum = a * (whole - part) + b * part;
        rgb |= (uint32_t)((2 * sum + whole) / (2 * whole)) << shift;
    }
    return rgb;
}

static bool light_is_taken(const Theme *theme, int before, uint32_t rgb)
{
    for (int role = ROLE_NONE + 1; role < before; role++)
        if (theme->rgb[0][role] == rgb)
            return true;
    return false;
}

static void mix_heat(Reading *reading)
{
    enum { BETWEEN = (HEAT_STEPS - 1) / (ANCHORS - 1) };
    Theme *theme = reading->theme;
    for (int step = 0; step < HEAT_STEPS; step++) {
        int from = step / BETWEEN;
        int to = from + 1 < ANCHORS ? from + 1 : from;
        for (int dark = 0; dark < 2; dark++)
            theme->rgb[dark][ROLE_HEAT + step] = mix(
                reading->anchor[dark][from], reading->anchor[dark][to], step % BETWEEN, BETWEEN);
        uint32_t *light = &theme->rgb[0][ROLE_HEAT + step];
        while (light_is_taken(theme, ROLE_HEAT + step, *light))
            *light = (*light & 0xFF) >= 0x80 ? *light - 1 : *light + 1;
    }
}

bool theme_read(Str text, const char *path, Theme *out, Error *err)
{
    *out = (Theme){0};
    Reading reading = {.theme = out};
    uint64_t number = 0;
    for (Str line, rest = text; str_split(&rest, '\n', &line);) {
        number++;
        line = str_trim(line);
        if (!line.size || line.data[0] == '#')
            continue;
        Where where = WHERE_LINE(path, number);
        Str name = next_word(&line);
        bool good = str_equal(name, STR("font")) ? read_font(&reading, line, where, err)
                                                 : read_role(&reading, name, line, where, err);
        if (!good)
            return false;
    }
    if (!all_seen(&reading, path, err) || !all_distinct(out, path, err))
        return false;
    mix_heat(&reading);
    return true;
}
