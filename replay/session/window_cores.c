#include "replay/session/window_cores.h"

/* 3.8: code lies at its pc minus this, as the first fetch shows. */
static bool find_text_offset(const struct fetch_source *fetches, uint64_t *offset, struct fault *fault)
{
    struct store_fetch_batch batch;

    *offset = 0;
    switch (fetches->batch(fetches->self, &batch, fault)) {
    case SOURCE_FAULT:
        return false;
    case SOURCE_END:
        return true;
    case SOURCE_RECORD:
        break;
    }
    if (batch.fetches[0].shape->present & PACKET_HAS_PC) {
        const struct store_fetch_shape *const shape = batch.fetches[0].shape;

        *offset = (shape->pc & ~(uint64_t)(shape->size_bytes - 1)) - shape->addr;
    }
    return true;
}

static bool open_one(struct trace_input *input, const struct trace_pair *pair, struct record_source *records,
                     struct fetch_source *fetches, struct fault *fault)
{
    if (!trace_input_open(input, pair, records, fetches, fault))
        return false;
    if (input->store)
        *records = record_source_without_runs(input->records, input->store, pair->data);
    return true;
}

struct window *window_core_open(const struct trace_pair *pair, struct trace_input *input, uint64_t address_offset,
                                struct system_traces *traces, struct fault *fault)
{
    struct window_setup setup = {.address_offset = address_offset};
    struct window *window = NULL;
    struct fetch_source fetches;
    struct trace_input learnt;

    if (!open_one(&learnt, pair, &setup.learnt_from, &fetches, fault))
        return NULL;
    if (find_text_offset(&fetches, &setup.text_offset, fault)
        && open_one(input, pair, &setup.records, &fetches, fault))
        window = window_open(&setup, fault);
    trace_input_close(&learnt);
    if (window) {
        traces->records = setup.records;
        traces->supply = window_supply(window);
    }
    return window;
}
