/* A pack: one file that holds the CPU threads of a MacSim set, headers and records, so that it can be copied, kept and
 * replayed as one. Records are stored unchanged; they are interpreted only by a replay.
 *
 * The file: head and index as other stores have them (proto/store/store_file.h); before the index the streams, each a
 * gzip member. The index: how many applications; for each path, header's text ("" without), layout, opcodes,
 * registers, and how many threads; for each id, start, place and size of its member, and hash64 of that.
 *
 * Use: macsim_pack_write; macsim_set_open reads a pack as it reads a set. Directly: macsim_pack_open, macsim_pack_part,
 * macsim_pack_check, macsim_pack_close. A pack appears whole or not at all. An incomplete last record of a stream is
 * left out. */
#ifndef PROTO_MACSIM_MACSIM_PACK_H
#define PROTO_MACSIM_MACSIM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/macsim/record.h"

struct macsim_set;

struct macsim_packed_stream {
    uint64_t id, start, place, hash;     /* place: of its chunk */
    const void *data;                    /* compressed, in the mapped file */
    size_t size;
};

struct macsim_packed_part {
    const char *pack;                    /* path of the pack */
    char *path, *header;                 /* of the header when it was packed; its text, "" without */
    struct macsim_format format;
    struct macsim_packed_stream *streams;
    size_t stream_count;
};

struct macsim_pack;

/* Packs the set's CPU applications; a set without any is an error. *threads, *bytes: totals of the pack. */
struct fault macsim_pack_write(const struct macsim_set *set, const char *path, size_t *threads, uint64_t *bytes);

#define MACSIM_PACK_MAGIC "\x89rubmsp\n"
bool macsim_pack_detect(const char *path);
/* NULL on failure. Head and index are checked. */
struct macsim_pack *macsim_pack_open(const char *path, struct fault *error);
void macsim_pack_close(struct macsim_pack *pack);
size_t macsim_pack_count(const struct macsim_pack *pack);
const struct macsim_packed_part *macsim_pack_part(const struct macsim_pack *pack, size_t index);
/* Compares the hash of every stream. */
struct fault macsim_pack_check(const struct macsim_pack *pack);

#endif
