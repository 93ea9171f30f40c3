// SPDX-License-Identifier: Apache-2.0
// A run's findings as SARIF, for code scanning views.
#include "base/json_writer.h"
#include "export/ci/ci_report.h"

// What a URI may hold as it is (RFC 3986, unreserved and the slash).
static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~' || c == '/';
}

static Str uri_of(Str file, Arena *arena)
{
    StrBuf uri;
    uri = strbuf_new(arena);
    if (file.data[0] == '/')
        strbuf_add(&uri, STR("file://"));
    for (size_t i = 0; i < file.size; i++) {
        unsigned char c = (unsigned char)file.data[i];
        strbuf_printf(&uri, is_plain(c) ? "%c" : "%%%02X", c);
    }
    return strbuf_str(&uri);
}

static void write_place(JsonWriter *json, const CiFinding *finding, Arena *arena)
{
    json_array(json_key(json, "locations"));
    json_object(json);
    if (finding->file.size) {
        json_object(json_key(json, "physicalLocation"));
        json_object_flat(json_key(json, "artifactLocation"));
        json_str(json_key(json, "uri"), uri_of(finding->file, arena));
        json_object_end(json);
        json_object_flat(json_key(json, "region"));
        json_int(json_key(json, "startLine"), finding->line);
        json_object_end(json);
        json_object_end(json);
    }
    if (finding->place.size) {
        json_array(json_key(json, "logicalLocations"));
        json_object_flat(json);
        json_str(json_key(json, "fullyQualifiedName"), finding->place);
        json_object_end(json);
        json_array_end(json);
    }
    json_object_end(json);
    json_array_end(json);
}

static void write_result(JsonWriter *json, const CiFinding *finding, Arena *arena)
{
    json_object(json);
    json_text(json_key(json, "ruleId"), finding->rule);
    json_text(json_key(json, "level"), finding->error ? "error" : "warning");
    json_object(json_key(json, "message"));
    json_str(json_key(json, "text"), finding->message);
    json_object_end(json);
    if (finding->file.size || finding->place.size)
        write_place(json, finding, arena);
    json_object_flat(json_key(json, "partialFingerprints"));
    json_str(json_key(json, "vernier/1"), finding->key);
    json_object_end(json);
    json_object_end(json);
}

void sarif_write(const CiOutcome *report, Sink *out)
{
    JsonWriter json;
    Arena *scratch = arena_new();
    json_writer_init(&json, out);
    json_object(&json);
    json_text(json_key(&json, "$schema"), "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(json_key(&json, "version"), "2.1.0");
    json_array(json_key(&json, "runs"));
    json_object(&json);
    json_object(json_key(&json, "tool"));
    json_object_flat(json_key(&json, "driver"));
    json_text(json_key(&json, "name"), "vernier");
    json_text(json_key(&json, "version"), report->version);
    json_object_end(&json);
    json_object_end(&json);
    json_text(json_key(&json, "columnKind"), "unicodeCodePoints");
    json_array(json_key(&json, "results"));
    for (size_t i = 0; i < report->findings.count; i++)
        write_result(&json, &report->findings.items[i], scratch);
    json_array_end(&json);
    json_object_end(&json);
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
    arena_release(scratch);
}
