/* `rubato compare --native`: programs run on this host, are captured and replayed, and both are compared.
 *
 * Use: compare_native, from cli/sweep/compare.c; it prints by compare_native_print and compare_native_page. */
#ifndef CLI_SWEEP_COMPARE_NATIVE_H
#define CLI_SWEEP_COMPARE_NATIVE_H

#include "cli/common/table.h"
#include "sweep/native/native_errors.h"
#include "sweep/native/native_list.h"
#include "sweep/native/native_program.h"
#include "sweep/native/native_replay.h"

struct compare_native_request {
    const char *system, *list;           /* list: a file; NULL: argv */
    char *const *argv;
    const char *from, *to;
    const char *const *settings;         /* of the replay, that of the model among them */
    size_t setting_count;
    const char *model;                   /* for people */
    const char *input;                   /* a file: standard input of each run */
    const char *captures, *page;         /* NULL: not wanted */
    uint64_t runs, warmup, instructions, timeout_ps;
    uint64_t core;                       /* UINT64_MAX: a few in turn */
    bool has_no_counters;
    struct engine_options engine;
    enum table_form form;
};

/* Functions of a program that is marked: without any other region they are its own. */
#define NATIVE_MARK_BEGIN "rubato_begin"
#define NATIVE_MARK_END "rubato_end"

/* One program of the list. */
struct native_row {
    const struct native_case *one;
    struct program program;              /* found; all zero: not */
    const char *from, *to;               /* the region: the list's, the options', the markers, or NULL */
    struct native_result native;         /* unless the list has its cycles */
    struct native_replayed replayed;
    uint64_t warmup, instructions;       /* of the replay's warm-up; of the region */
    struct fault fault;                  /* why it failed */
    bool has_native, has_replay;
};

struct native_comparison {
    const struct compare_native_request *request;
    struct native_list list;
    struct native_row *rows;             /* as many as cases, as are the pairs */
    struct native_pair *pairs;
    struct native_errors errors;
    size_t failed;
};

/* Returns the exit code, after printing any error. */
int compare_native(const struct compare_native_request *request);

/* Captures the region of a program to `path`, with what the replay needs before it. The program prints nothing.
 * row->warmup and row->instructions are filled in. */
struct fault compare_native_capture(const struct compare_native_request *request, struct native_row *row,
                                    const char *path);
/* False: no memory. */
bool compare_native_print(const struct native_comparison *comparison);
/* The exit code. */
int compare_native_page(const struct native_comparison *comparison);

/* Of a row: native figures per 1000 instructions, NAN where the host did not count them; "" metrics are totals. */
double native_row_counter(const struct native_row *row, enum native_counter counter);
/* Whichever is known: counted natively, else the replay's. */
double native_row_instructions(const struct native_row *row);

#endif
