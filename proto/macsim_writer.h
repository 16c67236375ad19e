/* Raw streams being written: C80 and G72, with gzip or plain (macsim-traces 1, 2).
 *
 * Use: macsim_writer_open, macsim_writer_cpu or macsim_writer_gpu, macsim_writer_close; on failure
 * macsim_writer_discard. The file appears whole at macsim_writer_close or not at all. Headers: macsim_header_write. */
#ifndef PROTO_MACSIM_WRITER_H
#define PROTO_MACSIM_WRITER_H

#include <stdbool.h>

#include "proto/error.h"
#include "proto/macsim_record.h"

struct macsim_writer;

/* NULL on failure. The name says nothing of the compression: streams are .raw in either case. */
struct macsim_writer *macsim_writer_open(const char *path, bool gzip, struct proto_error *error);
bool macsim_writer_cpu(struct macsim_writer *writer, const struct macsim_cpu_record *record,
                       struct proto_error *error);
bool macsim_writer_gpu(struct macsim_writer *writer, const struct macsim_gpu_record *record,
                       struct proto_error *error);
/* Frees the writer in any case. */
bool macsim_writer_close(struct macsim_writer *writer, struct proto_error *error);
/* Frees the writer, leaves no file. NULL is fine. */
void macsim_writer_discard(struct macsim_writer *writer);

#endif
