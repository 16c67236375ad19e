/* rubato trace verify: reads a whole store, and its sources where they still are. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash64.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/macsim_options.h"
#include "cli/shown.h"
#include "cli/trace/insn.h"
#include "cli/trace/trace.h"
#include "proto/gpu/store.h"
#include "proto/kind.h"
#include "proto/macsim/pack.h"
#include "proto/macsim/streams.h"
#include "proto/store/store.h"

enum { OPT_FORMAT };

static const struct cli_option options[] = {[OPT_FORMAT] = {INSN_FORMAT_OPTION}, {0}};

static const struct cli_usage usage = {
    .synopsis = "rubato trace verify FILE",
    .about = "Checks a store of elastic or GPU traces: the hash of every block, every record or instruction, and "
        "whether\nthe files that it was made of are still the same (a file that is gone is only mentioned).\n"
        "Of an instruction trace of any format: reads every record of every thread, of an .rbt with all checksums.",
    .options = options,
    .notes = FORMAT_LIST_NOTE "\n"
        "Exit code: 0, 1 if a source has changed, 2 if the store or the trace is damaged, or cut."
};

/* Decodes everything. */
static struct fault read_all(const struct store *store, uint64_t counts[STORE_PARTS])
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

    if (FAILS(error, store_check(store)) || FAILS(error, read_all(store, counts)))
        return cli_fail_proto(&error);
    printf("%s: whole; %" PRIu64 " records and %" PRIu64 " fetches\n", cli_shown(path), counts[STORE_DEP],
           counts[STORE_FETCH]);
    for (int part = 0; part < STORE_PARTS; part++) {
        int const one = check_source(&store_about(store)->source[part]);

        code = one > code ? one : code;
    }
    return code;
}

static int verify_gpu(const char *path)
{
    struct fault error;
    struct gpu_store *const store = gpu_store_open(path, &error);
    const struct gpu_store_about *about;
    int code;

    if (store == NULL)
        return cli_fail_proto(&error);
    if (FAILS(error, gpu_store_check(store))) {
        gpu_store_close(store);
        return cli_fail_proto(&error);
    }
    about = gpu_store_about(store);
    printf("%s: whole; %zu kernel%s, %" PRIu64 " thread blocks and %" PRIu64 " warp instructions\n", cli_shown(path),
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

static int verify_pack(const char *path)
{
    struct fault error;
    struct macsim_pack *const pack = macsim_pack_open(path, &error);
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
    printf("%s: whole; %zu thread%s\n", cli_shown(path), threads, threads == 1 ? "" : "s");
    return CLI_OK;
}

int cli_trace_verify(int argc, char **argv)
{
    struct cli_parser parser;
    struct fault error;
    struct store *store;
    const char *path = NULL, *format = NULL;
    enum trace_kind kind;
    int code;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;) {
        if (what == OPT_FORMAT && cli_take_insn_format(&format, &parser))
            continue;
        if (what != CLI_PARSE_OPERAND)
            return parser.exit_code;
        if (path != NULL)
            return cli_usage_error(&usage, "%s: one file at a time", parser.value);
        path = cli_input_path(parser.value);
        if (path == NULL)
            return CLI_BAD_INPUT;
    }
    if (path == NULL)
        return cli_usage_error(&usage, "no file was given");
    kind = trace_kind_of_as(path, format);
    if (FAILS(error, trace_check_known(path, kind)))
        return cli_fail_proto(&error);
    if (kind == TRACE_IS_GPU_STORE)
        return verify_gpu(path);
    if (kind == TRACE_IS_MACSIM_PACK)
        return verify_pack(path);
    if (trace_kind_is_insn(kind))
        return trace_insn_verify(path, format);
    store = store_open(path, &error);
    if (store == NULL)
        return cli_fail_proto(&error);
    code = verify(store, path);
    store_close(store);
    return code;
}
