/* Address spaces: the places of virtual pages in physical memory, and of their page tables (virtual-memory 2 and 3).
 *
 * Physical memory (struct vm_memory) is one or several ranges, cut into frames of 4 KiB and blocks of 2 MiB. It belongs
 * to all spaces of a system. A space is that of a process. Which frame a page gets depends on the order in which pages
 * are touched, and on the seed; time plays no part, so each replay of a trace finds its pages at the same places.
 *
 * Use: vm_memory_make; vm_memory_add_space for each process; space_map for the mappings of a file; space_touch for all
 * addresses of its trace, in the order of the trace (all threads of a process one after the other); space_settle,
 * once, before the next space is touched; then space_place, and vm_find for the way back. Pages that are touched after
 * space_settle get frames at once: 4 KiB of them unless `huge` is always. vm_memory_free frees the spaces, too.
 * With the placement `identity` nothing need be touched: each address is its own place.
 * Units: bytes; page numbers are addresses divided by 4096. Memory of the host grows with the footprint. */
#ifndef MEMSYS_VM_VM_SPACE_H
#define MEMSYS_VM_VM_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define VM_PAGE_BYTES UINT64_C(4096)
#define VM_HUGE_BYTES (UINT64_C(512) * VM_PAGE_BYTES)
#define VM_PAGES_IN_HUGE 512
#define VM_LEVELS 4                      /* of page tables: 4 is the root, 1 has the entries of 4 KiB pages */
#define VM_MAX_RANGES 8
#define VM_MAX_SPACES 4094
#define VM_NOWHERE UINT64_MAX

struct vm_range { uint64_t base, bytes; };

struct pages_params;
struct vm_memory;
struct space;

/* ranges: of physical memory, ascending, without overlap; bytes that make no whole frame are left out. NULL: FAULT. */
struct vm_memory *vm_memory_make(const struct pages_params *params, const struct vm_range *ranges, unsigned count,
                                 struct fault *fault);
void vm_memory_free(struct vm_memory *memory);

/* A space placed according to the parameters; is_identity: its addresses are physical, regardless of the parameters.
 * NULL: FAULT. name: for faults, e.g. the trace's; copied, and cut. */
struct space *vm_memory_add_space(struct vm_memory *memory, const char *name, bool is_identity, struct fault *fault);
/* Tables of a host below a guest: physical memory is that of the guest then, and lies at the same addresses of the host
 * (virtual-memory 5.6). Before all other spaces. NULL: FAULT. / The host's space, NULL without one. */
struct space *vm_memory_add_host(struct vm_memory *memory, struct fault *fault);
struct space *vm_memory_host(const struct vm_memory *memory);

/* The first that was added, but for a host's; NULL: none. */
struct space *vm_memory_first_space(const struct vm_memory *memory);
/* The `i`th of them, from 0 on; NULL: there are not that many. */
struct space *vm_memory_nth_space(const struct vm_memory *memory, unsigned i);

/* From 1 on, in the order in which they were added. */
unsigned space_number(const struct space *space);

/* A page, or several, are at that place: before anything is touched. `bytes` is a multiple of 4 KiB, both addresses are
 * multiples of it. Where both addresses allow it, pieces of 2 MiB become huge pages. FAULT_INPUT if it is not memory,
 * or taken. */
struct fault space_map(struct space *space, uint64_t address, uint64_t physical, uint64_t bytes);

/* All pages of `bytes` at an address are used by the trace; bytes 0 counts as 1. FAULT_INPUT if memory is full. */
struct fault space_touch(struct space *space, uint64_t address, uint64_t bytes);
struct fault space_settle(struct space *space);

/* Physical address; VM_NOWHERE: its page was not touched. */
uint64_t space_place(struct space *space, uint64_t address);
/* The same, of a page that is touched now if it was not before; physical addresses must lie in memory. VM_NOWHERE:
 * *fault says why. */
uint64_t space_touch_and_place(struct space *space, uint64_t address, struct fault *fault);

/* Wraps a physical address beyond memory: the address modulo the size of all memories together. */
uint64_t space_fold(const struct space *space, uint64_t address);

/* The page at a physical address. */
struct vm_page {
    struct space *space;                 /* NULL: no page of any space, or a page table */
    uint64_t address;                    /* the virtual one */
    uint64_t bytes;                      /* of its page */
};

/* `own` answers for spaces whose addresses are physical: it is the answer if it is one of them; else it is ignored, and
 * may be NULL. Of several pages at one place: the one that came first. */
struct vm_page vm_find(const struct vm_memory *memory, struct space *own, uint64_t physical);
/* Short for its virtual address; VM_NOWHERE: none. */
uint64_t space_virtual_of(struct space *space, uint64_t physical);

/* Physical address of the page-table entry that a walk for that page reads at a level: 4 to 1, for a page of 2 MiB 4 to
 * 2. The page was touched, or the space is an identity. */
uint64_t space_entry(struct space *space, uint64_t address, unsigned level);
/* Bytes of all pages of a space whose addresses are physical. */
uint64_t space_page_bytes(const struct space *space);

/* Is that the first call for this number of a page (level 1), or of what an entry of a higher level covers? Walks ask,
 * so that the first one can wait for the operating system. Memory of the host that is missing: false. */
bool space_first_use(struct space *space, uint64_t number, unsigned level);

struct space_counts {
    uint64_t small_pages, huge_pages, tables;      /* given to the space */
    uint64_t broken_huge_pages;                    /* regions of 2 MiB for which no whole block was left: 4 KiB pages */
};
struct space_counts space_counts(const struct space *space);
/* Of all spaces together. */
struct space_counts vm_memory_counts(const struct vm_memory *memory);

#endif
