/* A line's columns from left to right (gpu-traces 3.1); traps of addresses are those of 3.4.
 *
 * Programs execute few instructions often. So a line is parsed up to its mask; then a table of recent lines, indexed by
 * the pc, shows with one comparison of bytes whether the columns up to the width are known. Only otherwise they are
 * parsed and looked up by their contents. Lines with equal contents share a static instruction. */
#include "proto/gpu/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum {
    SEEN_TEXT = 104, SEEN_BITS_FIRST = 8, SEEN_BITS_MAX = 15,
    LDSM_BYTES = 16, TILE_LIST = 3, TILE_DELTAS = 4, OPCODE_TEXT = sizeof ((struct gpu_opcode *)0)->text
};

struct gpu_seen {
    uint64_t pc;
    uint32_t index, line;
    uint16_t length;                 /* of `text`, which ends with the width or the line; 0: empty */
    uint16_t fixed_length;           /* up to the width */
    bool has_addresses, is_scalar;
    bool is_whole;                   /* `text` ends with the line */
    char text[SEEN_TEXT];
};

/* One line on its way. */
struct parse {
    struct gpu_lines *lines;
    struct gpu_cursor cursor;
    uint64_t number;
    struct gpu_static fixed;         /* of a line that was not seen */
    bool is_scalar;
    bool ends_early;                 /* a column was missing at the line's end */
    bool is_pseudo, is_tile_copy;    /* of version 6 */
    struct gpu_inst *inst;
    int64_t *values;
    struct fault *error;
};

struct fault gpu_lines_init(struct gpu_lines *lines, const struct gpu_header *header, const char *file, bool has_ids)
{
    *lines = (struct gpu_lines){
        .file = file, .isa = header->isa, .binary_version = header->binary_version, .warp_size = header->warp_size,
        .has_ids = has_ids, .has_line_number = header->has_line_info, .has_immediate = header->tracer_major >= 5,
        .has_values = header->tracer_major >= 6 && header->isa == GPU_ISA_SASS,
        .pc_shift = header->isa == GPU_ISA_GCN3 ? 2 : header->binary_version < 70 ? 3 : 4,
        .seen_bits = SEEN_BITS_FIRST
    };
    lines->seen = calloc((size_t)1 << lines->seen_bits, sizeof *lines->seen);
    return lines->seen != NULL ? fault_none() : fault_memory(file, NULL);
}

void gpu_lines_free(struct gpu_lines *lines)
{
    gpu_statics_free(&lines->statics);
    free(lines->opcodes);
    hash_index_free(&lines->opcode_index);
    free(lines->seen);
    *lines = (struct gpu_lines){0};
}

static bool line_no_memory(const struct parse *parse)
{
    return WORKS(*parse->error, fault_memory(parse->lines->file, NULL));
}

static bool unexpected(struct parse *parse, const char *what)
{
    parse->ends_early = parse->cursor.at == parse->cursor.end;
    return WORKS(*parse->error, gpu_text_unexpected(parse->lines->file, parse->number, &parse->cursor, what));
}

static void line_note(const struct parse *parse, enum gpu_oddity oddity)
{
    struct gpu_oddity_count *const count = &parse->lines->oddities[oddity];

    if (count->count++ == 0)
        count->first_line = parse->number;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text, bool has_addresses)
{
    uint64_t hash = has_addresses;

    for (; *text != '\0'; text++)
        hash = gpu_statics_mix(hash, (unsigned char)*text);
    return hash;
}

static bool grow_seen(struct gpu_lines *lines)
{
    unsigned const bits = lines->seen_bits + 1;
    struct gpu_seen *seen;

    if (bits > SEEN_BITS_MAX || 2 * lines->statics.count < (size_t)1 << lines->seen_bits)
        return true;
    seen = calloc((size_t)1 << bits, sizeof *seen);
    if (seen == NULL)
        return false;
    free(lines->seen);
    lines->seen = seen;
    lines->seen_bits = bits;
    return true;
}

