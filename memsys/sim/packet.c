/* The command table and the packet pool (classic-memory 2). */
#include "memsys/sim/packet.h"

#include "base/host_facts.h"
#include "memsys/sim/out_of_memory.h"

#define PACKETS_PER_CHUNK 64

struct packet_chunk {
    struct packet packets[PACKETS_PER_CHUNK];
    struct packet_chunk *next;
};
_Static_assert(sizeof(struct packet) % HOST_LINE_BYTES == 0, "packets begin at lines of the host");

#define COMMAND_ROW(name, attributes, response) [CMD_##name] = {#name, (attributes), CMD_##response},
const struct command_info command_table[CMD_COUNT] = {COMMANDS(COMMAND_ROW)};
#undef COMMAND_ROW

#define ATTRIBUTE_ROW(name, attributes, response) [CMD_##name] = (attributes),
const uint16_t command_attribute_table[CMD_COUNT] = {COMMANDS(ATTRIBUTE_ROW)};
#undef ATTRIBUTE_ROW

#define RESPONSE_ROW(name, attributes, response) [CMD_##name] = CMD_##response,
const uint8_t command_response_table[CMD_COUNT] = {COMMANDS(RESPONSE_ROW)};
#undef RESPONSE_ROW

void packet_pool_grow(struct packet_pool *pool)
{
    struct packet_chunk *const chunk = host_lines_zeroed(1, sizeof *chunk);

    if (!chunk)
        sim_out_of_memory(pool->sim);
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    for (size_t i = 0; i < PACKETS_PER_CHUNK; i++) {
        chunk->packets[i].next = pool->free;
        pool->free = &chunk->packets[i];
    }
}

void packet_copy(struct packet *to, const struct packet *from, bool keep_marks)
{
    *to = *from;
    to->snoop_delay_ps = 0;
    to->block_cached = false;
    if (!keep_marks)
        to->has_sharers = to->cache_responding = to->responder_had_writable = to->express_snoop = false;
}

struct packet *packet_take_copy(struct packet_pool *pool, const struct packet *from, bool keep_marks)
{
    struct packet *const packet = packet_pool_pop(pool);

    packet_copy(packet, from, keep_marks);
    return packet;
}

void packet_pool_free(struct packet_pool *pool)
{
    while (pool->chunks) {
        struct packet_chunk *const next = pool->chunks->next;

        host_lines_free(pool->chunks);
        pool->chunks = next;
    }
    *pool = (struct packet_pool){0};
}

void packet_rewrite_upgrade(struct packet *packet)
{
    if (packet->command == CMD_UpgradeReq)
        packet->command = CMD_ReadExReq;
    else if (packet->command == CMD_SCUpgradeReq)
        packet->command = CMD_SCUpgradeFailReq;
    else if (packet->command == CMD_StoreCondReq)
        packet->command = CMD_StoreCondFailReq;
}
