/* From cheap and certain to dear: names in a folder, magic numbers of stores and packs, then how the content begins. */
#define _POSIX_C_SOURCE 200809L
#include "proto/kind.h"

#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/path.h"
#include "proto/elastic/input.h"
#include "proto/elastic/trace_dir.h"
#include "proto/gpu/store.h"
#include "proto/insn/reader.h"
#include "proto/macsim/kernel.h"
#include "proto/macsim/pack.h"
#include "proto/store/store.h"

static enum trace_kind kind_of_folder(const char *path)
{
    struct trace_paths paths;

    if (gpu_list_detect(path))
        return TRACE_IS_GPU_LIST;
    if (macsim_set_detect(path))
        return TRACE_IS_MACSIM;
    if (trace_dir_find(path, &paths).kind == FAULT_NONE)
        return TRACE_IS_PAIR;
    return insn_detect(path) ? TRACE_IS_INSN : TRACE_IS_UNKNOWN;
}

static enum trace_kind look(const char *path)
{
    enum input_kind elastic;

    if (path_is_folder(path))
        return kind_of_folder(path);
    if (path_is_pipe(path))
        return TRACE_IS_UNKNOWN;
    if (store_detect(path))
        return TRACE_IS_STORE;
    if (gpu_store_detect(path))
        return TRACE_IS_GPU_STORE;
    if (macsim_pack_detect(path))
        return TRACE_IS_MACSIM_PACK;
    if (macsim_set_detect(path))
        return TRACE_IS_MACSIM;
    if (gpu_list_detect(path))
        return TRACE_IS_GPU_LIST;
    if (input_detect(path, &elastic).kind != FAULT_NONE)
        return insn_detect(path) ? TRACE_IS_INSN : TRACE_IS_UNKNOWN;
    return elastic == INPUT_DEP_TRACE ? TRACE_IS_DATA : TRACE_IS_FETCH;
}

enum trace_kind trace_kind_of(const char *path)
{
    enum trace_kind kind;

    input_file_look_begin();
    kind = look(path);
    input_file_look_end();
    return kind;
}

enum trace_kind trace_kind_of_as(const char *path, const char *format)
{
    if (format && !path_is_pipe(path))
        return TRACE_IS_INSN;
    return trace_kind_of(path);
}

/* By its first bytes, or by its name. */
static bool may_be_elastic(const char *path)
{
    static const char *const beginnings[] = {"gem5", "\xef\xbe\xad\xde", "\xde\xad\xbe\xef"};
    struct stream stream;
    struct fault ignored;
    bool may_be = strstr(path_name(path), ".proto") != NULL;

    if (may_be || stream_open(&stream, &(struct stream_source){.path = path, .unpacks_xz = true}).kind != FAULT_NONE)
        return may_be;
    if (stream_need(&stream, 4, &ignored) == STREAM_OK)
        for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
            may_be |= memcmp(stream.next, beginnings[i], 4) == 0;
    stream_close(&stream);
    return may_be;
}

struct fault trace_check_known(const char *path, enum trace_kind kind)
{
    struct fault fault = fault_none();
    struct insn_reader *reader;

    if (kind != TRACE_IS_UNKNOWN || path_is_folder(path) || path_is_pipe(path) || access(path, R_OK) != 0
        || may_be_elastic(path))
        return fault;
    reader = insn_reader_open(path, &fault);
    insn_reader_close(reader);
    return fault;
}

bool trace_has_kernels(const char *path)
{
    enum trace_kind const kind = trace_kind_of(path);

    return trace_kind_is_gpu(kind) || (kind == TRACE_IS_MACSIM && macsim_list_detect(path));
}

struct fault trace_list_open(struct gpu_list *list, const char *path, const struct trace_list_options *options)
{
    if (!trace_kind_is_macsim(trace_kind_of(path)))
        return gpu_list_open(list, path);
    return macsim_list_open(list, path, options ? options->format : NULL, options && options->macsim_compat);
}

/* A store holds no part of a set in silence. */
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