static bool find_static(struct parse *parse, const struct gpu_static *fixed, uint32_t *index)
{
    return (gpu_statics_find(&parse->lines->statics, fixed, index) && grow_seen(parse->lines)) || line_no_memory(parse);
}

static uint64_t hash_of_opcode(const void *lines, uint32_t number)
{
    return hash_text(((const struct gpu_lines *)lines)->opcodes[number >> 1].text, number & 1);
}

/* One entry of opcodes for each text; two if having addresses makes it another. */
static bool find_opcode(struct parse *parse, const char *text, bool has_addresses, uint16_t *index)
{
    struct gpu_lines *const lines = parse->lines;
    struct gpu_opcode opcode;
    char kept[sizeof opcode.text];
    uint64_t at;
    uint32_t number;
    size_t found;

    if (!hash_index_fit(&lines->opcode_index, hash_of_opcode, lines))
        return line_no_memory(parse);
    gpu_show(kept, sizeof kept, text, text + strlen(text));
    at = hash_text(kept, has_addresses);
    for (; (number = hash_index_at(&lines->opcode_index, at)) != HASH_INDEX_NONE; at++) {
        *index = (uint16_t)(number >> 1);
        if ((number & 1) == has_addresses && strcmp(lines->opcodes[*index].text, kept) == 0)
            return true;
    }
    gpu_opcode_classify(&opcode, text, lines->isa, lines->binary_version, has_addresses);
    found = lines->opcode_count;
    for (uint64_t other = hash_text(opcode.text, !has_addresses);
         (number = hash_index_at(&lines->opcode_index, other)) != HASH_INDEX_NONE; other++)
        if (memcmp(&lines->opcodes[number >> 1], &opcode, sizeof opcode) == 0)
            found = number >> 1;
    if (found > UINT16_MAX)
        return WORKS(*parse->error, fault_at_line(lines->file, parse->number, "more than %d different opcodes; "
                                                  "expected the lines of one kernel; trace the program again",
                                                  UINT16_MAX));
    if (found == lines->opcode_count) {
        if (!list_fit(&lines->opcodes, lines->opcode_count + 1, &lines->opcode_room, sizeof *lines->opcodes))
            return line_no_memory(parse);
        lines->opcodes[lines->opcode_count++] = opcode;
    }
    *index = (uint16_t)found;
    hash_index_put(&lines->opcode_index, at, (uint32_t)found << 1 | has_addresses);
    return true;
}

/* --- columns up to the width -------------------------------------------------------------------------------------- */

/* GCN3's registers of its own kind, by their numbers among scalar operands: name, number */
#define OWN_REGISTERS(R)                                                                                              \
    R(VCC, 106) R(VCCLO, 106) R(VCCHI, 107) R(M0, 124) R(EXEC, 126) R(EXECLO, 126) R(EXECHI, 127) R(VCCZ, 251)        \
    R(EXECZ, 252) R(SCC, 253)

struct own_register {
    const char *name;
    unsigned number;
};

#define OWN_REGISTER(name, number) {#name, number},
static const struct own_register own_registers[] = { OWN_REGISTERS(OWN_REGISTER) };

enum { NO_REGISTER = UINT16_MAX };

/* A register that is not R or S: one of GCN3's own, or one that is left out. False: not even that. */
static bool take_other_register(struct parse *parse, struct gpu_cursor column, unsigned *number)
{
    for (size_t i = 0; i < sizeof own_registers / sizeof own_registers[0]; i++)
        if (parse->lines->isa == GPU_ISA_GCN3 && gpu_equals(&column, own_registers[i].name)) {
            *number = GPU_SCALAR_REGISTER + own_registers[i].number;
            return true;
        }
    if (gpu_equals(&column, "RZ")) {
        *number = GPU_ZERO_REGISTER;
        return true;
    }
    /* UR4, P0, UP1, PT, and what else GCN3 may have */
    if (*column.at == '\0'
        || strchr(parse->lines->isa == GPU_ISA_GCN3 ? "ABCDEFGHIJKLMNOPQTUVWXYZ" : "UP", *column.at) == NULL)
        return false;
    if (!parse->lines->has_values)               /* version 6 names all */
        line_note(parse, GPU_ODD_OTHER_REGISTER);
    *number = NO_REGISTER;
    return true;
}

