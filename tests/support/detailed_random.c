/* The code is a list of static instructions; the run walks along them, and draws directions, targets and addresses.
 * Addresses come from few lines, so that they collide. */
#include "tests/support/detailed_random.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { MOST_CODE = 160, MOST_DEPTH = 8, REGISTERS = 12,
       FIRST_FLOAT = 8, FLAGS = REGISTERS - 1, TEMPORARY = REGISTERS };      /* with mechanisms */

enum kind { PLAIN, LOAD, STORE, BRANCH, JUMP, CALL, RETURN, INDIRECT, ATOMIC, LINKED, CONDITIONAL, FENCE, SERIALISING,
            SQUASH_AFTER, SYSCALL, KIND_COUNT };

static const unsigned weights[KIND_COUNT] = {
    [PLAIN] = 420, [LOAD] = 180, [STORE] = 110, [BRANCH] = 120, [JUMP] = 20, [CALL] = 15, [RETURN] = 15, [INDIRECT] = 8,
    [ATOMIC] = 10, [LINKED] = 6, [CONDITIONAL] = 6, [FENCE] = 8, [SERIALISING] = 4, [SQUASH_AFTER] = 2, [SYSCALL] = 2};

struct code {
    enum kind kind;
    struct bench_insn insn;              /* pc, size, micro-ops, target */
    unsigned taken_percent;
    const struct supply_insn *wrong;     /* made when first asked for */
};

static struct code code[MOST_CODE];
static unsigned code_count;
static bool has_wrong_addresses;
static bool has_traits;                  /* micro-ops have some: detailed_random_mechanisms */

static bool chance(unsigned percent)
{
    return random_below(100) < percent;
}

static uint16_t some_register(void)
{
    return (uint16_t)random_below(REGISTERS);    /* 0: none */
}

static uint64_t some_address(uint32_t size_bytes)
{
    uint64_t const line = 0x100000 + 64 * random_below(6);

    if (chance(6))
        return line + 64 - random_below(size_bytes) - (size_bytes > 1);    /* perhaps across lines */
    return line + random_below(64 / size_bytes) * size_bytes;
}

static uint32_t some_size(void)
{
    return UINT32_C(1) << random_below(4);
}

/* ---- code */
static enum kind some_kind(void)
{
    unsigned sum = 0;
    uint64_t drawn;

    for (unsigned i = 0; i < KIND_COUNT; i++)
        sum += weights[i];
    drawn = random_below(sum);
    for (unsigned i = 0;; i++) {
        if (drawn < weights[i])
            return i;
        drawn -= weights[i];
    }
}

static uint8_t some_op(void)
{
    static const uint8_t rare[] = {DETAILED_OP_INT_MULT, DETAILED_OP_INT_DIV, DETAILED_OP_FLOAT_ADD,
                                   DETAILED_OP_FLOAT_MULT, DETAILED_OP_FLOAT_DIV, DETAILED_OP_FLOAT_SQRT,
                                   DETAILED_OP_NO_OP, DETAILED_OP_FLOAT_MISC, DETAILED_OP_FLOAT_MULT_ACC};

    return chance(75) ? DETAILED_OP_INT_ALU : rare[random_below(COUNT(rare))];
}

static uint32_t flags_of(enum kind kind)
{
    switch (kind) {
    case PLAIN: return chance(15) ? UOP_FLOAT_RESULT : 0;
    case LOAD: return UOP_LOAD | (chance(4) ? UOP_PREFETCH : 0);
    case STORE: return UOP_STORE | (has_traits && chance(30) ? UOP_STREAMING : 0);
    case BRANCH: return UOP_CONTROL | UOP_DIRECT | UOP_CONDITIONAL;
    case JUMP: return UOP_CONTROL | UOP_DIRECT;
    case CALL: return UOP_CONTROL | UOP_DIRECT | UOP_CALL;
    case RETURN: return UOP_CONTROL | UOP_RETURN;
    case INDIRECT: return UOP_CONTROL;
    case ATOMIC: return UOP_ATOMIC | UOP_NON_SPECULATIVE;
    case LINKED: return UOP_LOAD | UOP_LINKED;
    case CONDITIONAL: return UOP_STORE | UOP_LINKED | UOP_NON_SPECULATIVE;
    case FENCE: return UOP_READ_BARRIER | UOP_WRITE_BARRIER;
    case SERIALISING: return UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE;
    case SQUASH_AFTER: return UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE | UOP_SQUASH_AFTER;
    default: return UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE | UOP_TRAP;
    }
}

