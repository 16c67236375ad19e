/* rubato trace dump of elastic traces and their stores. */
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/trace/trace_kinds.h"
#include "cli/trace/trace_command.h"
#include "proto/elastic/ascii.h"
#include "proto/store/store.h"

#define TEXT_BLOCK 65536             /* bytes gathered before they are written */

struct dump {
    const char *path;
    enum ascii_form form;
    uint64_t first, behind;
    struct text text;
};

/* False: stdout takes no more, which main reports. */
static bool elastic_dump_flush(struct dump *dump)
{
    bool const good = fwrite(dump->text.at, 1, dump->text.length, stdout) == dump->text.length;

    dump->text.length = 0;
    return good;
}

static int elastic_dump_finish(struct dump *dump, int exit_code)
{
    if (dump->text.failed)
        exit_code = cli_fail_text("out of memory");
    else
        elastic_dump_flush(dump);
    free(dump->text.at);
    return exit_code;
}

static int dump_store_records(struct dump *dump, const struct store *store)
{
    struct fault error;
    struct dep_record record;
    struct store_records *const cursor = store_records_open(store, dump->first, &error);
    enum dep_result step = DEP_END;
    bool good = true;

    if (cursor == NULL)
        return cli_fail_proto(&error);
    ascii_dep_header(&dump->text, &store_about(store)->dep, dump->form);
    for (uint64_t i = dump->first; good && i < dump->behind; i++) {
        if ((step = store_records_read(cursor, &record, &error)) != DEP_RECORD)
            break;
        ascii_dep_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = elastic_dump_flush(dump);
    }
    store_records_close(cursor);

    int const exit_code = elastic_dump_finish(dump, CLI_OK);

    return step == DEP_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_store_fetches(struct dump *dump, const struct store *store)
{
    struct fault error;
    struct packet_record record;
    struct store_fetches *const cursor = store_fetches_open(store, 0, &error);
    enum packet_result step = PACKET_END;
    bool good = true;

    if (cursor == NULL)
        return cli_fail_proto(&error);
    ascii_packet_header(&dump->text, &store_about(store)->fetch, dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = store_fetches_read(cursor, &record, &error)) != PACKET_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_packet_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = elastic_dump_flush(dump);
    }
    store_fetches_close(cursor);

    int const exit_code = elastic_dump_finish(dump, CLI_OK);

    return step == PACKET_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_store(struct dump *dump, bool fetches)
{
    struct fault error;
    struct store *const store = store_open(dump->path, &error);
    int exit_code;

    if (store == NULL)
        return cli_fail_proto(&error);
    exit_code = fetches ? dump_store_fetches(dump, store) : dump_store_records(dump, store);
    store_close(store);
    return exit_code;
}

static int dump_dep(struct dump *dump)
{
    struct fault error;
    struct dep_record record;
    struct dep_reader *const reader = dep_reader_open(dump->path, &error);
    enum dep_result step = DEP_END;
    bool good = true;

    if (reader == NULL)
        return cli_fail_proto(&error);
    trace_warn(dep_reader_input(reader));
    ascii_dep_header(&dump->text, dep_reader_header(reader), dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = dep_reader_next(reader, &record, &error)) != DEP_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_dep_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = elastic_dump_flush(dump);
    }
    dep_reader_close(reader);

    int const exit_code = elastic_dump_finish(dump, CLI_OK);

    return step == DEP_ERROR ? cli_fail_proto(&error) : exit_code;
}

static int dump_packets(struct dump *dump)
{
    struct fault error;
    struct packet_record record;
    struct packet_reader *const reader = packet_reader_open(dump->path, &error);
    enum packet_result step = PACKET_END;
    bool good = true;

    if (reader == NULL)
        return cli_fail_proto(&error);
    trace_warn(packet_reader_input(reader));
    ascii_packet_header(&dump->text, packet_reader_header(reader), dump->form);
    for (uint64_t i = 0; good && i < dump->behind; i++) {
        if ((step = packet_reader_next(reader, &record, &error)) != PACKET_RECORD)
            break;
        if (i < dump->first)
            continue;
        ascii_packet_record(&dump->text, &record, dump->form);
        if (dump->text.length >= TEXT_BLOCK)
            good = elastic_dump_flush(dump);
    }
    packet_reader_close(reader);

    int const exit_code = elastic_dump_finish(dump, CLI_OK);

    return step == PACKET_ERROR ? cli_fail_proto(&error) : exit_code;
}

static struct dump dump_of(const struct trace_request *request)
{
    return (struct dump){.path = request->path, .first = request->first, .behind = request->behind,
                         .form = request->is_gem5 ? ASCII_GEM5 : request->is_json ? ASCII_JSON : ASCII_FULL};
}

int trace_elastic_dump_store(const struct trace_request *request)
{
    struct dump dump = dump_of(request);

    return dump_store(&dump, request->of_fetches);
}

int trace_elastic_dump_data(const struct trace_request *request)
{
    struct dump dump = dump_of(request);

    return dump_dep(&dump);
}

int trace_elastic_dump_fetches(const struct trace_request *request)
{
    struct dump dump = dump_of(request);

    return dump_packets(&dump);
}
