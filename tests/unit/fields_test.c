// SPDX-License-Identifier: Apache-2.0
#include "export/facts/fields.h"

#include <string.h>

#include "check.h"
#include "compare/layer_facts.h"
#include "export/ci/junit.h"
#include "export/facts/compare_fields.h"
#include "read/settings/mapping_file.h"

// Every field of every listed struct comes back from a shard as it went in, and stands in
// summary.json unless the list says that it is of shards alone.

static Arena *arena;

enum { LIST_ITEMS = 2 };

static void fill(const Fields *fields, char *record, unsigned *next);

static void fill_items(const Field *field, char *record, unsigned *next)
{
    char *at = record + field->at;
    size_t count = field->count_size ? LIST_ITEMS : field->limit;
    uint32_t small = (uint32_t)count;
    if (field->count_size == sizeof count)
        memcpy(record + field->count_at, &count, sizeof count);
    else if (field->count_size)
        memcpy(record + field->count_at, &small, sizeof small);
    if (field->kind == FIELD_TEXTS) {
        Str *texts = ARENA_ARRAY(arena, Str, count);
        for (size_t i = 0; i < count; i++)
            texts[i] = str_printf(arena, "text %u", (*next)++);
        memcpy(at, &texts, sizeof texts);
        return;
    }
    if (field->kind == FIELD_LIST) {
        char *items = arena_alloc(arena, count * field->fields->size);
        memcpy(at, &items, sizeof items);
        at = items;
    }
    for (size_t i = 0; i < count; i++)
        fill(field->fields, at + i * field->fields->size, next);
}

// Values that occur nowhere else in the record; a choice can only be one of its values.
static void fill_field(const Field *field, char *record, unsigned *next)
{
    char *at = record + field->at;
    unsigned value = (*next)++;
    switch (field->kind) {
    case FIELD_STR:
        *(Str *)(void *)at = str_printf(arena, "text %u", value);
        break;
    case FIELD_TEXT:
        *(const char **)(void *)at = str_cstr(arena, str_printf(arena, "text %u", value));
        break;
    case FIELD_NUMBER:
        memcpy(at, &(double){value + 0.25}, sizeof(double));
        break;
    case FIELD_BOOL:
        memcpy(at, &(bool){true}, sizeof(bool));
        break;
    case FIELD_INT:
        memcpy(at, &(int64_t){value}, sizeof(int64_t));
        break;
    case FIELD_UINT:
        memcpy(at, &(uint64_t){value}, sizeof(uint64_t));
        break;
    case FIELD_UINT32:
        memcpy(at, &value, sizeof value);
        break;
    case FIELD_BYTE:
        *at = (char)(1 + value % (unsigned)(field->limit - 1));
        break;
    case FIELD_CHOICE:
        value = 1 + value % (unsigned)(field->limit - 1);
        memcpy(at, &value, sizeof value);
        break;
    case FIELD_RECORD:
        fill(field->fields, at, next);
        break;
    default:
        fill_items(field, record, next);
    }
}

static void fill(const Fields *fields, char *record, unsigned *next)
{
    for (size_t i = 0; i < fields->count; i++)
        fill_field(&fields->items[i], record, next);
}

static Str shard_text(const Fields *fields, void *record)
{
    Sink *sink = sink_memory(arena);
    JsonWriter json;
    json_writer_init(&json, sink);
    Wire wire = wire_writer(&json);
    json_object(&json);
    fields_walk(fields, record, &wire);
    json_object_end(&json);
    Str text = sink_bytes(sink);
    sink_discard(sink);
    return text;
}

static void read_back(const Fields *fields, Str text, void *record)
{
    JsonTree tree;
    CHECK(tree_parse(text, arena, &tree));
    Wire wire = wire_reader(&tree, arena);
    fields_walk(fields, record, &wire);
    CHECK(!wire.bad);
}

static Str summary_text(const Fields *fields, const void *record)
{
    Sink *sink = sink_memory(arena);
    JsonWriter json;
    json_writer_init(&json, sink);
    json_object(&json);
    fields_tell(fields, record, &json);
    json_object_end(&json);
    Str text = sink_bytes(sink);
    sink_discard(sink);
    return text;
}

