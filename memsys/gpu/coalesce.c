/* Modelled: gpu-traces 9 (sectors, segments, lines, atomics) and 8.3 (shared memory). Not modelled: the pairing of
 * sectors of one line into one look-up of the tags, which costs no bandwidth of the L1 here.
 *
 * Requests are gathered in the order in which lanes need them. Lanes with rising addresses, the usual case, find theirs
 * as the last or append one; only what lies below the highest is searched. */
#include "memsys/gpu/coalesce.h"

#include <assert.h>
#include <string.h>

#include "memsys/gpu/gpu_params.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 64, SEGMENT_BYTES = 128, HALF_SEGMENT_BYTES = 64, WORD_BYTES = 4 };
enum { MAX_BANKS = 1024 };

/* Requests of one instruction while they are gathered. */
struct gathering {
    struct coalesced *requests;
    uint64_t *lane_sets;                 /* of each request */
    unsigned count;
    uint64_t highest;                    /* address among the requests */
};

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The request for `address` that can take these bytes, or a new one; NULL if there is no room. */
static struct coalesced *find_request(struct gathering *gathering, uint64_t address, uint64_t bytes, bool is_atomic)
{
    struct coalesced *const requests = gathering->requests;

    if (gathering->count > 0 && address <= gathering->highest) {
        struct coalesced *const last = &requests[gathering->count - 1];

        if (last->address == address && !is_atomic)
            return last;
        for (unsigned i = 0; i < gathering->count; i++)
            if (requests[i].address == address && !(is_atomic && (requests[i].byte_mask & bytes) != 0))
                return &requests[i];
    } else {
        gathering->highest = address;
    }
    if (gathering->count == COALESCE_MAX_ACCESSES)
        return NULL;
    requests[gathering->count] = (struct coalesced){.address = address};
    gathering->lane_sets[gathering->count] = 0;
    return &requests[gathering->count++];
}

/* Requests of `unit` bytes, at most 64, in order of first appearance. */
static void coalesce_gather(struct gathering *gathering, const struct lane_access *access, uint32_t unit)
{
    /* A lane whose offset from the last request is below this lies in it as a whole. */
    uint64_t const inside = !access->is_atomic && access->width_bytes > 0 && access->width_bytes <= unit
                                ? unit - access->width_bytes + 1 : 0;
    uint64_t const whole = low_bits(access->width_bytes);
    struct coalesced *last = NULL;

    for (uint64_t left = access->lanes; left != 0; left &= left - 1) {
        unsigned const lane = (unsigned)__builtin_ctzll(left);
        uint64_t address = access->addresses[lane];
        uint32_t width = access->width_bytes;

        if (last && address - last->address < inside) {
            last->byte_mask |= whole << (address - last->address);
            gathering->lane_sets[last - gathering->requests] |= UINT64_C(1) << lane;
            continue;
        }
        while (width > 0) {
            unsigned const offset = (unsigned)(address & (unit - 1));
            uint32_t const part = width < unit - offset ? width : unit - offset;
            uint64_t const bytes = low_bits(part) << offset;
            struct coalesced *const request = find_request(gathering, address - offset, bytes, access->is_atomic);

            if (!request)
                return;
            request->byte_mask |= bytes;
            request->bytes = unit;
            gathering->lane_sets[request - gathering->requests] |= UINT64_C(1) << lane;
            address += part;
            width -= part;
        }
        if (gathering->count > 0)
            last = &gathering->requests[gathering->count - 1];
    }
}

static void count_lanes(struct gathering *gathering)
{
    for (unsigned i = 0; i < gathering->count; i++)
        gathering->requests[i].lanes = (uint32_t)__builtin_popcountll(gathering->lane_sets[i]);
}

/* Sorts by falling address, equal addresses last one first. The requests are mostly rising, so they are reversed
 * first, and then sorted by insertion. */
