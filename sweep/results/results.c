/* The SQL statements behind the functions of the header. Every code that SQLite returns becomes a fault with a text
 * for its user; only SQLITE_DONE, ROW and OK are success. */
#include "sweep/results/results.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/host_facts.h"
#include "sweep/results/schema.h"

#define COMMIT_S 0.05                    /* points of that time share a transaction */

enum { BUSY_MS = 10000, STATEMENT_TEXT = 4096, CLOSE_TRIES = 100, CLOSE_WAIT_NS = 20000000 };
enum { PAGE_BYTES = 8192, LOG_PAGES = 8192 };

struct results {
    char *path;
    sqlite3 *database;
    enum results_access access;
    int lock;                            /* -1: none */
    sqlite3_stmt *add;
    size_t uncommitted_bytes;            /* of points in the transaction that is open; 0: none is */
    double committed_s;                  /* when the last one ended */
    struct copier *copier;               /* NULL: none */
    const char *merged;                  /* file that is looked at, so that faults are its; NULL: none */
    char **axes;
    size_t axis_count;
};

/* ---- faults */
static struct fault damaged(const char *path, const char *what)
{
    return fault_make(FAULT_INPUT, "%.300s: is damaged (%.80s); `rubato results FILE --check` says where, `rubato sweep"
                      " SPEC --retry` runs lost points again, `sqlite3 FILE .recover` saves the rest", path, what);
}

static struct fault results_failed(const struct results *results, int code)
{
    char const *const path = results->merged ? results->merged : results->path;
    int const system = sqlite3_system_errno(results->database);

    switch (code & 0xff) {
    case SQLITE_FULL:
        return fault_make(FAULT_INPUT, "%.300s: the disk is full, or the file may not grow; its content is kept: make "
                          "room and run the same command again", path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        if (results->access == RESULTS_READ)
            return fault_make(FAULT_INPUT, "%.300s: its writer was killed, and only who may write to it and its folder "
                              "can read what that left; copy it, or run its sweep again", path);
        return fault_make(FAULT_INPUT, "%.300s: cannot be written: it, or its folder, is read-only; give another file "
                          "with -o", path);
    case SQLITE_CANTOPEN:
        return fault_make(FAULT_INPUT, "%.300s: cannot be opened: %s", path,
                          system ? strerror(system) : "is its folder there, and may it be written?");
    case SQLITE_NOTADB:
        return fault_make(FAULT_INPUT, "%.300s: is no result file of rubato; give another one", path);
    case SQLITE_CORRUPT:
        /* Found by us, not by the library, whose last message would be of something else. */
        return damaged(path, sqlite3_errcode(results->database) == SQLITE_CORRUPT
                       ? sqlite3_errmsg(results->database) : "its content is damaged");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fault_make(FAULT_INPUT, "%.300s: is in use by another program; wait for it, or end it", path);
    case SQLITE_NOMEM:
        return fault_make(FAULT_MEMORY, "%.300s: out of memory", path);
    case SQLITE_IOERR:
        return fault_make(FAULT_INPUT, "%.300s: cannot be read or written (%.80s%s%s): its disk is full or broken, or "
                          "the file may not grow; its content is kept: make room and run the same command again", path,
                          sqlite3_errmsg(results->database), system ? ", " : "", system ? strerror(system) : "");
    default:
        return fault_make(FAULT_INPUT, "%.300s: %.100s%s%s", path, sqlite3_errmsg(results->database),
                          system ? ": " : "", system ? strerror(system) : "");
    }
}

static struct fault results_execute(struct results *results, const char *statement)
{
    int const code = sqlite3_exec(results->database, statement, NULL, NULL, NULL);

    return code == SQLITE_OK ? fault_none() : results_failed(results, code);
}

static struct fault results_prepare(struct results *results, const char *text, sqlite3_stmt **statement)
{
    int const code = sqlite3_prepare_v2(results->database, text, -1, statement, NULL);

