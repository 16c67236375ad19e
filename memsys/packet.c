/* The command table and the packet pool (classic-memory 2). */
#include "memsys/packet.h"

#include <stdlib.h>

#define PACKETS_PER_CHUNK 64

struct packet_chunk {
    struct packet_chunk *next;
    struct packet packets[PACKETS_PER_CHUNK];
};

#define COMMAND_ROW(name, attributes, response) [CMD_##name] = {#name, (attributes), CMD_##response},
const struct command_info command_table[CMD_COUNT] = {COMMANDS(COMMAND_ROW)};
#undef COMMAND_ROW

static void pool_grow(struct packet_pool *pool)
{
    struct packet_chunk *const chunk = malloc(sizeof *chunk);

    if (!chunk)
        abort();
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    for (size_t i = 0; i < PACKETS_PER_CHUNK; i++) {
        chunk->packets[i].next = pool->free;
        pool->free = &chunk->packets[i];
    }
}

static struct packet *pool_pop(struct packet_pool *pool)
{
    struct packet *packet;

    if (!pool->free)
        pool_grow(pool);
    packet = pool->free;
    pool->free = packet->next;
    pool->outstanding++;
    return packet;
}

void packet_init(struct packet *packet, const struct request *request, enum command command)
{
    packet->next = NULL;
    packet->request = *request;
    packet->address = request->address;
    packet->size_bytes = request->size_bytes;
    packet->header_delay_ps = packet->payload_delay_ps = packet->snoop_delay_ps = 0;
    packet->command = (uint8_t)command;
    packet->has_sharers = packet->cache_responding = packet->responder_had_writable = false;
    packet->express_snoop = packet->block_cached = false;
    packet->sender_count = packet->route_count = 0;
}

void packet_copy(struct packet *to, const struct packet *from, bool keep_marks)
{
    *to = *from;
    to->next = NULL;
    to->snoop_delay_ps = 0;
    to->block_cached = false;
    if (!keep_marks)
        to->has_sharers = to->cache_responding = to->responder_had_writable = to->express_snoop = false;
}

struct packet *packet_take(struct packet_pool *pool, const struct request *request, enum command command)
{
    struct packet *const packet = pool_pop(pool);

    packet_init(packet, request, command);
    return packet;
}

struct packet *packet_take_copy(struct packet_pool *pool, const struct packet *from, bool keep_marks)
{
    struct packet *const packet = pool_pop(pool);

    packet_copy(packet, from, keep_marks);
    return packet;
}

void packet_give(struct packet_pool *pool, struct packet *packet)
{
    packet->next = pool->free;
    pool->free = packet;
    pool->outstanding--;
}

void packet_pool_free(struct packet_pool *pool)
{
    while (pool->chunks) {
        struct packet_chunk *const next = pool->chunks->next;

        free(pool->chunks);
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
