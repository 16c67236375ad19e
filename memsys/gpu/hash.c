/* Modelled: gpu-traces 12.3 with the indexings linear, xor, IPOLY and random table; DRAM banks without hash, as in all
 * configurations there. ipoly_modulo is Accel-Sim 2.0's: 2^k groups of an odd number of slices; IPOLY of k bits chooses
 * the group, the number without hash the slice within it. Where the spec leaves the rule open: pae folds the higher
 * bits into the channel number; the random table is a fixed mixing of the same address bits. */
#include "memsys/gpu/hash.h"

#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/gpu/gpu_params.h"

#define DEFAULT_LETTERS "0000RRRRRRRRRRRRRBBBCCCCBCCSSSSS"

enum { ADDRESS_BITS = 52 };

static uint64_t low_bits(uint64_t value, unsigned count)
{
    return value & ((UINT64_C(1) << count) - 1);
}

/* The bit joins the field as its next higher one. */
static void add_bit(struct gpu_field *field, unsigned bit)
{
    struct gpu_bit_run *run = field->count > 0 ? &field->runs[field->count - 1] : NULL;

    if (run && run->from + (field->width - run->to) == bit) {
        run->mask = run->mask << 1 | 1;
    } else {
        run = &field->runs[field->count++];
        *run = (struct gpu_bit_run){.mask = 1, .from = (uint8_t)bit, .to = (uint8_t)field->width};
    }
    field->width++;
}

static uint64_t field_of(const struct gpu_field *field, uint64_t rest)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < field->count; i++)
        value |= (rest >> field->runs[i].from & field->runs[i].mask) << field->runs[i].to;
    return value;
}

static struct fault read_letters(struct gpu_hash *hash, const char *letters)
{
    unsigned removed = 0, bit = 0;

    for (size_t left = strlen(letters); left > 0; left--) {
        char const letter = letters[left - 1];
        struct gpu_field *const field = letter == 'R' ? &hash->row : letter == 'B' ? &hash->bank
                                        : letter == 'C' || letter == 'S' ? &hash->column : NULL;

        if (!field && letter != '0')
            return fault_make(FAULT_INPUT, "gpu.l2.letters has '%c' in \"%s\"; give R, B, C, S or 0 for each bit",
                              letter, letters);
        if (field && (field->count == GPU_HASH_RUNS || bit >= ADDRESS_BITS))
            return fault_make(FAULT_INPUT, "gpu.l2.letters: \"%s\" names too many bits or too often another field; "
                              "give at most %d bits", letters, ADDRESS_BITS);
        if (letter == 'B' && removed < hash->slice_bits)
            hash->removed[removed++] = (uint8_t)bit;
        if (field)
            add_bit(field, bit);
        bit++;
    }
    if (removed < hash->slice_bits)
        return fault_make(FAULT_INPUT, "gpu.l2.letters: \"%s\" has fewer banks than a channel has slices (%" PRIu64
                          "); write more letters B", letters, hash->slices);
    return fault_none();
}

/* GPU_LETTERS_MAPPING: all bits are a column's. */
static void map_all(struct gpu_hash *hash)
{
    for (unsigned i = 0; i < hash->slice_bits; i++)
        hash->removed[i] = (uint8_t)(hash->channel_shift + i);
    for (unsigned bit = 0; bit < ADDRESS_BITS; bit++)
        add_bit(&hash->column, bit);
}

struct fault gpu_hash_init(struct gpu_hash *hash, const struct gpu_l2_params *params)
{
    uint64_t const count = params->channels * params->slices, groups = count & (~count + 1);
    unsigned bits;

