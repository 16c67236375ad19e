/* Fetch that runs ahead of decode (key fetchAhead), and a cache of micro-ops (uopCache).
 *
 * Modelled: prediction goes on while blocks are under way: micro-ops are built along the predicted path and wait in the
 * fetch queue for their bytes, so that latencies of the L1I overlap with each other and with decode. At most one block
 * is asked for and one taken branch followed in a cycle; at most fetchAhead + 1 blocks are held or under way. The
 * branches of fetchBlocks blocks are predicted in a cycle, of fetchAhead + 1 before fetch needs them: a loop that lies
 * in two blocks takes two predictions a turn. Of branches that the BTB has, every fetchBlockBranches-th of a block ends
 * it, taken or not. A block whose micro-ops are in their cache is there at once, and is no
 * request of the L1I; another one is decoded at most uopCacheMissWidth micro-ops a cycle, and its micro-ops are kept.
 * Sets of that cache replace the least recently used.
 * Not modelled: lines that hold fewer micro-ops than a block has, and loop buffers: their loops are in the cache of
 * micro-ops, too.
 * Source: G. Reinman, T. Austin, B. Calder, "A Scalable Front-End Architecture for Fast Instruction Delivery", ISCA
 * 1999; AMD, Software Optimization Guide for Zen 4 (57647), "Instruction Fetch and Decode" (a block of 64
 * bytes a cycle), "Op Cache"; Intel's Optimization Manual, "Decoded ICache". */
#include "replay/detailed/detailed_core.h"

#define NO_BLOCK UINT64_MAX

void ahead_begin(struct detailed_cpu *cpu)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;

    for (uint32_t i = 0; i < ahead->count; i++)
        ahead->blocks[i] = (struct fetch_block){.block = NO_BLOCK, .is_here = true};
    for (uint64_t i = 0; i < cpu->params.uop_cache; i++)
        ahead->kept[i].block = NO_BLOCK;
    ahead->predicted = NO_BLOCK;
}

void ahead_squash(struct detailed_cpu *cpu)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;

    for (uint32_t i = 0; i < ahead->count; i++)
        if (ahead->blocks[i].is_here)
            ahead->blocks[i].block = NO_BLOCK;
}

/* ---- predictions: fetchBlocks a cycle, of which fetchAhead + 1 may wait for fetch */
bool ahead_predicts(struct detailed_cpu *cpu, uint64_t block)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;
    uint64_t const now = (cpu->cycle + 1) * cpu->params.predicted_blocks;

    if (cpu->params.predicted_blocks == 0 || ahead->count == 0 || ahead->predicted == block)
        return true;
    if (ahead->predictions >= now)
        return false;
    if (now - ahead->predictions > ahead->count)
        ahead->predictions = now - ahead->count;
    ahead->predictions++;
    ahead->predicted = block;
    ahead->branches = 0;
    return true;
}

void ahead_branches(struct detailed_cpu *cpu, const struct branch_answer *answer)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;

    ahead->branches += answer->is_in_btb;
    if (answer->is_taken || (answer->is_in_btb && ahead->branches == cpu->params.block_branches))
        ahead->predicted = NO_BLOCK;
}

void ahead_redirect(struct detailed_cpu *cpu, uint64_t cycle)
{
    cpu->fetch.ahead.predicted = NO_BLOCK;
    cpu->fetch.ahead.predictions = cycle * cpu->params.predicted_blocks;
}

/* ---- blocks that are here or under way */
static struct fetch_block *find_block(struct fetch_ahead *ahead, uint64_t block)
{
    for (uint32_t i = 0; i < ahead->count; i++)
        if (ahead->blocks[i].block == block)
            return &ahead->blocks[i];
    return NULL;
}

bool ahead_has(struct detailed_cpu *cpu, uint64_t block)
{
    return find_block(&cpu->fetch.ahead, block) != NULL;
}

/* ---- blocks whose micro-ops are kept */
static struct kept_block *set_of(struct detailed_cpu *cpu, uint64_t block)
{
    uint64_t const ways = cpu->params.uop_cache_ways, sets = cpu->params.uop_cache / ways;

    return cpu->fetch.ahead.kept + block / cpu->params.fetch_buffer_bytes % sets * ways;
}

