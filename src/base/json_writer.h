// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_JSON_WRITER_H
#define VERNIER_BASE_JSON_WRITER_H

#include <stdint.h>

#include "base/sink.h"

// Writes JSON as a stream: pure ASCII is not forced, invalid UTF-8 becomes U+FFFD, numbers read
// back exactly, NaN and infinities are strings. Indented by 1; small objects on one line if asked
// for.
typedef struct JsonWriter {
    Sink *out;
    int depth;
    bool first;  // nothing in the open object or array yet
    int flat;    // depth at which everything goes on one line, 0: none
    bool after_key;
} JsonWriter;

void json_writer_init(JsonWriter *json, Sink *out);
void json_object(JsonWriter *json);
void json_object_flat(JsonWriter *json);  // on one line up to its end
void json_object_end(JsonWriter *json);
void json_array(JsonWriter *json);
void json_array_flat(JsonWriter *json);
void json_array_end(JsonWriter *json);
// They give the writer, for the value that follows: json_int(json_key(json, "step"), 3).
JsonWriter *json_key(JsonWriter *json, const char *key);
JsonWriter *json_key_str(JsonWriter *json, Str key);
void json_str(JsonWriter *json, Str text);
void json_text(JsonWriter *json, const char *text);  // NULL writes null
void json_number(JsonWriter *json, double value);
void json_real(JsonWriter *json, double value);  // "2.0", never to be read as an integer
void json_int(JsonWriter *json, int64_t value);
void json_uint(JsonWriter *json, uint64_t value);
void json_bool(JsonWriter *json, bool value);
void json_null(JsonWriter *json);
void json_end(JsonWriter *json);  // final newline

#endif
