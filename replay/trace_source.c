/* Trace sources over the readers and the store of proto/. A reader's error text already names file, offset and
 * field. */
#include "replay/trace_source.h"

static enum source_result fail(const struct proto_error *error, struct fault *fault)
{
    *fault = fault_make(FAULT_INPUT, "%s", error->text);
    return SOURCE_FAULT;
}

static enum source_result of_record(enum dep_result result, const struct proto_error *error, struct fault *fault)
{
    if (result == DEP_ERROR)
        return fail(error, fault);
    return result == DEP_RECORD ? SOURCE_RECORD : SOURCE_END;
}

static enum source_result of_fetch(enum packet_result result, const struct proto_error *error, struct fault *fault)
{
    if (result == PACKET_ERROR)
        return fail(error, fault);
    return result == PACKET_RECORD ? SOURCE_RECORD : SOURCE_END;
}

static enum source_result next_record(void *self, struct dep_record *out, struct fault *fault)
{
    struct proto_error error;

    return of_record(dep_reader_next(self, out, &error), &error, fault);
}

static enum source_result next_fetch(void *self, struct packet_record *out, struct fault *fault)
{
    struct proto_error error;

    return of_fetch(packet_reader_next(self, out, &error), &error, fault);
}

static enum source_result next_stored_record(void *self, struct dep_record *out, struct fault *fault)
{
    struct proto_error error;

    return of_record(store_records_read(self, out, &error), &error, fault);
}

static enum source_result next_stored_fetch(void *self, struct packet_record *out, struct fault *fault)
{
    struct proto_error error;

    return of_fetch(store_fetches_read(self, out, &error), &error, fault);
}

struct record_source record_source_of_reader(struct dep_reader *reader, const char *name)
{
    return (struct record_source){next_record, reader, name, dep_reader_header(reader)->window_size};
}

struct fetch_source fetch_source_of_reader(struct packet_reader *reader, const char *name)
{
    return (struct fetch_source){next_fetch, reader, name};
}

struct record_source record_source_of_store(struct store_records *cursor, const struct store *store, const char *name)
{
    return (struct record_source){next_stored_record, cursor, name, store_about(store)->dep.window_size};
}

struct fetch_source fetch_source_of_store(struct store_fetches *cursor, const char *name)
{
    return (struct fetch_source){next_stored_fetch, cursor, name};
}