/* True: it was kept. It is, from now on. */
static bool keep(struct detailed_cpu *cpu, uint64_t block)
{
    struct kept_block *const set = cpu->params.uop_cache > 0 ? set_of(cpu, block) : NULL;
    struct kept_block *oldest = set;
    uint64_t const ways = set ? cpu->params.uop_cache_ways : 0;

    for (uint64_t i = 0; i < ways; i++) {
        if (set[i].block == block) {
            set[i].used = ++cpu->fetch.ahead.uses;
            return true;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    if (set)
        *oldest = (struct kept_block){block, ++cpu->fetch.ahead.uses};
    return false;
}

/* ---- requests */
static bool send(struct detailed_cpu *cpu, uint64_t place)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    struct request const request = {
        .address = place,
        .pc = fetch->next.pc,
        .size_bytes = (uint32_t)cpu->params.fetch_buffer_bytes,
        .flags = REQUEST_FETCH,
        .requestor = cpu->inst_requestor,
        .sequence = fetch->requests + 1,
        .has_pc = true,
    };
    struct packet *const packet = packet_take(cpu->sim->packets, &request, CMD_ReadReq);

    if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port)) {
        packet_give(cpu->sim->packets, packet);
        fetch->is_blocked = true;
        return false;
    }
    fetch->requests++;
    cpu->stats.cache_lines++;
    if (cpu->listener && cpu->listener->fetched)
        cpu->listener->fetched(cpu->listener->context, sim_now_ps(cpu->sim), request.address, request.pc);
    return true;
}

bool ahead_request(struct detailed_cpu *cpu, uint64_t block, uint64_t place)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;
    struct fetch_block *const next = &ahead->blocks[ahead->next];

    if (!next->is_here || ahead->request_cyc == cpu->cycle || cpu->fetch.is_blocked)
        return false;
    if (keep(cpu, block)) {
        *next = (struct fetch_block){.block = block, .request = ++cpu->fetch.requests, .is_here = true, .is_kept = true,
                                     .due_cyc = cpu->cycle + cpu->params.uop_cache_cyc - 1};
    } else {
        if (!send(cpu, place))
            return false;
        *next = (struct fetch_block){.block = block, .request = cpu->fetch.requests};
    }
    ahead->request_cyc = cpu->cycle;
    ahead->next = (ahead->next + 1) % ahead->count;
    cpu->changed = true;
    return true;
}

bool ahead_response(struct detailed_cpu *cpu, uint64_t request)
{
    struct fetch_ahead *const ahead = &cpu->fetch.ahead;

    for (uint32_t i = 0; i < ahead->count; i++)
        if (ahead->blocks[i].request == request && !ahead->blocks[i].is_here) {
            ahead->blocks[i].is_here = true;
            return true;
        }
    return false;
}

/* ---- micro-ops of the queue */
void ahead_mark(struct detailed_cpu *cpu, struct inst *inst, uint64_t block)
{
    const struct fetch_block *const found = find_block(&cpu->fetch.ahead, block);

    inst->block_request = found ? found->request : 0;
    inst->is_decoded = cpu->params.uop_cache > 0 && found && !found->is_kept;
}

bool ahead_waits(const struct detailed_cpu *cpu, const struct inst *inst)
{
    const struct fetch_ahead *const ahead = &cpu->fetch.ahead;

    for (uint32_t i = 0; i < ahead->count && inst->block_request > 0; i++)
        if (ahead->blocks[i].request == inst->block_request)
            return !ahead->blocks[i].is_here || ahead->blocks[i].due_cyc > cpu->cycle;
    return false;
}

bool ahead_may_send(struct detailed_cpu *cpu, const struct inst *inst, uint64_t *decoded)
{
    if (ahead_waits(cpu, inst)) {
        /* a block of the cache of micro-ops comes by itself */
        cpu->changed = cpu->changed || cpu->params.uop_cache_cyc > 1;
        return false;
    }
    if (!inst->is_decoded)
        return true;
    if (*decoded >= cpu->params.uop_cache_miss_width && !inst_is(inst, INST_JOINED))
        return false;
    *decoded += inst_slots(inst);
    return true;
}
