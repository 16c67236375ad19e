/* replay/detailed/rv64/rv64_machine.h and proto/insn/insn_program.h: random instructions with operands that
 * matter, as qemu-riscv64 executes them. The program is written by hand: no compiler of the architecture is needed. */
#include "replay/detailed/rv64/rv64_machine.h"

#include <unistd.h>

#include "base/bits.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum {
    CASES = 8192, MOST_WORDS = 40 * CASES, IN_BYTES = 64, OUT_BYTES = 40, HEADERS = 64 + 2 * 56, ELF_RISCV = 243,
    /* registers: operands x8, x9, f8, f9, f12; results x10, f11 (x8, f8 too); what cases point at */
    A = 8, B = 9, D = 10, F_D = 11, F_C = 12, IN = 28, OUT = 29, PLACE = 31
};
#define CODE UINT64_C(0x10000)
#define DATA UINT64_C(0x4000000)
#define PLACE_AT (DATA + (uint64_t)CASES * IN_BYTES)
#define OUT_AT (PLACE_AT + 4096)
#define DATA_BYTES ((uint64_t)CASES * (IN_BYTES + OUT_BYTES) + 4096)

static uint32_t words[MOST_WORDS];
static size_t word_count;
static uint32_t of_case[CASES];
static uint8_t data[DATA_BYTES], theirs[CASES * OUT_BYTES];

/* ---- instructions */

static uint32_t type_i(uint32_t opcode, uint32_t f3, uint32_t d, uint32_t n, uint32_t immediate)
{
    return (immediate & 0xfff) << 20 | n << 15 | f3 << 12 | d << 7 | opcode;
}

static uint32_t type_s(uint32_t opcode, uint32_t f3, uint32_t n, uint32_t m, uint32_t offset)
{
    return (offset >> 5 & 0x7f) << 25 | m << 20 | n << 15 | f3 << 12 | (offset & 31) << 7 | opcode;
}

static uint32_t type_r(uint32_t opcode, uint32_t f7, uint32_t f3, uint32_t d, uint32_t n, uint32_t m)
{
    return f7 << 25 | m << 20 | n << 15 | f3 << 12 | d << 7 | opcode;
}

static void emit(uint32_t word)
{
    assert_true(word_count < MOST_WORDS);
    words[word_count++] = word;
}

static uint32_t pick(const uint32_t *list, size_t count)
{
    return list[random_below(count)];
}

static uint32_t random_float(void)
{
    static const uint32_t fused[] = {0x43, 0x47, 0x4b, 0x4f};
    static const uint32_t conversions[] = {0x18, 0x1a};
    uint32_t const format = (uint32_t)random_below(2), mode = random_below(2) ? 7 : (uint32_t)random_below(4);

    switch (random_below(9)) {
    case 0: return type_r(pick(fused, 4), F_C << 2 | format, mode, F_D, A, B);
    case 1: return type_r(0x53, (uint32_t)random_below(4) << 2 | format, mode, F_D, A, B);
    case 2: return type_r(0x53, 0x0b << 2 | format, mode, F_D, A, 0);
    case 3: return type_r(0x53, 4 << 2 | format, (uint32_t)random_below(3), F_D, A, B);
    case 4: return type_r(0x53, 5 << 2 | format, (uint32_t)random_below(2), F_D, A, B);
    case 5: return type_r(0x53, 8 << 2 | format, mode, F_D, A, !format);
    case 6: return type_r(0x53, 0x14 << 2 | format, (uint32_t)random_below(3), D, A, B);
    case 7: {
        uint32_t const f5 = pick(conversions, 2);
        uint32_t const to = f5 == 0x18 ? (uint32_t)D : (uint32_t)F_D;

        return type_r(0x53, f5 << 2 | format, f5 == 0x18 && mode == 7 ? 4 : mode, to, A, (uint32_t)random_below(4));
    }
    default:
        if (random_below(2))
            return type_r(0x53, 0x1e << 2 | format, 0, F_D, A, 0);
        return type_r(0x53, 0x1c << 2 | format, (uint32_t)random_below(2), D, A, 0);
    }
}

