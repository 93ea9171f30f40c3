// SPDX-License-Identifier: Apache-2.0
#include "trend/history/history_store.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/shell_word.h"
#include "base/words.h"

// SQLite keeps these texts as they are written here: a file whose tables read otherwise is not
// ours.
static const char nights_sql[] =
    "CREATE TABLE nights (command TEXT NOT NULL, number INTEGER NOT NULL, label TEXT NOT NULL, "
    "verdict TEXT NOT NULL, state INTEGER NOT NULL, partial INTEGER NOT NULL, made INTEGER, "
    "PRIMARY KEY (command, number)) WITHOUT ROWID";
static const char facts_sql[] =
    "CREATE TABLE facts (command TEXT NOT NULL, night INTEGER NOT NULL, kind TEXT NOT NULL, place "
    "TEXT NOT NULL, name TEXT NOT NULL, metric TEXT NOT NULL, state INTEGER NOT NULL, value REAL, "
    "position INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (command, night, kind, place, "
    "name, metric)) WITHOUT ROWID";

enum { TEXT_BYTES_MAX = 1 << 20, NUMBER_MAX = 1000000000 };

typedef struct Store {
    const char *path;
    sqlite3 *handle;
    Error *err;
} Store;

static bool refuse(const Store *store, const char *text)
{
    error_set(store->err, ERR_OUTPUT, WHERE_FILE(store->path), "%s", text);
    return error_hint(store->err, "%s",
                      tr("the file was left as it is; move it away or name another one"));
}

static bool fail(const Store *store)
{
    int code = sqlite3_errcode(store->handle) & 0xff;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        error_set(store->err, ERR_OUTPUT, WHERE_FILE(store->path), "%s",
                  tr("the history is locked by another process"));
        return error_hint(store->err, "%s", tr("run again when the other process has ended"));
    }
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_TOOBIG)
        return refuse(store, tr("the history is damaged"));
    return error_set(store->err, ERR_OUTPUT, WHERE_FILE(store->path),
                     tr("the history cannot be used: %s"), sqlite3_errmsg(store->handle));
}

static bool execute(const Store *store, const char *sql)
{
    return sqlite3_exec(store->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store);
}

static bool prepare(const Store *store, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(store->handle, sql, -1, out, NULL) == SQLITE_OK || fail(store);
}

static bool number_of(const Store *store, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement;
    if (!prepare(store, sql, &statement))
        return false;
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *out = sqlite3_column_int64(statement, 0);
    else
        fail(store);
    sqlite3_finalize(statement);
    return good;
}

// What stands at the path, before SQLite touches it. A new file is one without bytes.
static bool check_file(const Store *store, bool *exists)
{
    struct stat status;
    *exists = lstat(store->path, &status) == 0;
    if (!*exists)
        return true;
    if (S_ISLNK(status.st_mode))
        return refuse(store, tr("the history is a symbolic link; name the file itself"));
    if (!S_ISREG(status.st_mode))
        return refuse(store, tr("the history is not a regular file"));
    if (status.st_size == 0)
        return true;
    char head[16] = {0};
    FILE *file = fopen(store->path, "rb");
    if (!file)
        return error_set(store->err, ERR_OUTPUT, WHERE_FILE(store->path),
                         tr("the history cannot be used: %s"), strerror(errno));
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    if (size < sizeof head || memcmp(head, "SQLite format 3", sizeof head) != 0)
        return refuse(store, tr("the file is not a history of vernier"));
    return true;
}

