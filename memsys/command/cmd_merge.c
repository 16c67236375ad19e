/* As many reads as the queues of a channel hold: a few dozen, so that they are looked through. */
#include "memsys/command/cmd_merge.h"

#include <stdlib.h>

#include "base/list.h"

void cmd_merge_free(struct cmd_merge *merge)
{
    free(merge->reads);
    *merge = (struct cmd_merge){.is_on = merge->is_on};
}

uint32_t cmd_merge_find(const struct cmd_merge *merge, uint64_t access)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->reads[i].access == access)
            return merge->reads[i].read;
    return CMD_MERGE_NONE;
}

bool cmd_merge_add(struct cmd_merge *merge, uint64_t access, uint32_t read)
{
    if (!list_grow(&merge->reads, merge->count + 1, &merge->room, sizeof *merge->reads))
        return false;
    merge->reads[merge->count++] = (struct cmd_merge_read){access, read};
    return true;
}

void cmd_merge_issued(struct cmd_merge *merge, uint32_t read)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->reads[i].read == read) {
            merge->reads[i] = merge->reads[--merge->count];
            return;
        }
}

void cmd_merge_written(struct cmd_merge *merge, uint64_t access)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->reads[i].access == access) {
            merge->reads[i] = merge->reads[--merge->count];
            return;
        }
}
