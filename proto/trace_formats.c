#include "proto/trace_formats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/path.h"
#include "proto/elastic/elastic_input.h"
#include "proto/elastic/trace_writer.h"
#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_store_format.h"
#include "proto/gpu/gpu_text.h"
#include "proto/insn/reader.h"
#include "proto/macsim/macsim_pack.h"
#include "proto/macsim/set.h"
#include "proto/store/store_format.h"

/* ---- rows */

static bool is_data(struct trace_bytes *head)
{
    return input_is(head, INPUT_DEP_TRACE);
}

static bool is_fetch(struct trace_bytes *head)
{
    return input_is(head, INPUT_PACKET_TRACE);
}

static bool is_pair(const char *folder)
{
    struct trace_paths paths;
    struct fault ignored;

    return WORKS(ignored, trace_dir_find(folder, &paths));
}

static bool is_macsim_folder(const char *folder)
{
    return !gpu_list_is_in(folder) && macsim_set_is_in(folder);
}

#define OF_ELASTIC .addresses = "physical, and virtual where recorded", .requests = "bytes",                           \
    .lacks = "micro-ops without an effect on memory or later records; their number is a weight"
#define OF_GPU .addresses = "virtual", .requests = "bytes of each lane", .lacks = "values, times"
#define OF_MACSIM .addresses = "virtual", .requests = "bytes", .lacks = "values, times"

enum { STREAMED = PACKING_NONE | PACKING_GZIP, ANY = STREAMED | PACKING_XZ | PACKING_ZSTD
       | PACKING_ARCHIVE };

const struct trace_kind trace_kinds[] = {
    [TRACE_IS_STORE] = {.name = "store of an elastic trace", .work = TRACE_WORK_PAIRS, .packings = PACKING_NONE,
                        .magic = STORE_MAGIC, OF_ELASTIC},
    [TRACE_IS_GPU_STORE] = {.name = "store of GPU traces", .work = TRACE_WORK_KERNELS, .packings = PACKING_NONE,
                            .magic = GPU_STORE_MAGIC, OF_GPU},
    [TRACE_IS_MACSIM_PACK] = {.name = "MacSim trace", .work = TRACE_WORK_MACSIM, .packings = PACKING_NONE,
                              .magic = MACSIM_PACK_MAGIC, OF_MACSIM},
    [TRACE_IS_MACSIM] = {.name = "MacSim trace", .work = TRACE_WORK_MACSIM, .packings = STREAMED,
                         .is_file = macsim_set_is, .is_folder = is_macsim_folder, .is_set = true,
                         OF_MACSIM},
    [TRACE_IS_GPU_LIST] = {.name = "GPU trace", .work = TRACE_WORK_KERNELS, .packings = STREAMED | PACKING_XZ
                           | PACKING_ZSTD,
                           .is_file = gpu_list_is, .is_folder = gpu_list_is_in, .is_set = true,
                           OF_GPU},
    [TRACE_IS_DATA] = {.name = "dependency trace", .work = TRACE_WORK_PAIRS, .packings = STREAMED,
                       .is_file = is_data, OF_ELASTIC},
    [TRACE_IS_FETCH] = {.name = "packet trace", .work = TRACE_WORK_INSNS, .packings = STREAMED, .is_file = is_fetch,
                        .addresses = "physical", .requests = "bytes", .lacks = "dependences, branches, threads"},
    [TRACE_IS_PAIR] = {.name = "pair of elastic traces", .work = TRACE_WORK_PAIRS, .is_folder = is_pair,
                       .is_set = true, OF_ELASTIC},
    [TRACE_IS_INSN] = {.name = "instruction trace", .work = TRACE_WORK_INSNS, .packings = ANY, .is_file = insn_is,
                       .is_folder = insn_is_in, .has_instructions = true},
    [TRACE_IS_UNKNOWN] = {.name = "file of no known kind"}
};

#define UNKNOWN (&trace_kinds[TRACE_IS_UNKNOWN])

/* ---- kind of a path */

static bool is_of(const struct trace_kind *kind, struct trace_bytes *head)
{
    if (!(kind->packings & trace_bytes_packing(head)))
        return false;
    if (kind->magic)
        return trace_bytes_look(head, CONTAINER_MAGIC_BYTES) >= CONTAINER_MAGIC_BYTES
            && memcmp(head->next, kind->magic, CONTAINER_MAGIC_BYTES) == 0;
    return kind->is_file && kind->is_file(head);
}

