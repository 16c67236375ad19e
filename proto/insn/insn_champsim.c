/* ChampSim's traces (champsim-traces): input_instr of 64 bytes and cloudsuite_instr of 96.
 *
 * The file says nothing about itself: of the two sizes that is taken whose fields are plausible over the first 20,000
 * records (section 6). A pc is of either half of the address space. Records of zeros, which tracers leave at the end
 * of a buffer, are counted and left out; they are no reason for or against a size.
 * Kinds of branches follow from the registers (section 5), never from byte 8. A branch's target is
 * the next record's ip. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "proto/insn/insn_format.h"

enum { RECORD_A = 64, RECORD_B = 96, LOOKED_AT = 20000, AT_LEAST = 1, MOST_IP_BITS = 57, KERNEL_HALF = 0xff,
       LEAST_NEAR = 500 };
enum { REG_SP = 6, REG_FLAGS = 25, REG_IP = 26 };
enum { WRITES_AT = 10, CUT_ACCESSES = 100000 };

struct state {
    size_t record_bytes, write_registers, stores_at, stores, loads_at;
    uint64_t implausible;
};

static uint64_t load64(const uint8_t *at)
{
    return bits_load64(at);
}

/* Addresses are canonical: the bits above those that are translated are all 0, or all 1. */
static bool is_plausible(const uint8_t *record)
{
    uint64_t const ip = load64(record);

    return ip != 0 && (ip >> MOST_IP_BITS == 0 || ip >> 56 == KERNEL_HALF) && record[8] <= 1 && record[9] <= 1;
}

static bool is_zero(const uint8_t *record, size_t record_bytes)
{
    return record[0] == 0 && memcmp(record, record + 1, record_bytes - 1) == 0;
}

/* Share of plausible records of this size among those in the buffer that are not all zero, in 1/1000; *wrong: the
 * first implausible one. */
static unsigned plausible_share(const struct trace_bytes *bytes, size_t record_bytes, size_t *wrong)
{
    size_t const there = (size_t)(bytes->end - bytes->next) / record_bytes;
    size_t const looked_at = there < LOOKED_AT ? there : LOOKED_AT;
    size_t plausible = 0, count = 0;

    *wrong = there;
    for (size_t i = 0; i < looked_at; i++) {
        const uint8_t *const record = bytes->next + i * record_bytes;

        if (is_zero(record, record_bytes))
            continue;
        count++;
        if (is_plausible(record))
            plausible++;
        else if (*wrong == there)
            *wrong = i;
    }
    return count < AT_LEAST ? 0 : (unsigned)(1000 * plausible / count);
}

/* 0: none of the two. */
static size_t record_bytes_of(struct trace_bytes *bytes)
{
    size_t wrong;

    trace_bytes_look(bytes, (size_t)LOOKED_AT * RECORD_A);
    if (plausible_share(bytes, RECORD_A, &wrong) >= 990)
        return RECORD_A;
    return plausible_share(bytes, RECORD_B, &wrong) >= 990 ? RECORD_B : 0;
}

static void insn_champsim_guess(struct trace_bytes *bytes, struct insn_guess *guess)
{
    size_t wrong_a, wrong_b;
    unsigned const share_a = plausible_share(bytes, RECORD_A, &wrong_a);
    unsigned const share_b = plausible_share(bytes, RECORD_B, &wrong_b);
    bool const is_a = share_a >= LEAST_NEAR || share_a >= share_b;
    size_t const size = is_a ? RECORD_A : RECORD_B, wrong = is_a ? wrong_a : wrong_b;
    const uint8_t *const record = bytes->next + wrong * size;

    /* Half of the records of anything may look plausible by chance. */
    if ((share_a < LEAST_NEAR && share_b < LEAST_NEAR) || (size_t)(bytes->end - record) < size)
        return;
    guess->taken = wrong;
    guess->place = wrong * size;
    snprintf(guess->problem, sizeof guess->problem, "record %zu of %zu bytes has the pc 0x%" PRIx64 " and branch bytes "
             "%u, %u", wrong, size, load64(record), record[8], record[9]);
}

static bool insn_champsim_detect(struct trace_bytes *bytes)
{
    return record_bytes_of(bytes) != 0;
}

static struct fault open_champsim(struct insn_reader *reader)
{
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    reader->state = state;
    state->record_bytes = record_bytes_of(&reader->bytes);
    if (state->record_bytes == 0)        /* the caller says that it is one */
        state->record_bytes = RECORD_A;
    state->write_registers = state->record_bytes == RECORD_A ? 2 : 4;
    state->stores_at = state->record_bytes == RECORD_A ? 16 : 24;
    state->stores = state->write_registers;
    state->loads_at = state->stores_at + 8 * state->stores;
    reader->isa = ISA_CHAMPSIM;
    reader->lacks = 1u << INSN_LACKS_THREADS | 1u << INSN_LACKS_ACCESS_SIZES | 1u << INSN_LACKS_INSN_SIZES;
    snprintf(reader->about, sizeof reader->about, "ChampSim, records of %zu bytes (%s)", state->record_bytes,
             state->record_bytes == RECORD_A ? "input_instr" : "cloudsuite_instr");
    return fault_none();
}

/* Passes over records of zeros. *there: bytes in the buffer, of which the next record is the first; less than one: the
 * end. */
static struct fault pass_zeros(struct insn_reader *reader, size_t size, size_t *there)
{
    struct fault fault = fault_none();

