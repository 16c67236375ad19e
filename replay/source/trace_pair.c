/* One place that knows where a core's records come from. */
#include "replay/source/trace_pair.h"

#include <stdlib.h>

struct fault trace_pair_find(struct trace_pair *pair, const char *name)
{
    struct fault fault = fault_none();

    if (store_detect(name)) {
        pair->data = pair->fetch = name;
        pair->store = store_open(name, &fault);
        return pair->store != NULL ? fault_none() : fault;
    }
    pair->paths = malloc(sizeof *pair->paths);
    if (!pair->paths)
        return fault_memory(name, NULL);
    pair->data = pair->paths->dep;
    pair->fetch = pair->paths->fetch;
    return trace_dir_find(name, pair->paths);
}

void trace_pair_close(struct trace_pair *pair)
{
    if (pair->packing != NULL)
        store_packing_free(pair->packing);
    else
        store_close(pair->store);
    free(pair->learnt.at);
    free(pair->paths);
    pair->paths = NULL;
    pair->learnt = (struct text){0};
    pair->packing = NULL;
    pair->store = NULL;
}

static struct fault open_store(struct trace_input *input, const struct trace_pair *pair, struct record_source *records,
                               struct fetch_source *fetches)
{
    struct fault fault = fault_none();

    input->store = pair->store;
    input->records = store_records_open(pair->store, 0, &fault);
    input->fetches = input->records != NULL ? store_fetches_open(pair->store, 0, &fault) : NULL;
    if (input->fetches == NULL)
        return fault;
    *records = record_source_of_store(input->records, pair->store, pair->data);
    *fetches = fetch_source_of_store(input->fetches, pair->fetch);
    return fault_none();
}

static struct fault trace_pair_open_files(struct trace_input *input, const struct trace_pair *pair,
                                          struct record_source *records, struct fetch_source *fetches)
{
    struct fault fault = fault_none();

    input->data = dep_reader_open(pair->data, &fault);
    input->fetch = input->data != NULL ? packet_reader_open(pair->fetch, &fault) : NULL;
    if (input->fetch == NULL)
        return fault;
    *records = record_source_of_reader(&input->reader_records, input->data, pair->data);
    *fetches = fetch_source_of_reader(&input->reader_fetches, input->fetch, pair->fetch);
    return fault_none();
}

/* Nothing is fetched: traces of accesses have no pcs. */
static bool has_no_fetch(const struct trace_pair *pair)
{
    struct packet_reader *reader;
    struct packet_record record;
    struct fault ignored;
    bool has_none;

    if (pair->store != NULL && pair->packing == NULL)
        return store_about(pair->store)->count[STORE_FETCH] == 0;
    reader = packet_reader_open(pair->fetch, &ignored);
    has_none = reader != NULL && packet_reader_next(reader, &record, &ignored) == PACKET_END;
    packet_reader_close(reader);
    return has_none;
}

struct fault trace_input_open(struct trace_input *input, const struct trace_pair *pair, struct record_source *records,
                              struct fetch_source *fetches)
{
    struct fault fault = fault_none();

    *input = (struct trace_input){0};
    if (pair->store != NULL ? WORKS(fault, open_store(input, pair, records, fetches))
                            : WORKS(fault, trace_pair_open_files(input, pair, records, fetches))) {
        if (has_no_fetch(pair))
            *fetches = (struct fetch_source){.name = pair->fetch};
        return fault_none();
    }
    trace_input_close(input);
    return fault;
}

static void read_whole(struct trace_input *input, const struct trace_pair *pair, struct space *space,
                       struct record_source *records, struct fetch_source *fetches)
{
    if (pair->store != NULL) {
        *records = record_source_of_cursor(&input->reader_records, input->records, pair->store, pair->data);
        if (fetches->batch)
            *fetches = fetch_source_of_cursor(&input->reader_fetches, input->fetches, pair->fetch);
    }
    input->reader_records.space = input->reader_fetches.space = space;
}

struct fault trace_input_open_in(struct trace_input *input, const struct trace_pair *pair, struct space *space,
                                 struct record_source *records, struct fetch_source *fetches)
{
    FORWARD(trace_input_open(input, pair, records, fetches));
    read_whole(input, pair, space, records, fetches);
    return fault_none();
}

struct fault trace_pair_touch(const struct trace_pair *pair, struct space *space)
{
    struct fault fault = fault_none();
    struct trace_input input;
    struct record_source records;
    struct fetch_source fetches;

    FORWARD(trace_input_open_in(&input, pair, space, &records, &fetches));
    fault = reader_records_touch(&input.reader_records, space);
    if (fault.kind == FAULT_NONE)
        fault = reader_fetches_touch(&input.reader_fetches, space);
    trace_input_close(&input);
    return fault;
}

void trace_input_close(struct trace_input *input)
{
    reader_records_free(&input->reader_records);
    dep_reader_close(input->data);
    packet_reader_close(input->fetch);
    store_records_close(input->records);
    store_fetches_close(input->fetches);
    *input = (struct trace_input){0};
}

double trace_input_position(const struct trace_input *input)
{
    if (input->records != NULL)
        return store_records_position(input->records);
    return input->data != NULL ? input_position(dep_reader_input(input->data)) : 1;
}

void trace_store_warn(const struct store *store, const struct warn_sink *warn)
{
    for (int part = 0; store != NULL && part < STORE_PARTS; part++) {
        struct store_warnings const *const warnings = &store_about(store)->warnings[part];

        for (size_t i = 0; i < warnings->count; i++)
            warn_of_line(warn, warnings->texts[i]);
    }
}

void trace_input_warn(const struct trace_input *input, const struct warn_sink *warn)
{
    struct input const *const files[] = {input->data != NULL ? dep_reader_input(input->data) : NULL,
                                         input->fetch != NULL ? packet_reader_input(input->fetch) : NULL};

    for (unsigned file = 0; file < 2; file++)
        for (size_t i = 0; files[file] != NULL && i < files[file]->warning_count; i++)
            warn_of_line(warn, files[file]->warnings[i]);
    trace_store_warn(input->store, warn);
}