static const struct trace_kind *kind_of_folder(const char *path)
{
    const struct trace_kind *kind = trace_kinds;

    while (kind != UNKNOWN && !(kind->is_folder && kind->is_folder(path)))
        kind++;
    return kind;
}

/* A kernel's file may be compressed, with a longer name. */
static const struct trace_kind *kind_of_file(const char *path)
{
    const struct trace_kind *kind = trace_kinds;
    char *const found = gpu_text_find("", path);
    struct trace_bytes head;
    struct fault ignored;

    if (WORKS(ignored, trace_bytes_open(&head, found ? found : path))) {
        while (kind != UNKNOWN && !is_of(kind, &head))
            kind++;
        trace_bytes_close(&head);
    } else {
        kind = UNKNOWN;
    }
    free(found);
    return kind;
}

const struct trace_kind *trace_kind_of(const char *path)
{
    const struct trace_kind *kind;

    if (path_is_pipe(path))
        return UNKNOWN;
    input_file_look_begin();
    kind = path_is_folder(path) ? kind_of_folder(path) : kind_of_file(path);
    input_file_look_end();
    return kind;
}

const struct trace_kind *trace_kind_of_as(const char *path, const char *format)
{
    return format && !path_is_pipe(path) ? &trace_kinds[TRACE_IS_INSN] : trace_kind_of(path);
}

/* ---- unknown files */

/* By its first bytes, or by its name. */
static bool may_be_elastic(const char *path)
{
    static const char *const beginnings[] = {"gem5", "\xef\xbe\xad\xde", "\xde\xad\xbe\xef"};
    struct stream stream;
    struct fault ignored;
    bool may_be = strstr(path_name(path), ".proto") != NULL;

    if (may_be || stream_open(&stream, &(struct stream_source){.path = path, .unpacks_all = true}).kind != FAULT_NONE)
        return may_be;
    if (stream_need(&stream, 4, &ignored) == STREAM_OK)
        for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
            may_be |= memcmp(stream.next, beginnings[i], 4) == 0;
    stream_close(&stream);
    return may_be;
}

struct fault trace_check_known(const char *path, const struct trace_kind *kind)
{
    struct fault fault = fault_none();
    struct insn_reader *reader;

    if (kind != UNKNOWN || path_is_folder(path) || path_is_pipe(path) || access(path, R_OK) != 0
        || may_be_elastic(path))
        return fault;
    reader = insn_reader_open(path, &fault);
    insn_reader_close(reader);
    return fault;
}

bool trace_has_kernels(const char *path)
{
    enum trace_work const work = trace_kind_of(path)->work;

    return work == TRACE_WORK_KERNELS || (work == TRACE_WORK_MACSIM && macsim_list_detect(path));
}

struct fault trace_list_open(struct gpu_list *list, const char *path, const struct trace_list_options *options)
{
    if (trace_kind_of(path)->work != TRACE_WORK_MACSIM)
        return gpu_list_open(list, path);
    return macsim_list_open(list, path, options ? options->format : NULL, options && options->macsim_compat);
}

/* A store of only a part of a set would silently lose the rest. */
static struct fault check_list(const struct gpu_list *list, const char *path)
{
    return !macsim_list_has_threads(list) ? fault_none() : fault_at(path, FAULT_NO_OFFSET, "has threads of CPUs "
                                                                    "beside its kernels, which a store of GPU traces "
                                                                    "does not hold; pack %s", list->path);
}

struct fault trace_list_pack(const char *path, const struct trace_list_options *options, const char *store_path)
{
    struct fault fault = fault_none();
    struct gpu_list list;
    bool good;

    if (gpu_store_detect(path))
        return fault_at(path, FAULT_NO_OFFSET, "is a store already; expected a list of GPU traces");
    FORWARD(trace_list_open(&list, path, options));
    good = WORKS(fault, check_list(&list, path)) && WORKS(fault, gpu_store_pack(&list, store_path));
    gpu_list_close(&list);
    return good ? fault_none() : fault;
}
