/* Modelled: gpu-traces 12.1, indexes linear, Fermi, IPOLY and xor. The Fermi hash is that of Nugteren et al., "A
 * detailed GPU cache model based on reuse distance theory", HPCA 2014. */
#include "memsys/gpu/set_index.h"

#include <inttypes.h>

struct fault set_index_init(struct cache_index *index, const struct sector_cache_params *params)
{
    uint64_t const sets = params->sets;
    bool const is_power = (sets & (sets - 1)) == 0;

    if (params->index == SET_FERMI && sets != 32 && sets != 64)
        return fault_make(FAULT_INPUT, "sets is %" PRIu64 "; index fermi is for 32 or 64", sets);
    if (params->index == SET_IPOLY && (!is_power || sets > UINT64_C(1) << IPOLY_MAX_BITS))
        return fault_make(FAULT_INPUT, "sets is %" PRIu64 "; index ipoly needs a power of two, at most %u", sets,
                          1u << IPOLY_MAX_BITS);
    if (params->index == SET_XOR && !is_power)
        return fault_make(FAULT_INPUT, "sets is %" PRIu64 "; index xor needs a power of two", sets);
    *index = (struct cache_index){.kind = (enum set_index)params->index, .sets = sets,
                                .line_shift = (unsigned)__builtin_ctzll(params->line_bytes),
                                .set_shift = (unsigned)__builtin_ctzll(sets), .is_divided = !is_power};
    if (params->index == SET_IPOLY)
        ipoly_init(&index->ipoly, index->set_shift);
    return fault_none();
}

static uint64_t fermi_set(uint64_t address, unsigned line_shift, uint64_t sets)
{
    uint64_t const lower = address >> line_shift & 31;
    uint64_t const upper = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;

    return (lower ^ upper) | (sets == 64 ? (address >> 12 & 1) << 5 : 0);
}

uint64_t set_index_hash(const struct cache_index *index, uint64_t number)
{
    if (index->kind == SET_FERMI)
        return fermi_set(number << index->line_shift, index->line_shift, index->sets);
    if (index->kind == SET_XOR)
        return (number ^ number >> index->set_shift) & (index->sets - 1);
    return number % index->sets;
}
