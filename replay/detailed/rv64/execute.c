/* Modelled: RV64IMAFDC with Zicsr and Zifencei (riscv-decode 2). An invalid encoding does nothing and execution
 * continues after it. */
#include "replay/detailed/rv64/rv64_machine.h"

enum { CSR_FFLAGS = 1, CSR_FRM = 2, CSR_FCSR = 3 };
enum { LR = 0x02, SC = 0x03, SWAP = 0x01, ADD = 0x00, XOR = 0x04, AND = 0x0c, OR = 0x08, MIN = 0x10, MAX = 0x14,
       MINU = 0x18, MAXU = 0x1c };

/* The instruction under way. */
struct run {
    struct machine *machine;
    const struct machine_insn *insn;
    const struct machine_truth *truth;
    struct effect *effect;
    uint32_t bits;
};

static inline unsigned d_of(uint32_t bits) { return bits >> 7 & 31; }
static inline unsigned n_of(uint32_t bits) { return bits >> 15 & 31; }
static inline unsigned m_of(uint32_t bits) { return bits >> 20 & 31; }
static inline unsigned f3_of(uint32_t bits) { return bits >> 12 & 7; }

static inline uint64_t extend(uint32_t word)
{
    return (uint64_t)(int64_t)(int32_t)word;
}

static inline uint64_t immediate_i(uint32_t bits)
{
    return (uint64_t)((int64_t)(int32_t)bits >> 20);
}

static inline uint64_t immediate_s(uint32_t bits)
{
    return (uint64_t)((int64_t)(int32_t)(bits & 0xfe000000) >> 20) | (bits >> 7 & 31);
}

static inline uint64_t immediate_b(uint32_t bits)
{
    return (uint64_t)((int64_t)(int32_t)(bits & 0x80000000) >> 19) | (bits << 4 & 0x800) | (bits >> 20 & 0x7e0)
           | (bits >> 7 & 0x1e);
}

static inline uint64_t immediate_j(uint32_t bits)
{
    return (uint64_t)((int64_t)(int32_t)(bits & 0x80000000) >> 11) | (bits & 0xff000) | (bits >> 9 & 0x800)
           | (bits >> 20 & 0x7fe);
}

static inline void write(struct run *run, unsigned number, uint64_t value)
{
    run->effect->result = (uint8_t)number;
    run->effect->value = value;
}

/* ---- accesses */

/* The address, which becomes that of the truth. */
static uint64_t access_at(struct run *run, uint64_t offset, unsigned bytes)
{
    struct machine *const machine = run->machine;
    unsigned const base = n_of(run->bits);
    uint64_t address = machine->registers[base] + offset;

    if (run->truth) {
        if (run->truth->has_access && run->truth->address != address) {
            machine->figures.addresses++;
            address = run->truth->address;
            if (base != 0)
                machine->registers[base] = address - offset;
        }
        if (!pages_have(machine->pages, address, bytes))
            pages_make(machine->pages, address, bytes);
    } else {
        run->effect->faults = !pages_have(machine->pages, address, bytes);
    }
    run->effect->address = address;
    run->effect->access_bytes = (uint8_t)bytes;
    return address;
}

static void load(struct run *run)
{
    unsigned const f3 = f3_of(run->bits), bytes = 1u << (f3 & 3);
    uint64_t const address = access_at(run, immediate_i(run->bits), bytes);
    uint64_t const value = pages_read(run->machine->pages, address, bytes);

    switch (f3) {
    case 0: write(run, d_of(run->bits), (uint64_t)(int64_t)(int8_t)(uint8_t)value); break;
    case 1: write(run, d_of(run->bits), (uint64_t)(int64_t)(int16_t)(uint16_t)value); break;
    case 2: write(run, d_of(run->bits), extend((uint32_t)value)); break;
    default: write(run, d_of(run->bits), value); break;
    }
}

static void load_float(struct run *run)
{
    bool const is_double = f3_of(run->bits) == 3;
    unsigned const bytes = is_double ? 8 : 4;
    uint64_t const address = access_at(run, immediate_i(run->bits), bytes);
    uint64_t const value = pages_read(run->machine->pages, address, bytes);

    write(run, MACHINE_F0 + d_of(run->bits), is_double ? value : value | UINT64_C(0xffffffff00000000));
}

static void store(struct run *run, unsigned data)
{
    access_at(run, immediate_s(run->bits), 1u << (f3_of(run->bits) & 3));
    run->effect->stores = true;
    run->effect->stored = run->machine->registers[data];
}

