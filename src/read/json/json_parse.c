// SPDX-License-Identifier: Apache-2.0
#include "read/json/json_parse.h"

#include <errno.h>

#include "base/arena.h"

cJSON *json_parse(Str text, const char **end)
{
    const char *stopped = NULL;
    errno = 0;
    cJSON *json = cJSON_ParseWithLengthOpts(text.data ? text.data : "", text.size, &stopped, 0);
    if (!json && errno == ENOMEM)
        out_of_memory();
    if (end)
        *end = stopped;
    return json;
}
