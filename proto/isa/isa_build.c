#include "proto/isa/isa_build.h"

#include <stddef.h>

_Static_assert(ISA_MAX_READS <= 16 && ISA_MAX_WRITES <= 8, "a bit for each register that is read or written");

/* Its index, or -1. */
static int isa_build_find(const uint8_t *numbers, unsigned count, unsigned number)
{
    for (unsigned i = 0; i < count; i++)
        if (numbers[i] == number)
            return (int)i;
    return -1;
}

/* Its index after adding, or -1: it is no register, or the array is full. */
static int isa_build_add(struct isa_insn *insn, uint8_t *numbers, uint8_t *count, unsigned limit, unsigned number)
{
    int const found = isa_build_find(numbers, *count, number);

    if (number == 0 || found >= 0)
        return number == 0 ? -1 : found;
    if (*count == limit) {
        insn->is_serialising = true;
        return -1;
    }
    numbers[*count] = (uint8_t)number;
    return (*count)++;
}

void isa_read_data(struct isa_insn *insn, unsigned number)
{
    int const i = isa_build_add(insn, insn->reads, &insn->read_count, ISA_MAX_READS, number);

    if (i >= 0)
        insn->data_reads = (uint16_t)(insn->data_reads | 1u << i);
}

void isa_read_address(struct isa_insn *insn, struct isa_operand *operand, unsigned number)
{
    int const i = isa_build_add(insn, insn->reads, &insn->read_count, ISA_MAX_READS, number);

    if (i >= 0 && operand)
        operand->address_reads = (uint16_t)(operand->address_reads | 1u << i);
}

void isa_write(struct isa_insn *insn, unsigned number)
{
    int const i = isa_build_add(insn, insn->writes, &insn->write_count, ISA_MAX_WRITES, number);

    if (i >= 0)
        insn->address_writes = (uint8_t)(insn->address_writes & ~(1u << i));
}

void isa_write_address(struct isa_insn *insn, unsigned number)
{
    bool const is_new = isa_build_find(insn->writes, insn->write_count, number) < 0;
    int const i = isa_build_add(insn, insn->writes, &insn->write_count, ISA_MAX_WRITES, number);

    if (i >= 0 && is_new)
        insn->address_writes = (uint8_t)(insn->address_writes | 1u << i);
}

struct isa_operand *isa_operand_add(struct isa_insn *insn, enum isa_direction direction, unsigned size_bytes)
{
    struct isa_operand *const operand = &insn->operands[insn->operand_count];

    if (insn->operand_count == ISA_MAX_OPERANDS) {
        insn->is_serialising = true;
        return NULL;
    }
    insn->operand_count++;
    *operand = (struct isa_operand){.is_load = direction & ISA_DIRECTION_LOAD,
    .is_store = direction & ISA_DIRECTION_STORE,
                                    .size_bytes = (uint16_t)size_bytes};
    return operand;
}
