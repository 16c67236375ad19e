#include "replay/source/window_source.h"

#include "replay/config/config_values.h"
#include "replay/window/captured_core.h"
#include "replay/window/window_learnt.h"

/* 3.8: code lies at its pc minus this, as the first fetch shows. */
static struct fault find_text_offset(const struct fetch_source *fetches, uint64_t *offset)
{
    struct fault fault = fault_none();
    struct store_fetch_batch batch;

    *offset = 0;
    if (!fetches->batch)
        return fault_none();
    switch (fetches->batch(fetches->self, &batch, &fault)) {
    case SOURCE_FAULT:
        return fault;
    case SOURCE_END:
        return fault_none();
    case SOURCE_RECORD:
        break;
    }
    if (batch.fetches[0].shape->present & PACKET_HAS_PC) {
        const struct store_fetch_shape *const shape = batch.fetches[0].shape;

        *offset = (shape->pc & ~(uint64_t)(shape->size_bytes - 1)) - shape->addr;
    }
    return fault_none();
}

static struct fault open_one(struct trace_input *input, const struct trace_pair *pair, struct record_source *records,
                             struct fetch_source *fetches)
{
    FORWARD(trace_input_open(input, pair, records, fetches));
    if (input->store)
        *records = record_source_without_runs(input->records, input->store, pair->data);
    return fault_none();
}

static struct fault use_known(const struct trace_pair *pair, struct window_setup *setup)
{
    if (pair->learnt.length == 0 || pair->learnt_rules != window_rules(setup->captured))
        return !pair->store ? fault_none() : window_kept_find(pair->store, setup);
    setup->learnt = (const uint8_t *)pair->learnt.at;
    setup->learnt_bytes = pair->learnt.length;
    return fault_none();
}

/* A store that cannot be written costs the next run the time of learning, no more. */
static struct fault window_learn_of(struct trace_pair *pair, struct window_setup *setup)
{
    struct fault fault = fault_none();
    struct trace_input input;
    struct record_source records;
    struct fetch_source fetches;

    FORWARD(open_one(&input, pair, &records, &fetches));
    pair->learnt.length = 0;
    pair->learnt_rules = window_rules(setup->captured);
    fault = window_learn_from(&records, setup->captured, &pair->learnt);
    trace_input_close(&input);
    if (fault.kind != FAULT_NONE)
        return fault;
    if (pair->is_cached && pair->store)
        window_kept_add(store_name(pair->store), setup->captured, &pair->learnt);
    return use_known(pair, setup);
}

struct window *window_source_open(struct trace_pair *pair, struct trace_input *input,
                                const struct system_config *config, unsigned core, struct system_traces *traces,
                                struct fault *fault)
{
    struct window_range memories[CONFIG_MAX_MEMORIES];
    struct captured_core const own = captured_core_of(config_detailed(config));
    struct window_setup setup = {.captured = config_captures_itself(config) ? &own : NULL,
                                 .address_offset = config_core_offset_bytes(config, core), .memories = memories,
                                 .memory_count = config_memory_count(config)};
    struct window *window = NULL;
    struct fetch_source fetches;

    for (unsigned i = 0; i < config_memory_count(config); i++)
        memories[i] = (struct window_range){config_memory_range(config, i).base, config_memory_range(config, i).end};
    if (FAILS(*fault, use_known(pair, &setup)) || (!setup.learnt && FAILS(*fault, window_learn_of(pair, &setup)))
        || FAILS(*fault, open_one(input, pair, &setup.records, &fetches)))
        return NULL;
    if (WORKS(*fault, find_text_offset(&fetches, &setup.text_offset)))
        window = window_open(&setup, fault);
    if (window) {
        traces->records = setup.records;
        traces->supply = window_supply(window);
    }
    return window;
}
