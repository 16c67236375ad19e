/* Are a store's records the same by runs (proto/store/store_run.h) as one by one? For tests of any store, however
 * damaged.
 *
 * Use: store_runs_differ. Both ways may end in an error, at the same batch; then that is the same. */
#ifndef TESTS_SUPPORT_STORE_RUNS_H
#define TESTS_SUPPORT_STORE_RUNS_H

#include <stddef.h>

#include "proto/store/store_run.h"
#include "proto/store/store.h"

#define STORE_RUN_MOST 4096

struct store_runs {
    struct store_records *by_runs, *by_records;
    uint64_t records, in_runs;       /* records that were equal; of them, those in runs */
};

static inline bool store_records_differ(const struct store_record *a, const struct store_record *b)
{
    return a->seq_num != b->seq_num || a->shape->pc != b->shape->pc || a->shape->comp_delay != b->shape->comp_delay
        || a->shape->links.type != b->shape->links.type || a->shape->links.count != b->shape->links.count
        || a->shape->reach != b->shape->reach || (a->shape->is_access && a->p_addr != b->p_addr);
}

/* Compares the records of a run; what differs, or NULL. `ended`: both have ended with an error. */
static inline const char *store_run_differs(struct store_runs *runs, struct store_run *given, bool *ended)
{
    static struct store_record records[STORE_RUN_MOST];
    struct store_run run = *given;
    uint32_t const count = run.count;
    struct fault error;
    bool failed;

    if (count == 0 || count > STORE_RUN_MOST)
        return "a run of no or of many records";
    for (; run.count > 0; run.count--) {
        struct store_record *const record = &records[count - run.count];

        record->shape = store_run_shape(&run);
        if (record->shape->is_access)
            record->p_addr = store_run_address(&run, record->shape);
        store_run_pass(&run, record->shape);
        record->seq_num = run.seq_num;
        if (record->shape->comp_delay > store_records_longest_delay(runs->by_runs))
            return "a longer delay than the longest";
    }
    *given = run;
    for (uint32_t i = 0; i < count; i++) {
        struct store_record const *const other = store_records_next(runs->by_records, &failed, &error);

        if (other == NULL && failed) {
            *ended = true;
            return store_records_next(runs->by_runs, &failed, &error) == NULL && failed ? NULL : "a run goes on";
        }
        if (other == NULL || !store_run_is_sound(&run) || store_records_differ(&records[i], other))
            return "a record of a run";
        runs->records++;
        runs->in_runs++;
    }
    return NULL;
}

/* What differs, or NULL. */
static inline const char *store_runs_differ(const struct store *store, uint64_t first, struct store_runs *runs)
{
    struct fault error;
    const char *difference = NULL;
    bool ended = false;

    *runs = (struct store_runs){.by_runs = store_records_open(store, first, &error),
                                .by_records = store_records_open(store, first, &error)};
    while (difference == NULL && !ended && runs->by_runs != NULL && runs->by_records != NULL) {
        struct store_run *const run = store_records_run(runs->by_runs);
        struct store_record const *a, *b;
        bool a_failed, b_failed;

        if (run != NULL) {
            difference = store_run_differs(runs, run, &ended);
            continue;
        }
        a = store_records_next(runs->by_runs, &a_failed, &error);
        b = store_records_next(runs->by_records, &b_failed, &error);
        if ((a == NULL) != (b == NULL) || a_failed != b_failed || (a != NULL && store_records_differ(a, b)))
            difference = "a record between runs";
        ended = a == NULL;
        runs->records += a != NULL;
    }
    store_records_close(runs->by_runs);
    store_records_close(runs->by_records);
    return difference;
}

#endif
