// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_THEME_H
#define VERNIER_SCENE_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "scene/role.h"

// Colours and fonts by role, read from a theme file (templates/vernier.theme). Lines:
//     role  #RRGGBB  #RRGGBB      a role, light and dark
//     font  sans|mono  FAMILIES   comma separated
// '#' after white space starts a comment only at the start of a line.
typedef struct Theme {
    uint32_t rgb[2][ROLE_COUNT];  // 0xRRGGBB; [0] light, [1] dark
    Str sans, mono;               // CSS font family lists
} Theme;

// The families stay borrowed from `text`. Fails on an unknown role, a bad colour or a missing role.
bool theme_read(Str text, const char *path, Theme *out, Error *err);

uint32_t theme_rgb(const Theme *theme, Role role, bool dark);

// "#1B1E22" in `out`.
const char *theme_hex(const Theme *theme, Role role, bool dark, char out[8]);

// The name of a role in the theme file, "same.fill".
const char *role_name(Role role);

#endif