static uint8_t op_of(enum kind kind)
{
    switch (kind) {
    case PLAIN: return some_op();
    case LOAD: case LINKED: case ATOMIC: return DETAILED_OP_MEM_READ;
    case STORE: case CONDITIONAL: return DETAILED_OP_MEM_WRITE;
    case BRANCH: case JUMP: case CALL: case RETURN: case INDIRECT: return DETAILED_OP_INT_ALU;
    default: return DETAILED_OP_NO_OP;
    }
}

/* Fences before and behind the operation, as of an atomic with aq and rl. */
static void add_fences(struct bench_insn *insn)
{
    struct bench_uop const fence = {.op = DETAILED_OP_NO_OP, .flags = UOP_READ_BARRIER | UOP_WRITE_BARRIER};
    struct bench_uop const operation = insn->uops[0];

    insn->uop_count = 0;
    if (chance(40))
        insn->uops[insn->uop_count++] = fence;
    insn->uops[insn->uop_count++] = operation;
    if (chance(40))
        insn->uops[insn->uop_count++] = fence;
}

static bool is_float(uint16_t number)
{
    return number >= FIRST_FLOAT && number < FLAGS;
}

/* A name is of one class, as registers of real architectures are. */
static void give_class(struct bench_uop *uop)
{
    uop->flags &= ~(uint32_t)UOP_FLOAT_RESULT;
    if (is_float(uop->result))
        uop->flags |= UOP_FLOAT_RESULT;
    uop->flag_results = uop->result == FLAGS;
}

/* What mechanisms act on: moves, zero idioms, no-ops; a computation behind its load; flags and temporaries. */
static void give_traits(struct code *one)
{
    struct bench_uop *const uop = &one->insn.uops[0];

    uop->address_sources = one->kind == STORE || one->kind == LOAD;
    if (one->kind == PLAIN && uop->result > 0 && uop->sources[0] > 0 && uop->result != FLAGS
        && uop->sources[0] != FLAGS && is_float(uop->result) == is_float(uop->sources[0]) && chance(50)) {
        uop->sources[1] = 0;
        uop->traits = UOP_MOVES;
    } else if (one->kind == PLAIN && chance(15)) {
        uop->sources[0] = uop->sources[1] = 0;
        uop->traits = UOP_ZEROES;
    } else if (one->kind == PLAIN && chance(20)) {
        *uop = (struct bench_uop){.op = DETAILED_OP_NO_OP, .traits = UOP_DOES_NOTHING};
    } else if (one->kind == PLAIN) {
        uop->traits = chance(50) ? UOP_FUSES_COMPARE : chance(50) ? UOP_FUSES_ARITHMETIC : UOP_FUSES_LOGIC;
    } else if (one->kind == BRANCH) {
        uop->sources[0] = 1;
        uop->sources[1] = 0;
    } else if (one->kind == LOAD && uop->result > 0 && !(uop->flags & UOP_PREFETCH) && chance(40)) {
        uop->traits = chance(30) ? UOP_SCALED : 0;
        uop->temporary_results = 1;
        uop->result = TEMPORARY;
        one->insn.uops[one->insn.uop_count++] = (struct bench_uop){
            .op = DETAILED_OP_INT_ALU, .sources = {TEMPORARY}, .result = some_register(),
            .traits = UOP_JOINS | UOP_FUSES_COMPARE};
    }
    for (unsigned i = 0; i < one->insn.uop_count; i++)
        give_class(&one->insn.uops[i]);
}

static void make_static(struct code *one, uint64_t pc)
{
    *one = (struct code){.kind = some_kind(), .taken_percent = (unsigned)random_below(5) * 25};
    one->insn = (struct bench_insn){.pc = pc, .size_bytes = chance(40) ? 2 : 4, .uop_count = 1};
    one->insn.uops[0] = (struct bench_uop){.op = op_of(one->kind), .flags = flags_of(one->kind),
                                           .sources = {some_register(), some_register()}};
    if (one->kind == PLAIN || one->kind == LOAD || one->kind == ATOMIC || one->kind == LINKED
        || one->kind == CONDITIONAL)
        one->insn.uops[0].result = some_register();
    if (one->kind == ATOMIC || one->kind == LINKED || one->kind == CONDITIONAL)
        add_fences(&one->insn);
    if (has_traits)
        give_traits(one);
}

static void make_code(void)
{
    uint64_t pc = BENCH_CODE;

    code_count = (unsigned)(20 + random_below(MOST_CODE - 20));
    for (unsigned i = 0; i < code_count; i++) {
        make_static(&code[i], pc);
        pc += code[i].insn.size_bytes;
    }
    for (unsigned i = 0; i < code_count; i++)
        if (code[i].insn.uops[0].flags & UOP_DIRECT)
            code[i].insn.target = code[random_below(code_count)].insn.pc;
}

