/* ChampSim's input_instr (champsim-traces 2), of 64 bytes.
 *
 * The kind of a branch follows from its registers (5): stack pointer 6, flags 25, instruction pointer 26. Of a trace
 * of ChampSim the registers are its own. x86-64's general and segment registers have Pin's numbers, others the
 * decoder's behind 26 (stack pointer and flags as above). Those of a branch that would make it another kind are left
 * out. Iterations of string instructions are records of the same ip, as the tracer writes them. */
#include <string.h>

#include "base/bits.h"
#include "proto/insn/champsim_registers.h"
#include "proto/insn/write/target.h"

enum { RECORD_BYTES = 64, WRITES = 2, READS = 4, STORES = 2, LOADS = 4, STORES_AT = 16, LOADS_AT = 32 };
enum { SP = 6, FLAGS = 25, IP = 26, OTHERS = 27 };

struct registers {
    uint8_t reads[READS], writes[WRITES];
    unsigned read_count, write_count, lost;
};

static void write_champsim_add(uint8_t *to, unsigned *count, unsigned most, uint8_t number, unsigned *lost)
{
    if (memchr(to, number, *count))
        return;
    if (*count == most)
        ++*lost;
    else
        to[(*count)++] = number;
}

static void add_read(struct registers *registers, uint8_t number)
{
    write_champsim_add(registers->reads, &registers->read_count, READS, number, &registers->lost);
}

static void add_write(struct registers *registers, uint8_t number)
{
    write_champsim_add(registers->writes, &registers->write_count, WRITES, number, &registers->lost);
}

/* The decoder's register in ChampSim's numbers. */
static uint8_t write_champsim_number_of(enum isa isa, uint8_t number)
{
    const char *const name = isa_register_name(isa, number);

    if (isa == ISA_CHAMPSIM)
        return number;
    if (name && (strcmp(name, "rsp") == 0 || strcmp(name, "esp") == 0 || strcmp(name, "sp") == 0
                 || (isa == ISA_RV64 && strcmp(name, "x2") == 0)))
        return SP;
    if (name && (strcmp(name, "flags") == 0 || strcmp(name, "nzcv") == 0))
        return FLAGS;
    for (unsigned i = CHAMPSIM_FIRST; isa == ISA_X86_64 && name && i < FLAGS; i++)
        if (strcmp(name, isa_register_name(ISA_CHAMPSIM, i)) == 0)
            return (uint8_t)i;
    return (uint8_t)(number > UINT8_MAX - OTHERS ? UINT8_MAX : number + OTHERS);
}

/* Those that decide the kind, first. */
static void begin_branch(struct registers *registers, enum isa_kind kind)
{
    add_write(registers, IP);
    switch (kind) {
    case ISA_CONDITIONAL: add_read(registers, IP); break;
    case ISA_DIRECT_CALL:
    case ISA_INDIRECT_CALL:
        add_write(registers, SP);
        add_read(registers, IP);
        add_read(registers, SP);
        break;
    case ISA_RETURN:
        add_write(registers, SP);
        add_read(registers, SP);
        break;
    case ISA_OTHER_BRANCH: add_read(registers, FLAGS); break;
    default: break;
    }
}

/* Whether a branch can read it without changing its kind. */
static bool may_read(enum isa_kind kind, uint8_t number)
{
    if (!isa_kind_is_branch(kind))
        return true;
    if (number == SP || number == IP)
        return false;
    if (kind == ISA_CONDITIONAL || kind == ISA_RETURN || kind == ISA_OTHER_BRANCH)
        return true;
    return (kind == ISA_INDIRECT_JUMP || kind == ISA_INDIRECT_CALL) && number != FLAGS;
}

static void write_champsim_gather(const struct insn_at_hand *at, enum isa isa, struct registers *registers)
{
    enum isa_kind const kind = at->insn.kind;
    const struct isa_insn *const what = at->what;
    unsigned others = 0;

    if (isa_kind_is_branch(kind))
        begin_branch(registers, kind);
    for (unsigned i = 0; what && i < what->read_count; i++) {
        uint8_t const number = write_champsim_number_of(isa, what->reads[i]);

        if (!may_read(kind, number))
            continue;
        add_read(registers, number);
        others += number != FLAGS;
    }
    for (unsigned i = 0; what && i < what->write_count && !isa_kind_is_branch(kind); i++)
        add_write(registers, write_champsim_number_of(isa, what->writes[i]));
    /* A register distinguishes these two from direct ones, and a conditional branch from a jump. */
    if ((kind == ISA_INDIRECT_JUMP || kind == ISA_INDIRECT_CALL) && others == 0)
        add_read(registers, UINT8_MAX);
    if (kind == ISA_CONDITIONAL && registers->read_count == 1)
        add_read(registers, FLAGS);
}

