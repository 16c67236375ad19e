/* Hash map of row numbers whose order of walking is that of the reference's (GNU libstdc++, unordered_map<int,
 * ...>), since results depend on it (docs/spec/command-dram.md 13): a list of all entries, those of one bucket
 * side by side.
 *
 * Use: all zero is an empty one; put, get, remove, clear; walk by cmd_hash_map_first and _next; free. Values are
 * numbers. Ownership: cmd_hash_map_free. Errors: put returns NULL without memory. Pointers to values hold until the
 * next put. */
#ifndef MEMSYS_COMMAND_CHANNEL_CMD_HASH_MAP_H
#define MEMSYS_COMMAND_CHANNEL_CMD_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmd_hash_entry {
    int64_t value;
    int32_t key;
    uint32_t next;                       /* place of the next entry plus 1; 0: the last */
};

struct cmd_hash_map {
    struct cmd_hash_entry *entries;      /* free ones are linked, too */
    uint32_t *before;                    /* a bucket: 0: empty; 1: its first entry is the first of all; else place +
                                            2 of the one before */
    uint32_t first, free, used, room;    /* first, free: place plus 1; used: entries that were ever taken */
    uint32_t count, buckets;
};

int64_t *cmd_hash_map_get(const struct cmd_hash_map *map, int32_t key);
/* The value of a key; one that is not there gets 0. */
int64_t *cmd_hash_map_put(struct cmd_hash_map *map, int32_t key);
void cmd_hash_map_remove(struct cmd_hash_map *map, int32_t key);
/* Takes all entries out; the number of buckets stays. */
void cmd_hash_map_clear(struct cmd_hash_map *map);
void cmd_hash_map_free(struct cmd_hash_map *map);

/* Entries in order; NULL past the last. */
static inline struct cmd_hash_entry *cmd_hash_map_first(const struct cmd_hash_map *map)
{
    return map->first ? &map->entries[map->first - 1] : NULL;
}

static inline struct cmd_hash_entry *cmd_hash_map_next(const struct cmd_hash_map *map,
                                                       const struct cmd_hash_entry *entry)
{
    return entry->next ? &map->entries[entry->next - 1] : NULL;
}

#define CMD_EACH_ENTRY(entry, map)                                                                                    \
    for (struct cmd_hash_entry *entry = cmd_hash_map_first(map); entry; entry = cmd_hash_map_next(map, entry))

#endif
