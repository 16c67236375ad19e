/* Records written to a raw stream: C80 and G72 (macsim-traces 2).
 *
 * Use: sink_open_bytes (proto/sink.h) with the stream's path, macsim_write_cpu or macsim_write_gpu, sink_close. The
 * name says nothing of the compression: streams are .raw in either case. Headers: macsim_header_write. */
#ifndef PROTO_MACSIM_WRITER_H
#define PROTO_MACSIM_WRITER_H

#include <stdbool.h>

#include "proto/error.h"
#include "proto/macsim_record.h"
#include "proto/sink.h"

bool macsim_write_cpu(struct sink *sink, const struct macsim_cpu_record *record, struct proto_error *error);
bool macsim_write_gpu(struct sink *sink, const struct macsim_gpu_record *record, struct proto_error *error);

#endif