static uint32_t random_integer(void)
{
    static const uint32_t word_f3[] = {0, 1, 5};

    switch (random_below(8)) {
    case 0: {
        uint32_t const f3 = (uint32_t)random_below(8);
        uint32_t const shift = (uint32_t)random_below(64) | (f3 == 5 && random_below(2) ? 0x400 : 0);

        return type_i(0x13, f3, D, A, f3 == 1 || f3 == 5 ? shift : (uint32_t)random_bits());
    }
    case 1: {
        uint32_t const f3 = pick(word_f3, 3);
        uint32_t const shift = (uint32_t)random_below(32) | (f3 == 5 && random_below(2) ? 0x400 : 0);

        return type_i(0x1b, f3, D, A, f3 ? shift : (uint32_t)random_bits());
    }
    case 2: {
        uint32_t const f3 = (uint32_t)random_below(8);

        return type_r(0x33, (f3 == 0 || f3 == 5) && random_below(2) ? 0x20 : 0, f3, D, A, B);
    }
    case 3: {
        uint32_t const f3 = pick(word_f3, 3);

        return type_r(0x3b, f3 != 1 && random_below(2) ? 0x20 : 0, f3, D, A, B);
    }
    case 4: return type_r(0x33, 1, (uint32_t)random_below(8), D, A, B);
    case 5: {
        uint32_t const f3 = (uint32_t)random_below(5);

        return type_r(0x3b, 1, f3 ? f3 + 3 : 0, D, A, B);
    }
    case 6: return (uint32_t)(random_bits() & 0xfffff000) | D << 7 | 0x37;
    default: return (uint32_t)(random_bits() & 0xfffff000) | D << 7 | 0x17;
    }
}

static uint32_t random_access(void)
{
    static const uint32_t atomics[] = {0, 1, 4, 8, 12, 16, 20, 24, 28};
    uint32_t const offset = (uint32_t)random_below(2040);

    switch (random_below(6)) {
    case 0: return type_i(0x03, (uint32_t)random_below(7), D, PLACE, offset);
    case 1: return type_i(0x07, 2 + (uint32_t)random_below(2), F_D, PLACE, offset);
    case 2: return type_s(0x23, (uint32_t)random_below(4), PLACE, A, offset);
    case 3: return type_s(0x27, 2 + (uint32_t)random_below(2), PLACE, A, offset);
    case 4: return type_r(0x2f, 2 << 2, 2 + (uint32_t)random_below(2), D, PLACE, 0);
    default: return type_r(0x2f, pick(atomics, 9) << 2, 2 + (uint32_t)random_below(2), D, PLACE, A);
    }
}

/* Two compressed ones: random, then c.nop. Their registers are x8 or x9, f8 or f9. */
static uint32_t random_compressed(void)
{
    uint32_t const immediate = (uint32_t)(random_bits() & 0x107c), any = (uint32_t)random_bits();
    uint32_t c;

    switch (random_below(8)) {
    case 0: c = 0x0001 | A << 7 | immediate; break;                              /* addi */
    case 1: c = 0x2001 | A << 7 | immediate; break;                              /* addiw */
    case 2: c = 0x4001 | A << 7 | immediate; break;                              /* li */
    case 3: c = 0x6001 | A << 7 | immediate | 4; break;                          /* lui */
    case 4: c = 0x8001 | (any & 0x0c00) | immediate; break;                      /* srli srai andi and others */
    case 5: c = 0x8c01 | (any & 0x60) | 1 << 2 | (any >> 8 & 1 && !(any & 0x40) ? 0x1000 : 0); break;
    case 6: c = 0x0002 | A << 7 | immediate; break;                              /* slli */
    default: c = (any & 1 ? 0x9002u : 0x8002u) | A << 7 | B << 2; break;         /* add mv */
    }
    if (((c & 0xfc01) == 0x8c01 && (c & 0x60) > 0x60) || (c & 0xfc63) == 0x9c41 || (c & 0xfc63) == 0x9c61)
        c = 0x0001;
    return c | 0x00010000;
}

static uint32_t random_instruction(void)
{
    switch (random_below(8)) {
    case 0:
    case 1: return random_integer();
    case 2: return random_access();
    case 3: return random_compressed();
    default: return random_float();
    }
}

/* ---- operands */