    return code == SQLITE_OK ? fault_none() : results_failed(results, code);
}

/* Executes a statement that gives no rows, for the next values. */
static struct fault results_step(struct results *results, sqlite3_stmt *statement)
{
    int const code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? fault_none() : results_failed(results, code);
}

/* Ends a loop over rows. */
static struct fault end_rows(struct results *results, sqlite3_stmt *statement, int code)
{
    struct fault const fault = code == SQLITE_DONE || code == SQLITE_ROW ? fault_none() : results_failed(results, code);

    sqlite3_finalize(statement);
    return fault;
}

/* The first column of the first row, as a number; 0 without a row. */
static struct fault ask_number(struct results *results, const char *text, int64_t *number)
{
    sqlite3_stmt *statement;
    int code;

    FORWARD(results_prepare(results, text, &statement));
    code = sqlite3_step(statement);
    *number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return end_rows(results, statement, code);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, place);
}

/* All or nothing. */
static struct fault end_transaction(struct results *results, struct fault fault)
{
    if (fault.kind == FAULT_NONE)
        fault = results_execute(results, "COMMIT");
    if (fault.kind != FAULT_NONE)
        sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    return fault;
}

/* ---- the file */
static struct fault make_tables(struct results *results)
{
    char text[STATEMENT_TEXT];

#define ADD_COLUMN(column, type, help) used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s",           \
                                                                used == begin ? "" : ", ", #column, type);
#define MAKE_TABLE(table, columns, ending, help)                                                                      \
    {                                                                                                                 \
        size_t used = (size_t)snprintf(text, sizeof text, "CREATE TABLE %s (", #table);                               \
        size_t const begin = used;                                                                                    \
        columns(ADD_COLUMN)                                                                                           \
        snprintf(text + used, sizeof text - used, "%s%s", ending[0] == ',' ? "" : ")", ending);                       \
        FORWARD(results_execute(results, text));                                                                     \
    }
    RESULTS_TABLES(MAKE_TABLE)
#undef MAKE_TABLE
#undef ADD_COLUMN
    FORWARD(results_execute(results, RESULTS_VIEW));
    snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", RESULTS_APPLICATION_ID,
             RESULTS_SCHEMA_VERSION);
    return results_execute(results, text);
}

static struct fault nothing_yet(const struct results *results)
{
    return fault_make(FAULT_INPUT, "%.300s: holds no results yet; run its sweep first", results->path);
}

/* Large pages, as a point's figures fill several: fewer calls, and a smaller log. */
static struct fault keep_log(struct results *results)
{
    char text[120];

    snprintf(text, sizeof text, "PRAGMA page_size = %d; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
             "PRAGMA wal_autocheckpoint = %d", PAGE_BYTES, LOG_PAGES);
    return results_execute(results, text);
}

/* A file without tables is taken as new: it may be empty, or its maker was killed at once. */
static struct fault check_kind(struct results *results)
{
    int64_t application, version, tables;

    FORWARD(ask_number(results, "PRAGMA application_id", &application));
    FORWARD(ask_number(results, "PRAGMA user_version", &version));
    FORWARD(ask_number(results, "SELECT count(*) FROM sqlite_schema", &tables));
    if (application == 0 && tables == 0) {
        if (results->access == RESULTS_READ)
            return nothing_yet(results);
        FORWARD(keep_log(results));
        FORWARD(results_execute(results, "BEGIN IMMEDIATE"));
        return end_transaction(results, make_tables(results));
    }
    if (application != RESULTS_APPLICATION_ID)
        return results_failed(results, SQLITE_NOTADB);
    if (version != RESULTS_SCHEMA_VERSION)
        return fault_make(FAULT_INPUT, "%.300s: was written by another version of rubato (tables %lld, this one has "
                          "%d); give another file", results->path, (long long)version, RESULTS_SCHEMA_VERSION);
    return fault_none();
}