// SQLite gives some names a meaning of their own ("", ":memory:", "file:…"): a path with a slash in
// front has none.
static bool open_store(Store *store, bool create)
{
    char path[4096];
    bool plain = store->path[0] == '/';
    if (snprintf(path, sizeof path, "%s%s", plain ? "" : "./", store->path) >= (int)sizeof path)
        return refuse(store, tr("the path is too long"));
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &store->handle, flags, NULL) != SQLITE_OK)
        return fail(store);
    sqlite3_limit(store->handle, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
    sqlite3_db_config(store->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_busy_timeout(store->handle, HISTORY_WAIT_MS);
    return true;
}

static bool check_tables(const Store *store)
{
    sqlite3_stmt *statement;
    if (!prepare(store, "SELECT count(*), sum(sql IN (?1, ?2)) FROM sqlite_master", &statement))
        return false;
    sqlite3_bind_text(statement, 1, nights_sql, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, facts_sql, -1, SQLITE_STATIC);
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    bool ours =
        good && sqlite3_column_int64(statement, 0) == 2 && sqlite3_column_int64(statement, 1) == 2;
    if (!good)
        fail(store);
    sqlite3_finalize(statement);
    return good &&
           (ours || refuse(store, tr("the tables of the history are not as they should be")));
}

static bool check_pages(const Store *store)
{
    sqlite3_stmt *statement;
    if (!prepare(store, "PRAGMA quick_check(1)", &statement))
        return false;
    int code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool sound = text && strcmp(text, "ok") == 0;
    bool good = code == SQLITE_ROW || fail(store);
    sqlite3_finalize(statement);
    return good && (sound || refuse(store, tr("the history is damaged")));
}

// A file that lost its end, be it one byte of the last page, is not what the header tells.
static bool check_size(const Store *store)
{
    int64_t pages, page_bytes;
    struct stat status;
    if (!number_of(store, "PRAGMA page_count", &pages) ||
        !number_of(store, "PRAGMA page_size", &page_bytes))
        return false;
    bool whole = stat(store->path, &status) == 0 && (int64_t)status.st_size == pages * page_bytes;
    return whole || refuse(store, tr("the history is damaged"));
}

// Whether the file is a sound history of a version that is known; *fresh: nothing in it yet.
static bool check_store(const Store *store, bool *fresh)
{
    int64_t application, version, objects;
    if (!number_of(store, "PRAGMA application_id", &application) ||
        !number_of(store, "PRAGMA user_version", &version) ||
        !number_of(store, "SELECT count(*) FROM sqlite_master", &objects))
        return false;
    *fresh = application == 0 && version == 0 && objects == 0;
    if (*fresh)
        return true;
    int64_t nodes = 0;
    if (application != HISTORY_APPLICATION &&
        number_of(store, "SELECT count(*) FROM sqlite_master WHERE name = 'tb_nodes'", &nodes) &&
        nodes) {
        error_set(store->err, ERR_INPUT, WHERE_FILE(store->path), "%s",
                  tr("this is a graph of msProbe for TensorBoard, no history"));
        Arena *scratch = arena_new();
        error_hint(store->err, tr("it is shown by: %s"),
                   SHELL_LINE(scratch, "precheck", store->path));
        arena_release(scratch);
        return false;
    }
    if (application != HISTORY_APPLICATION)
        return refuse(store, tr("the file is not a history of vernier"));
    if (version > HISTORY_VERSION)
        return refuse(store, tr("the history was written by a newer version of vernier"));
    return check_size(store) && check_tables(store) && check_pages(store);
}

static bool make_tables(const Store *store)
{
    char head[96];
    snprintf(head, sizeof head, "PRAGMA application_id=%d; PRAGMA user_version=%d",
             HISTORY_APPLICATION, HISTORY_VERSION);
    return execute(store, nights_sql) && execute(store, facts_sql) && execute(store, head);
}

static Str column_text(sqlite3_stmt *statement, int column, Arena *arena)
{
    const void *data = sqlite3_column_text(statement, column);
    size_t size = (size_t)sqlite3_column_bytes(statement, column);
    return str_copy(arena, (Str){data, data ? size : 0});
}

static FactState column_state(sqlite3_stmt *statement, int column)
{
    int64_t state = sqlite3_column_int64(statement, column);
    return state >= 0 && state < FACT_STATES ? (FactState)state : FACT_NONE;
}

static History *history_of(Histories *out, Str command, Arena *arena)
{
    if (out->count && str_equal(out->items[out->count - 1].command, command))
        return &out->items[out->count - 1];
    History *history = ARRAY_PUSH(arena, out);
    history->command = command;
    return history;
}

static HistoryNight column_night(sqlite3_stmt *statement, Str command, Arena *arena)
{
    return (HistoryNight){.command = command,
                          .number = sqlite3_column_int64(statement, 1),
                          .label = column_text(statement, 2, arena),
                          .verdict = column_text(statement, 3, arena),
                          .state = column_state(statement, 4),
                          .partial = sqlite3_column_int(statement, 5) != 0,
                          .made = sqlite3_column_int64(statement, 6)};
}

static const char nights_select[] =
    "SELECT command, number, label, verdict, state, partial, made FROM nights AS n WHERE (?1 IS "
    "NULL OR command=?1) AND number > (SELECT max(number) FROM nights WHERE command=n.command) - "
    "?2 ORDER BY command, number";

static bool read_nights(const Store *store, const Str *command, Arena *arena, Histories *out)
{
    sqlite3_stmt *statement;
    if (!prepare(store, nights_select, &statement))
        return false;
    if (command)
        sqlite3_bind_text64(statement, 1, command->data, command->size, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_int(statement, 2, HISTORY_NIGHTS_MAX);
    int code = SQLITE_DONE;
    bool sound = true;
    while (sound && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        History *history = history_of(out, column_text(statement, 0, arena), arena);
        HistoryNight night = column_night(statement, history->command, arena);
        sound = night.number > 0 && night.number < NUMBER_MAX;
        *ARRAY_PUSH(arena, history) = night;
    }
    bool good =
        sound ? code == SQLITE_DONE || fail(store) : refuse(store, tr("the history is damaged"));
    sqlite3_finalize(statement);
    return good;
}

static HistoryFact column_fact(sqlite3_stmt *statement, Arena *arena)
{
    bool known = sqlite3_column_type(statement, 6) != SQLITE_NULL;
    return (HistoryFact){.kind = column_text(statement, 1, arena),
                         .place = column_text(statement, 2, arena),
                         .name = column_text(statement, 3, arena),
                         .metric = column_text(statement, 4, arena),
                         .state = column_state(statement, 5),
                         .value = known ? sqlite3_column_double(statement, 6) : (double)NAN,
                         .position = sqlite3_column_int64(statement, 7),
                         .note = column_text(statement, 8, arena)};
}

static void reverse(HistoryNight *night)
{
    for (size_t i = 0, k = night->count; i + 1 < k; i++) {
        HistoryFact fact = night->items[i];
        night->items[i] = night->items[--k];
        night->items[k] = fact;
    }
}

// Takes out the nights before `first`, whose facts were not read.
static void leave_out(History *history, size_t first)
{
    history->left_out = first;
    history->count -= first;
    history->items += first;
    history->capacity -= first;
}

// The facts of the nights that were read, the newest first: where there are too many, the oldest
// nights are left out. Falling in all columns, as the key is stored.
static bool read_facts(const Store *store, size_t facts_max, Arena *arena, History *out)
{
    sqlite3_stmt *statement;
    if (!prepare(store,
                 "SELECT night, kind, place, name, metric, state, value, position, note FROM facts "
                 "WHERE command=?1 AND night>=?2 ORDER BY night DESC, kind DESC, place DESC, "
                 "name DESC, metric DESC",
                 &statement))
        return false;
    sqlite3_bind_text64(statement, 1, out->command.data, out->command.size, SQLITE_STATIC,
                        SQLITE_UTF8);
    sqlite3_bind_int64(statement, 2, out->items[0].number);
    int code;
    size_t at = out->count - 1, facts = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t number = sqlite3_column_int64(statement, 0);
        while (at && out->items[at].number > number)
            at--;
        if (++facts > facts_max && at + 1 < out->count)
            break;
        if (out->items[at].number == number)
            history_add(&out->items[at], arena, column_fact(statement, arena));
    }
    bool good = code == SQLITE_DONE || code == SQLITE_ROW || fail(store);
    sqlite3_finalize(statement);
    for (size_t i = 0; i < out->count; i++)
        reverse(&out->items[i]);
    if (code == SQLITE_ROW)
        leave_out(out, at + 1);
    return good;
}

static bool read_all(const Store *store, const Str *command, size_t facts_max, Arena *arena,
                     Histories *out)
{
    if (!read_nights(store, command, arena, out))
        return false;
    for (size_t i = 0; i < out->count; i++)
        if (!read_facts(store, facts_max, arena, &out->items[i]))
            return false;
    return true;
}

static void bind_str(sqlite3_stmt *statement, int column, Str text)
{
    sqlite3_bind_text64(statement, column, text.data ? text.data : "", text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static bool step_done(const Store *store, sqlite3_stmt *statement)
{
    bool good = sqlite3_step(statement) == SQLITE_DONE || fail(store);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return good;
}

static bool write_night(const Store *store, const HistoryNight *night)
{
    sqlite3_stmt *statement;
    if (!prepare(store, "INSERT INTO nights VALUES (?1,?2,?3,?4,?5,?6,?7)", &statement))
        return false;
    bind_str(statement, 1, night->command);
    sqlite3_bind_int64(statement, 2, night->number);
    bind_str(statement, 3, night->label);
    bind_str(statement, 4, night->verdict);
    sqlite3_bind_int(statement, 5, (int)night->state);
    sqlite3_bind_int(statement, 6, night->partial);
    if (night->made)
        sqlite3_bind_int64(statement, 7, night->made);
    bool good = step_done(store, statement);
    sqlite3_finalize(statement);
    return good;
}

static bool write_facts(const Store *store, const HistoryNight *night)
{
    sqlite3_stmt *statement;
    if (!prepare(store, "INSERT INTO facts VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)", &statement))
        return false;
    bool good = true;
    for (size_t i = 0; i < night->count && good; i++) {
        const HistoryFact *fact = &night->items[i];
        bind_str(statement, 1, night->command);
        sqlite3_bind_int64(statement, 2, night->number);
        bind_str(statement, 3, fact->kind);
        bind_str(statement, 4, fact->place);
        bind_str(statement, 5, fact->name);
        bind_str(statement, 6, fact->metric);
        sqlite3_bind_int(statement, 7, (int)fact->state);
        if (!isnan(fact->value))
            sqlite3_bind_double(statement, 8, fact->value);
        sqlite3_bind_int64(statement, 9, fact->position);
        bind_str(statement, 10, fact->note);
        good = step_done(store, statement);
    }
    sqlite3_finalize(statement);
    return good;
}

// The night that is tonight's run already, or SIZE_MAX.
static size_t find_again(const History *history, const HistoryNight *tonight)
{
    for (size_t i = history->count; i-- > 0;) {
        if (!history_same_night(&history->items[i], tonight))
            continue;
        size_t labelled = 0;
        for (size_t k = 0; k < history->count; k++)
            labelled += str_equal(history->items[k].label, tonight->label);
        return i + 1 == history->count || labelled == 1 ? i : SIZE_MAX;
    }
    return SIZE_MAX;
}

static void place_tonight(History *history, HistoryNight *tonight, Arena *arena)
{
    size_t again = find_again(history, tonight);
    history->command = tonight->command;
    if (again != SIZE_MAX) {
        history->count = again + 1;
        tonight->number = history->items[again].number;
        history->items[again] = *tonight;
        return;
    }
    tonight->number = history->count ? history->items[history->count - 1].number + 1 : 1;
    *ARRAY_PUSH(arena, history) = *tonight;
}

static bool read_command(const Store *store, Str command, Arena *arena, History *out)
{
    Histories all = {0};
    if (!read_all(store, &command, HISTORY_FACTS_MAX, arena, &all))
        return false;
    if (all.count)
        *out = all.items[0];
    return true;
}

// Inside the transaction: what was read is what tonight is placed after.
static bool keep(const Store *store, HistoryNight *tonight, Arena *arena, History *out)
{
    bool fresh;
    if (!check_store(store, &fresh) || (fresh && !make_tables(store)) ||
        !read_command(store, tonight->command, arena, out))
        return false;
    size_t before = out->count;
    int64_t newest = before ? out->items[before - 1].number : 0;
    place_tonight(out, tonight, arena);
    if (tonight->number <= newest)
        return execute(store, "ROLLBACK");
    return write_night(store, tonight) && write_facts(store, tonight) && execute(store, "COMMIT");
}

// The nights of a file that cannot be written now may still be read.
static void read_only(const Store *store, Str command, Arena *arena, History *out)
{
    Error unused;
    Store quiet = *store;
    bool fresh;
    quiet.err = &unused;
    *out = (History){0};
    sqlite3_busy_timeout(store->handle, 0);  // it was waited for already
    if (!check_store(&quiet, &fresh) || fresh || !read_command(&quiet, command, arena, out))
        *out = (History){0};
}

// Gives up the transaction and leaves no empty file that was not there before.
static void give_up(const Store *store, bool existed, HistoryNight *tonight, Arena *arena,
                    History *out)
{
    struct stat status;
    *out = (History){0};
    if (store->handle) {
        sqlite3_exec(store->handle, "ROLLBACK", NULL, NULL, NULL);
        read_only(store, tonight->command, arena, out);
    }
    if (!existed && lstat(store->path, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == 0)
        unlink(store->path);
    place_tonight(out, tonight, arena);
}

bool history_keep(const char *path, HistoryNight *tonight, Arena *arena, History *out, Error *err)
{
    Store store = {.path = path, .err = err};
    bool existed = true;
    *out = (History){0};
    bool good = check_file(&store, &existed) && open_store(&store, true) &&
                execute(&store, "BEGIN IMMEDIATE") && keep(&store, tonight, arena, out);
    if (!good)
        give_up(&store, existed, tonight, arena, out);
    sqlite3_close(store.handle);
    return good;
}

bool history_read(const char *path, size_t facts_max, Arena *arena, Histories *out, Error *err)
{
    Store store = {.path = path, .err = err};
    bool exists, fresh = false;
    *out = (Histories){0};
    bool good = check_file(&store, &exists);
    if (good && !exists)
        good = error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("there is no such file"));
    good = good && open_store(&store, false) && execute(&store, "BEGIN") &&
           check_store(&store, &fresh) && (fresh || read_all(&store, NULL, facts_max, arena, out));
    sqlite3_close(store.handle);
    if (!good)
        err->kind = ERR_INPUT;
    return good;
}
