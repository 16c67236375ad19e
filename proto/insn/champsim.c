/* ChampSim's traces (champsim-traces): input_instr of 64 bytes and cloudsuite_instr of 96.
 *
 * The file says nothing about itself: of the two sizes that is taken whose fields are plausible over the first 20,000
 * records (section 6). Kinds of branches follow from the registers (section 5), never from byte 8. A branch's target is
 * the next record's ip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "proto/insn/format.h"

enum { RECORD_A = 64, RECORD_B = 96, LOOKED_AT = 20000, AT_LEAST = 1, MOST_IP_BITS = 57 };
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

static bool is_plausible(const uint8_t *record)
{
    uint64_t const ip = load64(record);

    return ip != 0 && ip >> MOST_IP_BITS == 0 && record[8] <= 1 && record[9] <= 1;
}

/* Share of plausible records of this size among the bytes at hand, in 1/1000. */
static unsigned plausible_share(const struct insn_bytes *bytes, size_t record_bytes)
{
    size_t const there = (size_t)(bytes->end - bytes->next) / record_bytes;
    size_t const count = there < LOOKED_AT ? there : LOOKED_AT;
    size_t plausible = 0;

    for (size_t i = 0; i < count; i++)
        plausible += is_plausible(bytes->next + i * record_bytes);
    return count < AT_LEAST ? 0 : (unsigned)(1000 * plausible / count);
}

/* 0: none of the two. */
static size_t record_bytes_of(struct insn_bytes *bytes, struct fault *error)
{
    if (insn_bytes_need(bytes, (size_t)LOOKED_AT * RECORD_A, error) == STREAM_FAILED)
        return 0;
    if (plausible_share(bytes, RECORD_A) >= 990)
        return RECORD_A;
    return plausible_share(bytes, RECORD_B) >= 990 ? RECORD_B : 0;
}

static bool detect(struct insn_bytes *bytes, struct fault *error)
{
    return record_bytes_of(bytes, error) != 0;
}

static bool open_champsim(struct insn_reader *reader, struct fault *error)
{
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(error, reader->bytes.path, NULL);
    reader->state = state;
    state->record_bytes = record_bytes_of(&reader->bytes, error);
    state->write_registers = state->record_bytes == RECORD_A ? 2 : 4;
    state->stores_at = state->record_bytes == RECORD_A ? 16 : 24;
    state->stores = state->write_registers;
    state->loads_at = state->stores_at + 8 * state->stores;
    reader->isa = ISA_CHAMPSIM;
    reader->lacks = 1u << INSN_LACKS_THREADS | 1u << INSN_LACKS_ACCESS_SIZES | 1u << INSN_LACKS_INSN_SIZES;
    snprintf(reader->about, sizeof reader->about, "ChampSim, records of %zu bytes (%s)", state->record_bytes,
             state->record_bytes == RECORD_A ? "input_instr" : "cloudsuite_instr");
    return true;
}

/* champsim-traces 5; the order of the rules decides. */
static enum isa_kind kind_of(const struct insn *insn)
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
    insn->kind = kind_of(insn);
    if (!isa_kind_is_branch(insn->kind))
        return;
    if (insn->kind == ISA_CONDITIONAL || insn->kind == ISA_OTHER_BRANCH)
        insn->branch = byte_9 ? INSN_TAKEN : INSN_NOT_TAKEN;
    else
        insn->branch = INSN_TAKEN;
}

static bool add_accesses(struct insn_reader *reader, const uint8_t *at, size_t count, bool is_write,
                         struct fault *error)
{
    for (size_t i = 0; i < count; i++)
        if (load64(at + 8 * i) != 0
            && !insn_add_access(reader, &(struct insn_access){.address = load64(at + 8 * i), .is_write = is_write},
                                error))
            return false;
    return true;
}

static void decode(const struct state *state, const uint8_t *record, struct insn *insn)
{
    *insn = (struct insn){.pc = load64(record)};
    memcpy(insn->writes, record + WRITES_AT, state->write_registers);
    memcpy(insn->reads, record + WRITES_AT + state->write_registers, INSN_REGISTERS);
    set_branch(insn, record[9] != 0);
}

static enum insn_step end(struct insn_reader *reader, size_t left)
{
    const struct state *const state = reader->state;

    if (reader->counts.high == 0 && reader->counts.high_pcs > 0
        && reader->counts.loads + reader->counts.stores >= CUT_ACCESSES)
        reader->lacks |= 1u << INSN_LACKS_HIGH_ADDRESSES;
    if (left > 0)
        snprintf(reader->warning, sizeof reader->warning, "%zu bytes behind the last whole record of %zu were left out",
                 left, state->record_bytes);
    else if (state->implausible > 0)
        snprintf(reader->warning, sizeof reader->warning, "%llu records have fields that cannot be",
                 (unsigned long long)state->implausible);
    return INSN_END;
}

static enum insn_step next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;
    size_t const size = state->record_bytes;
    enum stream_status const status = insn_bytes_need(&reader->bytes, 2 * size, error);
    size_t const there = (size_t)(reader->bytes.end - reader->bytes.next);
    const uint8_t *const record = reader->bytes.next;

    if (status == STREAM_FAILED)
        return INSN_FAILED;
    if (there < size)
        return end(reader, there);
    decode(state, record, insn);
    if (!add_accesses(reader, record + state->loads_at, 4, false, error)
        || !add_accesses(reader, record + state->stores_at, state->stores, true, error))
        return INSN_FAILED;
    state->implausible += !is_plausible(record);
    if (there >= 2 * size && insn->branch == INSN_TAKEN) {
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
    .name = "champsim", .detect = detect, .open = open_champsim, .next = next, .close = close_champsim};
