/* Packets: the messages between caches, crossbars and memories (classic-memory 2).
 *
 * A packet carries the original request (address, size, flags, pc, requestor, as the core or prefetcher sent it) and
 * the message of the moment (command, address, size, delays, coherence marks). The response is the request packet
 * itself, turned around by packet_make_response; it carries the way back as two small stacks, so that no table is
 * searched.
 *
 * Ownership: packets come from the pool of the simulation. The component that accepts a packet (recv_request or
 * recv_response returned true) owns it, and passes it on or frees it. Snoops that travel in zero time are never owned:
 * they live in the sender's frame, and a component that must keep one copies it with packet_copy. */
#ifndef MEMSYS_SIM_PACKET_H
#define MEMSYS_SIM_PACKET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Attributes of a command (classic-memory 2.1). */
enum command_attribute {
    ATTR_READ = 1 << 0,              /* R */
    ATTR_WRITE = 1 << 1,             /* W */
    ATTR_INVALIDATE = 1 << 2,        /* I */
    ATTR_NEEDS_WRITABLE = 1 << 3,    /* NW */
    ATTR_UPGRADE = 1 << 4,           /* U */
    ATTR_EVICTION = 1 << 5,          /* E */
    ATTR_DATA = 1 << 6,              /* D: carries a payload */
    ATTR_NEEDS_RESPONSE = 1 << 7,    /* Rsp */
    ATTR_FROM_CACHE = 1 << 8,        /* FC */
    ATTR_LLSC = 1 << 9,              /* L */
    ATTR_SOFT_PREFETCH = 1 << 10,    /* SW */
    ATTR_HARD_PREFETCH = 1 << 11,    /* HW */
    ATTR_LOCKED_RMW = 1 << 12,       /* K */
    ATTR_CLEAN_EVICTION = 1 << 13,   /* CleanEvict, WritebackClean */
    ATTR_CHECK_ABOVE = 1 << 14,      /* mustCheckAbove: HardPFReq and evictions */
    ATTR_DEMAND = 1 << 15            /* counted in demand* statistics */
};

/* One line a command: name (as the reference prints it), attributes, response. */
#define R_ ATTR_READ
#define W_ ATTR_WRITE
#define I_ ATTR_INVALIDATE
#define NW_ ATTR_NEEDS_WRITABLE
#define U_ ATTR_UPGRADE
#define E_ (ATTR_EVICTION | ATTR_CHECK_ABOVE)
#define D_ ATTR_DATA
#define RSP_ ATTR_NEEDS_RESPONSE
#define FC_ ATTR_FROM_CACHE
#define L_ ATTR_LLSC
#define SW_ ATTR_SOFT_PREFETCH
#define HW_ ATTR_HARD_PREFETCH
#define K_ ATTR_LOCKED_RMW
#define CE_ ATTR_CLEAN_EVICTION
#define DM_ ATTR_DEMAND
#define COMMANDS(C)                                                                                                   \
    C(ReadReq, R_ | RSP_ | DM_, ReadResp)                                                                             \
    C(ReadResp, R_ | D_, ReadResp)                                                                                    \
    C(ReadRespWithInvalidate, R_ | I_ | D_, ReadRespWithInvalidate)                                                   \
    C(WriteReq, W_ | NW_ | D_ | RSP_ | DM_, WriteResp)                                                                \
    C(WriteResp, W_, WriteResp)                                                                                       \
    C(WriteLineReq, W_ | NW_ | D_ | RSP_ | DM_, WriteResp)                                                            \
    C(WritebackDirty, W_ | E_ | D_ | FC_, WritebackDirty)                                                             \
    C(WritebackClean, W_ | E_ | D_ | FC_ | CE_, WritebackClean)                                                       \
    C(CleanEvict, E_ | FC_ | CE_, CleanEvict)                                                                         \
    C(SoftPFReq, R_ | SW_ | RSP_, SoftPFResp)                                                                         \
    C(SoftPFExReq, R_ | NW_ | I_ | SW_ | RSP_, SoftPFResp)                                                            \
    C(HardPFReq, R_ | HW_ | RSP_ | FC_ | ATTR_CHECK_ABOVE, HardPFResp)                                                \
    C(SoftPFResp, R_ | SW_ | D_, SoftPFResp)                                                                          \
    C(HardPFResp, R_ | HW_ | D_, HardPFResp)                                                                          \
    C(SCUpgradeReq, I_ | NW_ | U_ | L_ | RSP_ | FC_, UpgradeResp)                                                     \
    C(UpgradeReq, I_ | NW_ | U_ | RSP_ | FC_, UpgradeResp)                                                            \
    C(UpgradeResp, U_, UpgradeResp)                                                                                   \
    C(SCUpgradeFailReq, R_ | I_ | NW_ | L_ | RSP_ | FC_, UpgradeFailResp)                                             \
    C(UpgradeFailResp, R_ | D_, UpgradeFailResp)                                                                      \
    C(ReadExReq, R_ | NW_ | I_ | RSP_ | FC_ | DM_, ReadExResp)                                                        \
    C(ReadExResp, R_ | D_, ReadExResp)                                                                                \
    C(ReadCleanReq, R_ | RSP_ | FC_ | DM_, ReadResp)                                                                  \
    C(ReadSharedReq, R_ | RSP_ | FC_ | DM_, ReadResp)                                                                 \
    C(LoadLockedReq, R_ | L_ | RSP_, ReadResp)                                                                        \
    C(StoreCondReq, W_ | NW_ | L_ | D_ | RSP_, StoreCondResp)                                                         \
    C(StoreCondFailReq, W_ | NW_ | L_ | D_ | RSP_, StoreCondResp)                                                     \
    C(StoreCondResp, W_ | L_, StoreCondResp)                                                                          \
    C(LockedRMWReadReq, R_ | K_ | NW_ | RSP_, LockedRMWReadResp)                                                      \
    C(LockedRMWReadResp, R_ | K_ | D_, LockedRMWReadResp)                                                             \
    C(LockedRMWWriteReq, W_ | K_ | NW_ | D_ | RSP_, LockedRMWWriteResp)                                               \
    C(LockedRMWWriteResp, W_ | K_, LockedRMWWriteResp)                                                                \
    C(SwapReq, R_ | W_ | NW_ | D_ | RSP_, SwapResp)                                                                   \
    C(SwapResp, R_ | W_ | D_, SwapResp)                                                                               \
    C(InvalidateReq, I_ | NW_ | RSP_ | FC_, InvalidateResp)                                                           \
    C(InvalidateResp, I_, InvalidateResp)