static unsigned code_at(uint64_t pc)
{
    for (unsigned i = 0; i < code_count; i++)
        if (code[i].insn.pc == pc)
            return i;
    return UINT32_MAX;
}

/* ---- wrong paths: the same code; between its instructions unknown code; behind it none */
static const struct supply_insn *wrong_path(uint64_t pc)
{
    unsigned const i = code_at(pc);

    if (pc < BENCH_CODE || pc >= code[code_count - 1].insn.pc + 64)
        return NULL;
    if (i == UINT32_MAX)
        return bench_wrong_alu(pc);
    if (!code[i].wrong) {
        struct bench_insn insn = code[i].insn;

        insn.next_pc = pc + insn.size_bytes;
        for (unsigned k = 0; has_wrong_addresses && k < insn.uop_count; k++)
            if (insn.uops[k].flags & UOP_MEMORY && pc % 3 != 0) {
                insn.uops[k].size_bytes = 8;
                insn.uops[k].address = 0x100000 + pc % 0x180;
            }
        code[i].wrong = bench_make(&insn, SUPPLY_WRONG);
    }
    return code[i].wrong;
}

/* ---- the run */
static void give_addresses(struct bench_insn *insn, bool has_faults)
{
    for (unsigned k = 0; k < insn->uop_count; k++) {
        struct bench_uop *const uop = &insn->uops[k];

        if (!(uop->flags & UOP_MEMORY))
            continue;
        if (chance((uop->flags & UOP_LINKED) && (uop->flags & UOP_STORE) ? 40 : 3))
            continue;                    /* it failed, or its address is not known */
        uop->size_bytes = some_size();
        uop->address = some_address(uop->size_bytes);
        uop->is_first_touch = has_faults && chance(2);
    }
}

static void walk(size_t insns, bool has_faults)
{
    unsigned stack[MOST_DEPTH], depth = 0, now = 0;

    for (detailed.insn_count = 0; detailed.insn_count < insns;) {
        struct bench_insn *const insn = &detailed.insns[detailed.insn_count++];
        uint32_t const flags = code[now].insn.uops[0].flags;
        unsigned next = now + 1 < code_count ? now + 1 : 0;

        *insn = code[now].insn;
        if (flags & UOP_RETURN && depth > 0)
            next = stack[--depth];
        else if (flags & UOP_CONTROL && !(flags & UOP_DIRECT))
            next = (unsigned)random_below(code_count < 8 ? code_count : 8);
        else if (flags & UOP_CONTROL && (!(flags & UOP_CONDITIONAL) || chance(code[now].taken_percent)))
            next = code_at(insn->target);
        if (flags & UOP_CALL) {
            if (depth == MOST_DEPTH)
                depth = 0;
            stack[depth++] = now + 1 < code_count ? now + 1 : 0;
        }
        insn->next_pc = code[next].insn.pc;
        insn->is_taken = flags & UOP_CONTROL && insn->next_pc != insn->pc + insn->size_bytes;
        give_addresses(insn, has_faults);
        now = next;
    }
}

/* ---- parameters */
static uint64_t between(uint64_t least, uint64_t most)
{
    return least + random_below(most - least + 1);
}

static void draw_params(struct detailed_params *params)
{
    uint64_t *const delays[] = {
        &params->decode_to_fetch_cyc, &params->commit_to_fetch_cyc, &params->rename_to_decode_cyc,
        &params->commit_to_decode_cyc, &params->fetch_to_decode_cyc, &params->iew_to_rename_cyc,
        &params->commit_to_rename_cyc, &params->decode_to_rename_cyc, &params->commit_to_iew_cyc,
        &params->rename_to_rob_cyc, &params->rename_to_iew_cyc, &params->issue_to_execute_cyc,
        &params->iew_to_commit_cyc};

    params->fetch_width = between(1, 8);
    params->decode_width = between(1, 8);
    params->rename_width = between(1, 8);
    params->dispatch_width = between(1, 8);
    params->issue_width = between(1, 8);
    params->writeback_width = between(1, 8);
    params->commit_width = between(1, 8);
    params->squash_width = between(1, 8);
    params->fetch_queue = between(8, 40);
    params->rob_entries = between(8, 100);
    params->iq_entries = between(8, 40);
    params->lq_entries = between(1, 20);
    params->sq_entries = between(1, 20);
    params->int_registers = between(40, 140);
    params->float_registers = between(40, 140);
    params->load_ports = between(1, 4);
    params->store_ports = between(1, 4);
    params->fetch_buffer_bytes = UINT64_C(16) << random_below(3);
    params->store_set_clear_period = between(3, 300);
    params->ssit_entries = params->lfst_entries = UINT64_C(8) << random_below(6);
    params->trap_cyc = between(1, 20);
    params->release_sent = chance(30);
    for (unsigned unit = 0; unit < DETAILED_UNIT_COUNT; unit++)
        params->units[unit] = between(1, 4);
    if (chance(40))
        do
            for (size_t i = 0; i < COUNT(delays); i++)
                *delays[i] = chance(50) ? 1 : between(1, 5);
        while (detailed_params_check(params, 64).kind != FAULT_NONE);
}