static void sort_falling(struct gathering *gathering)
{
    struct coalesced *const requests = gathering->requests;

    for (unsigned i = 0, j = gathering->count; i + 1 < j; i++) {
        struct coalesced const swapped = requests[i];
        uint64_t const lanes = gathering->lane_sets[i];

        j--;
        requests[i] = requests[j];
        requests[j] = swapped;
        gathering->lane_sets[i] = gathering->lane_sets[j];
        gathering->lane_sets[j] = lanes;
    }
    for (unsigned i = 1; i < gathering->count; i++) {
        struct coalesced const moved = requests[i];
        uint64_t const lanes = gathering->lane_sets[i];
        unsigned place = i;

        for (; place > 0 && requests[place - 1].address < moved.address; place--) {
            requests[place] = requests[place - 1];
            gathering->lane_sets[place] = gathering->lane_sets[place - 1];
        }
        requests[place] = moved;
        gathering->lane_sets[place] = lanes;
    }
}

/* A half of a segment of which one 32-byte half is used shrinks to that. */
static void shrink(struct coalesced *request)
{
    if (request->bytes != HALF_SEGMENT_BYTES)
        return;
    if (request->byte_mask >> SECTOR_BYTES == 0) {
        request->bytes = SECTOR_BYTES;
    } else if ((request->byte_mask & UINT32_MAX) == 0) {
        request->bytes = SECTOR_BYTES;
        request->address += SECTOR_BYTES;
        request->byte_mask >>= SECTOR_BYTES;
    }
}

/* Sorted halves become whole segments where both are used: each upper half is followed, after others of its address, by
 * the lower ones; the n-th of one goes with the n-th of the other. */
static void join_halves(struct gathering *gathering)
{
    struct coalesced *const requests = gathering->requests;
    unsigned kept = 0;

    for (unsigned i = 0; i < gathering->count;) {
        uint64_t const segment = requests[i].address & ~(uint64_t)(SEGMENT_BYTES - 1);
        unsigned uppers = 0, count = 0;

        for (; i + count < gathering->count && requests[i + count].address - segment < SEGMENT_BYTES; count++)
            uppers += requests[i + count].address != segment;
        for (unsigned upper = 0; upper < uppers; upper++) {
            if (upper < count - uppers) {
                requests[i + uppers + upper].bytes = SEGMENT_BYTES;
                requests[i + uppers + upper].byte_mask = UINT64_MAX;
                gathering->lane_sets[i + uppers + upper] |= gathering->lane_sets[i + upper];
            } else {
                gathering->lane_sets[kept] = gathering->lane_sets[i + upper];
                requests[kept++] = requests[i + upper];
            }
        }
        for (unsigned lower = uppers; lower < count; lower++) {
            gathering->lane_sets[kept] = gathering->lane_sets[i + lower];
            requests[kept++] = requests[i + lower];
        }
        i += count;
    }
    gathering->count = kept;
}

/* The segment is 128 bytes for lanes of 4 bytes and more, 64 for 2, 32 for 1. */
static void gather_segments(struct gathering *gathering, const struct lane_access *access)
{
    coalesce_gather(gathering, access, access->width_bytes == 1 ? SECTOR_BYTES : HALF_SEGMENT_BYTES);
    sort_falling(gathering);
    if (access->width_bytes > 2)
        join_halves(gathering);
    for (unsigned i = 0; i < gathering->count; i++)
        shrink(&gathering->requests[i]);
}

unsigned coalesce(uint64_t rule, const struct lane_access *access,
                  struct coalesced requests[COALESCE_MAX_ACCESSES])
{
    uint64_t lane_sets[COALESCE_MAX_ACCESSES];
    struct gathering gathering = {.requests = requests, .lane_sets = lane_sets};

    switch (rule) {
    case COALESCE_SECTORS:
        coalesce_gather(&gathering, access, SECTOR_BYTES);
        sort_falling(&gathering);
        break;
    case COALESCE_SEGMENTS:
        gather_segments(&gathering, access);
        break;
    case COALESCE_LINES:
        coalesce_gather(&gathering, access, LINE_BYTES);
        break;
    }
    count_lanes(&gathering);
    return gathering.count;
}

