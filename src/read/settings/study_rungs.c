// SPDX-License-Identifier: Apache-2.0
// The experiments of a ladder, as a list under `scenarios` or as a table.
//     - {name: tp2, cards: 8, tp: 2, golden: logs/tp2-gpu.log, target: logs/tp2-npu.log}
//     experiment,cards,tp,golden,target
#include "read/settings/study_rungs.h"
#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/log/series_name.h"
#include "read/table/row_table.h"

Str study_resolve(const StudyPlan *plan, Str path, Arena *arena)
{
    if (path.data[0] == '/' || str_equal(str_of(plan->folder), STR(".")))
        return path;
    return str_of(path_join(arena, plan->folder, path));
}

static bool names_rung(Str key)
{
    return STR_IN(key, "name", "experiment", "scenario", "setup", "configuration", "config",
                  "case");
}

// Whether a setting or column is the log of that side: by its word, or one that people call the
// side by ("gpu", "npu_log").
static bool names_side(Str key, int side)
{
    return str_equal(key, side ? STR("target") : STR("golden")) ||
           series_name_side(key) == (side ? NAME_TARGET : NAME_GOLDEN);
}

// One value of a rung: its name, the log of a side, or a setting.
static void take_value(StudyRung *rung, Str key, Str value, Arena *arena)
{
    if (names_rung(key) && !rung->name.size)
        rung->name = value;
    else if (names_side(key, 0) && !rung->sides[0].size)
        rung->sides[0] = value;
    else if (names_side(key, 1) && !rung->sides[1].size)
        rung->sides[1] = value;
    else if (str_equal(key, STR("note")))
        return;
    else
        *ARRAY_PUSH(arena, &rung->settings) = (StudySetting){key, value};
}

static bool add_rung(StudyPlan *plan, StudyRung rung, const char *path, uint64_t line, Arena *arena,
                     Error *err)
{
    for (int side = 0; side < 2; side++)
        if (rung.sides[side].size)
            rung.sides[side] = study_resolve(plan, rung.sides[side], arena);
    if (!rung.name.size)
        return error_set(err, ERR_INPUT, WHERE_LINE(path, line), "%s",
                         tr("an experiment of a ladder needs a name"));
    *ARRAY_PUSH(arena, &plan->rungs) = rung;
    return true;
}

bool study_rungs_of_list(const char *path, const YamlNode *list, Arena *arena, StudyPlan *plan,
                         Error *err)
{
    plan->sections[STAGE_SCENARIOS].line = list->line;
    plan->sections[STAGE_SCENARIOS].given = plan->sections[STAGE_SCENARIOS].complete =
        list->count > 0;
    if (list->kind != YAML_IS_LIST)
        return error_set(err, ERR_INPUT, WHERE_LINE(path, list->line), "%s",
                         tr("expected a list of experiments, each with name, golden and target"));
    for (const YamlNode *at = list->first; at; at = at->next) {
        StudyRung rung = {.name = {"", 0}};
        for (const YamlNode *value = at->first; value; value = value->next)
            if (value->kind == YAML_IS_TEXT)
                take_value(&rung, value->key, yaml_is_null(value) ? STR("") : value->text, arena);
        if (!add_rung(plan, rung, path, at->line, arena, err))
            return false;
    }
    return true;
}

// The columns that a table of experiments has to have; the first column names them where none is
// called so.
static bool check_columns(const char *path, const RowTable *table, Error *err)
{
    bool sides[2] = {false, false}, named = false;
    for (size_t i = 0; i < table->name_count; i++)
        named = named || names_rung(table->names[i]);
    for (size_t i = named ? 0 : 1; i < table->name_count; i++)
        for (int side = 0; side < 2; side++)
            sides[side] = sides[side] || names_side(table->names[i], side);
    return (sides[0] && sides[1]) ||
           error_set(err, ERR_INPUT, WHERE_LINE(path, 1), "%s",
                     tr("expected a table of experiments with the columns experiment, "
                        "golden and target"));
}

static bool read_rows(const char *path, RowTable *table, Arena *arena, StudyPlan *plan, Error *err)
{
    bool named = false;
    if (!row_table_start(table, 0) || !check_columns(path, table, err))
        return false;
    Str *keys = ARENA_ARRAY(arena, Str, table->name_count + 1);
    for (size_t i = 0; i < table->name_count; i++) {
        keys[i] = str_copy(arena, table->names[i]);
        named = named || names_rung(keys[i]);
    }
    if (!named)
        keys[0] = STR("name");
    while (row_table_next(table)) {
        StudyRung rung = {.name = {"", 0}};
        for (size_t i = 0; i < table->name_count; i++)
            take_value(&rung, keys[i], str_copy(arena, row_table_cell(table, (int)i)), arena);
        if (!add_rung(plan, rung, path, table->csv.line, arena, err))
            return false;
    }
    plan->sections[STAGE_SCENARIOS].given = plan->sections[STAGE_SCENARIOS].complete =
        plan->rungs.count > 0;
    return !row_table_failed(table);
}

bool study_rungs_of_table(const char *path, Arena *arena, StudyPlan *plan, Notices *notices,
                          Error *err)
{
    File file;
    RowTable table;
    if (!file_open(path, &file, err))
        return false;
    bool good = row_table_open(path, file.text, arena, &table, err);
    if (good) {
        good = read_rows(path, &table, arena, plan, err);
        row_table_close(&table, notices);
    }
    file_close(&file);
    return good;
}