static uint64_t changed(unsigned f5, uint64_t before, uint64_t operand, bool is_word)
{
    int64_t const a = is_word ? (int32_t)(uint32_t)before : (int64_t)before;
    int64_t const b = is_word ? (int32_t)(uint32_t)operand : (int64_t)operand;
    uint64_t const ua = is_word ? (uint32_t)before : before, ub = is_word ? (uint32_t)operand : operand;

    switch (f5) {
    case SWAP: return operand;
    case ADD: return before + operand;
    case XOR: return before ^ operand;
    case AND: return before & operand;
    case OR: return before | operand;
    case MIN: return a < b ? before : operand;
    case MAX: return a > b ? before : operand;
    case MINU: return ua < ub ? before : operand;
    default: return ua > ub ? before : operand;
    }
}

static void atomic(struct run *run)
{
    struct machine *const machine = run->machine;
    unsigned const f5 = run->bits >> 27;
    bool const is_word = f3_of(run->bits) == 2;
    uint64_t const address = access_at(run, 0, is_word ? 4 : 8), operand = machine->registers[m_of(run->bits)];
    uint64_t before;

    if (f5 == SC) {
        bool const holds = machine->reservation == address / 64;

        run->effect->stores = holds && run->truth;
        run->effect->stored = operand;
        run->effect->reservation = UINT64_MAX;
        write(run, run->truth ? d_of(run->bits) : 0, !holds);
        return;
    }
    before = pages_read(machine->pages, address, is_word ? 4 : 8);
    if (is_word)
        before = extend((uint32_t)before);
    if (f5 == LR) {
        run->effect->reservation = address / 64;
        write(run, d_of(run->bits), before);
        return;
    }
    if (!run->truth)
        return;
    run->effect->stores = true;
    run->effect->stored = changed(f5, before, operand, is_word);
    write(run, d_of(run->bits), before);
}

/* ---- integers */

