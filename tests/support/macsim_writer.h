/* MacSim traces written for tests: raw streams of C80 and G72 (macsim-traces 2), and headers.
 *
 * Use: sink_open_bytes (proto/io/sink.h) with the stream's path, macsim_write_cpu or macsim_write_gpu, sink_close. The
 * name says nothing of the compression: streams are .raw in either case. */
#ifndef TESTS_SUPPORT_MACSIM_WRITER_H
#define TESTS_SUPPORT_MACSIM_WRITER_H

#include "proto/io/sink.h"
#include "proto/macsim/macsim_header.h"
#include "proto/macsim/record.h"

/* 80 bytes. */
void macsim_encode_c80(const struct macsim_cpu_record *record, uint8_t *bytes);
bool macsim_write_cpu(struct sink *sink, const struct macsim_cpu_record *record, struct fault *error);
/* With has_lanes five records, else one. */
bool macsim_write_gpu(struct sink *sink, const struct macsim_gpu_record *record, struct fault *error);

/* Today's form of `x86 1.3` and `newptx 14`. x86: threads. newptx: max_blocks, threads. A list of kernels: paths. The
 * file appears whole or not at all. */
bool macsim_header_write(const struct macsim_header *header, const char *path, struct fault *error);

/* -1: the dialect has no opcode of that name. */
int macsim_opcode_find(enum macsim_dialect dialect, const char *name);

#endif
