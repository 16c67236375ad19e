/* Records that their reader knows to be alike are found without a look at them. */
#include "proto/store/store_columns.h"

#include <string.h>

enum { NARROW_BYTES = 6 * sizeof(uint32_t) };
_Static_assert(offsetof(struct dep_record, type) - offsetof(struct dep_record, size_bytes)
               == offsetof(struct store_instruction, type) - offsetof(struct store_instruction, size_bytes)
               && offsetof(struct store_instruction, type) - offsetof(struct store_instruction, size_bytes)
               == NARROW_BYTES - sizeof(uint32_t), "in the same order, without gaps");

static uint16_t instructions_slot_of(struct store_instructions *instructions, struct store_columns *columns,
                                     uint64_t pc)
{
    uint16_t *const table = instructions->slot_table.numbers;
    uint32_t place = store_table_place(pc);

    for (; table[place] != 0; place = (place + 1) % STORE_TABLE)
        if (instructions->slot_pc[table[place] - 1] == pc)
            return (uint16_t)(table[place] - 1);

    uint16_t const slot = (uint16_t)instructions->slot_count++;

    columns->slots = instructions->slot_count;
    instructions->slot_pc[slot] = pc;
    instructions->slot_place[slot] = (uint16_t)place;
    table[place] = (uint16_t)(slot + 1);
    return slot;
}

static void write_instruction(struct store_columns *columns, const struct store_instruction *instruction,
                              uint64_t pc_before)
{
    struct column *const text = &columns->instruction_text;
    uint32_t const present = instruction->present;

    column_put_number(text, bits_zigzag(instruction->pc - pc_before));
    column_put_number(text, instruction->type | (uint64_t)present << 2);
    if (present & DEP_HAS_SIZE)
        column_put_number(text, instruction->size_bytes);
    if (present & DEP_HAS_FLAGS)
        column_put_number(text, instruction->flags);
    if (present & DEP_HAS_WEIGHT)
        column_put_number(text, instruction->weight);
    if (present & DEP_HAS_ASID)
        column_put_number(text, instruction->asid);
    if (present & DEP_HAS_P_ADDR)
        column_put_number(text, instruction->slot);
}

static uint16_t add_instruction(struct store_instructions *instructions, struct store_columns *columns,
                                const struct dep_record *record, uint32_t place)
{
    uint16_t const number = (uint16_t)instructions->count++;
    struct store_instruction *const instruction = &instructions->all[number];

    *instruction = (struct store_instruction){.pc = record->pc, .place = (uint16_t)place};
    memcpy(&instruction->size_bytes, &record->size_bytes, NARROW_BYTES);
    if (record->present & DEP_HAS_P_ADDR)
        instruction->slot = instructions_slot_of(instructions, columns, record->pc);
    columns->instructions = instructions->count;
    write_instruction(columns, instruction, number > 0 ? instruction[-1].pc : 0);
    instructions->table.numbers[place] = (uint16_t)(number + 1);
    return number;
}

static uint16_t instructions_find(struct store_instructions *instructions, struct store_columns *columns,
                                  const struct dep_record *record)
{
    uint16_t const *const table = instructions->table.numbers;
    uint32_t place = store_table_place(record->pc * 31 + ((uint64_t)record->weight << 20)
                                       + ((uint64_t)record->flags << 40));

    for (; table[place] != 0; place = (place + 1) % STORE_TABLE) {
        struct store_instruction const *const instruction = &instructions->all[table[place] - 1];

        if (instruction->pc == record->pc
            && memcmp(&instruction->size_bytes, &record->size_bytes, NARROW_BYTES) == 0)
            return (uint16_t)(table[place] - 1);
    }
    return add_instruction(instructions, columns, record, place);
}

uint16_t store_instructions_find(struct store_instructions *instructions, struct store_columns *columns,
                                 const struct dep_record *record)
{
    size_t const place = record->alike % STORE_ALIKE;

    if (record->alike == 0)
        return instructions_find(instructions, columns, record);
    if (instructions->known[place].alike != record->alike) {
        instructions->known[place].alike = record->alike;
        instructions->known[place].instruction = instructions_find(instructions, columns, record);
    }
    return instructions->known[place].instruction;
}

void store_instructions_clear(struct store_instructions *instructions)
{
    for (uint32_t i = 0; i < instructions->count; i++)
        instructions->table.numbers[instructions->all[i].place] = 0;
    for (uint32_t i = 0; i < instructions->slot_count; i++)
        instructions->slot_table.numbers[instructions->slot_place[i]] = 0;
    memset(instructions->known, 0, sizeof instructions->known);
    instructions->count = instructions->slot_count = 0;
}