static uint64_t high_of_product(uint64_t a, uint64_t b)
{
    uint64_t const low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t const one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t const other = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

static uint64_t high(unsigned f3, uint64_t a, uint64_t b)
{
    uint64_t product = high_of_product(a, b);

    if (f3 != 3 && (int64_t)a < 0)
        product -= b;
    if (f3 == 1 && (int64_t)b < 0)
        product -= a;
    return product;
}

static uint64_t execute_divide(unsigned f3, uint64_t a, uint64_t b)
{
    bool const overflows = a == UINT64_C(1) << 63 && b == UINT64_MAX;

    switch (f3) {
    case 4: return b == 0 ? UINT64_MAX : overflows ? a : (uint64_t)((int64_t)a / (int64_t)b);
    case 5: return b == 0 ? UINT64_MAX : a / b;
    case 6: return b == 0 ? a : overflows ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
    default: return b == 0 ? a : a % b;
    }
}

/* Also with an immediate as b. */
static uint64_t compute(unsigned f3, bool is_other, uint64_t a, uint64_t b)
{
    switch (f3) {
    case 0: return is_other ? a - b : a + b;
    case 1: return a << (b & 63);
    case 2: return (int64_t)a < (int64_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return is_other ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
    case 6: return a | b;
    default: return a & b;
    }
}

static uint64_t compute_word(unsigned f3, bool is_other, uint64_t a, uint64_t b)
{
    switch (f3) {
    case 0: return extend((uint32_t)(is_other ? a - b : a + b));
    case 1: return extend((uint32_t)a << (b & 31));
    default: return extend(is_other ? (uint32_t)((int32_t)(uint32_t)a >> (b & 31)) : (uint32_t)a >> (b & 31));
    }
}

static uint64_t multiply_or_divide(unsigned f3, uint64_t a, uint64_t b)
{
    return f3 == 0 ? a * b : f3 < 4 ? high(f3, a, b) : execute_divide(f3, a, b);
}

static uint64_t multiply_or_divide_word(unsigned f3, uint64_t a, uint64_t b)
{
    if (f3 == 0)
        return extend((uint32_t)(a * b));
    if (f3 == 4 || f3 == 6)
        return extend((uint32_t)execute_divide(f3, extend((uint32_t)a), extend((uint32_t)b)));
    return extend((uint32_t)execute_divide(f3, (uint32_t)a, (uint32_t)b));
}

/* ---- jumps */

static bool is_taken(unsigned f3, uint64_t a, uint64_t b)
{
    switch (f3) {
    case 0: return a == b;
    case 1: return a != b;
    case 4: return (int64_t)a < (int64_t)b;
    case 5: return (int64_t)a >= (int64_t)b;
    case 6: return a < b;
    case 7: return a >= b;
    default: return false;
    }
}

static void branch(struct run *run)
{
    const uint64_t *const x = run->machine->registers;

    if (is_taken(f3_of(run->bits), x[n_of(run->bits)], x[m_of(run->bits)]))
        run->effect->next_pc = run->insn->pc + immediate_b(run->bits);
    if (run->truth && run->truth->next_pc != run->effect->next_pc) {
        run->machine->figures.branches++;
        run->effect->next_pc = run->truth->next_pc;
    }
}

static void jump_to_register(struct run *run)
{
    struct machine *const machine = run->machine;
    unsigned const base = n_of(run->bits);
    uint64_t const offset = immediate_i(run->bits), behind = run->effect->next_pc;
    uint64_t target = (machine->registers[base] + offset) & ~UINT64_C(1);

    if (run->truth && run->truth->next_pc != target) {
        machine->figures.targets++;
        target = run->truth->next_pc;
        if (base != 0)
            machine->registers[base] = target - offset;
    }
    run->effect->next_pc = target;
    write(run, d_of(run->bits), behind);
}

/* ---- floating point, system */

static void compute_float(struct run *run)
{
    uint32_t const bits = run->bits;
    const uint64_t *const x = run->machine->registers, *const f = x + MACHINE_F0;
    unsigned mode = f3_of(bits);
    bool is_known;
    uint64_t value;

    if (mode == FLOAT_DYNAMIC)
        mode = run->machine->fcsr >> 5 & 7;
    value = float_compute(bits, (enum float_mode)mode, float_reads_int(bits) ? x[n_of(bits)] : f[n_of(bits)],
                          f[m_of(bits)], f[bits >> 27], &is_known);
    if (is_known)
        write(run, d_of(bits) + (float_writes_int(bits) ? 0 : MACHINE_F0), value);
}

static void system(struct run *run)
{
    unsigned const f3 = f3_of(run->bits), csr = run->bits >> 20;
    uint32_t const before = run->machine->fcsr, shift = csr == CSR_FRM ? 5 : 0;
    uint32_t const mask = csr == CSR_FFLAGS ? 0x1f : csr == CSR_FRM ? 7 : csr == CSR_FCSR ? 0xff : 0;
    uint64_t const operand = f3 & 4 ? n_of(run->bits) : run->machine->registers[n_of(run->bits)];
    uint32_t const old = before >> shift & mask;
    uint32_t new = (uint32_t)operand & mask;

    if ((f3 & 3) == 0) {
        run->effect->is_call = run->bits == 0x73;
        return;
    }
    if (!run->truth)
        return;
    if ((f3 & 3) == 2)
        new = old | new;
    else if ((f3 & 3) == 3)
        new = old & ~new;
    run->effect->fcsr = (before & ~(mask << shift)) | new << shift;
    write(run, d_of(run->bits), old);
}

void execute(struct machine *machine, const struct machine_insn *insn, uint32_t bits, const struct machine_truth *truth,
             struct effect *effect)
{
    struct run run = {machine, insn, truth, effect, bits};
    const uint64_t *const x = machine->registers;
    unsigned const d = d_of(bits), f3 = f3_of(bits), f7 = bits >> 25;
    uint64_t const a = x[n_of(bits)], b = x[m_of(bits)];

    *effect = (struct effect){.next_pc = insn->pc + insn->size_bytes, .reservation = machine->reservation,
                              .fcsr = machine->fcsr};
    switch (bits & 0x7f) {
    case 0x03: load(&run); break;
    case 0x07: load_float(&run); break;
    case 0x13: write(&run, d, compute(f3, f3 == 5 && (bits >> 30 & 1), a, immediate_i(bits))); break;
    case 0x17: write(&run, d, insn->pc + extend(bits & 0xfffff000)); break;
    case 0x1b: write(&run, d, compute_word(f3, f3 == 5 && (bits >> 30 & 1), a, immediate_i(bits))); break;
    case 0x23: store(&run, m_of(bits)); break;
    case 0x27: store(&run, MACHINE_F0 + m_of(bits)); break;
    case 0x2f: atomic(&run); break;
    case 0x33: write(&run, d, f7 == 1 ? multiply_or_divide(f3, a, b) : compute(f3, f7 == 0x20, a, b)); break;
    case 0x37: write(&run, d, extend(bits & 0xfffff000)); break;
    case 0x3b: write(&run, d, f7 == 1 ? multiply_or_divide_word(f3, a, b) : compute_word(f3, f7 == 0x20, a, b)); break;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
    case 0x53: compute_float(&run); break;
    case 0x63: branch(&run); break;
    case 0x67: jump_to_register(&run); break;
    case 0x6f:
        effect->next_pc = insn->pc + immediate_j(bits);
        write(&run, d, insn->pc + insn->size_bytes);
        break;
    case 0x73: system(&run); break;
    default: break;                      /* fences and invalid encodings */
    }
}
