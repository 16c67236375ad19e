/* `rubato trace info` and `rubato trace dump` of instruction traces: a file, or a folder with one for each thread. */
#ifndef CLI_TRACE_INSN_H
#define CLI_TRACE_INSN_H

#include <stdint.h>

/* The answers are exit codes. line_bytes 0: 64. */
int trace_insn_info(const char *path, uint64_t line_bytes);
/* first, behind: instructions, counted from 0 over all files. */
int trace_insn_dump(const char *path, uint64_t first, uint64_t behind);

#endif
