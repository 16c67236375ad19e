/* Fuzz target: any bytes as a store. The reader may refuse them, with a text, but not crash; its output keeps the
 * rules that readers check: numbers that rise, dependences on earlier ones, distances within the trace, ticks that do
 * not fall, existing numbers of pcs. Hashes hold damage off, so they are set right first: everything behind them
 * is tried. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/store/store_file.h"
#include "proto/store/store_format.h"
#include "replay/window/window_learnt.h"
#include "tests/support/chunks.h"
#include "tests/support/store_runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a replay counts on, however wrong the links are. */
static void check_links(const struct store_links *links)
{
    bool const are_listed = links->count & STORE_LISTS_LINKS;
    struct store_link_list const list = are_listed ? store_link_list(links) : (struct store_link_list){NULL, 0};

    for (unsigned i = 0; i < (links->count & STORE_NEAR_LINKS); i++)
        if (store_link_distance(links->near[i]) > STORE_LINK_REACH)
            abort();
    for (uint32_t i = 0; i < list.count; i++)
        if (store_link_distance(store_listed_link(&list, i)) > STORE_LINK_REACH)
            abort();
}

static void check_lists(const struct store_lists *lists, uint64_t number)
{
    for (uint32_t i = 0; i < lists->rob_dep_count + lists->reg_dep_count; i++)
        if (lists->record_distance[i] > number)
            abort();
    for (uint32_t i = 0; i < lists->edge_count; i++)
        if (store_edge_distance(lists->edges[i]) == 0)
            abort();
}

static void check_record(struct store_records *lean, const struct store_record *record, const struct dep_record *flat,
                         uint64_t number)
{
    struct store_lists lists;
    struct fault error;

    check_links(&record->shape->links);
    if (FAILS(error, store_records_lists(lean, record->shape, &lists)))
        abort();                     /* whose lists make sense was read, or it would not have been given */
    check_lists(&lists, number);
    for (uint32_t i = 0; i < flat->rob_dep_count + flat->reg_dep_count; i++)
        if (flat->rob_dep[i] >= flat->seq_num)
            abort();
}

static void read_records(const struct store *store, uint64_t first)
{
    struct fault error = fault_none();
    struct store_records *const flat = store_records_open(store, first, &error);
    struct store_records *const lean = store_records_open(store, first, &error);
    struct dep_record record;
    enum dep_result result;
    bool failed;
    uint64_t last = 0, count = 0;

    if (flat == NULL || lean == NULL)
        abort();
    while ((result = store_records_read(flat, &record, &error)) == DEP_RECORD) {
        struct store_record const *const other = store_records_next(lean, &failed, &error);

        if (other == NULL || other->seq_num != record.seq_num || (count > 0 && record.seq_num <= last))
            abort();
        check_record(lean, other, &record, first + count++);
        last = record.seq_num;
    }
    if ((result == DEP_ERROR) != (fault_text(error)[0] != '\0'))
        abort();
    if (result == DEP_END && first + count != store_about(store)->count[STORE_DEP] && count > 0)
        abort();
    store_records_close(flat);
    store_records_close(lean);
}

static void read_runs(const struct store *store, uint64_t first)
{
    struct store_runs runs;

    if (store_runs_differ(store, first, &runs) != NULL)
        abort();
}

/* Takes the next fetch of a cursor that gives batches; is it the same? */
static bool same_fetch(struct store_fetches *lean, struct store_fetch_batch *batch, const struct packet_record *record)
{
    struct fault error;

    if (batch->count == 0 && store_fetches_batch(lean, batch, &error) != PACKET_RECORD)
        return false;
    batch->count--;
    return batch->fetches->tick == record->tick && batch->fetches++->shape->addr == record->addr;
}

static void read_fetches(const struct store *store, uint64_t from_tick)
{
    struct fault error = fault_none();
    struct store_fetches *const fetches = store_fetches_open(store, from_tick, &error);
    struct store_fetches *const lean = store_fetches_open(store, from_tick, &error);
    struct store_fetch_batch batch = {0};
    struct packet_record record;
    enum packet_result result;
    uint64_t last = from_tick;

    while ((result = store_fetches_read(fetches, &record, &error)) == PACKET_RECORD) {
        if (record.tick < last || !same_fetch(lean, &batch, &record))
            abort();
        last = record.tick;
    }
    if ((result == PACKET_ERROR) != (fault_text(error)[0] != '\0'))
        abort();
    store_fetches_close(fetches);
    store_fetches_close(lean);
}

static void read_learnt(const struct store *store)
{
    struct fault error = fault_none();
    struct store_learnt learnt;
    struct window_pcs pcs;

    if (FAILS(error, store_learnt_find(store, &learnt))) {
        if (fault_text(error)[0] == '\0')
            abort();
        return;
    }
    if (learnt.bytes == NULL || !window_pcs_init(&pcs))
        return;
    if (window_learnt_take(&pcs, learnt.bytes, learnt.count, "fuzz").kind == FAULT_NONE)
        for (size_t i = 0; i < pcs.count; i++)
            for (unsigned k = 0; k < pcs.all[i].source_count; k++)
                if ((size_t)pcs.all[i].sources[k] >= pcs.count)
                    abort();
    window_pcs_free(&pcs);
}

/* The hash of the learnt data, once those of chunks are right. */
static void mend_learnt_hash(uint8_t *bytes, size_t size)
{
    struct fault error;
    struct store *const store = store_open_memory("fuzz", bytes, size, &error);
    struct column_bytes const meta = store ? store_meta_of(store) : (struct column_bytes){0};
    uint64_t const place = store ? store_learnt_place(store) : 0;
    struct hash64_pieces pieces;
    struct container_chunk chunk;
    uint64_t meta_hash;

    if (store && place && !container_look(bytes, size, place, &store_kind, true, &chunk)
        && chunk.length >= STORE_LEARNT_BYTES) {
        meta_hash = hash64(meta.at, (size_t)(meta.end - meta.at));
        hash64_begin(&pieces);
        hash64_add(&pieces, &meta_hash, 8);
        hash64_add(&pieces, chunk.bytes + STORE_LEARNT_RULES, 8);
        hash64_add(&pieces, chunk.bytes + STORE_LEARNT_BYTES, chunk.length - STORE_LEARNT_BYTES);
        bits_store64(bytes + place + CONTAINER_CHUNK_HEAD_BYTES + STORE_LEARNT_HASH, hash64_end(&pieces));
    }
    store_close(store);
}

static void try(const uint8_t *bytes, size_t size)
{
    struct fault error = fault_none();
    struct store *const store = store_open_memory("fuzz", bytes, size, &error);

    if (store == NULL) {
        if (fault_text(error)[0] == '\0')
            abort();
        return;
    }
    read_records(store, 0);
    read_records(store, store_about(store)->count[STORE_DEP] / 2);
    read_runs(store, 0);
    read_fetches(store, 0);
    read_fetches(store, UINT64_C(1000000));
    read_learnt(store);
    store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = malloc(size + 1);

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    try(bytes, size);
    chunks_hash_again(bytes, size, &store_kind);
    mend_learnt_hash(bytes, size);
    chunks_hash_again(bytes, size, &store_kind);
    try(bytes, size);
    free(bytes);
    return 0;
}