/* A damaged file may hold NULL where the schema has none. */
static const char *results_text_of(sqlite3_stmt *statement, int column)
{
    const char *const text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

static struct fault check_whole(struct results *results)
{
    sqlite3_stmt *statement;
    int code;
    bool is_whole;

    FORWARD(results_prepare(results, "PRAGMA integrity_check(1)", &statement));
    code = sqlite3_step(statement);
    is_whole = code == SQLITE_ROW && strcmp(results_text_of(statement, 0), "ok") == 0;
    FORWARD(end_rows(results, statement, code));
    return is_whole ? fault_none() : damaged(results->path, "its pages do not fit together");
}

static struct fault read_axes(struct results *results)
{
    sqlite3_stmt *statement;
    int64_t count;
    int code;

    for (size_t i = 0; i < results->axis_count; i++)
        free(results->axes[i]);
    free(results->axes);
    results->axis_count = 0;
    FORWARD(ask_number(results, "SELECT count(*) FROM axes", &count));
    results->axes = calloc((size_t)count + 1, sizeof *results->axes);
    if (!results->axes)
        return results_failed(results, SQLITE_NOMEM);
    FORWARD(results_prepare(results, "SELECT key FROM axes ORDER BY axis", &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && results->axis_count < (size_t)count) {
        char *const key = strdup(results_text_of(statement, 0));

        if (!key)
            code = SQLITE_NOMEM;
        else
            results->axes[results->axis_count++] = key;
        if (!key)
            break;
    }
    return end_rows(results, statement, code);
}

static int open_database(struct results *results, int flags)
{
    int code = sqlite3_open_v2(results->path, &results->database, flags, NULL);

    if (code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(results->database, BUSY_MS);
    return whole_add_function(results->database);
}

/* A writer that was killed while it closed the file leaves a journal, which restores the file: the library
 * asks for a connection that may write to do that. */
static int open_reader(struct results *results)
{
    int code = SQLITE_READONLY;

    for (int i = 0; i < 2 && ((code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN); i++) {
        sqlite3_close(results->database);
        code = open_database(results, i == 0 ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
        if (code == SQLITE_OK)
            code = sqlite3_exec(results->database, "PRAGMA query_only = ON; BEGIN; SELECT count(*) FROM sqlite_schema",
                                NULL, NULL, NULL);
    }
    return code;
}

static struct fault results_open_file(struct results *results)
{
    struct stat about;
    int code;

    if (results->access == RESULTS_READ && stat(results->path, &about) != 0)
        return fault_make(FAULT_INPUT, "%.300s: there is no such file; `rubato sweep` makes one", results->path);
    code = results->access == RESULTS_READ ? open_reader(results)
                                           : open_database(results, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (code != SQLITE_OK || results->access == RESULTS_READ)
        return code == SQLITE_OK ? fault_none() : results_failed(results, code);
    if (sqlite3_db_readonly(results->database, "main"))
        return results_failed(results, SQLITE_READONLY);
    if (results->access == RESULTS_WRITE_ALONE)
        FORWARD(results_execute(results, "PRAGMA locking_mode = EXCLUSIVE"));
    return fault_none();
}

static struct fault results_open_all(struct results *results)
{
    struct fault fault = fault_none();

    if (results->access == RESULTS_WRITE)
        results->copier = copier_start(results->path);
    if (results->access != RESULTS_READ) {
        results->lock = results_lock(results->path, false, &fault);
        if (results->lock < 0)
            return fault;
    }
    FORWARD(results_open_file(results));
    FORWARD(check_kind(results));
    if (results->access != RESULTS_READ)
        FORWARD(keep_log(results));
    return read_axes(results);
}

struct fault results_open(struct results **made, const char *path, enum results_access access)
{
    struct results *const results = calloc(1, sizeof *results);
    struct fault fault = fault_make(FAULT_MEMORY, "out of memory");

    if (!results)
        return fault;
    *results = (struct results){.path = strdup(path), .access = access, .lock = -1};
    if (results->path)
        fault = results_open_all(results);
    if (fault.kind == FAULT_NONE)
        *made = results;
    else
        results_close(results);
    return fault;
}

/* Back to a single file. False: another process reads, so it must wait. */
static bool leave_log(struct results *results)
{
    sqlite3_stmt *statement;
    bool is_left = false;

    if (sqlite3_prepare_v2(results->database, "PRAGMA journal_mode = DELETE", -1, &statement, NULL) != SQLITE_OK)
        return false;
    if (sqlite3_step(statement) == SQLITE_ROW)
        is_left = strcmp(results_text_of(statement, 0), "delete") == 0;
    sqlite3_finalize(statement);
    return is_left;
}

struct fault results_close(struct results *results)
{
    struct fault fault = fault_none();
    bool const is_writer = results && results->access != RESULTS_READ && results->database;
    int code;

    if (!results)
        return fault;
    sqlite3_finalize(results->add);
    if (is_writer)
        fault = results_keep(results, true);
    copier_end(results->copier);
    if (is_writer && (code = sqlite3_wal_checkpoint_v2(results->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                                       NULL)) != SQLITE_OK && (code & 0xff) != SQLITE_BUSY
        && fault.kind == FAULT_NONE)
        fault = results_failed(results, code);
    for (int i = 0; is_writer && fault.kind == FAULT_NONE && i < CLOSE_TRIES && !leave_log(results); i++)
        nanosleep(&(struct timespec){.tv_nsec = CLOSE_WAIT_NS}, NULL);
    sqlite3_close(results->database);
    if (results->lock >= 0)
        results_unlock(results->path, results->lock);
    for (size_t i = 0; i < results->axis_count; i++)
        free(results->axes[i]);
    free(results->axes);
    free(results->path);
    free(results);
    return fault;
}

void results_forget(struct results *results)
{
    if (results->lock >= 0)
        close(results->lock);
    copier_forget(results->copier);
}

/* ---- the sweep */
static void hash_text(struct hash64_pieces *pieces, const char *text)
{
    hash64_add(pieces, text, strlen(text) + 1);
}

/* Hash of axes, sweep and sweep_values, in this order: about's plan. */
static void plan_text(const struct plan *plan, char text[RESULTS_HASH_TEXT])
{
    struct spec const *const spec = plan->spec;
    struct hash64_pieces pieces;
    char hash[RESULTS_HASH_TEXT];

    hash64_begin(&pieces);
    for (size_t a = 0; a < spec->axis_count; a++)
        hash_text(&pieces, spec->axes[a].key);
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_point const *const point = &plan->points[i];

        results_hash_text(point->hash, hash);
        hash_text(&pieces, hash);
        hash_text(&pieces, spec->system_names[point->system]);
        hash_text(&pieces, spec->workloads[point->workload].name);
        for (size_t a = 0; a < spec->axis_count; a++)
            hash_text(&pieces, plan_value(plan, point, a));
    }
    results_hash_text(hash64_end(&pieces), text);
}

static struct fault results_note(struct results *results, const char *key, const char *value)
{
    sqlite3_stmt *statement;
    struct fault fault;

    FORWARD(results_prepare(results, "INSERT OR REPLACE INTO about VALUES (?1, ?2)", &statement));
    bind_text(statement, 1, key);
    bind_text(statement, 2, value);
    fault = results_step(results, statement);
    sqlite3_finalize(statement);
    return fault;
}

static struct fault has_plan(struct results *results, const char *identity, bool *is_there)
{
    char text[120];
    int64_t count = 0;
    struct fault fault;

    snprintf(text, sizeof text, "SELECT count(*) FROM about WHERE key = 'plan' AND value = '%s'", identity);
    fault = ask_number(results, text, &count);
    *is_there = count > 0;
    return fault;
}

static struct fault list_axes(struct results *results, const struct spec *spec)
{
    sqlite3_stmt *statement;
    struct fault fault = fault_none();

    FORWARD(results_prepare(results, "INSERT INTO axes VALUES (?1, ?2)", &statement));
    for (size_t a = 0; fault.kind == FAULT_NONE && a < spec->axis_count; a++) {
        sqlite3_bind_int64(statement, 1, (int64_t)a);
        bind_text(statement, 2, spec->axes[a].key);
        fault = results_step(results, statement);
    }
    sqlite3_finalize(statement);
    return fault;
}

static struct fault list_point(struct results *results, const struct plan *plan, size_t number,
                               sqlite3_stmt *insert_point, sqlite3_stmt *insert_value)
{
    struct plan_point const *const point = &plan->points[number];
    char hash[RESULTS_HASH_TEXT];

    results_hash_text(point->hash, hash);
    sqlite3_bind_int64(insert_point, 1, (int64_t)number + 1);
    bind_text(insert_point, 2, hash);
    bind_text(insert_point, 3, plan->spec->system_names[point->system]);
    bind_text(insert_point, 4, plan->spec->workloads[point->workload].name);
    FORWARD(results_step(results, insert_point));
    for (size_t a = 0; a < plan->spec->axis_count; a++) {
        sqlite3_bind_int64(insert_value, 1, (int64_t)number + 1);
        sqlite3_bind_int64(insert_value, 2, (int64_t)a);
        bind_text(insert_value, 3, plan_value(plan, point, a));
        FORWARD(results_step(results, insert_value));
    }
    return fault_none();
}

static struct fault list_points(struct results *results, const struct plan *plan)
{
    sqlite3_stmt *insert_point = NULL, *insert_value = NULL;
    struct fault fault = results_prepare(results, "INSERT INTO sweep VALUES (?1, ?2, ?3, ?4)", &insert_point);

    if (fault.kind == FAULT_NONE)
        fault = results_prepare(results, "INSERT INTO sweep_values VALUES (?1, ?2, ?3)", &insert_value);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < plan->count; i++)
        fault = list_point(results, plan, i, insert_point, insert_value);
    sqlite3_finalize(insert_point);
    sqlite3_finalize(insert_value);
    return fault;
}

static struct fault write_plan(struct results *results, const struct plan *plan, const char *identity)
{
    FORWARD(results_execute(results, "DELETE FROM axes; DELETE FROM sweep; DELETE FROM sweep_values"));
    FORWARD(results_note(results, "spec_path", plan->spec->path));
    FORWARD(results_note(results, "spec_text", plan->spec->text));
    FORWARD(results_note(results, "version", plan->version));
    FORWARD(results_note(results, "plan", identity));
    FORWARD(results_note(results, "cost", plan->spec->cost ? plan->spec->cost : ""));
    FORWARD(list_axes(results, plan->spec));
    return list_points(results, plan);
}

/* Removes rows that differ from their checksums; the list of points is always written anew. */
static struct fault mend(struct results *results)
{
    return results_execute(results, "REINDEX; DELETE FROM points WHERE NOT " WHOLE("") "; DELETE FROM about; "
                           "DELETE FROM axes; DELETE FROM sweep; DELETE FROM sweep_values");
}

static struct fault results_begin_part(struct results *results, const struct plan *plan, bool mends)
{
    char identity[RESULTS_HASH_TEXT];

    if (mends)
        FORWARD(mend(results));
    FORWARD(check_whole(results));
    plan_text(plan, identity);
    return write_plan(results, plan, identity);      /* also for the same plan: a part of it may have been changed */
}

struct fault results_begin(struct results *results, const struct plan *plan, bool mends)
{
    FORWARD(results_execute(results, "BEGIN IMMEDIATE"));
    FORWARD(end_transaction(results, results_begin_part(results, plan, mends)));
    return read_axes(results);
}

const char *const *results_axes(const struct results *results, size_t *count)
{
    *count = results->axis_count;
    return (const char *const *)results->axes;
}

struct sqlite3 *results_database(const struct results *results)
{
    return results->database;
}

/* ---- points */
enum { ROW_BYTES = 4096 };               /* of a row beside its figures, about */

struct fault results_known(struct results *results,
                           void (*visit)(void *self, uint64_t hash, bool is_failed, double cpu_s), void *self)
{
    sqlite3_stmt *statement;
    int code;

    FORWARD(results_prepare(results, "SELECT coalesce(hash, ''), state = 'failed' OR NOT " WHOLE("") ", cpu_s FROM "
                              "points",
                              &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        visit(self, strtoull(results_text_of(statement, 0), NULL, 16),
              sqlite3_column_int(statement, 1) != 0, sqlite3_column_double(statement, 2));
    return end_rows(results, statement, code);
}

struct fault results_keep(struct results *results, bool is_at_once)
{
    size_t const bytes = results->uncommitted_bytes;
    double const s = bytes ? host_clock_s() : 0;

    if (!bytes || (!is_at_once && s - results->committed_s < COMMIT_S))
        return fault_none();
    results->uncommitted_bytes = 0;
    results->committed_s = s;
    FORWARD(end_transaction(results, fault_none()));
    copier_tell(results->copier, bytes);
    return fault_none();
}

struct fault results_add(struct results *results, const struct results_point *point)
{
    char hash[RESULTS_HASH_TEXT], traces_hash[RESULTS_HASH_TEXT], checksum[RESULTS_HASH_TEXT];

    if (!results->add)
        FORWARD(results_prepare(results, "INSERT OR REPLACE INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                                  "?10, ?11, ?12)", &results->add));
    results_hash_text(point->hash, hash);
    results_hash_text(point->traces_hash, traces_hash);

    const char *const texts[WHOLE_TEXTS] = {hash, point->system, point->traces, traces_hash, point->version,
                                            point->config, point->error ? "failed" : "done", point->error,
                                            point->statistics};

    whole_checksum(texts, checksum);
    for (int i = 0; i < WHOLE_TEXTS; i++)
        bind_text(results->add, i + 1, texts[i]);
    bind_text(results->add, WHOLE_TEXTS + 1, checksum);
    sqlite3_bind_double(results->add, WHOLE_TEXTS + 2, point->wall_s);
    sqlite3_bind_double(results->add, WHOLE_TEXTS + 3, point->cpu_s);
    if (!results->uncommitted_bytes)
        FORWARD(results_execute(results, "BEGIN IMMEDIATE"));
    results->uncommitted_bytes += (point->statistics ? strlen(point->statistics) : 0) + ROW_BYTES;
    FORWARD(results_step(results, results->add));
    return results_keep(results, false);
}

/* ---- merging */
static struct fault check_other(struct results *results, const char *path)
{
    int64_t application, version;

    FORWARD(ask_number(results, "PRAGMA other.application_id", &application));
    FORWARD(ask_number(results, "PRAGMA other.user_version", &version));
    if (application != RESULTS_APPLICATION_ID || version != RESULTS_SCHEMA_VERSION)
        return fault_make(FAULT_INPUT, "%.300s: holds no results of this version of rubato", path);
    return fault_none();
}

/* A damaged point does not get into a file that is sound. */
static struct fault copy_points(struct results *results, const char *path, size_t *added)
{
    int64_t damaged_points;

    FORWARD(check_other(results, path));
    FORWARD(ask_number(results, "SELECT count(*) FROM other.points WHERE NOT " WHOLE(""), &damaged_points));
    results->merged = NULL;
    FORWARD(results_execute(results, "INSERT OR REPLACE INTO points SELECT * FROM other.points AS theirs WHERE "
                              WHOLE("theirs.") " AND NOT EXISTS (SELECT 1 FROM main.points AS ours WHERE "
                              "ours.hash = theirs.hash AND (ours.state = 'done' OR theirs.state = 'failed') AND "
                              WHOLE("ours.") ")"));
    *added = (size_t)sqlite3_changes64(results->database);
    return fault_none();
}

struct fault results_merge(struct results *results, const char *path, size_t *added)
{
    struct fault fault = fault_none();
    sqlite3_stmt *attach;
    struct stat about;
    int lock;

    if (stat(path, &about) != 0)
        return fault_make(FAULT_INPUT, "%.300s: there is no such file", path);
    lock = results_lock(path, true, &fault);
    if (lock < 0)
        return fault;
    results->merged = path;
    fault = results_prepare(results, "ATTACH ?1 AS other", &attach);
    if (fault.kind == FAULT_NONE) {
        bind_text(attach, 1, path);
        fault = results_step(results, attach);
        sqlite3_finalize(attach);
    }
    if (fault.kind == FAULT_NONE) {
        fault = copy_points(results, path, added);
        sqlite3_exec(results->database, "DETACH other", NULL, NULL, NULL);
    }
    results->merged = NULL;
    results_unlock(path, lock);
    return fault;
}

/* ---- reading */
struct row_reader {
    struct results *results;
    sqlite3_stmt *rows, *values;
    char **texts;                        /* of the values of one point, copied */
    struct hash64_pieces plan;           /* of the rows read so far, in the form of plan_text */
};

static void forget_values(struct row_reader *reader)
{
    for (size_t i = 0; i < reader->results->axis_count; i++) {
        free(reader->texts[i]);
        reader->texts[i] = NULL;
    }
}

static struct fault read_values(struct row_reader *reader, uint64_t number)
{
    int code;

    forget_values(reader);
    sqlite3_reset(reader->values);
    sqlite3_bind_int64(reader->values, 1, (int64_t)number);
    while ((code = sqlite3_step(reader->values)) == SQLITE_ROW) {
        int64_t const axis = sqlite3_column_int64(reader->values, 0);

        if (axis < 0 || (uint64_t)axis >= reader->results->axis_count || reader->texts[axis])
            return results_failed(reader->results, SQLITE_CORRUPT);
        reader->texts[axis] = strdup(results_text_of(reader->values, 1));
        if (!reader->texts[axis])
            return results_failed(reader->results, SQLITE_NOMEM);
    }
    for (size_t i = 0; code == SQLITE_DONE && i < reader->results->axis_count; i++)
        if (!reader->texts[i])
            return results_failed(reader->results, SQLITE_CORRUPT);
    return code == SQLITE_DONE ? fault_none() : results_failed(reader->results, code);
}

/* Columns of the statement in results_read: number, state, whether the point is whole, sweep's, then points'. */
enum { COLUMN_NUMBER, COLUMN_STATE, COLUMN_WHOLE, COLUMN_HASH, COLUMN_SYSTEM, COLUMN_TRACES, COLUMN_POINT };

static struct results_row results_row_of(const struct row_reader *reader)
{
    struct results_row row = {
        .number = (uint64_t)sqlite3_column_int64(reader->rows, COLUMN_NUMBER),
        .hash = results_text_of(reader->rows, COLUMN_HASH), .system = results_text_of(reader->rows, COLUMN_SYSTEM),
        .traces = results_text_of(reader->rows, COLUMN_TRACES), .values = (const char *const *)reader->texts
    };

    if (!sqlite3_column_int(reader->rows, COLUMN_WHOLE)) {
        row.state = "failed";
        row.error = NOT_WHOLE "; `rubato sweep SPEC --retry` runs it again";
        return row;
    }
    row.state = results_text_of(reader->rows, COLUMN_STATE);
    row.config = (const char *)sqlite3_column_text(reader->rows, COLUMN_POINT + 5);
    row.error = (const char *)sqlite3_column_text(reader->rows, COLUMN_POINT + 7);
    row.statistics = (const char *)sqlite3_column_text(reader->rows, COLUMN_POINT + 8);
    row.wall_s = sqlite3_column_double(reader->rows, COLUMN_POINT + WHOLE_TEXTS + 1);
    row.cpu_s = sqlite3_column_double(reader->rows, COLUMN_POINT + WHOLE_TEXTS + 2);
    return row;
}

static void hash_row(struct row_reader *reader, const struct results_row *row)
{
    hash_text(&reader->plan, row->hash);
    hash_text(&reader->plan, row->system);
    hash_text(&reader->plan, row->traces);
    for (size_t i = 0; i < reader->results->axis_count; i++)
        hash_text(&reader->plan, row->values[i]);
}

static struct fault check_plan(struct row_reader *reader)
{
    char identity[RESULTS_HASH_TEXT];
    int64_t plans;
    bool is_there;

    FORWARD(ask_number(reader->results, "SELECT count(*) FROM about WHERE key = 'plan'", &plans));
    if (plans == 0)
        return nothing_yet(reader->results);
    results_hash_text(hash64_end(&reader->plan), identity);
    FORWARD(has_plan(reader->results, identity, &is_there));
    return is_there ? fault_none() : damaged(reader->results->path, "its list of points is damaged");
}

static struct fault read_rows(struct row_reader *reader, bool (*visit)(void *self, const struct results_row *row),
                              void *self)
{
    int code;

    hash64_begin(&reader->plan);
    for (size_t i = 0; i < reader->results->axis_count; i++)
        hash_text(&reader->plan, reader->results->axes[i]);
    while ((code = sqlite3_step(reader->rows)) == SQLITE_ROW) {
        struct results_row const row = results_row_of(reader);

        if (!row.hash || !row.system || !row.traces || !row.state)
            return results_failed(reader->results, SQLITE_NOMEM);
        FORWARD(read_values(reader, row.number));
        hash_row(reader, &row);
        if (visit && !visit(self, &row))
            return fault_none();
    }
    return code == SQLITE_DONE ? check_plan(reader) : results_failed(reader->results, code);
}

struct fault results_read_stored(struct results *results, bool (*visit)(void *self, const struct results_row *row),
                                 void *self)
{
    struct row_reader reader = {.results = results, .texts = calloc(results->axis_count + 1, sizeof *reader.texts)};
    struct fault fault = reader.texts ? fault_none() : results_failed(results, SQLITE_NOMEM);

    if (fault.kind == FAULT_NONE)
        fault = results_prepare(results, "SELECT number, coalesce(state, 'to do'), points.rowid IS NULL OR "
                                         "" WHOLE("points.")
                                ", sweep.hash, sweep.system, sweep.traces, points.* FROM sweep LEFT JOIN points "
                                "ON points.hash = sweep.hash ORDER BY number", &reader.rows);
    if (fault.kind == FAULT_NONE)
        fault = results_prepare(results, "SELECT axis, value FROM sweep_values WHERE number = ?1", &reader.values);
    if (fault.kind == FAULT_NONE)
        fault = read_rows(&reader, visit, self);
    sqlite3_finalize(reader.rows);
    sqlite3_finalize(reader.values);
    if (reader.texts)
        forget_values(&reader);
    free(reader.texts);
    return fault;
}

/* ---- checking */
struct fault results_check(struct results *results, void (*say)(void *self, const char *what), void *self)
{
    sqlite3_stmt *statement;
    int code;

    FORWARD(results_prepare(results, "SELECT 'point ' || coalesce(number, hash) || ': " NOT_WHOLE "' FROM points "
                              "LEFT JOIN sweep USING (hash) WHERE NOT " WHOLE("points.") " UNION ALL "
                              "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check != 'ok'",
                                  &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        say(self, results_text_of(statement, 0));
    FORWARD(end_rows(results, statement, code));
    return results_read_stored(results, NULL, NULL);
}