static uint64_t random_operand(void)
{
    static const uint64_t doubles[] = {
        0, UINT64_C(1) << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
        0x7ff8000000000000, 0x7ff0000000000001, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
        0x3fe0000000000000, 0x4330000000000001, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000,
        0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x4004000000000000, 0xbfe0000000000000};
    static const uint32_t floats[] = {
        0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x007fffff,
        0x00800000, 0x7f7fffff, 0x3f000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x5f000000, 0x40200000, 0xbf000000};
    static const uint64_t integers[] = {0, 1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, 0x7fffffff, 0x80000000,
                                        UINT64_C(0xffffffff80000000), UINT32_MAX, 2, 63, 64};
    uint64_t const exponent = 1023 - 70 + random_below(140), narrow = 127 - 40 + random_below(80);

    switch (random_below(6)) {
    case 0: return doubles[random_below(COUNT(doubles))];
    case 1: return UINT64_C(0xffffffff00000000) | floats[random_below(COUNT(floats))];
    case 2: return integers[random_below(COUNT(integers))];
    case 3: return (random_bits() & UINT64_C(0x800fffffffffffff)) | exponent << 52;
    case 4: return UINT64_C(0xffffffff00000000) | (uint32_t)(random_bits() & 0x807fffff) | (uint32_t)narrow << 23;
    default: return random_number();
    }
}

/* ---- the program */

/* Of a page. */
static void make_address(uint32_t reg, uint64_t address)
{
    assert_int_equal(address % 4096, 0);
    emit((uint32_t)address | reg << 7 | 0x37);
}

static void make_case(unsigned i)
{
    for (unsigned n = 0; n < IN_BYTES / 8; n++)
        bits_store64(data + (size_t)i * IN_BYTES + 8 * n, random_operand());
    emit(type_i(0x03, 3, A, IN, 0));
    emit(type_i(0x03, 3, B, IN, 8));
    emit(type_i(0x03, 3, D, IN, 16));
    emit(type_i(0x07, 3, A, IN, 24));
    emit(type_i(0x07, 3, B, IN, 32));
    emit(type_i(0x07, 3, F_D, IN, 40));
    emit(type_i(0x07, 3, F_C, IN, 48));
    if (random_below(4) == 0)
        emit(type_i(0x73, 5, 0, (uint32_t)random_below(4), 2));      /* csrwi frm */
    of_case[i] = random_instruction();
    emit(of_case[i]);
    emit(type_i(0x73, 2, 5, 0, 2));                                  /* csrr x5, frm */
    emit(type_s(0x23, 3, OUT, A, 0));
    emit(type_s(0x23, 3, OUT, D, 8));
    emit(type_s(0x27, 3, OUT, F_D, 16));
    emit(type_s(0x23, 3, OUT, 5, 24));
    emit(type_i(0x03, 3, 5, PLACE, 0));
    emit(type_s(0x23, 3, OUT, 5, 32));
    emit(type_i(0x13, 0, IN, IN, IN_BYTES));
    emit(type_i(0x13, 0, OUT, OUT, OUT_BYTES));
}

/* Ends with write(1, results), exit(0). */
static void make_program(void)
{
    word_count = 0;
    random_state = 29;
    make_address(IN, DATA);
    make_address(PLACE, PLACE_AT);
    make_address(OUT, OUT_AT);
    for (unsigned i = 0; i < CASES; i++)
        make_case(i);
    emit(type_i(0x13, 0, 10, 0, 1));
    make_address(11, OUT_AT);
    make_address(12, CASES * OUT_BYTES);
    emit(type_i(0x13, 0, 17, 0, 64));
    emit(0x73);
    emit(type_i(0x13, 0, 10, 0, 0));
    emit(type_i(0x13, 0, 17, 0, 93));
    emit(0x73);
}

static void put_header(uint8_t *at, uint32_t flags, uint64_t offset, uint64_t address, uint64_t bytes)
{
    bits_store32(at, 1);
    bits_store32(at + 4, flags);
    bits_store64(at + 8, offset);
    bits_store64(at + 16, address);
    bits_store64(at + 24, address);
    bits_store64(at + 32, bytes);
    bits_store64(at + 40, bytes);
    bits_store64(at + 48, 4096);
}

