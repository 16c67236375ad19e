/* Reads of less than an access that wait for their RD, which other reads of the same access may join: two sectors of 32
 * bytes that lie in one access of 64 cost one read (memory.command.merge_reads). A write to the access ends that, as
 * later reads are answered from it.
 *
 * Use: zeroed and is_on set; cmd_merge_add when such a read has its place in the queue, cmd_merge_find for one that
 * arrives, cmd_merge_issued and cmd_merge_written at their RD and at writes. Accesses go by their number, address /
 * bytes of an access; reads by the owner's number of them. Ownership: cmd_merge_free. */
#ifndef MEMSYS_COMMAND_CMD_MERGE_H
#define MEMSYS_COMMAND_CMD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CMD_MERGE_NONE UINT32_MAX

struct cmd_merge {
    struct cmd_merge_read { uint64_t access; uint32_t read; } *reads;     /* in no order */
    size_t count, room;
    uint64_t merged;                     /* statistics: reads that joined another */
    bool is_on;
};

void cmd_merge_free(struct cmd_merge *merge);
/* The read that waits for that access, or CMD_MERGE_NONE. */
uint32_t cmd_merge_find(const struct cmd_merge *merge, uint64_t access);
/* False: out of memory. */
bool cmd_merge_add(struct cmd_merge *merge, uint64_t access, uint32_t read);
/* No read joins that one, or that of this access, any more. Unknown reads and accesses are ignored. */
void cmd_merge_issued(struct cmd_merge *merge, uint32_t read);
void cmd_merge_written(struct cmd_merge *merge, uint64_t access);

#endif