#define COMMAND_ENUM(name, attributes, response) CMD_##name,
enum command { COMMANDS(COMMAND_ENUM) CMD_COUNT };
#undef COMMAND_ENUM

struct command_info {
    const char *name;
    uint32_t attributes;
    enum command response;
};

extern const struct command_info command_table[CMD_COUNT];
extern const uint16_t command_attribute_table[CMD_COUNT];    /* the attributes alone, for hot paths */
extern const uint8_t command_response_table[CMD_COUNT];      /* the responses alone */

/* Request flag bits of the trace that matter to the memory system (elastic-trace 1.6). */
enum request_flag {
    REQUEST_FETCH = 0x00000100,
    REQUEST_UNCACHEABLE = 0x00000400,
    REQUEST_STRICT_ORDER = 0x00000800,
    REQUEST_PRIVILEGED = 0x00008000,
    REQUEST_LOCKED_RMW = 0x00100000,
    REQUEST_LLSC = 0x00200000,
    REQUEST_SWAP = 0x00400000,
    REQUEST_SWAP_CONDITIONAL = 0x00800000,
    REQUEST_PREFETCH = 0x01000000,
    REQUEST_PREFETCH_EXCLUSIVE = 0x02000000,
    REQUEST_SECURE = 0x10000000,
    REQUEST_WALK = 0x20000000,           /* a page walk reads an entry of a table */
    /* Not of a trace: a prefetch for a cache below alone, one level, two, or with both flags three levels down. */
    REQUEST_PREFETCH_BELOW = 0x40000000, REQUEST_PREFETCH_BELOW_2 = 0x08000000
};

/* Set in the address of a secure request: secure and non-secure lines differ (elastic-trace 1.6). Not part of the
 * place in memory: routing, memories and the log mask it away. */
#define ADDRESS_SECURE (UINT64_C(1) << 63)

/* Levels of caches and crossbars that a packet may cross; the builder refuses deeper trees. */
#define PACKET_DEPTH 8

typedef uint16_t requestor_id;

/* The request of the original requestor; every packet that it causes on the way down repeats it unchanged. */
struct request {
    uint64_t address;
    uint64_t pc;
    uint64_t sequence;               /* number of a core's data record, from 0; the core's own */
    uint32_t size_bytes;
    uint32_t flags;                  /* enum request_flag */
    requestor_id requestor;
    bool has_pc;                     /* evictions and software prefetches passed on have none */
    uint32_t metadata;               /* of modules (include/rubato_policy.h); 0 without them */
};

struct mshr;

/* One step of the way back through a crossbar. */
struct route_step {
    uint16_t port;
    bool towards_memory;             /* the snoop came from below: its answer leaves by memory-side port `port` */
};