static void write_program(const char *path)
{
    static const uint8_t identity[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    uint64_t const code_bytes = 4 * word_count, data_offset = (4096 + code_bytes + 4095) & ~UINT64_C(4095);
    uint8_t header[4096] = {0};
    FILE *const file = fopen(path, "wb");

    assert_non_null(file);
    memcpy(header, identity, sizeof identity);
    bits_store16(header + 16, 2);
    bits_store16(header + 18, ELF_RISCV);
    bits_store32(header + 20, 1);
    bits_store64(header + 24, CODE + 4096);
    bits_store64(header + 32, 64);
    bits_store32(header + 48, 5);
    bits_store16(header + 52, 64);
    bits_store16(header + 54, 56);
    bits_store16(header + 56, 2);
    put_header(header + 64, 5, 0, CODE, 4096 + code_bytes);
    put_header(header + 120, 6, data_offset, DATA, DATA_BYTES);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    for (size_t i = 0; i < word_count; i++) {
        uint8_t bytes[4];

        bits_store32(bytes, words[i]);
        fwrite(bytes, 1, sizeof bytes, file);
    }
    assert_int_equal(fseek(file, (long)data_offset, SEEK_SET), 0);
    assert_int_equal(fwrite(data, 1, DATA_BYTES, file), DATA_BYTES);
    assert_int_equal(fclose(file), 0);
}

/* ---- both */

static bool ask_qemu(const char *path)
{
    char command[200];
    FILE *pipe;
    size_t count;

    if (system("command -v qemu-riscv64 > /dev/null 2>&1") != 0)
        return false;
    snprintf(command, sizeof command, "chmod +x %s && qemu-riscv64 %s", path, path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    count = fread(theirs, 1, sizeof theirs, pipe);
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(count, sizeof theirs);
    return true;
}

static void run_machine(struct machine *machine, uint64_t pc)
{
    for (bool has_ended = false; !has_ended;) {
        uint64_t const word = pages_read(machine->pages, pc, 4);
        struct machine_insn const insn = {pc, (uint32_t)((word & 3) == 3 ? word : word & 0xffff),
                                          (word & 3) == 3 ? 4 : 2};
        struct machine_truth const truth = {.next_pc = pc + insn.size_bytes};
        struct machine_result result;

        has_ended = word == 0x73 && machine->registers[MACHINE_A7] == 93;
        machine_step(machine, &insn, &truth, &result);
        machine_release(machine, machine_position(machine));
        assert_int_equal(result.next_pc, truth.next_pc);
        pc = result.next_pc;
    }
}

static void equals_qemu(void **state)
{
    char path[] = "/tmp/rubato-values.XXXXXX";
    int const descriptor = mkstemp(path);
    struct fault fault = fault_none();
    struct insn_program *program;
    struct machine *machine;
    bool has_qemu;

    assert_true(descriptor >= 0);
    close(descriptor);
    make_program();
    write_program(path);
    program = insn_program_read(path, "values", ELF_RISCV, &fault);
    if (program == NULL)
        fail_msg("%s", fault_text(fault));
    assert_int_equal(program->segment_count, 2);
    assert_int_equal(program->headers_at, CODE + 64);
    has_qemu = ask_qemu(path);
    unlink(path);
    machine = machine_new(&fault);
    assert_non_null(machine);
    machine_start(machine, program);
    run_machine(machine, program->entry);
    for (unsigned i = 0; has_qemu && i < CASES; i++)
        for (unsigned n = 0; n < OUT_BYTES / 8; n++) {
            uint64_t const at = (uint64_t)i * OUT_BYTES + 8 * n;
            uint64_t const ours = pages_read(machine->pages, OUT_AT + at, 8);
            const uint8_t *const in = data + (size_t)i * IN_BYTES;

            if (ours != bits_load64(theirs + at))
                fail_msg("case %u, 0x%08x, result %u: 0x%016lx, qemu 0x%016lx; x8 0x%lx x9 0x%lx f8 0x%lx f9 0x%lx "
                         "f12 0x%lx frm %lu", i, of_case[i], n, (unsigned long)ours,
                         (unsigned long)bits_load64(theirs + at), (unsigned long)bits_load64(in),
                         (unsigned long)bits_load64(in + 8), (unsigned long)bits_load64(in + 24),
                         (unsigned long)bits_load64(in + 32), (unsigned long)bits_load64(in + 48),
                         (unsigned long)bits_load64(theirs + (uint64_t)i * OUT_BYTES + 24));
        }
    machine_free(machine);
    insn_program_free(program);
    if (!has_qemu)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_qemu)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