static struct fault write_champsim_begin(struct insn_output *output)
{
    struct fault fault = fault_none();

    (void)output;
    (void)&fault;
    return fault_none();
}

static void write_champsim_put_accesses(struct insn_output *output, const struct insn *insn, uint8_t *record)
{
    uint64_t *const losses = output->result->losses;
    unsigned loads = 0, stores = 0;

    for (size_t i = 0; i < insn->access_count; i++) {
        const struct insn_access *const access = &insn->accesses[i];
        unsigned *const count = access->is_write ? &stores : &loads;

        losses[INSN_LOSS_SIZES] += access->size_bytes > 0;
        if (*count == (access->is_write ? STORES : LOADS) || access->address == 0) {
            losses[INSN_LOSS_ACCESSES]++;
            continue;
        }
        bits_store64(record + (access->is_write ? STORES_AT : LOADS_AT) + 8 * (*count)++, access->address);
    }
}

static struct fault write_champsim_put_insn(struct insn_output *output, const struct insn_at_hand *at)
{
    enum isa const isa = insn_trace_isa(output->trace);
    uint64_t *const losses = output->result->losses;
    uint8_t record[RECORD_BYTES] = {0};
    struct registers registers = {.read_count = 0};

    bits_store64(record, at->insn.pc);
    record[8] = isa_kind_is_branch(at->insn.kind);
    record[9] = insn_is_taken(at);
    if (isa == ISA_CHAMPSIM) {
        registers.lost = (at->insn.writes[2] != 0 ? 1u : 0) + (at->insn.writes[3] != 0 ? 1u : 0);
        memcpy(record + 10, at->insn.writes, WRITES);
        memcpy(record + 12, at->insn.reads, READS);
    } else {
        write_champsim_gather(at, isa, &registers);
        memcpy(record + 10, registers.writes, registers.write_count);
        memcpy(record + 12, registers.reads, registers.read_count);
        losses[INSN_LOSS_UNDECODED] += !at->what;
    }
    losses[INSN_LOSS_REGISTERS] += registers.lost;
    losses[INSN_LOSS_REPEATS] += at->insn.form == INSN_REPEAT;
    write_champsim_put_accesses(output, &at->insn, record);
    return sink_write(output->sink, record, sizeof record);
}

static struct fault write_champsim_put_orphan(struct insn_output *output, uint64_t pc, const struct insn_access *access)
{
    struct insn const insn = {.pc = pc, .accesses = access, .access_count = 1};
    uint8_t record[RECORD_BYTES] = {0};

    if (pc == 0) {
        output->result->losses[INSN_LOSS_UNOWNED]++;
        return fault_none();
    }
    output->result->losses[INSN_LOSS_ORPHANS]++;
    bits_store64(record, pc);
    write_champsim_put_accesses(output, &insn, record);
    return sink_write(output->sink, record, sizeof record);
}

static struct fault put_marker(struct insn_output *output, const struct insn_marker *marker)
{
    struct fault fault = fault_none();

    (void)marker;
    (void)&fault;
    output->result->losses[INSN_LOSS_MARKERS]++;
    return fault_none();
}

/* A file without records is none. */
static struct fault write_champsim_end(struct insn_output *output)
{
    uint64_t const *const losses = output->result->losses;

    return output->result->insns + losses[INSN_LOSS_ORPHANS] > 0 || losses[INSN_LOSS_UNOWNED] == 0 ? fault_none()
        : fault_at(sink_name(output->sink), FAULT_NO_OFFSET, "none of %llu accesses has an instruction, and "
                   "ChampSim's records are instructions; give --to drmemtrace or lackey",
                   (unsigned long long)losses[INSN_LOSS_UNOWNED]);
}

static void free_state(struct insn_output *output)
{
    (void)output;
}

const struct insn_target insn_to_champsim = {
    .name = "champsim", .ending = ".champsimtrace.xz", .begin = write_champsim_begin, .insn = write_champsim_put_insn,
    .orphan = write_champsim_put_orphan, .marker = put_marker, .end = write_champsim_end, .free = free_state};
