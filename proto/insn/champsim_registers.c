/* Bytes: 4 registers written, 4 read, numbers of loads and of stores, kind of branch. */
#include "proto/insn/champsim_registers.h"

#include <string.h>

enum { WRITES_AT = 0, READS_AT = 4, LOADS_AT = 8, STORES_AT = 9, KIND_AT = 10, MOST_ACCESSES = 255 };

void champsim_bytes(const struct insn *insn, uint8_t bytes[INSN_ENCODING_BYTES])
{
    unsigned loads = 0, stores = 0;

    for (size_t i = 0; i < insn->access_count && i < MOST_ACCESSES; i++)
        *(insn->accesses[i].is_write ? &stores : &loads) += 1;
    memcpy(bytes + WRITES_AT, insn->writes, INSN_REGISTERS);
    memcpy(bytes + READS_AT, insn->reads, INSN_REGISTERS);
    bytes[LOADS_AT] = (uint8_t)loads;
    bytes[STORES_AT] = (uint8_t)stores;
    bytes[KIND_AT] = (uint8_t)insn->kind;
}

void champsim_registers(const uint8_t *bytes, struct insn *insn)
{
    memcpy(insn->writes, bytes + WRITES_AT, INSN_REGISTERS);
    memcpy(insn->reads, bytes + READS_AT, INSN_REGISTERS);
}

/* Each register once, without zeros and the instruction pointer. */
static uint8_t champsim_registers_gather(const uint8_t *from, bool without_sp, uint8_t *to)
{
    uint8_t count = 0;

    for (int i = 0; i < INSN_REGISTERS; i++)
        if (from[i] != 0 && from[i] != CHAMPSIM_IP && !(without_sp && from[i] == CHAMPSIM_SP)
            && !memchr(to, from[i], count))
            to[count++] = from[i];
    return count;
}

static void add_operands(struct isa_insn *what, unsigned count, bool is_store)
{
    for (unsigned i = 0; i < count && what->operand_count < ISA_MAX_OPERANDS; i++)
        what->operands[what->operand_count++] = (struct isa_operand){
            .is_load = !is_store, .is_store = is_store, .address_reads = what->data_reads};
}

bool champsim_decode(const uint8_t *bytes, size_t length, struct isa_insn *what)
{
    *what = (struct isa_insn){.class = ISA_CLASS_INT_ALU};
    if (length != CHAMPSIM_BYTES || bytes[KIND_AT] >= ISA_KIND_COUNT)
        return false;
    what->kind = bytes[KIND_AT];
    what->read_count = champsim_registers_gather(bytes + READS_AT, false, what->reads);
    what->write_count = champsim_registers_gather(bytes + WRITES_AT, isa_kind_is_branch(what->kind)
                                                  || bytes[LOADS_AT] + bytes[STORES_AT] > 0, what->writes);
    what->data_reads = (uint16_t)((1u << what->read_count) - 1);
    add_operands(what, bytes[LOADS_AT], false);
    add_operands(what, bytes[STORES_AT], true);
    return true;
}
