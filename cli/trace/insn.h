/* The commands of `rubato trace` for instruction traces: a file, a folder with one for each thread, an .rbt. */
#ifndef CLI_TRACE_INSN_H
#define CLI_TRACE_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/insn/trace.h"

/* The answers are exit codes. format: of proto/insn/formats.h, NULL: told by content. line_bytes 0: 64. svg: a picture
 * of miss rates; NULL: none. */
int trace_insn_info(const char *path, const char *format, uint64_t line_bytes, const char *svg);
/* first, behind: instructions, counted from 0 over all threads. */
int trace_insn_dump(const char *path, const char *format, uint64_t first, uint64_t behind);
/* Reads all of it. 2: it is damaged, or cut. */
int trace_insn_verify(const char *path, const char *format);
/* As an .rbt; a file of that name is replaced. */
int trace_insn_pack(const char *path, const char *format, const char *output, bool without_images, bool is_quiet);
/* Of each thread the instructions first to behind - 1; threads: ids with commas, NULL: all. */
int trace_insn_cut(const char *path, const char *format, const char *output, uint64_t first, uint64_t behind,
                   const char *threads, bool salvages);
/* to: champsim, drmemtrace, lackey. */
int trace_insn_convert(const char *path, const char *format, const char *to, const char *output, bool is_quiet);

/* Opens it decoded, or else, with a warning, without. NULL: the error says why. */
struct insn_trace *trace_insn_open(const char *path, const char *format, struct fault *error);

#endif
