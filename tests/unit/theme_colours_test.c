// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "check.h"
#include "picture/kit/chip.h"
#include "scene/theme.h"
#include "templates/templates.h"

// CIEDE2000: Sharma, Wu and Dalal, Color Research and Application 30 (2005). Deficiencies: Machado,
// Oliveira and Fernandes, IEEE TVCG 15 (2009), severity 1, applied to linear RGB.

typedef struct Lab {
    double l, a, b;
} Lab;

enum { VISIONS = 4 };

static const double visions[VISIONS][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};
static const char *const vision_names[VISIONS] = {"normal", "protan", "deutan", "tritan"};

static double linear(uint32_t channel)
{
    double v = (channel & 255) / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double lab_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static Lab lab_of(uint32_t rgb, const double vision[3][3])
{
    static const double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    static const double white[3] = {0.95047, 1, 1.08883};
    double in[3] = {linear(rgb >> 16), linear(rgb >> 8), linear(rgb)}, seen[3], f[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += vision[i][k] * in[k];
        seen[i] = fmin(1, fmax(0, sum));
    }
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += to_xyz[i][k] * seen[k];
        f[i] = lab_curve(sum / white[i]);
    }
    return (Lab){116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

static double degrees(double a, double b)
{
    double h = atan2(b, a) * 180 / acos(-1);
    return a == 0 && b == 0 ? 0 : h < 0 ? h + 360 : h;
}

static double turn(double angle)
{
    return cos(angle * acos(-1) / 180);
}

static double ciede2000(Lab x, Lab y)
{
    double c_mean = (hypot(x.a, x.b) + hypot(y.a, y.b)) / 2, c7 = pow(c_mean, 7);
    double g = 0.5 * (1 - sqrt(c7 / (c7 + pow(25, 7))));
    double a1 = (1 + g) * x.a, a2 = (1 + g) * y.a;
    double c1 = hypot(a1, x.b), c2 = hypot(a2, y.b), h1 = degrees(a1, x.b), h2 = degrees(a2, y.b);
    double dh = c1 * c2 == 0 ? 0 : h2 - h1;
    dh += dh > 180 ? -360 : dh < -180 ? 360 : 0;
    double big_h = 2 * sqrt(c1 * c2) * sin(dh / 2 * acos(-1) / 180);
    double l = (x.l + y.l) / 2, c = (c1 + c2) / 2, h = (h1 + h2) / 2;
    if (c1 * c2 == 0)
        h = h1 + h2;
    else if (fabs(h1 - h2) > 180)
        h += h1 + h2 < 360 ? 180 : -180;
    double t = 1 - 0.17 * turn(h - 30) + 0.24 * turn(2 * h) + 0.32 * turn(3 * h + 6) -
               0.20 * turn(4 * h - 63);
    double l50 = (l - 50) * (l - 50), cc7 = pow(c, 7);
    double sl = 1 + 0.015 * l50 / sqrt(20 + l50), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    double rotation = 60 * exp(-pow((h - 275) / 25, 2)) * acos(-1) / 180;
    double rt = -sin(rotation) * 2 * sqrt(cc7 / (cc7 + pow(25, 7)));
    double dl = (y.l - x.l) / sl, dc = (c2 - c1) / sc, dhh = big_h / sh;
    return sqrt(dl * dl + dc * dc + dhh * dhh + rt * dc * dhh);
}

static void the_distance_is_that_of_the_published_pairs(void)
{
    CHECK(fabs(ciede2000((Lab){50, 2.6772, -79.7751}, (Lab){50, 0, -82.7485}) - 2.0425) < 5e-5);
    CHECK(fabs(ciede2000((Lab){50, 2.5, 0}, (Lab){73, 25, -18}) - 27.1492) < 5e-5);
    CHECK(fabs(ciede2000((Lab){60.2574, -34.0099, 36.2677}, (Lab){60.4626, -34.1751, 39.4387}) -
               1.2644) < 5e-5);
    CHECK(fabs(ciede2000((Lab){2.0776, 0.0795, -1.1350}, (Lab){0.9033, -0.0636, -0.5514}) -
               0.9082) < 5e-5);
}

static bool read_theme(const char *name, Theme *out)
{
    Error err;
    for (const Template *at = templates; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return theme_read((Str){at->data, at->size}, name, out, &err);
    return false;
}

// The smallest distance of two of the fills, over both modes and all visions.
static double smallest(const Theme *theme, const Status *statuses, size_t count)
{
    double least = 1000;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            for (int at = 0; at < 2 * VISIONS; at++) {
                Role a = status_look(statuses[i], false).fill;
                Role b = status_look(statuses[k], false).fill;
                double distance = ciede2000(lab_of(theme_rgb(theme, a, at % 2), visions[at / 2]),
                                            lab_of(theme_rgb(theme, b, at % 2), visions[at / 2]));
                if (distance < 20)
                    printf("%s and %s, %s: %.1f\n", role_name(a), role_name(b),
                           vision_names[at / 2], distance);
                least = fmin(least, distance);
            }
    return least;
}

// Same and pass are near on purpose: both are harmless, and glyph and word tell them.
static void statuses_are_told_apart_by_colour_in_every_vision(void)
{
    static const Status loud[] = {STATUS_PASS, STATUS_WARNING, STATUS_ERROR, STATUS_UNMATCHED};
    static const Status quiet[] = {STATUS_SAME, STATUS_WARNING, STATUS_ERROR, STATUS_UNMATCHED};
    Theme theme;
    CHECK(read_theme("vernier.theme", &theme));
    CHECK(smallest(&theme, loud, 4) >= 20);
    CHECK(smallest(&theme, quiet, 4) >= 20);
}

static void the_palette_of_msprobe_has_its_colours(void)
{
    Theme theme;
    CHECK(read_theme("msprobe.theme", &theme));
    CHECK(theme_rgb(&theme, ROLE_PASS_FILL, false) == 0xFFFCF3);
    CHECK(theme_rgb(&theme, ROLE_WARNING_FILL, false) == 0xFFDC7F);
    CHECK(theme_rgb(&theme, ROLE_ERROR_FILL, false) == 0xFF704D);
    CHECK(theme_rgb(&theme, ROLE_UNMATCHED_FILL, false) == 0xC7C7C7);
    for (int a = ROLE_NONE + 1; a < ROLE_COUNT; a++)
        for (int b = a + 1; b < ROLE_COUNT; b++)
            CHECK(theme.rgb[0][a] != theme.rgb[0][b]);
}

// What is drawn on the square, without its colours.
static Str glyph_of(Status status, Arena *arena)
{
    Scene scene;
    StrBuf buf;
    scene_init(&scene, arena, "glyph", 13);
    chip_draw(&scene, 0, 0, 13, status, false);
    buf = strbuf_new(arena);
    for (size_t i = 1; i < scene.count; i++) {
        const Item *item = &scene.items[i];
        strbuf_printf(&buf, "%d ", (int)item->kind);
        if (item->kind == ITEM_TEXT)
            for (size_t k = 0; k < item->as.text.count; k++)
                strbuf_add(&buf, item->as.text.spans[k].text);
        if (item->kind == ITEM_PATH)
            for (size_t k = 0; k < item->as.path.count; k++)
                strbuf_printf(&buf, "%.1f,%.1f ", item->as.path.steps[k].x,
                              item->as.path.steps[k].y);
    }
    return strbuf_str(&buf);
}

static void every_status_has_a_glyph_a_border_and_a_word_of_its_own(void)
{
    Arena *arena = arena_new();
    for (int a = 0; a < STATUS_COUNT; a++)
        for (int b = a + 1; b < STATUS_COUNT; b++) {
            Status one = (Status)a, other = (Status)b;
            CHECK(!str_equal(glyph_of(one, arena), glyph_of(other, arena)));
            CHECK(status_look(one, false).edge != status_look(other, false).edge);
            CHECK(!str_equal(status_label(one, false), status_label(other, false)));
        }
    arena_release(arena);
}

// Relative luminance and contrast: WCAG 2.1, relative luminance and contrast ratio.
static double luminance(uint32_t rgb)
{
    static const double share[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double value = (rgb >> (16 - 8 * i) & 0xFF) / 255.0;
        sum += share[i] * (value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static const char *const themes[] = {"vernier.theme", "msprobe.theme"};

static void check_contrast(const Theme *theme, Role on, Role ground, double least)
{
    for (int dark = 0; dark < 2; dark++) {
        double found = contrast(theme_rgb(theme, on, dark), theme_rgb(theme, ground, dark));
        if (found < least)
            printf("%s on %s, %s: %.2f\n", role_name(on), role_name(ground),
                   dark ? "dark" : "light", found);
        CHECK(found >= least);
    }
}

static void text_is_read_on_its_ground_in_both_themes(void)
{
    static const Role pairs[][2] = {
        {ROLE_INK, ROLE_PAPER},
        {ROLE_INK2, ROLE_PAPER},
        {ROLE_INK, ROLE_PANEL},
        {ROLE_INK2, ROLE_PANEL},
        {ROLE_SAME_INK, ROLE_SAME_FILL},
        {ROLE_PASS_INK, ROLE_PASS_FILL},
        {ROLE_WARNING_INK, ROLE_WARNING_FILL},
        {ROLE_WARNING_TINK, ROLE_WARNING_TINT},
        {ROLE_ERROR_INK, ROLE_ERROR_FILL},
        {ROLE_ERROR_TINK, ROLE_ERROR_TINT},
        {ROLE_ERROR_TEXT, ROLE_PAPER},
        {ROLE_INK, ROLE_UNMATCHED_PLATE},
        {ROLE_NAN_INK, ROLE_NAN},
        {ROLE_ACCENT, ROLE_PAPER},
    };
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        Theme theme;
        CHECK(read_theme(themes[t], &theme));
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            check_contrast(&theme, pairs[i][0], pairs[i][1], 4.5);
    }
}

// What has no glyph to tell it: lines and marks (WCAG 2.1, 1.4.11).
static void marks_are_seen_on_the_paper(void)
{
    static const Role marks[] = {ROLE_GOLDEN,     ROLE_TARGET,         ROLE_NOISE,      ROLE_NAN,
                                 ROLE_OVERFLOW_C, ROLE_UNMATCHED_EDGE, ROLE_NODATA_EDGE};
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        Theme theme;
        CHECK(read_theme(themes[t], &theme));
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            check_contrast(&theme, marks[i], ROLE_PAPER, 3);
    }
}

// The levels of an overflow are steps of one hue; the highest is no status.
static void an_overflow_has_a_hue_of_its_own(void)
{
    static const Role levels[] = {ROLE_OVERFLOW_M, ROLE_OVERFLOW_H, ROLE_OVERFLOW_C};
    static const Role statuses[] = {ROLE_SAME_FILL, ROLE_PASS_FILL, ROLE_WARNING_FILL,
                                    ROLE_ERROR_FILL};  // none is on one side only in one dump
    for (size_t t = 0; t < sizeof themes / sizeof *themes; t++) {
        Theme theme;
        CHECK(read_theme(themes[t], &theme));
        for (int at = 0; at < 2 * VISIONS; at++) {
            Lab lab[3];
            for (size_t i = 0; i < 3; i++)
                lab[i] = lab_of(theme_rgb(&theme, levels[i], at % 2), visions[at / 2]);
            double low = ciede2000(lab[0], lab[1]), high = ciede2000(lab[1], lab[2]);
            if (low < 10 || high < 10)
                printf("%s: %s, %d: levels %.1f, %.1f\n", themes[t], vision_names[at / 2], at % 2,
                       low, high);
            CHECK(low >= 10 && high >= 10);
            for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
                Lab status = lab_of(theme_rgb(&theme, statuses[i], at % 2), visions[at / 2]);
                double distance = ciede2000(lab[2], status);
                if (distance < 20)
                    printf("%s: %s, %s, %d: %.1f\n", themes[t], role_name(statuses[i]),
                           vision_names[at / 2], at % 2, distance);
                CHECK(distance >= 20);
            }
        }
    }
}

int main(void)
{
    CHECK_RUN(the_distance_is_that_of_the_published_pairs);
    CHECK_RUN(statuses_are_told_apart_by_colour_in_every_vision);
    CHECK_RUN(the_palette_of_msprobe_has_its_colours);
    CHECK_RUN(every_status_has_a_glyph_a_border_and_a_word_of_its_own);
    CHECK_RUN(text_is_read_on_its_ground_in_both_themes);
    CHECK_RUN(marks_are_seen_on_the_paper);
    CHECK_RUN(an_overflow_has_a_hue_of_its_own);
    return CHECK_RESULT;
}
