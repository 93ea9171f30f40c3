// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_JSON_PARSE_H
#define VERNIER_READ_JSON_JSON_PARSE_H

#include <cjson/cJSON.h>

#include "base/str.h"

// cJSON's parser, which gives NULL for broken text and without memory in the same way. Here the
// latter ends the program as everywhere, so that no whole file is called broken.

// NULL for broken text. `*end`, if asked for, is where the value or the readable part ends. Freed
// with cJSON_Delete.
cJSON *json_parse(Str text, const char **end);

#endif
