// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/monitor_side.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "read/json/json_parse.h"
#include "read/table/csv_file.h"

// That of the monitor itself (docs/monitor.md): a value above 1.5 times the running mean.
#define TURBULENCE_DEFAULT 0.5

MonitorRules monitor_rules_default(void)
{
    return (MonitorRules){
        .items = {{.turbulence = false},
                  {.turbulence = true, .has_threshold = true, .threshold = TURBULENCE_DEFAULT}},
        .count = 2,
        .decimals = -1,
    };
}

// A whole JSON file; NULL with *err set. To be freed with cJSON_Delete.
static cJSON *parse_json(const char *path, Error *err)
{
    File file;
    if (!file_open(path, &file, err))
        return NULL;
    const char *end = NULL;
    cJSON *json = json_parse(file.text, &end);
    if (!json) {
        size_t at = end && file.text.data ? (size_t)(end - file.text.data) : 0;
        error_set(err, ERR_INPUT, WHERE_BYTE(path, at), tr("the JSON text is broken here"));
    }
    file_close(&file);
    return json;
}

static void take_rule(const cJSON *entry, MonitorRules *rules)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(entry, "rule_name");
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(entry, "args");
    const cJSON *threshold = cJSON_GetObjectItemCaseSensitive(args, "threshold");
    if (!cJSON_IsString(name) || rules->count == MONITOR_RULES_MAX)
        return;
    MonitorRule rule = {.turbulence = strcmp(name->valuestring, "AnomalyTurbulence") == 0,
                        .has_threshold = cJSON_IsNumber(threshold)};
    if (!rule.turbulence && strcmp(name->valuestring, "AnomalyNan") != 0)
        return;
    rule.threshold = rule.has_threshold ? threshold->valuedouble : TURBULENCE_DEFAULT;
    rules->items[rules->count++] = rule;
}

bool monitor_rules_read(const char *path, MonitorRules *rules, Error *err)
{
    cJSON *json = parse_json(path, err);
    if (!json)
        return false;
    const cJSON *digits = cJSON_GetObjectItemCaseSensitive(json, "ndigits");
    if (cJSON_IsNumber(digits) && digits->valuedouble >= 0 && digits->valuedouble <= 20)
        rules->decimals = digits->valueint;
    const cJSON *alert = cJSON_GetObjectItemCaseSensitive(json, "alert");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(alert, "rules");
    if (cJSON_IsArray(list) && cJSON_GetArraySize(list) > 0) {
        rules->count = 0;
        const cJSON *entry;
        cJSON_ArrayForEach(entry, list)
            take_rule(entry, rules);
        rules->from_config = true;
    }
    cJSON_Delete(json);
    return true;
}

static int64_t whole_number(const cJSON *object, const char *key, int64_t otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || !number_can_count(item->valuedouble))
        return otherwise;
    return (int64_t)item->valuedouble;
}

static Str text_of(const cJSON *object, const char *key, Arena *arena)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? str_copy(arena, str_of(item->valuestring)) : STR("");
}

static void take_mates(const cJSON *list, Arena *arena, MonitorAnomaly *out)
{
    int count = cJSON_GetArraySize(list);
    if (count <= 0)
        return;
    int64_t *mates = ARENA_ARRAY(arena, int64_t, (size_t)count);
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (cJSON_IsNumber(item) && number_can_count(item->valuedouble))
            mates[out->mate_count++] = (int64_t)item->valuedouble;
    }
    out->mates = mates;
}

// "Rule AnomalyNan reports anomaly signal in ('tag', 'norm') at step 23, …"
static void take_message(MonitorAnomaly *out)
{
    Str text = out->message;
    size_t end = str_find(text, STR(" reports anomaly signal in "), 0);
    if (end == SIZE_MAX || !str_starts(text, STR("Rule ")))
        return;
    out->rule = str_slice(text, 5, end);
    size_t close = str_find(text, STR("') at step "), end);
    size_t open = close == SIZE_MAX ? SIZE_MAX : str_rfind_char(str_slice(text, 0, close), '\'');
    if (open != SIZE_MAX)
        out->op = str_slice(text, open + 1, close);
}

bool monitor_anomalies_read(const char *path, Arena *arena, MonitorAnomalies *out, Notices *notices,
                            Error *err)
{
    cJSON *json = parse_json(path, err);
    if (!json)
        return false;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, json) {
        MonitorAnomaly anomaly = {
            .key = str_copy(arena, str_of(entry->string)),
            .tag = text_of(entry, "tag_name", arena),
            .message = text_of(entry, "message", arena),
            .rank = whole_number(entry, "rank", -1),
            .step = whole_number(entry, "step", -1),
            .pp_stage = whole_number(entry, "pp_stage", -1),
            .vpp_stage = whole_number(entry, "vpp_stage", -1),
            .call = whole_number(entry, "call_id", -1),
        };
        if (anomaly.tag.size == 0 || anomaly.step < 0) {
            notices_partial(notices, WHERE_FILE(path),
                            tr("an entry without tag_name or step is left out"));
            continue;
        }
        take_message(&anomaly);
        take_mates(cJSON_GetObjectItemCaseSensitive(entry, "group_mates"), arena, &anomaly);
        *ARRAY_PUSH(arena, out) = anomaly;
    }
    cJSON_Delete(json);
    return true;
}

bool monitor_anomalies_are(const char *path)
{
    enum { START = 4096 };
    File file;
    Error ignored;
    if (!file_open(path, &file, &ignored))
        return false;
    Str start = str_trim(str_slice(file.text, 0, START));
    bool are = str_starts(start, STR("{")) && str_find(start, STR("\"tag_name\""), 0) != SIZE_MAX &&
               str_find(start, STR("\"group_mates\""), 0) != SIZE_MAX;
    file_close(&file);
    return are;
}

bool monitor_struct_read(const char *path, Arena *arena, MonitorStacks *out, Error *err)
{
    cJSON *json = parse_json(path, err);
    const cJSON *entry;
    if (!json)
        return false;
    cJSON_ArrayForEach(entry, json)
        if (entry->string && cJSON_IsObject(entry))
            *ARRAY_PUSH(arena, out) =
                (MonitorStack){.module = str_copy(arena, str_of(entry->string)), .text = STR("")};
    cJSON_Delete(json);
    return true;
}

bool monitor_stacks_read(const char *path, Arena *arena, MonitorStacks *out, Notices *notices,
                         Error *err)
{
    File file;
    if (!file_open(path, &file, err))
        return false;
    Csv csv;
    csv_open(&csv, path, file.text, ',', arena);
    if (csv_next(&csv))
        csv_take_header(&csv);
    int module = csv_column(&csv, "module_name"), stack = csv_column(&csv, "stack_info");
    bool good = module >= 0 && stack >= 0;
    while (good && csv_next(&csv))
        if (csv_row_is_whole(&csv))
            *ARRAY_PUSH(arena, out) = (MonitorStack){
                .module = str_copy(arena, csv_cell(&csv, module)),
                .text = str_copy(arena, csv_cell(&csv, stack)),
            };
    csv_report(&csv, notices);
    file_close(&file);
    if (!good)
        return error_set(err, ERR_INPUT, WHERE_LINE(path, 1),
                         tr("expected the columns module_name and stack_info"));
    return true;
}
