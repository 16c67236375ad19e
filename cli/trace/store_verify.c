/* rubato trace verify of stores: all of one, and its sources where they still are. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash64.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_kinds.h"
#include "proto/gpu/gpu_store.h"
#include "proto/macsim/macsim_pack.h"
#include "proto/macsim/set.h"
#include "proto/store/store.h"

/* Decodes everything. */
static struct fault store_verify_read_all(const struct store *store, uint64_t counts[STORE_PARTS])
{
    struct fault fault = fault_none();
    struct store_records *const records = store_records_open(store, 0, &fault);
    struct store_fetches *const fetches = records != NULL ? store_fetches_open(store, 0, &fault) : NULL;
    struct dep_record record;
    struct packet_record fetch;
    enum dep_result record_step = DEP_ERROR;
    enum packet_result step = PACKET_ERROR;

    counts[STORE_DEP] = counts[STORE_FETCH] = 0;
    while (fetches != NULL && (record_step = store_records_read(records, &record, &fault)) == DEP_RECORD)
        counts[STORE_DEP]++;
    while (record_step == DEP_END && (step = store_fetches_read(fetches, &fetch, &fault)) == PACKET_RECORD)
        counts[STORE_FETCH]++;
    store_records_close(records);
    store_fetches_close(fetches);
    return step == PACKET_END ? fault_none() : fault;
}

static int check_source(const struct store_source *source)
{
    struct fault error;
    uint64_t hash;

    if (source->path[0] == '\0')         /* of a capture: there was no file */
        return CLI_OK;
    if (source->size_bytes == 0 && strncmp(source->path, "capture, ", 9) == 0) {
        printf("%s: written while it ran\n", cli_shown(source->path));
        return CLI_OK;
    }
    if (access(source->path, F_OK) != 0) {
        printf("%s: is not there, so it was not compared\n", cli_shown(source->path));
        return CLI_OK;
    }
    if (FAILS(error, hash64_file(source->path, &hash)))
        return cli_fail_proto(&error);
    if (hash == source->hash) {
        printf("%s: the same as when it was packed\n", cli_shown(source->path));
        return CLI_OK;
    }
    printf("%s: has changed since it was packed; make the store again with `rubato trace pack`\n",
           cli_shown(source->path));
    return CLI_DIFFERS;
}

/* Of a MacSim kernel, whose header is there. */
static int check_streams(const struct gpu_store_kernel *kernel)
{
    struct gpu_streams now;
    struct fault error;

    if (kernel->streams.count == 0 || access(kernel->source.path, F_OK) != 0)
        return CLI_OK;
    if (FAILS(error, macsim_streams_look(kernel->source.path, &now)))
        return cli_fail_proto(&error);
    if (now.count == kernel->streams.count && now.hash == kernel->streams.hash) {
        printf("%s: its %" PRIu64 " streams are the same\n", cli_shown(kernel->source.path), now.count);
        return CLI_OK;
    }
    printf("%s: its streams have changed since it was packed; make the store again with `rubato trace pack`\n",
           cli_shown(kernel->source.path));
    return CLI_DIFFERS;
}

static int verify(struct store *store, const char *path)
{
    struct fault error;
    uint64_t counts[STORE_PARTS];
    int code = CLI_OK;

    if (FAILS(error, store_check(store)) || FAILS(error, store_verify_read_all(store, counts)))
        return cli_fail_proto(&error);
    printf("%s: whole; %" PRIu64 " records and %" PRIu64 " fetches\n", cli_shown(path), counts[STORE_DEP],
           counts[STORE_FETCH]);
    for (int part = 0; part < STORE_PARTS; part++) {
        int const one = check_source(&store_about(store)->source[part]);

        code = one > code ? one : code;
    }
    return code;
}

int trace_gpu_verify(const struct trace_request *request)
{
    struct fault error;
    struct gpu_store *const store = gpu_store_open(request->path, &error);
    const struct gpu_store_about *about;
    int code;

    if (store == NULL)
        return cli_fail_proto(&error);
    if (FAILS(error, gpu_store_check(store))) {
        gpu_store_close(store);
        return cli_fail_proto(&error);
    }
    about = gpu_store_about(store);
    printf("%s: whole; %zu kernel%s, %" PRIu64 " thread blocks and %" PRIu64 " warp instructions\n",
           cli_shown(request->path),
           about->kernel_count, about->kernel_count == 1 ? "" : "s", about->blocks, about->insts);
    code = check_source(&about->list);
    for (size_t i = 0; i < about->kernel_count; i++) {
        int const file = check_source(&about->kernels[i].source), streams = check_streams(&about->kernels[i]);

        code = file > code ? file : code;
        code = streams > code ? streams : code;
    }
    gpu_store_close(store);
    return code;
}

int trace_macsim_verify(const struct trace_request *request)
{
    struct fault error;
    struct macsim_pack *const pack = macsim_pack_open(request->path, &error);
    size_t threads = 0;
    bool good;

    if (pack == NULL)
        return cli_fail_proto(&error);
    for (size_t i = 0; i < macsim_pack_count(pack); i++)
        threads += macsim_pack_part(pack, i)->stream_count;
    good = WORKS(error, macsim_pack_check(pack));
    macsim_pack_close(pack);
    if (!good)
        return cli_fail_proto(&error);
    printf("%s: whole; %zu thread%s\n", cli_shown(request->path), threads, threads == 1 ? "" : "s");
    return CLI_OK;
}

int trace_elastic_verify(const struct trace_request *request)
{
    struct fault error;
    struct store *const store = store_open(request->path, &error);
    int code;

    if (store == NULL)
        return cli_fail_proto(&error);
    code = verify(store, request->path);
    store_close(store);
    return code;
}
