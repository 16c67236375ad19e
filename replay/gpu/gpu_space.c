/* Address spaces (gpu-traces 8): windows of generic addresses, and where local memory lies.
 *
 * Modelled: generic addresses lane by lane, by the kernel's two windows of 16 MiB; a window whose base is not known
 * does not exist. Local memory: words of all hardware threads of the GPU interleaved, so that lanes which access the
 * same offset touch neighbouring words.
 *
 * MGPUSim's tracer reads addresses after the access, when a destination that is part of the address has been written
 * (14.1). Where it is the upper half of a vector load's address, and not the lower, the recorded upper half is the
 * loaded value, so that of the warp's last other access is used; where it is in the base of a scalar load, all of the
 * address is wrong, and that of the last load from the same base is taken, which lies in the same arguments.
 *
 * Not modelled: the reference's order of windows, and its 16 KiB slice. */
#include "replay/gpu/gpu_machine.h"

enum { WINDOW_BYTES = 1 << 24 };

#define LOCAL_START UINT64_C(0x40000000)     /* below the heaps of all tracers */

static bool is_in_window(uint64_t base, uint64_t address)
{
    return base != 0 && address >= base && address - base < WINDOW_BYTES;
}

/* Where byte `offset` of a thread's local memory is. */
static uint64_t local_address(const struct gpu_sm *sm, uint32_t slot, uint32_t warp_size, unsigned lane,
                              uint64_t offset)
{
    uint64_t const threads = sm->machine->params.sm.max_threads;
    uint64_t const thread = sm->number * threads + (uint64_t)slot * warp_size + lane;

    return LOCAL_START + 4 * (offset / 4 * threads * sm->machine->sm_count + thread) + offset % 4;
}

static void resolve_generic(const struct gpu_header *header, uint64_t lanes_left, struct gpu_lanes *lanes)
{
    for (; lanes_left; lanes_left &= lanes_left - 1) {
        unsigned const lane = (unsigned)__builtin_ctzll(lanes_left);
        uint64_t const bit = UINT64_C(1) << lane;

        if (is_in_window(header->shmem_base, lanes->addresses[lane])) {
            lanes->addresses[lane] -= header->shmem_base;
            lanes->shared |= bit;
        } else if (is_in_window(header->local_base, lanes->addresses[lane])) {
            lanes->local |= bit;
        } else {
            lanes->global |= bit;
        }
    }
}

/* ---- addresses that the tracer lost */

/* Base registers of scalar loads are S registers, none of which has the number 0. */
static void mend_scalar(struct gpu_warp *warp, const struct gpu_static *inst, bool is_lost, struct gpu_lanes *lanes)
{
    uint16_t const base = inst->source_count ? inst->registers[inst->destination_count] : 0;
    unsigned at = 0;

    while (at + 1 < GPU_SCALAR_BASES && warp->scalar_bases[at] && warp->scalar_bases[at] != base)
        at++;
    if (!is_lost) {
        warp->scalar_addresses[at] = lanes->addresses[0];
        warp->scalar_bases[at] = base;
    } else if (base && warp->scalar_bases[at] == base) {
        lanes->addresses[0] = warp->scalar_addresses[at];
    }
}

static void mend_vector(struct gpu_warp *warp, bool is_lost, uint64_t present, struct gpu_lanes *lanes)
{
    if (!is_lost)
        warp->address_top = (uint32_t)(lanes->addresses[__builtin_ctzll(present)] >> 32);
    for (; is_lost && present; present &= present - 1) {
        uint64_t *const address = &lanes->addresses[__builtin_ctzll(present)];

        *address = (uint64_t)warp->address_top << 32 | (*address & UINT32_MAX);
    }
}

static void mend(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, uint64_t present,
                 struct gpu_lanes *lanes)
{
    struct gpu_warp *const warp = &sm->warps[slot];
    struct gpu_running *const running = warp->resident->kernel;
    const struct gpu_decoded *const decoded = warp_decoded(warp, inst);

    if (decoded->is_scalar)
        mend_scalar(warp, &running->kernel.statics[inst->index], decoded->loses_address, lanes);
    else
        mend_vector(warp, decoded->loses_address, present, lanes);
    if (decoded->loses_address && !running->warned_of_addresses) {
        running->warned_of_addresses = true;
        gpu_run_warn(sm->machine->run, "%s: the tracer read addresses of loads after their destination was written; "
                     "where that is part of the address, it is made up from the warp's last one",
                     running->result->file);
    }
}

/* ---- spaces */

void gpu_space_resolve(struct gpu_sm *sm, uint32_t slot, const struct gpu_inst *inst, struct gpu_lanes *lanes)
{
    const struct gpu_warp *const warp = &sm->warps[slot];
    struct gpu_running *const running = warp->resident->kernel;
    const struct gpu_header *const header = &running->kernel.header;
    const struct gpu_decoded *const decoded = warp_decoded(warp, inst);
    uint64_t const present = gpu_inst_addresses(warp->resident->block, inst, decoded->is_scalar, lanes->addresses);

    lanes->global = lanes->shared = lanes->local = 0;
    if (header->isa == GPU_ISA_GCN3 && present && decoded->space != GPU_SPACE_SHARED)
        mend(sm, slot, inst, present, lanes);
    switch (decoded->space) {
    case GPU_SPACE_SHARED:
        lanes->shared = present;
        break;
    case GPU_SPACE_LOCAL:
        lanes->local = present;
        break;
    case GPU_SPACE_GENERIC:
        if ((header->shmem_base == 0 || header->local_base == 0) && !running->warned_of_bases) {
            running->warned_of_bases = true;
            gpu_run_warn(sm->machine->run, "%s: no base of shared or local memory in the header; generic addresses "
                         "count as global", running->result->file);
        }
        resolve_generic(header, present, lanes);
        break;
    default:
        lanes->global = present;
    }
    for (uint64_t left = lanes->local; left; left &= left - 1) {
        unsigned const lane = (unsigned)__builtin_ctzll(left);
        uint64_t offset = lanes->addresses[lane];

        if (is_in_window(header->local_base, offset))
            offset -= header->local_base;
        lanes->addresses[lane] = local_address(sm, slot, running->warp_size, lane, offset);
    }
}