static const struct {
    const char *name;
    const Fields *fields;
    size_t not_carried;  // bytes of members that no form needs: capacity, line
} lists[] = {
    {"WorstOp", &worst_fields, 0},
    {"FirstDivergence", &first_fields, 0},
    {"ReadFact", &read_fields, 0},
    {"PairFacts", &pair_whole_fields, 0},
    {"JunitCase", &junit_case_fields, 0},
    {"LayerFact", &layer_fields, 0},
    {"Notice", &notice_fields, 0},
    {"CriteriaRule", &rule_fields, 0},
    {"Criteria", &criteria_fields, sizeof(size_t)},
    {"NamePair", &name_pair_fields, sizeof(uint64_t)},
    {"LayerRule", &layer_rule_fields, sizeof(size_t) + sizeof(NameMapping)},
    {"PairFile", &pair_file_fields, 0},
};
enum { LISTS = sizeof lists / sizeof *lists };

// Whether two records hold the same in every field.
static bool same(const Fields *fields, const char *a, const char *b);

static size_t items_of(const Field *field)
{
    return field->count_size ? LIST_ITEMS : field->limit;
}

static bool same_items(const Field *field, const char *a, const char *b)
{
    const char *left = a + field->at, *right = b + field->at;
    if (field->count_size && memcmp(a + field->count_at, b + field->count_at, field->count_size))
        return false;
    if (field->kind != FIELD_ROW) {
        left = *(const char *const *)(const void *)left;
        right = *(const char *const *)(const void *)right;
    }
    for (size_t i = 0; i < items_of(field); i++)
        if (field->kind == FIELD_TEXTS ? !str_equal(((const Str *)(const void *)left)[i],
                                                    ((const Str *)(const void *)right)[i])
                                       : !same(field->fields, left + i * field->fields->size,
                                               right + i * field->fields->size))
            return false;
    return true;
}

static size_t size_of(const Field *field)
{
    static const size_t sizes[] = {
        [FIELD_STR] = sizeof(Str),         [FIELD_TEXT] = sizeof(char *),
        [FIELD_NUMBER] = sizeof(double),   [FIELD_FLOAT] = sizeof(float),
        [FIELD_BOOL] = sizeof(bool),       [FIELD_INT] = sizeof(int64_t),
        [FIELD_UINT] = sizeof(uint64_t),   [FIELD_UINT32] = sizeof(uint32_t),
        [FIELD_SMALL] = sizeof(int),       [FIELD_BYTE] = 1,
        [FIELD_CHOICE] = sizeof(unsigned), [FIELD_TEXTS] = sizeof(char *),
        [FIELD_LIST] = sizeof(char *)};
    return sizes[field->kind];
}

static bool same_field(const Field *field, const char *a, const char *b)
{
    const void *left = a + field->at, *right = b + field->at;
    switch (field->kind) {
    case FIELD_STR:
        return str_equal(*(const Str *)left, *(const Str *)right);
    case FIELD_TEXT:
        return str_equal(str_of(*(const char *const *)left), str_of(*(const char *const *)right));
    case FIELD_RECORD:
        return same(field->fields, left, right);
    case FIELD_TEXTS:
    case FIELD_LIST:
    case FIELD_ROW:
        return same_items(field, a, b);
    default:
        return memcmp(left, right, size_of(field)) == 0;
    }
}

static bool same(const Fields *fields, const char *a, const char *b)
{
    for (size_t i = 0; i < fields->count; i++)
        if (!same_field(&fields->items[i], a, b))
            return false;
    return true;
}

static void every_field_comes_back_from_a_shard(void)
{
    for (size_t i = 0; i < LISTS; i++) {
        unsigned next = 1000;
        char *in = arena_alloc(arena, lists[i].fields->size);
        char *out = arena_alloc(arena, lists[i].fields->size);
        fill(lists[i].fields, in, &next);
        read_back(lists[i].fields, shard_text(lists[i].fields, in), out);
        CHECK(same(lists[i].fields, in, out));
    }
}