/* Numbers of the distinct lines that the lanes touch. */
static unsigned coalesce_lines(const struct lane_access *access, uint32_t line_bytes,
                               uint64_t lines[COALESCE_MAX_ACCESSES])
{
    uint64_t highest = 0, seen = 0;
    /* A lane whose offset from a line that was seen is below this touches no other. */
    uint64_t const inside = access->width_bytes <= line_bytes ? line_bytes - access->width_bytes + 1 : 0;
    unsigned count = 0;

    if (access->width_bytes == 0)
        return 0;
    for (uint64_t left = access->lanes; left != 0; left &= left - 1) {
        uint64_t const address = access->addresses[__builtin_ctzll(left)];
        uint64_t first, more;

        if (count > 0 && address - seen < inside)
            continue;
        first = address / line_bytes;
        more = (address % line_bytes + access->width_bytes - 1) / line_bytes;
        seen = first * line_bytes;
        for (uint64_t line = first; line - first <= more; line++) {
            unsigned i = count;

            if (count > 0 && line <= highest)
                for (i = 0; i < count && lines[i] != line; i++) {}
            else
                highest = line;
            if (i == count && count < COALESCE_MAX_ACCESSES)
                lines[count++] = line;
        }
    }
    return count;
}

unsigned coalesce_count_lines(const struct lane_access *access, uint32_t line_bytes)
{
    uint64_t lines[COALESCE_MAX_ACCESSES];

    return coalesce_lines(access, line_bytes, lines);
}

/* Words that one phase of an access to shared memory touches, chained by bank. */
struct bank_words {
    uint64_t words[COALESCE_MAX_ACCESSES];
    uint16_t next[COALESCE_MAX_ACCESSES];
    uint16_t first[MAX_BANKS];           /* word number + 1; 0: none */
    unsigned count, most;
};

static void touch_word(struct bank_words *banks, unsigned bank_count, uint64_t word, bool is_atomic)
{
    unsigned const bank = (unsigned)(word % bank_count);
    unsigned length = 1;

    for (unsigned at = banks->first[bank]; at != 0; at = banks->next[at - 1], length++)
        if (banks->words[at - 1] == word && !is_atomic)
            return;
    if (banks->count == COALESCE_MAX_ACCESSES)
        return;
    banks->words[banks->count] = word;
    banks->next[banks->count] = banks->first[bank];
    banks->first[bank] = (uint16_t)++banks->count;
    if (length > banks->most)
        banks->most = length;
}

/* Cycles that these lanes take together; 0 for none. */
static unsigned phase_cycles(const struct lane_access *access, uint64_t lanes, unsigned bank_count, bool first_word)
{
    struct bank_words banks;

    banks.count = banks.most = 0;
    memset(banks.first, 0, bank_count * sizeof banks.first[0]);
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        uint64_t const address = access->addresses[__builtin_ctzll(left)];
        uint64_t const first = address / WORD_BYTES;
        uint64_t const more = first_word || access->width_bytes == 0
                                  ? 0 : (address % WORD_BYTES + access->width_bytes - 1) / WORD_BYTES;

        for (uint64_t word = first; word - first <= more; word++)
            touch_word(&banks, bank_count, word, access->is_atomic);
    }
    return banks.most;
}

unsigned shared_memory_cycles(const struct lane_access *access, unsigned banks, bool first_word,
                              unsigned lane_groups)
{
    unsigned const phases = first_word || access->width_bytes <= 4 ? 1 : access->width_bytes <= 8 ? 2 : 4;
    unsigned const lanes = lane_groups > 1 || access->lanes <= UINT32_MAX ? 32 / phases : 64 / phases;
    unsigned cycles = 0;

    assert(banks >= 1 && banks <= MAX_BANKS);
    for (unsigned lane = 0; lane < COALESCE_MAX_LANES; lane += lanes)
        cycles += phase_cycles(access, access->lanes & low_bits(lanes) << lane, banks, first_word);
    return cycles > 0 ? cycles : 1;
}

/* All groups of bits of a line's number, one on the other: what strides of powers of two leave even. */
static unsigned tag_bank_of(uint64_t line, unsigned banks)
{
    unsigned const bits = (unsigned)__builtin_ctz(banks);
    uint64_t bank = 0;

    for (; line != 0 && bits > 0; line >>= bits)
        bank ^= line;
    return (unsigned)(bank & (banks - 1));
}

unsigned coalesce_tag_cycles(const struct lane_access *access, unsigned banks)
{
    uint64_t lines[COALESCE_MAX_ACCESSES];
    uint16_t held[64] = {0};
    unsigned const count = coalesce_lines(access, SEGMENT_BYTES, lines);
    unsigned most = 1;

    assert(banks >= 1 && banks <= 64);
    for (unsigned i = 0; i < count; i++) {
        unsigned const bank = tag_bank_of(lines[i], banks);

        if (++held[bank] > most)
            most = held[bank];
    }
    return most;
}