static void draw_cache(struct bench_cache *cache, unsigned mean_cyc)
{
    cache->random = random_bits();
    cache->latency_ps = 1 + random_below(chance(50) ? 4 : mean_cyc) * BENCH_PERIOD_PS;
    if (chance(50))
        cache->latency_ps = (cache->latency_ps / BENCH_PERIOD_PS + 1) * BENCH_PERIOD_PS;
    cache->jitter_ps = chance(50) ? mean_cyc * BENCH_PERIOD_PS : 0;
    cache->refuses_one_in = chance(60) ? (unsigned)between(2, 12) : 0;
    cache->retry_ps = between(1, 30 * BENCH_PERIOD_PS);
}

void detailed_random_program(uint64_t seed, size_t insns)
{
    random_state = seed * 2 + 1;
    (void)random_bits();
    make_code();
    has_wrong_addresses = chance(50);
    walk(insns, chance(50));
}

void detailed_random(uint64_t seed, size_t insns)
{
    static const uint64_t predictors[] = {BRANCH_TOURNAMENT, BRANCH_BIMODE, BRANCH_LOCAL, BRANCH_GSHARE,
                                          BRANCH_PERFECT};

    detailed_random_program(seed, insns);
    if (chance(80))
        draw_params(&detailed.params);
    detailed.branch.type = predictors[random_below(COUNT(predictors))];
    detailed.params.ideal_fetch = chance(20);
    detailed.params.has_store_sets = chance(85);
    detailed.wrong = chance(80) ? wrong_path : NULL;
    draw_cache(&detailed.l1i, 60);
    draw_cache(&detailed.l1d, chance(50) ? 20 : 200);
}

/* ---- mechanisms */
static void draw_mechanisms(struct detailed_params *params)
{
    params->move_elimination = chance(50);
    params->zero_idioms = chance(50);
    params->nop_elimination = chance(50);
    params->nop_fusion = chance(50);
    params->micro_fusion = chance(50);
    params->macro_fusion = random_below(4);
    params->flag_registers = chance(50) ? between(5, 30) : 0;
    params->temporaries_take = chance(50);
    params->renamed_stores = chance(50) ? between(1, 20) : 0;
    params->memory_renaming_cyc = between(1, 4);
    params->forward_cyc = chance(50) ? between(1, 9) : 0;
    params->failed_forward_cyc = chance(50) ? between(1, 20) : 0;
    params->scaled_cyc = random_below(3);
    params->store_set_trust = random_below(4);
    params->vector_bytes = chance(50) ? 4 : 0;
    params->store_lines = random_below(3);
    params->combined_lines = random_below(4);
    params->fetch_branches = random_below(3);
    params->call_cyc = random_below(3);
    params->string_cyc = random_below(20);
    params->branch_units = random_below(3);
    params->most_branches = random_below(3);
    if (chance(60)) {
        params->fetch_ahead = between(1, 12);
        params->predicted_blocks = random_below(3);
        params->block_branches = random_below(3);
        params->uop_cache_ways = between(1, 3);
        params->uop_cache = chance(60) ? params->uop_cache_ways * between(1, 8) : 0;
        params->uop_cache_cyc = between(1, 4);
        params->uop_cache_miss_width = between(1, 4);
    }
    for (unsigned op = 0; op < DETAILED_OP_COUNT; op++) {
        params->interval_cyc[op] = chance(20) ? between(1, 12) : 0;
        params->most_issued[op] = chance(20) ? between(1, 3) : 0;
    }
}

void detailed_random_mechanisms(uint64_t seed, size_t insns)
{
    has_traits = true;
    detailed_random(seed, insns);
    draw_mechanisms(&detailed.params);
    has_traits = false;
}