static bool holds(Str text, Str part)
{
    return str_find(text, part, 0) != SIZE_MAX;
}

// How the value of a plain field stands in summary.json; empty where that is not plain.
static Str shown(const Field *field, const char *record)
{
    const void *at = record + field->at;
    const char *key = field->key;
    switch (field->kind) {
    case FIELD_STR:
        return str_printf(arena, "\"%s\": \"" STR_FMT "\"", key, STR_ARG(*(const Str *)at));
    case FIELD_NUMBER:
        return str_printf(arena, "\"%s\": %.2f", key, *(const double *)at);
    case FIELD_BOOL:
        return str_printf(arena, "\"%s\": true", key);
    case FIELD_INT:
    case FIELD_UINT:
        return str_printf(arena, "\"%s\": %lld", key, (long long)*(const int64_t *)at);
    case FIELD_UINT32:
        return str_printf(arena, "\"%s\": %u", key, *(const uint32_t *)at);
    case FIELD_CHOICE:
        return str_printf(arena, "\"%s\": \"%s\"", key, field->word(*(const unsigned *)at));
    default:
        return str_printf(arena, "\"%s\":", key);
    }
}

static void check_told(const Fields *fields, const char *record, Str text)
{
    for (size_t i = 0; i < fields->count; i++) {
        const Field *field = &fields->items[i];
        if (field->rules & SHARD_ONLY)
            continue;
        CHECK(holds(text, shown(field, record)));
        if (field->kind == FIELD_RECORD)
            check_told(field->fields, record + field->at, text);
        for (size_t k = 0; field->kind == FIELD_ROW && k < items_of(field); k++)
            check_told(field->fields, record + field->at + k * field->fields->size, text);
    }
}

static void every_field_stands_in_the_summary(void)
{
    for (size_t i = 0; i < LISTS; i++) {
        unsigned next = 1000;
        char *record = arena_alloc(arena, lists[i].fields->size);
        fill(lists[i].fields, record, &next);
        check_told(lists[i].fields, record, summary_text(lists[i].fields, record));
    }
}

static void mark(const Fields *fields, size_t at, bool *covered);

static void mark_field(const Field *field, size_t at, bool *covered)
{
    if (field->kind == FIELD_RECORD) {
        mark(field->fields, at + field->at, covered);
        return;
    }
    for (size_t i = 0; field->kind == FIELD_ROW && i < field->limit; i++)
        mark(field->fields, at + field->at + i * field->fields->size, covered);
    if (field->kind != FIELD_ROW)
        memset(covered + at + field->at, true, size_of(field));
    if (field->count_size)
        memset(covered + at + field->count_at, true, field->count_size);
}

static void mark(const Fields *fields, size_t at, bool *covered)
{
    for (size_t i = 0; i < fields->count; i++)
        mark_field(&fields->items[i], at, covered);
}

// A member that its list forgets leaves bytes behind that are no padding.
static void no_member_of_a_struct_is_left_out(void)
{
    for (size_t i = 0; i < LISTS; i++) {
        size_t size = lists[i].fields->size, left = 0;
        bool *covered = ARENA_ARRAY(arena, bool, size);
        mark(lists[i].fields, 0, covered);
        for (size_t at = 0; at < size;) {
            size_t end = at;
            while (end < size && !covered[end])
                end++;
            bool padding = end % 4 == 0 && end - at < (end % 8 == 0 ? 8 : 4) && at % 8 != 0;
            left += padding ? 0 : end - at;
            at = end + (end == at);
        }
        if (left != lists[i].not_carried)
            fprintf(stderr, "%s: %zu bytes are in no field\n", lists[i].name, left);
        CHECK(left == lists[i].not_carried);
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(every_field_comes_back_from_a_shard);
    CHECK_RUN(every_field_stands_in_the_summary);
    CHECK_RUN(no_member_of_a_struct_is_left_out);
    arena_release(arena);
    return check_failures != 0;
}