/* R0 to R255; S0 to S255 of GCN3. */
static bool take_register(struct parse *parse, unsigned *number)
{
    struct gpu_cursor column;
    uint64_t value;

    gpu_skip_blanks(&parse->cursor);
    column = parse->cursor;
    while (!gpu_is_column_end(&parse->cursor))
        parse->cursor.at++;
    column.end = parse->cursor.at;
    if (column.end - column.at > 1 && (*column.at == 'R' || (*column.at == 'S' && parse->lines->isa == GPU_ISA_GCN3))) {
        struct gpu_cursor digits = {column.at + 1, column.end};

        if (!gpu_is_blank(*digits.at) && gpu_take_unsigned(&digits, 255, &value)) {
            *number = (unsigned)value + (*column.at == 'S' ? GPU_SCALAR_REGISTER : 0);
            return true;
        }
    }
    if (column.at < column.end && take_other_register(parse, column, number))
        return true;
    parse->cursor.at = column.at;
    return unexpected(parse, "a register such as R12, up to R255,");
}

static bool take_registers(struct parse *parse, const char *what, uint8_t *kept)
{
    struct gpu_static *const fixed = &parse->fixed;
    bool too_many = false;
    uint64_t count;

    *kept = 0;
    if (!gpu_take_unsigned(&parse->cursor, UINT16_MAX, &count))
        return unexpected(parse, what);
    for (uint64_t i = 0; i < count; i++) {
        unsigned const at = (unsigned)fixed->destination_count + fixed->source_count;
        unsigned number = 0;

        if (!take_register(parse, &number))
            return false;
        if (number == NO_REGISTER)
            continue;
        if (at < GPU_MAX_REGISTERS) {
            fixed->registers[at] = (uint16_t)number;
            ++*kept;
        } else {
            too_many = true;
        }
    }
    if (too_many)
        line_note(parse, GPU_ODD_MANY_REGISTERS);
    return true;
}

static bool take_opcode_text(struct parse *parse, char *text, size_t room)
{
    const char *from;

    gpu_skip_blanks(&parse->cursor);
    from = parse->cursor.at;
    while (!gpu_is_column_end(&parse->cursor))
        parse->cursor.at++;
    if (from == parse->cursor.at)
        return unexpected(parse, "an opcode");
    gpu_show(text, room, from, parse->cursor.at);
    return true;
}

/* 3.3 */
static uint16_t line_width_of(const struct gpu_lines *lines, const struct gpu_opcode *opcode, uint16_t traced)
{
    if (traced == 0 || lines->isa == GPU_ISA_GCN3)
        return traced;
    if (strncmp(opcode->text, "LDSM", 4) == 0)
        return LDSM_BYTES;
    switch (traced) {
    case 1: case 2: case 4: case 8: case 12: case 16: return traced;
    default: return opcode->width_bytes;
    }
}

