/* Modelled: virtual-memory 2.1: a cursor for each order in which frames are given. Frames are never given back, so the
 * cursor skips those tried before. Not modelled: a buddy allocator, memory that others use.
 *
 * `random` walks through a permutation of all frames: four rounds of a Feistel network over the next even number of
 * bits, again and again until the result is a frame (Black and Rogaway, "Ciphers with arbitrary finite domains",
 * CT-RSA 2002). So no two draws are equal, and nothing is stored. */
#include "memsys/vm/vm_frames.h"

#include <stdlib.h>

#include "base/arith.h"

#define ROUNDS 4

static struct vm_range outwards(struct vm_range bytes)
{
    uint64_t const first = bytes.base / VM_PAGE_BYTES;

    return (struct vm_range){first, (bytes.base + bytes.bytes - 1) / VM_PAGE_BYTES + 1 - first};
}

struct fault vm_frames_init(struct vm_frames *frames, const struct pages_params *params,
                            const struct vm_range *ranges, unsigned count)
{
    *frames = (struct vm_frames){.params = *params};
    for (unsigned i = 0; i < count && i < VM_MAX_RANGES; i++) {
        uint64_t const first = (ranges[i].base + VM_PAGE_BYTES - 1) / VM_PAGE_BYTES;
        uint64_t const end = (ranges[i].base + ranges[i].bytes) / VM_PAGE_BYTES;
        uint64_t const first_block = (first + VM_PAGES_IN_HUGE - 1) / VM_PAGES_IN_HUGE;

        if (ranges[i].bytes > 0)
            frames->touched[frames->touched_count++] = outwards(ranges[i]);
        if (end <= first)
            continue;
        frames->ranges[frames->range_count++] = (struct vm_range){first, end - first};
        frames->count += end - first;
        if (end / VM_PAGES_IN_HUGE > first_block)
            frames->block_count += end / VM_PAGES_IN_HUGE - first_block;
    }
    if (params->policy != PLACEMENT_COLOURED)
        return fault_none();
    frames->next_of_colour = calloc(params->colours, sizeof *frames->next_of_colour);
    return frames->next_of_colour ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the colours of pages");
}

void vm_frames_free(struct vm_frames *frames)
{
    number_map_free(&frames->owners);
    number_map_free(&frames->huge_owners);
    number_map_free(&frames->pieces);
    free(frames->next_of_colour);
    frames->next_of_colour = NULL;
}

/* ---- numbers */

uint64_t vm_frame_at(const struct vm_frames *frames, uint64_t index)
{
    for (unsigned i = 0; i < frames->range_count; i++) {
        if (index < frames->ranges[i].bytes)
            return frames->ranges[i].base + index;
        index -= frames->ranges[i].bytes;
    }
    return VM_NO_FRAME;
}

uint64_t vm_block_at(const struct vm_frames *frames, uint64_t index)
{
    for (unsigned i = 0; i < frames->range_count; i++) {
        uint64_t const first = (frames->ranges[i].base + VM_PAGES_IN_HUGE - 1) / VM_PAGES_IN_HUGE;
        uint64_t const end = (frames->ranges[i].base + frames->ranges[i].bytes) / VM_PAGES_IN_HUGE;
        uint64_t const here = end > first ? end - first : 0;

        if (index < here)
            return (first + index) * VM_PAGES_IN_HUGE;
        index -= here;
    }
    return VM_NO_FRAME;
}

bool vm_frames_are_memory(const struct vm_frames *frames, uint64_t first, uint64_t count)
{
    for (unsigned i = 0; i < frames->range_count; i++) {
        struct vm_range const range = frames->ranges[i];

        if (first >= range.base && first - range.base < range.bytes) {
            uint64_t const here = range.bytes - (first - range.base);

            if (count <= here)
                return true;
            first += here;
            count -= here;
        }
    }
    return false;
}

/* ---- a permutation of 0 .. count - 1 */

static uint64_t vm_frames_mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static uint64_t permuted(uint64_t index, uint64_t count, uint64_t seed)
{
    unsigned half = 1;

    while (half < 31 && UINT64_C(1) << 2 * half < count)
        half++;
    do {
        uint64_t const mask = (UINT64_C(1) << half) - 1;
        uint64_t left = index >> half, right = index & mask;

        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t const next = left ^ (vm_frames_mix(right ^ vm_frames_mix(seed * ROUNDS + round + 1)) & mask);

            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= count);
    return index;
}