    for (;;) {
        if (trace_bytes_need(&reader->bytes, 2 * size, &fault) == STREAM_FAILED)
            return fault;
        *there = (size_t)(reader->bytes.end - reader->bytes.next);
        if (*there < size || !is_zero(reader->bytes.next, size))
            return fault_none();
        reader->counts.records++;
        reader->counts.zeros++;
        reader->bytes.next += size;
    }
}

/* champsim-traces 5; the order of the rules decides. */
static enum isa_kind insn_champsim_kind_of(const struct insn *insn)
{
    bool reads_sp = false, reads_ip = false, reads_flags = false, reads_other = false, writes_sp = false;
    bool writes_ip = false;

    for (int i = 0; i < INSN_REGISTERS; i++) {
        reads_sp |= insn->reads[i] == REG_SP;
        reads_ip |= insn->reads[i] == REG_IP;
        reads_flags |= insn->reads[i] == REG_FLAGS;
        reads_other |= insn->reads[i] != 0 && insn->reads[i] != REG_SP && insn->reads[i] != REG_IP
            && insn->reads[i] != REG_FLAGS;
        writes_sp |= insn->writes[i] == REG_SP;
        writes_ip |= insn->writes[i] == REG_IP;
    }
    if (!writes_ip)
        return ISA_OTHER;
    if (!reads_sp && !reads_flags && !reads_other)
        return ISA_DIRECT_JUMP;
    if (reads_other && !reads_sp && !reads_ip && !reads_flags)
        return ISA_INDIRECT_JUMP;
    if (reads_ip && !reads_sp && !writes_sp && (reads_flags || reads_other))
        return ISA_CONDITIONAL;
    if (writes_sp && reads_sp && reads_ip && !reads_flags)
        return reads_other ? ISA_INDIRECT_CALL : ISA_DIRECT_CALL;
    return writes_sp && reads_sp && !reads_ip ? ISA_RETURN : ISA_OTHER_BRANCH;
}

static void set_branch(struct insn *insn, bool byte_9)
{
    insn->kind = insn_champsim_kind_of(insn);
    if (!isa_kind_is_branch(insn->kind))
        return;
    if (insn->kind == ISA_CONDITIONAL || insn->kind == ISA_OTHER_BRANCH)
        insn->branch = byte_9 ? INSN_TAKEN : INSN_NOT_TAKEN;
    else
        insn->branch = INSN_TAKEN;
}

static struct fault insn_champsim_add_accesses(struct insn_reader *reader, const uint8_t *at, size_t count,
                                               bool is_write)
{
    for (size_t i = 0; i < count; i++)
        if (load64(at + 8 * i) != 0)
            FORWARD(insn_add_access(reader, &(struct insn_access){.address = load64(at + 8 * i),
                                                                  .is_write = is_write}));
    return fault_none();
}

static void insn_champsim_decode(const struct state *state, const uint8_t *record, struct insn *insn)
{
    *insn = (struct insn){.pc = load64(record)};
    memcpy(insn->writes, record + WRITES_AT, state->write_registers);
    memcpy(insn->reads, record + WRITES_AT + state->write_registers, INSN_REGISTERS);
    set_branch(insn, record[9] != 0);
}

static enum insn_step insn_champsim_end(struct insn_reader *reader, size_t left)
{
    const struct state *const state = reader->state;

    if (reader->counts.high == 0 && reader->counts.high_pcs > 0
        && reader->counts.loads + reader->counts.stores >= CUT_ACCESSES)
        reader->lacks |= 1u << INSN_LACKS_HIGH_ADDRESSES;
    if (left > 0)
        snprintf(reader->warning, sizeof reader->warning, "%zu bytes behind the last whole record of %zu were left out",
                 left, state->record_bytes);
    else if (reader->counts.zeros > 0)
        snprintf(reader->warning, sizeof reader->warning, "%llu records of zeros were left out",
                 (unsigned long long)reader->counts.zeros);
    else if (state->implausible > 0)
        snprintf(reader->warning, sizeof reader->warning, "%llu records have fields that cannot be",
                 (unsigned long long)state->implausible);
    return INSN_END;
}

static enum insn_step insn_champsim_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;
    size_t const size = state->record_bytes;
    const uint8_t *record;
    size_t there = 0;

    if (FAILS(*error, pass_zeros(reader, size, &there)))
        return INSN_FAILED;
    record = reader->bytes.next;
    if (there < size)
        return insn_champsim_end(reader, there);
    insn_champsim_decode(state, record, insn);
    if (FAILS(*error, insn_champsim_add_accesses(reader, record + state->loads_at, 4, false))
        || FAILS(*error, insn_champsim_add_accesses(reader, record + state->stores_at, state->stores, true)))
        return INSN_FAILED;
    state->implausible += !is_plausible(record);
    if (there >= 2 * size && insn->branch == INSN_TAKEN && !is_zero(record + size, size)) {
        insn->has_target = true;
        insn->target = load64(record + size);
    }
    reader->counts.records++;
    reader->bytes.next += size;
    insn_give(reader, insn);
    return INSN_RECORD;
}

static void close_champsim(struct insn_reader *reader)
{
    free(reader->state);
}

const struct insn_format insn_champsim = {
    .about = INSN_FORMAT_ABOUT(champsim), .guess = insn_champsim_guess, .detect = insn_champsim_detect,
    .open = open_champsim, .next = insn_champsim_next, .close = close_champsim};
