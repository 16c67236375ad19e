/* The commands below `rubato trace` for each kind of trace: a row for a kind, a function for a command.
 *
 * Use: fill in a struct trace_request, then trace_run, which finds the kind and checks that it takes the options that
 * were given. Answers are exit codes. */
#ifndef CLI_TRACE_TRACE_KINDS_H
#define CLI_TRACE_TRACE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "proto/macsim/detect.h"

/* Options that not all kinds take: suffix, name, of which kinds they are. */
#define TRACE_OPTIONS(O)                                                                                              \
    O(SVG, "svg", "elastic, instruction and GPU traces")                                                              \
    O(INFO_JSON, "json", "GPU and MacSim traces")                                                                     \
    O(DUMP_JSON, "json", "elastic, GPU and MacSim traces")                                                            \
    O(GEM5, "gem5", "elastic traces")                                                                                 \
    O(FETCHES, "fetches", "stores of elastic traces")                                                                 \
    O(COMPAT, "macsim-compat", "traces of MacSim")                                                                    \
    O(NO_IMAGES, "no-images", "instruction traces")                                                                   \
    O(MODEL, "model", "elastic traces")                                                                               \
    O(THREADS, "threads", "instruction traces")

#define TRACE_OPTION_ENUM(suffix, name, of) TRACE_OPTION_##suffix,
enum trace_option { TRACE_OPTIONS(TRACE_OPTION_ENUM) TRACE_OPTION_COUNT };

enum trace_command { TRACE_INFO, TRACE_DUMP, TRACE_VERIFY, TRACE_PACK, TRACE_CUT, TRACE_COMMAND_COUNT };

struct trace_request {
    const char *path;                    /* NULL: dep and fetch are a pair */
    const char *dep, *fetch;
    const char *format;                  /* of instruction traces; NULL: told by content */
    struct macsim_override override;
    bool has_override;                   /* it is MacSim's, in this format */
    uint64_t line_bytes;                 /* info; 0: the usual ones */
    const char *svg;                     /* a picture of miss rates; NULL: none */
    bool is_json, is_gem5, of_fetches;
    uint64_t first, behind;              /* dump, cut: records, of GPUs instructions, from 0 over all threads */
    const char *output;                  /* pack, cut */
    const char *model;                   /* of replays that a store is for; NULL: none was given */
    const char *threads;                 /* ids with commas; NULL: all */
    bool is_compat, without_images, is_quiet, salvages;
    unsigned options;                    /* those given: a bit for each enum trace_option */
};

int trace_run(enum trace_command command, const struct trace_request *request, const struct cli_usage *usage);

static inline const struct macsim_override *trace_override(const struct trace_request *request)
{
    return request->has_override ? &request->override : NULL;
}

int trace_elastic_info_data(const struct trace_request *request);
int trace_elastic_info_fetches(const struct trace_request *request);
int trace_elastic_info_pair(const struct trace_request *request);
int trace_elastic_info_store(const struct trace_request *request);
int trace_elastic_info_unknown(const struct trace_request *request);
int trace_elastic_dump_data(const struct trace_request *request);
int trace_elastic_dump_fetches(const struct trace_request *request);
int trace_elastic_dump_store(const struct trace_request *request);
int trace_elastic_verify(const struct trace_request *request);
int trace_elastic_pack(const struct trace_request *request);
int trace_elastic_cut(const struct trace_request *request);

int trace_insn_info(const struct trace_request *request);
int trace_insn_dump(const struct trace_request *request);
/* Reads all of it. 2: it is damaged, or cut. */
int trace_insn_verify(const struct trace_request *request);
/* As an .rbt; a file of that name is replaced. */
int trace_insn_pack(const struct trace_request *request);
/* Of each thread the instructions first to behind - 1. */
int trace_insn_cut(const struct trace_request *request);

int trace_gpu_info(const struct trace_request *request);
int trace_gpu_dump(const struct trace_request *request);
int trace_gpu_verify(const struct trace_request *request);
int trace_gpu_pack(const struct trace_request *request);

int trace_macsim_info(const struct trace_request *request);
int trace_macsim_dump(const struct trace_request *request);
int trace_macsim_verify(const struct trace_request *request);
int trace_macsim_pack(const struct trace_request *request);

#endif
