// SPDX-License-Identifier: Apache-2.0
// The database of msProbe's graph viewer, .vis.db: a row a node, with the differences of its
// inputs and outputs.
#include <math.h>
#include <sqlite3.h>

#include "base/number.h"
#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

enum { TEXT_BYTES_MAX = 1 << 24 };

// Leaves before the modules that hold them, in the order of execution.
static const char query[] =
    "SELECT node_name, precision_index, input_data, output_data, step, rank, (SELECT count(*) FROM "
    "(SELECT DISTINCT step, rank FROM tb_nodes)), length(coalesce(sub_nodes, '')) > 2 AS holds "
    "FROM "
    "tb_nodes WHERE data_source = 'NPU' AND EXISTS (SELECT 1 FROM tb_nodes WHERE data_source = "
    "'Bench') ORDER BY step, rank, holds, node_order";

bool comparison_database_is(Str bytes)
{
    enum { LOOK_BYTES = 1 << 16 };
    return str_starts(bytes, STR("SQLite format 3")) &&
           str_find(str_slice(bytes, 0, LOOK_BYTES), STR("tb_nodes"), 0) != SIZE_MAX;
}

static Str column(sqlite3_stmt *statement, int index)
{
    const void *data = sqlite3_column_text(statement, index);
    return (Str){data ? data : "", data ? (size_t)sqlite3_column_bytes(statement, index) : 0};
}

// The worst result among the inputs, or outputs, of a node.
static void take_slots(Str text, Arena *arena, PrecheckFinding *out)
{
    JsonTree tree;
    if (!tree_parse(text, arena, &tree))
        return;
    for (const JsonNode *slot = tree.root->child; slot; slot = slot->next) {
        PrecheckStatus status;
        Str message = tree_member_text(slot, "Err_message");
        if (!precheck_word(tree_member_text(slot, "Result"), &status) || status <= out->status)
            continue;
        out->status = status;
        out->output = slot->key;
        out->dtype = tree_member_text(slot, "dtype");
        out->shape = tree_member_text(slot, "shape");
        out->value = tree_member_text(slot, "NormRelativeErr");
        out->figure =
            out->value.size && status >= PRECHECK_WARNING ? TR("relative error of the norm") : NULL;
        out->message = str_equal(message, STR("[]")) ? STR("") : message;
    }
}

static void take_node(sqlite3_stmt *statement, Arena *arena, Precheck *out)
{
    PrecheckFinding row = {.plain = true,
                           .size = (double)NAN,
                           .standard = TR("msProbe's graph comparison"),
                           .api = column(statement, 0)};
    take_slots(column(statement, 2), arena, &row);
    take_slots(column(statement, 3), arena, &row);
    // A node without values: the colour of the viewer, whose shares are those of tb_config.
    if (row.status == PRECHECK_UNTOLD && sqlite3_column_type(statement, 1) != SQLITE_NULL) {
        double share = sqlite3_column_double(statement, 1);
        row.status = share < 0.3 ? PRECHECK_PASS : share < 0.6 ? PRECHECK_WARNING : PRECHECK_ERROR;
    }
    if (row.status == PRECHECK_UNTOLD && sqlite3_column_int64(statement, 7))
        return;  // a module that only holds others
    if (row.status == PRECHECK_UNTOLD) {
        row.status = PRECHECK_SKIPPED;
        row.message = str_of(tr("without a partner or values"));
    }
    if (sqlite3_column_int64(statement, 6) > 1)
        row.api = str_printf(arena, tr(STR_FMT ", step %lld, rank %lld"), STR_ARG(row.api),
                             (long long)sqlite3_column_int64(statement, 4),
                             (long long)sqlite3_column_int64(statement, 5));
    precheck_add(out, arena, &row, "");
    out->rows++;
}

static bool read_nodes(sqlite3 *handle, Arena *arena, Precheck *out)
{
    sqlite3_stmt *statement;
    int code = SQLITE_ERROR;
    if (sqlite3_prepare_v2(handle, query, -1, &statement, NULL) == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW)
            take_node(statement, arena, out);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool comparison_database_read(const char *path, Str bytes, Arena *arena, Precheck *out,
                              Notices *notices, Error *err)
{
    sqlite3 *handle = NULL;
    Str copy = str_copy(arena, bytes);  // SQLite takes no constant bytes
    size_t rows = out->rows;
    unsigned flags = SQLITE_DESERIALIZE_READONLY;
    int64_t size = (int64_t)copy.size;
    bool open = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
    if (open) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
        open = sqlite3_deserialize(handle, "main", (unsigned char *)(uintptr_t)copy.data, size,
                                   size, flags) == SQLITE_OK;
    }
    bool whole = open && read_nodes(handle, arena, out);
    if (!whole && out->rows > rows)
        notices_partial(notices, WHERE_FILE(path), tr("the database is damaged: %s"),
                        sqlite3_errmsg(handle));
    else if (!whole)
        error_set(err, ERR_INPUT, WHERE_FILE(path), tr("the database cannot be read: %s"),
                  sqlite3_errmsg(handle));
    else if (out->rows == rows)
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("this graph database of msProbe has nodes of one side only: it shows no "
                     "comparison"));
    sqlite3_close(handle);
    return out->rows > rows;
}
