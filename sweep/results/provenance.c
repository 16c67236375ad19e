/* Reading statements run in the opener's transaction; notes have one of their own. */
#include "sweep/results/results.h"

#include <sqlite3.h>

static const char *provenance_text_of(sqlite3_stmt *statement, int column)
{
    const char *const text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

static struct fault provenance_failed(sqlite3 *database)
{
    return fault_make((sqlite3_errcode(database) & 0xff) == SQLITE_NOMEM ? FAULT_MEMORY : FAULT_INPUT,
                      "result file: %.200s", sqlite3_errmsg(database));
}

static struct fault ask(sqlite3 *database, const char *text, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(database, text, -1, statement, NULL) == SQLITE_OK ? fault_none()
        : provenance_failed(database);
}

static struct fault provenance_end(sqlite3 *database, sqlite3_stmt *statement, int code)
{
    struct fault const fault = code == SQLITE_DONE ? fault_none() : provenance_failed(database);

    sqlite3_finalize(statement);
    return fault;
}

struct fault provenance_note(struct results *results, const struct provenance_run *run)
{
    sqlite3 *const database = results_database(results);
    const char *const texts[] = {run->date, run->command, run->host};
    sqlite3_stmt *statement;

    FORWARD(ask(database, "INSERT OR REPLACE INTO about SELECT column1, column2 FROM (VALUES ('date', ?1), "
                  "('command', ?2), ('host', ?3)) WHERE NOT EXISTS (SELECT 1 FROM about WHERE key = 'date') "
                  "OR EXISTS (SELECT 1 FROM sweep WHERE hash NOT IN (SELECT hash FROM points))", &statement));
    for (int i = 0; i < 3; i++)
        sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
    return provenance_end(database, statement, sqlite3_step(statement));
}

struct fault provenance_about(const struct results *results,
                              void (*visit)(void *self, const char *key, const char *value), void *self)
{
    sqlite3 *const database = results_database(results);
    sqlite3_stmt *statement;
    int code;

    FORWARD(ask(database, "SELECT key, value FROM about WHERE key IN ('spec_path', 'spec_text', 'version', 'date', "
                  "'command', 'host') ORDER BY key", &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        visit(self, provenance_text_of(statement, 0), provenance_text_of(statement, 1));
    return provenance_end(database, statement, code);
}

struct fault provenance_traces(const struct results *results,
                               void (*visit)(void *self, const struct provenance_traces *traces), void *self)
{
    sqlite3 *const database = results_database(results);
    sqlite3_stmt *statement;
    int code;

    FORWARD(ask(database, "SELECT sweep.system, sweep.traces, points.traces_hash, points.version, count(*) "
                  "FROM sweep JOIN points USING (hash) WHERE " WHOLE("points.") " GROUP BY 1, 2, 3, 4 "
                  "ORDER BY min(sweep.number)", &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct provenance_traces const traces = {
            provenance_text_of(statement, 0), provenance_text_of(statement, 1), provenance_text_of(statement, 2),
                provenance_text_of(statement, 3), (size_t)sqlite3_column_int64(statement, 4)
        };

        visit(self, &traces);
    }
    return provenance_end(database, statement, code);
}
