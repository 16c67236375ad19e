/* The streams of a MacSim header as one: a store of thousands of them remembers one hash. */
#ifndef PROTO_MACSIM_STREAMS_H
#define PROTO_MACSIM_STREAMS_H

#include "proto/macsim_header.h"

struct macsim_streams {
    uint64_t count, bytes;               /* files, and as they stand on disk */
    uint64_t hash;                       /* of the files' hashes, in the header's order */
};

/* path: of the header. Reads all of them. */
bool macsim_streams_look(const char *path, struct macsim_streams *streams, struct proto_error *error);

#endif
