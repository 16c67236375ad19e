/* Modelled: classic-memory 4.13 with the reference's limits (2 lines to coalesce, 12 to stop allocating, 8 delays). */
#include "memsys/cache/write_allocator.h"

#include <stdlib.h>

#define COALESCE_LINES 2
#define NO_ALLOCATE_LINES 12
#define DELAYS 8
#define FIRST_CAPACITY 64
#define FREE_PLACE TICK_NEVER

static uint32_t home_of(const struct write_allocator *allocator, uint64_t line_address)
{
    return (uint32_t)((line_address / allocator->line_bytes * UINT64_C(0x9E3779B97F4A7C15)) >> 32)
           & (allocator->delay_capacity - 1);
}

static struct write_delay *write_allocator_find(const struct write_allocator *allocator, uint64_t line_address)
{
    uint32_t place = home_of(allocator, line_address);

    while (allocator->delays[place].line_address != FREE_PLACE
           && allocator->delays[place].line_address != line_address)
        place = (place + 1) & (allocator->delay_capacity - 1);
    return &allocator->delays[place];
}

static struct write_delay *new_table(uint32_t capacity)
{
    struct write_delay *const delays = malloc(capacity * sizeof *delays);

    for (uint32_t i = 0; delays && i < capacity; i++)
        delays[i].line_address = FREE_PLACE;
    return delays;
}

static void write_allocator_grow(struct write_allocator *allocator)
{
    struct write_delay *const old = allocator->delays;
    uint32_t const old_capacity = allocator->delay_capacity;

    struct write_delay *const delays = new_table(old_capacity * 2);

    if (!delays)
        sim_out_of_memory(allocator->sim);
    allocator->delays = delays;
    allocator->delay_capacity = old_capacity * 2;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].line_address != FREE_PLACE)
            *write_allocator_find(allocator, old[i].line_address) = old[i];
    free(old);
}

static void write_allocator_put(struct write_allocator *allocator, uint64_t line_address, uint64_t count)
{
    struct write_delay *place;

    if (allocator->delay_count * 2 >= allocator->delay_capacity)
        write_allocator_grow(allocator);
    place = write_allocator_find(allocator, line_address);
    if (place->line_address == FREE_PLACE)
        allocator->delay_count++;
    *place = (struct write_delay){line_address, count};
}

/* Removal without tombstones: later entries of the same run move up. */
static void drop(struct write_allocator *allocator, uint64_t line_address)
{
    uint32_t const mask = allocator->delay_capacity - 1;
    struct write_delay *const found = write_allocator_find(allocator, line_address);
    uint32_t hole = (uint32_t)(found - allocator->delays);

    if (found->line_address == FREE_PLACE)
        return;
    for (uint32_t place = (hole + 1) & mask; allocator->delays[place].line_address != FREE_PLACE;
         place = (place + 1) & mask) {
        uint32_t const home = home_of(allocator, allocator->delays[place].line_address);

        if (((place - home) & mask) >= ((place - hole) & mask)) {
            allocator->delays[hole] = allocator->delays[place];
            hole = place;
        }
    }
    allocator->delays[hole].line_address = FREE_PLACE;
    allocator->delay_count--;
}

static void forget_stream(struct write_allocator *allocator)
{
    allocator->mode = WRITE_ALLOCATE;
    allocator->byte_count = 0;
    allocator->next_address = 0;
}

struct fault write_allocator_init(struct write_allocator *allocator, const struct sim *sim)
{
    *allocator = (struct write_allocator){.sim = sim, .line_bytes = sim->line_bytes,
                                           .delay_capacity = FIRST_CAPACITY};
    allocator->delays = new_table(FIRST_CAPACITY);
    return allocator->delays ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a write allocator");
}

void write_allocator_free(struct write_allocator *allocator)
{
    free(allocator->delays);
    allocator->delays = NULL;
}

void write_allocator_update(struct write_allocator *allocator, const struct packet *packet)
{
    uint64_t const line_address = packet->address & ~(uint64_t)(allocator->line_bytes - 1);

    if (allocator->next_address == packet->address) {
        write_allocator_put(allocator, line_address, DELAYS);
        if (allocator->mode != WRITE_NO_ALLOCATE) {
            allocator->byte_count += packet->size_bytes;
            if (allocator->mode == WRITE_ALLOCATE && allocator->byte_count > COALESCE_LINES * allocator->line_bytes)
                allocator->mode = WRITE_COALESCE;
            else if (allocator->mode == WRITE_COALESCE
                     && allocator->byte_count > NO_ALLOCATE_LINES * allocator->line_bytes)
                allocator->mode = WRITE_NO_ALLOCATE;
        }
    } else {
        allocator->byte_count = packet->size_bytes;
        allocator->mode = WRITE_ALLOCATE;
        drop(allocator, line_address);
    }
    allocator->next_address = packet->address + packet->size_bytes;
}

bool write_allocator_delays(struct write_allocator *allocator, uint64_t line_address, bool is_whole_line)
{
    struct write_delay *delay;

    if (allocator->mode == WRITE_ALLOCATE)
        return false;
    if (is_whole_line) {
        drop(allocator, line_address);
        return false;
    }
    delay = write_allocator_find(allocator, line_address);
    if (delay->line_address != FREE_PLACE && delay->count > 0) {
        delay->count--;
        return true;
    }
    forget_stream(allocator);
    return false;
}
