/* Hashes are of the files on disk, compressed or not. */
#define _POSIX_C_SOURCE 200809L
#include "proto/macsim/streams.h"

#include <sys/stat.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "proto/macsim/set.h"

static struct fault add(const char *path, struct gpu_streams *streams, struct hash64_pieces *pieces)
{
    uint8_t bytes[8];
    uint64_t hash;
    struct stat file;

    FORWARD(hash64_file(path, &hash));
    if (stat(path, &file) == 0)
        streams->bytes += (uint64_t)file.st_size;
    bits_store64(bytes, hash);
    hash64_add(pieces, bytes, sizeof bytes);
    streams->count++;
    return fault_none();
}

struct fault macsim_streams_look(const char *path, struct gpu_streams *streams)
{
    struct fault fault = fault_none();
    struct macsim_header header;
    struct hash64_pieces pieces;
    bool good = true;

    *streams = (struct gpu_streams){0};
    FORWARD(macsim_header_read(&header, path));
    hash64_begin(&pieces);
    for (size_t i = 0; good && i < header.thread_count; i++) {
        char stream[MACSIM_PATH_MAX];

        good = macsim_header_stream_path(&header, i, stream, sizeof stream)
                   ? WORKS(fault, add(stream, streams, &pieces))
                   : WORKS(fault, fault_at(path, FAULT_NO_OFFSET,
                                           "the path of its stream %zu is too "
                                           "long",
                                           i));
    }
    streams->hash = hash64_end(&pieces);
    macsim_header_free(&header);
    return good ? fault_none() : fault;
}
