/* Vectors of levels (Ramulator 2's read-write traces) as addresses of the first memory of a system that works command
 * by command: those that its address map puts there.
 *
 * Use: traffic_vector_find as `find` of a traffic_address_check, whose context is a struct traffic_vectors of the
 * configuration; traffic_vectors_free. The memories are made with the first vector. Ownership: the configuration is
 * borrowed. */
#ifndef REPLAY_TRAFFIC_TRAFFIC_VECTOR_H
#define REPLAY_TRAFFIC_TRAFFIC_VECTOR_H

#include "replay/traffic/traffic_trace.h"

struct system_config;
struct traffic_memory;

struct traffic_vectors {
    const struct system_config *config;
    struct traffic_memory *memory;       /* NULL: none was asked for */
};

bool traffic_vector_find(void *vectors, const struct traffic_vector *vector, uint64_t *address,
                         uint64_t *access_bytes, char *why, size_t size);
void traffic_vectors_free(struct traffic_vectors *vectors);

#endif
