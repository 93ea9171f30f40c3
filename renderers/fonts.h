// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_FONTS_H
#define VERNIER_RENDERERS_FONTS_H

#include <stdbool.h>

#include "scene/theme.h"

// Whether the installed fonts have every character of the sample: PNG and PDF are drawn with them.
bool fonts_have(const Theme *theme, const char *sample);

#endif
