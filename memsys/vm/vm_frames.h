/* Physical memory in frames: which are taken, by whom, and which one is given next (virtual-memory 2.1).
 *
 * Use: for vm_space.c, which owns it. vm_frames_init, then frames are taken one after the other: the result depends
 * only on the frames taken before. A frame goes by its number, address / 4 KiB, a block of 2 MiB by that of its first
 * frame. Owners are numbers that the caller chooses. */
#ifndef MEMSYS_VM_VM_FRAMES_H
#define MEMSYS_VM_VM_FRAMES_H

#include "base/number_map.h"
#include "memsys/vm/vm_params.h"
#include "memsys/vm/vm_space.h"

#define VM_NO_FRAME UINT64_MAX

struct vm_frames {
    struct pages_params params;
    struct vm_range ranges[VM_MAX_RANGES];   /* in whole frames, not bytes */
    struct vm_range touched[VM_MAX_RANGES];  /* the same with frames of which only a part is memory */
    unsigned range_count, touched_count;
    uint64_t count, block_count;             /* of whole frames, of whole blocks, in all ranges */
    struct number_map owners, huge_owners;   /* of frames, of blocks */
    struct number_map pieces;                /* block: frames in it that are taken one by one */
    uint64_t next_frame, next_block;         /* number of frames tried, in the order of the policy ... */
    uint64_t next_table;                     /* ... from the end, for tables ... */
    uint64_t *next_of_colour;                /* ... and of each colour: first number that was not tried */
};

struct fault vm_frames_init(struct vm_frames *frames, const struct pages_params *params,
                            const struct vm_range *ranges, unsigned count);
void vm_frames_free(struct vm_frames *frames);

/* The number of the i-th frame of memory, from 0, and of the i-th whole block. */
uint64_t vm_frame_at(const struct vm_frames *frames, uint64_t index);
uint64_t vm_block_at(const struct vm_frames *frames, uint64_t index);
/* Is every one of those frames memory? */
bool vm_frames_are_memory(const struct vm_frames *frames, uint64_t first, uint64_t count);

/* VM_NO_FRAME: memory is full. *lacks_memory: the host is out of memory. */
uint64_t vm_frames_take(struct vm_frames *frames, uint64_t page, uint64_t owner, bool *lacks_memory);
uint64_t vm_frames_take_block(struct vm_frames *frames, uint64_t owner, bool *lacks_memory);
uint64_t vm_frames_take_table(struct vm_frames *frames, uint64_t owner, bool *lacks_memory);
/* Takes this frame if it is free, or this block if it is free as a whole; else false. */
bool vm_frames_take_this(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory);
bool vm_frames_take_this_block(struct vm_frames *frames, uint64_t frame, uint64_t owner, bool *lacks_memory);

#endif