/* ---- who has what */

static uint64_t block_of(uint64_t frame)
{
    return frame / VM_PAGES_IN_HUGE * VM_PAGES_IN_HUGE;
}

static bool is_free(const struct vm_frames *frames, uint64_t frame)
{
    return !number_map_get(&frames->owners, frame) && !number_map_get(&frames->huge_owners, block_of(frame));
}

static bool is_free_block(const struct vm_frames *frames, uint64_t frame)
{
    return !number_map_get(&frames->pieces, frame) && !number_map_get(&frames->huge_owners, frame);
}

static void vm_frames_give(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory)
{
    uint64_t *const place = number_map_put(&frames->owners, frame);
    uint64_t *const pieces = number_map_put(&frames->pieces, block_of(frame));

    if (!place || !pieces) {
        *lacks_memory = true;
        return;
    }
    *place = owner;
    ++*pieces;
}

static void give_block(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory)
{
    uint64_t *const place = number_map_put(&frames->huge_owners, frame);

    if (place)
        *place = owner;
    else
        *lacks_memory = true;
}

/* ---- orders */

/* The first frame of a colour from a number on; VM_NO_FRAME: none. */
static uint64_t of_colour(const struct vm_frames *frames, uint64_t from, uint64_t colour)
{
    uint64_t const colours = frames->params.colours;

    for (unsigned i = 0; i < frames->range_count; i++) {
        struct vm_range const range = frames->ranges[i];
        uint64_t frame = max_u64(from, range.base);

        if (frame - range.base >= range.bytes)
            continue;
        frame += (colour + colours - frame % colours) % colours;
        if (frame - range.base < range.bytes)
            return frame;
    }
    return VM_NO_FRAME;
}

static uint64_t next_of_colour(struct vm_frames *frames, uint64_t colour)
{
    uint64_t *const next = &frames->next_of_colour[colour];
    uint64_t frame;

    do {
        frame = of_colour(frames, *next, colour);
        *next = frame == VM_NO_FRAME ? VM_NO_FRAME : frame + 1;
    } while (frame != VM_NO_FRAME && !is_free(frames, frame));
    return frame;
}

static uint64_t next_in_order(struct vm_frames *frames)
{
    bool const is_random = frames->params.policy == PLACEMENT_RANDOM;

    while (frames->next_frame < frames->count) {
        uint64_t const index = frames->next_frame++;
        uint64_t const frame = vm_frame_at(frames, is_random ? permuted(index, frames->count, frames->params.seed)
                                                             : index);

        if (is_free(frames, frame))
            return frame;
    }
    return VM_NO_FRAME;
}

uint64_t vm_frames_take(struct vm_frames *frames, uint64_t page, uint64_t owner, bool *lacks_memory)
{
    uint64_t const frame = frames->params.policy == PLACEMENT_COLOURED
        ? next_of_colour(frames, page % frames->params.colours) : next_in_order(frames);

    if (frame != VM_NO_FRAME)
        vm_frames_give(frames, frame, owner, lacks_memory);
    return frame;
}

uint64_t vm_frames_take_block(struct vm_frames *frames, uint64_t owner, bool *lacks_memory)
{
    bool const is_random = frames->params.policy == PLACEMENT_RANDOM;

    while (frames->next_block < frames->block_count) {
        uint64_t const index = frames->next_block++;
        uint64_t const frame = vm_block_at(frames, is_random ? permuted(index, frames->block_count,
                                                                        frames->params.seed) : index);

        if (!is_free_block(frames, frame))
            continue;
        give_block(frames, frame, owner, lacks_memory);
        return frame;
    }
    return VM_NO_FRAME;
}

uint64_t vm_frames_take_table(struct vm_frames *frames, uint64_t owner, bool *lacks_memory)
{
    while (frames->next_table < frames->count) {
        uint64_t const frame = vm_frame_at(frames, frames->count - 1 - frames->next_table++);

        if (!is_free(frames, frame))
            continue;
        vm_frames_give(frames, frame, owner, lacks_memory);
        return frame;
    }
    return VM_NO_FRAME;
}

bool vm_frames_take_this(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory)
{
    if (!is_free(frames, frame))
        return false;
    vm_frames_give(frames, frame, owner, lacks_memory);
    return true;
}

bool vm_frames_take_this_block(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory)
{
    if (number_map_get(&frames->huge_owners, frame))
        return false;
    give_block(frames, frame, owner, lacks_memory);
    return true;
}
