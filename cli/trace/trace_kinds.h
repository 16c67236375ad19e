/* The commands below `rubato trace` for each kind of trace: a row for a kind, a function for a command.
 *
 * Use: fill in a struct trace_request, then trace_run, which finds the kind and checks that it takes the options that
 * were given. Answers are exit codes. */
#ifndef CLI_TRACE_TRACE_KINDS_H
#define CLI_TRACE_TRACE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "proto/macsim/detect.h"

enum trace_command { TRACE_INFO, TRACE_DUMP, TRACE_VERIFY, TRACE_PACK, TRACE_CUT, TRACE_COMMAND_COUNT };

/* `trace convert` takes its records as ...; bits. */
enum trace_conversion {
    TRACE_CONVERTS_INSNS = 1,            /* instructions: elastic traces, other tools' formats */
    TRACE_CONVERTS_MACSIM = 2,           /* threads of MacSim: elastic traces */
    TRACE_CONVERTS_KERNELS = 4           /* kernels, if it has some: Accel-Sim's format */
};

struct trace_kind;

struct trace_request {
    const struct trace_kind *kind;       /* of path; set by trace_run */
    const char *path;                    /* NULL: dep and fetch are a pair */
    const char *heading;                 /* printed before the page of info; NULL: none */
    const char *dep, *fetch;
    const char *format;                  /* of instruction traces; NULL: detected */
    struct macsim_override override;
    bool has_override;                   /* it is MacSim's, in this format */
    uint64_t line_bytes;                 /* info; 0: the usual ones */
    const char *svg;                     /* a picture of miss rates; NULL: none */
    bool is_json, is_gem5, of_fetches;
    uint64_t first, behind;              /* dump, cut: records, of GPUs instructions, from 0 over all threads */
    const char *output;                  /* pack, cut */
    const char *model;                   /* of replays that a store is for; NULL: none was given */
    const char *threads;                 /* ids with commas; NULL: all */
    bool is_compat, without_images, without_program, is_quiet, salvages;
};

/* Lines of tables of options that several commands have. */
#define TRACE_FORMAT_ROW {MACSIM_FORMAT_OPTION, CLI_WHOLE(trace_take_format)}
#define TRACE_INSN_FORMAT_ROW {INSN_FORMAT_OPTION, CLI_CALL(trace_request, format, cli_take_insn_format)}
#define TRACE_PAIR_ROWS                                                                                               \
    {"data", "FILE", "data dependency trace, instead of a folder with both files", CLI_INTO(TEXT, trace_request, dep)},\
    {"fetch", "FILE", "instruction fetch trace, likewise", CLI_INTO(TEXT, trace_request, fetch)}

/* Take a value into a struct trace_request (cli/options/options.h): --format; "A:B", "A:" or ":B" as records
 * [first, behind); the operand, of which there is one, as path. False: the error is printed. */
bool trace_take_format(void *request, struct cli_parser *parser);
bool trace_take_range(void *request, struct cli_parser *parser);
bool trace_take_path(void *request, struct cli_parser *parser);

/* Bits of enum trace_conversion. */
unsigned trace_conversions(const struct trace_kind *kind);

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
