/* Records are encoded one by one (proto/macsim_record.c); the sink buffers them. */
#include "proto/macsim_writer.h"

bool macsim_write_cpu(struct sink *sink, const struct macsim_cpu_record *record, struct proto_error *error)
{
    uint8_t bytes[MACSIM_C80_BYTES];

    macsim_encode_c80(record, bytes);
    return sink_write(sink, bytes, sizeof bytes, error);
}

bool macsim_write_gpu(struct sink *sink, const struct macsim_gpu_record *record, struct proto_error *error)
{
    uint8_t bytes[MACSIM_G72_MAX];

    return sink_write(sink, bytes, macsim_encode_g72(record, bytes), error);
}
