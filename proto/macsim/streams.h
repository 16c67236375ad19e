/* The streams of a MacSim header as one (proto/gpu/store.h). */
#ifndef PROTO_MACSIM_STREAMS_H
#define PROTO_MACSIM_STREAMS_H

#include "proto/gpu/store.h"

/* path: of the header. Reads all of them. */
struct fault macsim_streams_look(const char *path, struct gpu_streams *streams);

#endif
