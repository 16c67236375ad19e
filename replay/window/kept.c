/* The store knows bytes and the number of the rules; their meaning is in replay/window/window_learnt.h. */
#include "replay/window/window_learnt.h"

#include <stdlib.h>

#include "proto/store/store_file.h"
#include "proto/store/store_pack.h"
#include "replay/window/window.h"

struct fault window_kept_find(const struct store *store, struct window_setup *setup)
{
    struct store_learnt learnt;

    FORWARD(store_learnt_find(store, &learnt));
    if (learnt.bytes && learnt.rules == window_rules(setup->captured)) {
        setup->learnt = learnt.bytes;
        setup->learnt_bytes = learnt.count;
    }
    return fault_none();
}

static struct store_learnt kept_of(const struct captured_core *captured, const struct text *learnt)
{
    return (struct store_learnt){.rules = window_rules(captured), .bytes = (const uint8_t *)learnt->at,
                                 .count = learnt->length};
}

struct fault window_kept_add(const char *path, const struct captured_core *captured, const struct text *learnt)
{
    struct store_learnt const kept = kept_of(captured, learnt);
    struct fault fault;

    return WORKS(fault, store_learnt_add(path, &kept)) ? fault_none() : fault;
}

struct fault window_kept_learn(const char *path)
{
    struct text learnt = {0};
    struct fault fault = fault_none();
    struct store *const store = store_open(path, &fault);
    struct store_records *const cursor = store ? store_records_open(store, 0, &fault) : NULL;

    if (cursor) {
        struct record_source const records = record_source_without_runs(cursor, store, path);

        fault = window_learn_from(&records, NULL, &learnt);
    }
    store_records_close(cursor);
    store_close(store);
    if (fault.kind == FAULT_NONE)
        fault = window_kept_add(path, NULL, &learnt);
    free(learnt.at);
    return fault;
}

/* Learns from the trace while its store is being made, block by block. */
static struct fault learn_packing(struct store_packing *packing, const char *name, struct text *learnt)
{
    struct store *const store = store_packing_store(packing);
    struct fault fault;
    struct store_records *const cursor = store_records_open(store, 0, &fault);

    if (cursor) {
        struct record_source const records = record_source_without_runs(cursor, store, name);

        fault = window_learn_from(&records, NULL, learnt);
    }
    store_records_close(cursor);
    return fault;
}

/* Faults of the trace itself are reported by packing. */
struct fault window_kept_pack(const char *dep_path, const char *fetch_path, const char *store_path, bool must)
{
    struct text learnt = {0};
    struct store_learnt kept;
    struct fault fault = fault_none(), learning;
    struct store_packing *const packing = store_packing_begin_keeping(dep_path, fetch_path, store_path, &fault);

    if (!packing)
        return fault;
    learning = learn_packing(packing, dep_path, &learnt);
    kept = kept_of(NULL, &learnt);
    if (learning.kind == FAULT_NONE)
        store_packing_keep(packing, &kept);
    if (learning.kind == FAULT_MEMORY)
        fault = learning;                /* then no store is made, as for any lack of memory */
    else if (store_packing_end(packing, &fault) == STORE_PACKED && must)
        fault = learning;
    store_packing_free(packing);
    free(learnt.at);
    return fault;
}