    *hash = (struct gpu_hash){.channels = params->channels, .slices = params->slices, .group = count / groups,
                              .kind = (uint8_t)params->hash, .by_channels = clock_domain(params->channels),
                              .channel_shift = log2_up(params->interleave_bytes),
                              .channel_bits = log2_up(params->channels), .slice_bits = log2_up(params->slices),
                              .is_divided = (params->channels & (params->channels - 1)) != 0};
    bits = hash->channel_bits + hash->slice_bits;
    if ((params->slices & (params->slices - 1)) != 0)
        return fault_make(FAULT_INPUT, "gpu.l2.slices is %" PRIu64 "; give a power of two", params->slices);
    if ((params->interleave_bytes & (params->interleave_bytes - 1)) != 0 || hash->channel_shift < hash->slice_bits)
        return fault_make(FAULT_INPUT, "gpu.l2.interleave is %" PRIu64 " bytes; give a power of two",
                          params->interleave_bytes);
    if (bits > IPOLY_MAX_BITS)
        return fault_make(FAULT_INPUT, "gpu.l2: %" PRIu64 " channels of %" PRIu64 " slices; give at most %d in all",
                          params->channels, params->slices, 1 << IPOLY_MAX_BITS);
    if (params->hash == SLICE_XOR && hash->is_divided)
        return fault_make(FAULT_INPUT, "gpu.l2.hash is xor, but %" PRIu64 " channels are no power of two; choose "
                          "another", params->channels);
    ipoly_init(&hash->ipoly, params->hash == SLICE_IPOLY_MODULO ? log2_up(groups) : bits);
    if (strcmp(params->letters, GPU_LETTERS_MAPPING) == 0) {
        map_all(hash);
        return fault_none();
    }
    return read_letters(hash, params->letters[0] ? params->letters : DEFAULT_LETTERS);
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

/* All groups of `bits` bits, one upon the other. */
static uint64_t folded(uint64_t value, unsigned bits)
{
    uint64_t sum = 0;

    for (; value != 0 && bits > 0; value >>= bits)
        sum ^= low_bits(value, bits);
    return sum;
}

/* The slice of all, for the number that it would have without hash. */
static uint64_t hashed_slice(const struct gpu_hash *hash, uint64_t address, uint64_t plain, uint64_t higher)
{
    uint64_t const count = hash->channels * hash->slices, slice = plain & (hash->slices - 1);
    uint64_t const channel = plain >> hash->slice_bits;

    switch (hash->kind) {
    case SLICE_XOR:
        return low_bits(channel ^ higher, hash->channel_bits) << hash->slice_bits | slice;
    case SLICE_PAE:
        return (channel ^ folded(higher, hash->channel_bits)) % hash->channels << hash->slice_bits | slice;
    case SLICE_IPOLY:
        plain = ipoly_hash(&hash->ipoly, plain, higher);
        return hash->is_divided ? plain % count : plain;
    case SLICE_IPOLY_MODULO:
        return ipoly_hash(&hash->ipoly, plain / hash->group, higher) * hash->group + plain % hash->group;
    case SLICE_RANDOM:
        return mixed(address >> (hash->channel_shift - hash->slice_bits)) % count;
    default:
        return plain;
    }
}

static uint64_t without_bit(uint64_t value, unsigned bit)
{
    return value >> (bit + 1) << bit | low_bits(value, bit);
}

static uint64_t with_bit(uint64_t value, unsigned bit, uint64_t inserted)
{
    return value >> bit << (bit + 1) | inserted << bit | low_bits(value, bit);
}

struct gpu_slice_place gpu_hash_slice(const struct gpu_hash *hash, uint64_t address)
{
    uint64_t const chunk = low_bits(address, ADDRESS_BITS) >> hash->channel_shift;
    uint64_t const above = hash->is_divided ? domain_quotient(hash->by_channels, chunk) : chunk >> hash->channel_bits;
    uint64_t const channel = hash->is_divided ? chunk - above * hash->channels : low_bits(chunk, hash->channel_bits);
    uint64_t const higher = hash->is_divided ? above : above >> hash->slice_bits;
    uint64_t rest = above << hash->channel_shift | low_bits(address, hash->channel_shift), plain = 0;

    for (unsigned i = hash->slice_bits; i-- > 0;) {
        plain = plain << 1 | (rest >> hash->removed[i] & 1);
        rest = without_bit(rest, hash->removed[i]);
    }
    plain |= channel << hash->slice_bits;
    return (struct gpu_slice_place){.key = plain << GPU_KEY_SHIFT | rest,
                                    .slice = (uint32_t)hashed_slice(hash, address, plain, higher)};
}

/* The address without the bits that chose the channel. */
static uint64_t rest_of(const struct gpu_hash *hash, uint64_t key)
{
    uint64_t rest = low_bits(key, GPU_KEY_SHIFT);

    for (unsigned i = 0; i < hash->slice_bits; i++)
        rest = with_bit(rest, hash->removed[i], key >> (GPU_KEY_SHIFT + i) & 1);
    return rest;
}

uint64_t gpu_hash_address(const struct gpu_hash *hash, uint64_t key)
{
    uint64_t const rest = rest_of(hash, key), channel = key >> (GPU_KEY_SHIFT + hash->slice_bits);

    return ((rest >> hash->channel_shift) * hash->channels + channel) << hash->channel_shift
           | low_bits(rest, hash->channel_shift);
}

struct gpu_dram_place gpu_hash_dram(const struct gpu_hash *hash, uint64_t key)
{
    uint64_t const rest = rest_of(hash, key);

    return (struct gpu_dram_place){.row = field_of(&hash->row, rest), .bank = field_of(&hash->bank, rest),
                                   .column = field_of(&hash->column, rest)};
}

uint64_t gpu_hash_dram_address(const struct gpu_hash *hash, uint64_t key)
{
    struct gpu_dram_place const place = gpu_hash_dram(hash, key);

    return (place.row << hash->bank.width | place.bank) << hash->column.width | place.column;
}

/* Modelled: gpu-traces 12.2 for 16, 32 and 64 values. For other powers of two, of which the reference has none, we take
 * the smallest primitive polynomial and 24 higher bits.
 *
 * The remainder of a sum is the sum of remainders: those of 24 single bits make the tables. */

/* By the number of bits of the result: the polynomial, and how many of the higher bits count. */
static const struct {
    uint16_t polynomial;
    uint8_t higher_bits;
} polynomials[IPOLY_MAX_BITS + 1] = {
    {1, 0}, {3, 24}, {7, 24}, {0xb, 24}, {0x13, 13}, {0x25, 15}, {0x43, 19}, {0x83, 24}, {0x11d, 24}, {0x211, 24},
    {0x409, 24}, {0x805, 24}, {0x1053, 24},
};

void ipoly_init(struct ipoly *ipoly, unsigned bits)
{
    unsigned const top = 1u << bits, polynomial = polynomials[bits].polynomial;
    unsigned remainder = polynomial ^ top;       /* of x^bits */

    *ipoly = (struct ipoly){0};
    for (unsigned bit = 0; bit < polynomials[bits].higher_bits; bit++) {
        for (unsigned value = 0; value < 256; value++)
            if (value >> bit % 8 & 1)
                ipoly->remainders[bit / 8][value] ^= (uint16_t)remainder;
        remainder <<= 1;
        if (remainder & top)
            remainder ^= polynomial;
    }
}

/* Modelled: gpu-traces 12.1, indexes linear, Fermi, IPOLY and xor. The Fermi hash is that of Nugteren et al., "A
 * detailed GPU cache model based on reuse distance theory", HPCA 2014. */

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
