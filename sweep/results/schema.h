/* The tables of a result file, as data: the statements that make them, `rubato results --schema` and docs/sweeps.md
 * come from these lines.
 *
 * A number in the file (user_version) is the schema's version; another version is refused. application_id says
 * that the file is one of rubato's. */
#ifndef SWEEP_RESULTS_SCHEMA_H
#define SWEEP_RESULTS_SCHEMA_H

#define RESULTS_APPLICATION_ID 0x72756273        /* "rubs" */
#define RESULTS_SCHEMA_VERSION 1

/* C(column, type and constraints, help) */
#define RESULTS_ABOUT(C)                                                                                              \
    C(key, "TEXT PRIMARY KEY", "spec_path, spec_text, version, plan, date, command, host")                            \
    C(value, "TEXT NOT NULL", "")

#define RESULTS_AXES(C)                                                                                               \
    C(axis, "INTEGER PRIMARY KEY", "from 0, in the order of the sweep's file")                                        \
    C(key, "TEXT NOT NULL", "of the configuration, such as l2.size")

#define RESULTS_SWEEP(C)                                                                                              \
    C(number, "INTEGER PRIMARY KEY", "of the point, from 1, in the order of the sweep's file")                        \
    C(hash, "TEXT NOT NULL", "of the point in points; several numbers may share one")                                 \
    C(system, "TEXT NOT NULL", "as the file names it")                                                                \
    C(traces, "TEXT NOT NULL", "name of the workload")

#define RESULTS_SWEEP_VALUES(C)                                                                                       \
    C(number, "INTEGER NOT NULL", "of the point in sweep")                                                            \
    C(axis, "INTEGER NOT NULL", "")                                                                                   \
    C(value, "TEXT NOT NULL", "of the axis at this point, as written")

#define RESULTS_POINTS(C)                                                                                             \
    C(hash, "TEXT PRIMARY KEY", "of effective configuration, traces' content, limits of the replay, version")         \
    C(system, "TEXT NOT NULL", "as the file named it when the point was run")                                         \
    C(traces, "TEXT NOT NULL", "likewise")                                                                            \
    C(traces_hash, "TEXT NOT NULL", "of the traces' content")                                                         \
    C(version, "TEXT NOT NULL", "of rubato, and the digest of the sources that decide results")                       \
    C(config, "TEXT", "the effective configuration as YAML; NULL if the system cannot be built")                      \
    C(state, "TEXT NOT NULL CHECK (state IN ('done', 'failed'))", "")                                                 \
    C(error, "TEXT", "why it failed; NULL if it did not")                                                             \
    C(statistics, "TEXT", "all statistics as one JSON object; NULL if it failed")                                     \
    C(checksum, "TEXT NOT NULL", "of the columns before it")                                                          \
    C(wall_s, "REAL NOT NULL", "time that the point took")                                                            \
    C(cpu_s, "REAL NOT NULL", "processor time that it took")

/* T(table, columns, ending, help) */
#define RESULTS_TABLES(T)                                                                                             \
    T(about, RESULTS_ABOUT, " WITHOUT ROWID", "the sweep that the file was last used for")                            \
    T(axes, RESULTS_AXES, "", "its axes")                                                                             \
    T(sweep, RESULTS_SWEEP, "", "its points, also those that are still to be run")                                    \
    T(sweep_values, RESULTS_SWEEP_VALUES, ", PRIMARY KEY (number, axis)) WITHOUT ROWID", "their values on the axes")  \
    T(points, RESULTS_POINTS, "", "what was run, of this sweep and of earlier ones")

/* One row a figure, for queries in SQL. */
#define RESULTS_VIEW                                                                                                  \
    "CREATE VIEW statistics AS SELECT points.hash AS hash, json_each.key AS name, json_each.value AS value "          \
    "FROM points, json_each(points.statistics) WHERE json_each.type NOT IN ('array', 'object')"
#define RESULTS_VIEW_HELP "view: hash of the point, name, value; one row a statistic"

#endif