bool gpu_is_tile_copy(const char *opcode)
{
    static const char *const copies[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"};

    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (strncmp(opcode, copies[i], strlen(copies[i])) == 0)
            return true;
    return false;
}

bool gpu_is_group_product(const char *opcode)
{
    return strstr(opcode, "GMMA") != NULL;
}

/* What version 6 has beyond others (5.6): pseudo-opcodes, copies of whole tiles, groups of matrix products. */
static bool take_special(struct parse *parse, const char *text)
{
    uint64_t commits = 0;

    parse->is_pseudo = strncmp(text, "REPLAY_", 7) == 0;
    parse->is_tile_copy = gpu_is_tile_copy(text);
    if (gpu_is_group_product(text) && !gpu_take_unsigned(&parse->cursor, 1, &commits))
        return unexpected(parse, "0 or 1, whether this matrix product is the last of its group,");
    parse->fixed.commits_group = commits == 1;
    return true;
}

static bool take_fixed(struct parse *parse)
{
    struct gpu_lines const *const lines = parse->lines;
    struct gpu_static *const fixed = &parse->fixed;
    const struct gpu_opcode *opcode;
    char text[OPCODE_TEXT];
    uint64_t width;

    if (!take_registers(parse, "the number of destination registers", &fixed->destination_count)
        || !take_opcode_text(parse, text, sizeof text)
        || !take_registers(parse, "the number of source registers", &fixed->source_count)
        || (lines->has_values && !take_special(parse, text)))
        return false;
    if (!gpu_take_unsigned(&parse->cursor, lines->isa == GPU_ISA_GCN3 ? GPU_MAX_WIDTH : UINT16_MAX, &width))
        return unexpected(parse, lines->isa == GPU_ISA_GCN3 ? "the width of the access, 0 to 64 bytes,"
                                                            : "the width of the access in bytes, 0 if there is none,");
    if (parse->is_tile_copy)             /* of the addresses, which are not those of lanes */
        width = 0;
    fixed->traced_width = (uint16_t)width;
    if (!find_opcode(parse, text, width != 0, &fixed->opcode))
        return false;
    opcode = &lines->opcodes[fixed->opcode];
    fixed->width_bytes = line_width_of(lines, opcode, fixed->traced_width);
    parse->is_scalar = opcode->space == GPU_SPACE_SCALAR;
    return true;
}

/* --- addresses and immediate -------------------------------------------------------------------------------------- */

static unsigned columns_left(struct gpu_cursor cursor)
{
    unsigned count = 0;

    for (gpu_skip_blanks(&cursor); cursor.at < cursor.end; gpu_skip_blanks(&cursor)) {
        count++;
        while (!gpu_is_column_end(&cursor))
            cursor.at++;
    }
    return count;
}

/* Lanes of the first run of a mask that is not 0. */
static unsigned first_run(uint64_t mask)
{
    uint64_t const run = mask >> __builtin_ctzll(mask);

    return run == UINT64_MAX ? 64 : (unsigned)__builtin_ctzll(~run);
}

static bool over_64_bits(const struct parse *parse)
{
    return WORKS(*parse->error, fault_at_line(parse->lines->file, parse->number, "the addresses run beyond 64 bits; "
                                              "expected a base and steps that stay within; trace the program again or "
                                              "mend the line"));
}

static bool take_stride(struct parse *parse, unsigned active)
{
    struct gpu_inst *const inst = parse->inst;
    int64_t span;
    uint64_t last;

    if (!gpu_take_signed(&parse->cursor, &inst->stride))
        return unexpected(parse, "the stride of the addresses, a decimal number of 64 bits,");
    if (active < 2 || parse->is_scalar)
        return true;
    if (first_run(inst->mask) < active)
        line_note(parse, GPU_ODD_SECOND_RUN);
    return !(__builtin_mul_overflow(inst->stride, (int64_t)first_run(inst->mask) - 1, &span)
             || __builtin_add_overflow(inst->base, span, &last))
        || over_64_bits(parse);
}

/* `count` numbers; with fewer the line may end. */
static bool take_list(struct parse *parse, unsigned count)
{
    struct gpu_inst *const inst = parse->inst;

    for (unsigned i = 0; i < count; i++) {
        uint64_t address;

        if (!gpu_take_hex(&parse->cursor, &address))
            return unexpected(parse, "the address of an active lane, a hexadecimal number of 64 bits,");
        parse->values[i] = (int64_t)address;
    }
    inst->base = count > 0 ? (uint64_t)parse->values[0] : 0;
    return true;
}

static bool take_deltas(struct parse *parse, unsigned count)
{
    uint64_t address = parse->inst->base;

    for (unsigned i = 0; i < count; i++) {
        if (!gpu_take_signed(&parse->cursor, &parse->values[i]))
            return unexpected(parse, "the step to the next lane's address, a decimal number of 64 bits,");
        if (__builtin_add_overflow(address, parse->values[i], &address) && !parse->is_scalar)
            return over_64_bits(parse);
    }
    return true;
}

/* Of GCN3's lines the columns are counted: lanes that the producer left out have none (3.4, 4). */
static unsigned addresses_there(const struct parse *parse, unsigned wanted)
{
    unsigned columns;

    if (parse->lines->isa != GPU_ISA_GCN3)
        return wanted;
    columns = columns_left(parse->cursor);
    if (parse->lines->has_immediate && columns > 0)
        columns--;
    if (columns < wanted && !parse->is_scalar)
        line_note(parse, GPU_ODD_FEW_ADDRESSES);
    return columns < wanted ? columns : wanted;
}

static bool take_addresses(struct parse *parse)
{
    struct gpu_inst *const inst = parse->inst;
    unsigned const active = (unsigned)__builtin_popcountll(inst->mask);
    unsigned count;
    uint64_t mode;
    bool good;

    if (!gpu_take_unsigned(&parse->cursor, GPU_ADDRESS_DELTAS, &mode))
        return unexpected(parse, "the mode of the addresses, 0, 1 or 2,");
    inst->mode = (uint8_t)mode;
    if (mode == GPU_ADDRESS_LIST) {
        count = addresses_there(parse, active);
        good = take_list(parse, count);
    } else if (!gpu_take_hex(&parse->cursor, &inst->base)) {
        return unexpected(parse, "the first address, a hexadecimal number of 64 bits,");
    } else if (mode == GPU_ADDRESS_STRIDE) {
        count = 0;
        good = take_stride(parse, active);
    } else {
        count = addresses_there(parse, active > 0 ? active - 1 : 0);
        good = take_deltas(parse, count);
    }
    inst->value_count = parse->is_scalar ? 0 : (uint8_t)count;
    return good;
}

static bool begins_number(const struct gpu_cursor *cursor)
{
    return cursor->at < cursor->end && (*cursor->at == '-' || (*cursor->at >= '0' && *cursor->at <= '9'));
}

/* Behind version 6's immediate there may be a second one; then the line says whether values of registers follow.
 * Neither has a use here. */
static bool take_values(struct parse *parse)
{
    struct gpu_cursor *const cursor = &parse->cursor;
    struct gpu_cursor word;
    int64_t second;

    gpu_skip_blanks(cursor);
    if (begins_number(cursor) && !gpu_take_signed(cursor, &second))
        return unexpected(parse, "the second immediate, a decimal number of 64 bits,");
    gpu_skip_blanks(cursor);
    word = *cursor;
    while (!gpu_is_column_end(cursor))
        cursor->at++;
    word.end = cursor->at;
    if (word.at == word.end || gpu_equals(&word, "NoVal") || gpu_equals(&word, "Val"))
        return true;
    cursor->at = word.at;
    return unexpected(parse, "Val or NoVal, whether values of registers follow,");
}

/* Up to version 5 any text may follow the immediate, or replace it. */
static bool take_immediate(struct parse *parse, int64_t *immediate)
{
    *immediate = 0;
    if (parse->lines->has_immediate && !gpu_take_signed(&parse->cursor, immediate) && begins_number(&parse->cursor))
        return unexpected(parse, "the immediate, a decimal number of 64 bits,");
    return !parse->lines->has_values || take_values(parse);
}

/* The columns of a copy of a tile or a block between global and shared memory: barrier, whether it goes to several
 * blocks, and to which, bytes, those out of bounds, addresses (5.6). */
static bool take_tile_copy(struct parse *parse)
{
    struct gpu_cursor *const cursor = &parse->cursor;
    uint64_t number, mode, count;
    int64_t delta;

    if (!gpu_take_hex(cursor, &number))
        return unexpected(parse, "the address of the copy's barrier, a hexadecimal number,");
    if (!gpu_take_unsigned(cursor, 1, &number))
        return unexpected(parse, "0 or 1, whether the copy goes to several blocks,");
    if (number == 1 && !gpu_take_hex(cursor, &number))
        return unexpected(parse, "the mask of the copy's blocks, a hexadecimal number,");
    if (!gpu_take_unsigned(cursor, UINT64_MAX, &number) || !gpu_take_unsigned(cursor, UINT64_MAX, &number))
        return unexpected(parse, "the copy's bytes, then those out of bounds,");
    if (!gpu_take_unsigned(cursor, TILE_DELTAS, &mode) || mode < TILE_LIST)
        return unexpected(parse, "the mode of the copy's addresses, 3 or 4,");
    if (mode == TILE_DELTAS && !gpu_take_hex(cursor, &number))
        return unexpected(parse, "the copy's first address, a hexadecimal number of 64 bits,");
    if (!gpu_take_unsigned(cursor, UINT32_MAX, &count))
        return unexpected(parse, "the number of the copy's addresses");
    for (uint64_t i = mode == TILE_DELTAS; i < count; i++)
        if (mode == TILE_DELTAS ? !gpu_take_signed(cursor, &delta) : !gpu_take_hex(cursor, &number))
            return unexpected(parse, "the copy's next address, or the step to it,");
    line_note(parse, GPU_ODD_TILE_COPY);
    return true;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Neighbours of a program do not meet in a slot. */
static struct gpu_seen *seen_at(const struct gpu_lines *lines, uint64_t pc)
{
    return &lines->seen[(pc >> lines->pc_shift) & (((size_t)1 << lines->seen_bits) - 1)];
}

/* length: of the text up to the line's end if there are no addresses, fixed_length: up to the width. */
static void line_remember(struct gpu_lines *lines, const struct parse *parse, const char *text, size_t length,
                          size_t fixed_length)
{
    const struct gpu_static *const fixed = &parse->fixed;
    struct gpu_seen *const seen = seen_at(lines, fixed->pc);
    bool const is_cut = length > SEEN_TEXT && lines->has_values;

    if (is_cut)
        length = fixed_length;
    if (length == 0 || length > SEEN_TEXT || parse->is_tile_copy)
        return;
    seen->pc = fixed->pc;
    seen->index = parse->inst->index;
    seen->line = fixed->line;
    seen->length = (uint16_t)length;
    seen->fixed_length = (uint16_t)fixed_length;
    seen->has_addresses = fixed->traced_width != 0;
    seen->is_whole = !is_cut;
    seen->is_scalar = parse->is_scalar;
    memcpy(seen->text, text, length);
}

/* A line without an operation (6); only GCN3's tracer writes such lines. */
static bool is_empty_body(const struct parse *parse)
{
    return parse->lines->isa == GPU_ISA_GCN3 && parse->ends_early;
}

static enum gpu_line_step parse_unseen(struct parse *parse)
{
    struct gpu_lines *const lines = parse->lines;
    const char *const text = parse->cursor.at;
    const char *fixed_end, *end;

    if (!take_fixed(parse)) {
        if (!is_empty_body(parse))
            return GPU_LINE_FAILED;
        line_note(parse, GPU_ODD_EMPTY_BODY);
        return GPU_LINE_LEFT_OUT;
    }
    if (parse->is_pseudo) {
        line_note(parse, GPU_ODD_REPLAYED);
        return GPU_LINE_LEFT_OUT;
    }
    fixed_end = parse->cursor.at;
    if (parse->is_tile_copy ? !take_tile_copy(parse) : parse->fixed.traced_width != 0 && !take_addresses(parse))
        return GPU_LINE_FAILED;
    if (!take_immediate(parse, &parse->fixed.immediate) || !find_static(parse, &parse->fixed, &parse->inst->index))
        return GPU_LINE_FAILED;
    end = parse->fixed.traced_width == 0 ? parse->cursor.end : fixed_end;
    line_remember(lines, parse, text, (size_t)(end - text), (size_t)(fixed_end - text));
    return GPU_LINE_INST;
}

/* The columns up to the width are those of the static instruction; the immediate may be another. */
static enum gpu_line_step parse_seen(struct parse *parse, uint32_t index, bool has_addresses)
{
    struct gpu_lines const *const lines = parse->lines;
    int64_t immediate;

    if ((has_addresses && !take_addresses(parse)) || !take_immediate(parse, &immediate))
        return GPU_LINE_FAILED;
    parse->inst->index = index;
    if (immediate == lines->statics.items[index].immediate)
        return GPU_LINE_INST;
    parse->fixed = lines->statics.items[index];
    parse->fixed.immediate = immediate;
    return find_static(parse, &parse->fixed, &parse->inst->index) ? GPU_LINE_INST : GPU_LINE_FAILED;
}

/* Is the column behind `before` columns and the pc a mask? It has all its digits. */
static bool is_mask_behind(struct gpu_cursor cursor, unsigned before, unsigned digits)
{
    for (unsigned i = 0; i <= before; i++) {
        gpu_skip_blanks(&cursor);
        while (!gpu_is_column_end(&cursor))
            cursor.at++;
    }
    gpu_skip_blanks(&cursor);
    for (unsigned i = 0; i < digits; i++, cursor.at++)
        if (cursor.at == cursor.end || gpu_hex_digit(*cursor.at) > 15)
            return false;
    return gpu_is_column_end(&cursor);
}

static void find_shape(struct gpu_lines *lines, struct gpu_cursor line)
{
    unsigned const before = (lines->has_ids ? 4u : 0u) + lines->has_line_number, digits = lines->warp_size / 4;

    lines->is_shape_known = true;
    lines->has_extra_ids = !is_mask_behind(line, before, digits) && is_mask_behind(line, before + 2, digits);
}

static bool take_ids(struct parse *parse, struct gpu_line_ids *ids)
{
    static const char *const what[] = {
        "the block's x", "the block's y", "the block's z", "the warp", "the SM", "the warp's slot"
    };
    unsigned const from = parse->lines->has_ids ? 0 : 4, to = parse->lines->has_extra_ids ? 6 : 4;
    uint32_t numbers[6] = {0};

    for (unsigned i = from; i < to; i++) {
        uint64_t number;

        if (!gpu_take_unsigned(&parse->cursor, UINT32_MAX, &number))
            return unexpected(parse, what[i]);
        numbers[i] = (uint32_t)number;
    }
    *ids = (struct gpu_line_ids){{numbers[0], numbers[1], numbers[2]}, numbers[3]};
    return true;
}

/* A line without addresses whose values of registers are others. */
static bool is_seen_up_to_width(const struct gpu_seen *seen, uint64_t pc, uint64_t line, const struct gpu_cursor *rest)
{
    size_t const length = seen->fixed_length, left = (size_t)(rest->end - rest->at);

    return seen->pc == pc && seen->length != 0 && seen->line == line && !seen->has_addresses && left > length
        && gpu_is_blank(rest->at[length]) && memcmp(seen->text, rest->at, length) == 0;
}

enum gpu_line_step gpu_lines_parse(struct gpu_lines *lines, struct gpu_cursor line, uint64_t number,
                                   struct gpu_line_ids *ids, struct gpu_inst *inst, int64_t *values,
                                   struct fault *error)
{
    struct parse parse = {
        .lines = lines, .cursor = line, .number = number, .inst = inst, .values = values, .error = error
    };
    uint64_t source_line = 0, pc;
    const struct gpu_seen *seen;
    size_t left;

    if (!lines->is_shape_known)
        find_shape(lines, line);
    if ((lines->has_ids || lines->has_extra_ids) && !take_ids(&parse, ids))
        return GPU_LINE_FAILED;
    *inst = (struct gpu_inst){.mode = GPU_ADDRESS_NONE};
    if (lines->has_line_number && !gpu_take_unsigned(&parse.cursor, UINT32_MAX, &source_line)) {
        unexpected(&parse, "the number of the source's line");
        return GPU_LINE_FAILED;
    }
    if (!gpu_take_hex(&parse.cursor, &pc) || !gpu_take_hex(&parse.cursor, &inst->mask)) {
        unexpected(&parse, "the pc and the mask of the active lanes, hexadecimal numbers of 64 bits,");
        if (!is_empty_body(&parse))
            return GPU_LINE_FAILED;
        line_note(&parse, GPU_ODD_EMPTY_BODY);
        return GPU_LINE_LEFT_OUT;
    }
    if (lines->warp_size < 64 && inst->mask >> lines->warp_size != 0) {
        *error = fault_at_line(lines->file, number, "the mask has more than the %u lanes of a warp; trace the program "
                               "again, or name its `-warp size` in the header", lines->warp_size);
        return GPU_LINE_FAILED;
    }
    gpu_skip_blanks(&parse.cursor);
    seen = seen_at(lines, pc);
    left = (size_t)(parse.cursor.end - parse.cursor.at);
    if (seen->pc == pc && seen->length != 0 && seen->line == source_line
        && (seen->has_addresses ? left > seen->length && gpu_is_blank(parse.cursor.at[seen->length])
                                : left == seen->length && seen->is_whole)
        && memcmp(seen->text, parse.cursor.at, seen->length) == 0) {
        inst->index = seen->index;
        if (!seen->has_addresses)
            return GPU_LINE_INST;
        parse.is_scalar = seen->is_scalar;
        parse.cursor.at += seen->length;
        return parse_seen(&parse, seen->index, true);
    }
    if (lines->has_values && is_seen_up_to_width(seen, pc, source_line, &parse.cursor)) {
        parse.cursor.at += seen->fixed_length;
        return parse_seen(&parse, seen->index, false);
    }
    parse.fixed.pc = pc;
    parse.fixed.line = (uint32_t)source_line;
    return parse_unseen(&parse);
}

#define ODDITY_TEXT(value, text) text,
const char *gpu_oddity_text(enum gpu_oddity oddity)
{
    static const char *const texts[] = { GPU_ODDITIES(ODDITY_TEXT) };

    return texts[oddity];
}

/* --- addresses of an execution (3.4) ------------------------------------------------------------------------------ */

uint64_t gpu_inst_addresses(const struct gpu_block *block, const struct gpu_inst *inst, bool is_scalar,
                            uint64_t addresses[GPU_MAX_LANES])
{
    uint64_t address = inst->base, given = 0, left = inst->mask;
    const int64_t *values;
    unsigned count;

    if (inst->mode == GPU_ADDRESS_NONE || left == 0)
        return 0;
    if (is_scalar) {
        addresses[0] = address;
        return 1;
    }
    values = inst->value_count > 0 ? block->values + inst->values_at : NULL;
    count = inst->mode == GPU_ADDRESS_STRIDE ? first_run(left)
        : inst->mode == GPU_ADDRESS_DELTAS ? inst->value_count + 1u : inst->value_count;
    for (unsigned i = 0; i < count; i++, left &= left - 1) {
        unsigned const lane = (unsigned)__builtin_ctzll(left);

        if (inst->mode == GPU_ADDRESS_LIST)
            address = (uint64_t)values[i];
        else if (i > 0)
            address += (uint64_t)(inst->mode == GPU_ADDRESS_STRIDE ? inst->stride : values[i - 1]);
        addresses[lane] = address;
        given |= UINT64_C(1) << lane;
    }
    return given;
}
