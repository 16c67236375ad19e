/* Traffic of one memory by requestor: accesses to its contents (classic-memory 11).
 *
 * Counted when the access is performed: reads when their answer is queued, writes when they are accepted. A
 * WritebackClean changes no contents and is not counted. Names: bytesRead, bytesInstRead, bytesWritten, numReads,
 * numWrites. */
#ifndef MEMSYS_DRAM_MEMORY_TRAFFIC_H
#define MEMSYS_DRAM_MEMORY_TRAFFIC_H

#include "memsys/sim/sim.h"

struct memory_traffic {
    uint64_t bytes_read, bytes_inst_read, bytes_written;
    uint64_t reads, writes;
};

/* `traffic` has MAX_REQUESTORS entries. */
static inline void memory_traffic_count(struct memory_traffic *traffic, const struct packet *packet)
{
    struct memory_traffic *const of = &traffic[packet->request.requestor];

    if (packet->command == CMD_WritebackClean)
        return;
    if (packet_is(packet, ATTR_WRITE)) {
        of->bytes_written += packet->size_bytes;
        of->writes++;
    } else if (packet_is(packet, ATTR_READ)) {
        of->bytes_read += packet->size_bytes;
        of->reads++;
        if (packet->request.flags & REQUEST_FETCH)
            of->bytes_inst_read += packet->size_bytes;
    }
}

/* Adds the traffic of the memory called `path`. */
void memory_traffic_add_stats(const struct memory_traffic *traffic, const struct sim *sim, const char *path,
                              struct stats *stats);

#endif