/* Three lines of the host, of which most packets touch two: how many senders and steps they have is in the second. */
struct packet {
    struct packet *next;             /* link of the pool's free list; meaningless while the packet is taken */
    struct request request;
    uint64_t address;
    uint32_t size_bytes;
    uint32_t header_delay_ps;        /* hd, pd, sd: ticks that the receiver still has to charge (classic-memory 5.2) */
    uint32_t payload_delay_ps;
    uint32_t snoop_delay_ps;
    uint16_t command;                /* enum command */
    bool has_sharers;                /* classic-memory 2.2, all five */
    bool cache_responding;
    bool responder_had_writable;
    bool express_snoop;
    bool block_cached;
    uint16_t sender_count, route_count;
    uint32_t filter_place;           /* of a crossbar that it passed: where its filter had the line; may be outdated */
    struct route_step route[PACKET_DEPTH];      /* crossbars that the response passes, nearest to the core first */
    struct mshr *senders[PACKET_DEPTH];         /* the same: MSHRs that wait for it */
    uint64_t padding[1];
};

/* Free packets, in chunks that are kept until the pool is freed: after warming up no packet costs an allocation. */
struct packet_pool {
    struct packet *free;
    struct packet_chunk *chunks;
    size_t outstanding;              /* packets taken and not returned */
    const struct sim *sim;           /* its owner; NULL: none */
};

static inline uint32_t command_attributes(unsigned command)
{
    return command_attribute_table[command];
}

static inline bool packet_is(const struct packet *packet, uint32_t attributes)
{
    return (command_attribute_table[packet->command] & attributes) != 0;
}

static inline bool packet_is_uncacheable(const struct packet *packet)
{
    return (packet->request.flags & REQUEST_UNCACHEABLE) != 0;
}

/* Half of packet_take: more free packets, or sim_out_of_memory. */
void packet_pool_grow(struct packet_pool *pool);
void packet_pool_free(struct packet_pool *pool);

/* Delays 0, marks clear, stacks empty. */
static inline void packet_clear(struct packet *packet, enum command command)
{
    packet->header_delay_ps = packet->payload_delay_ps = packet->snoop_delay_ps = 0;
    packet->command = (uint16_t)command;
    packet->has_sharers = packet->cache_responding = packet->responder_had_writable = false;
    packet->express_snoop = packet->block_cached = false;
    packet->sender_count = packet->route_count = 0;
}

/* For a packet in the caller's frame: its address and size are those of the request, delays 0, marks clear, stacks
 * empty. */
static inline void packet_init(struct packet *packet, const struct request *request, enum command command)
{
    packet->request = *request;
    packet->address = request->address;
    packet->size_bytes = request->size_bytes;
    packet_clear(packet, command);
}

/* Copy with delays and stacks; without `keep_marks` the five marks are clear in the copy. */
void packet_copy(struct packet *to, const struct packet *from, bool keep_marks);

static inline struct packet *packet_pool_pop(struct packet_pool *pool)
{
    struct packet *packet;

    if (!pool->free)
        packet_pool_grow(pool);
    packet = pool->free;
    pool->free = packet->next;
    pool->outstanding++;
    return packet;
}

/* The same for a packet of the pool. */
static inline struct packet *packet_take(struct packet_pool *pool, const struct request *request, enum command command)
{
    struct packet *const packet = packet_pool_pop(pool);

    packet_init(packet, request, command);
    return packet;
}

/* A packet for a request without an instruction: no flags, no pc. */
static inline struct packet *packet_take_line(struct packet_pool *pool, uint64_t address, uint32_t size_bytes,
                                              requestor_id requestor, enum command command)
{
    struct packet *const packet = packet_pool_pop(pool);

    packet->request.address = packet->address = address;
    packet->request.size_bytes = packet->size_bytes = size_bytes;
    packet->request.pc = packet->request.sequence = 0;
    packet->request.flags = 0;
    packet->request.requestor = requestor;
    packet->request.has_pc = false;
    packet->request.metadata = 0;
    packet_clear(packet, command);
    return packet;
}

struct packet *packet_take_copy(struct packet_pool *pool, const struct packet *packet, bool keep_marks);

static inline void packet_give(struct packet_pool *pool, struct packet *packet)
{
    packet->next = pool->free;
    pool->free = packet;
    pool->outstanding--;
}

/* Command becomes its response; no longer express. */
static inline void packet_make_response(struct packet *packet)
{
    packet->command = command_response_table[packet->command];
    packet->express_snoop = false;
}

/* The block that an upgrade wanted to keep is gone: ask for the data as well (classic-memory 4.7, 4.11). */
void packet_rewrite_upgrade(struct packet *packet);

#endif
