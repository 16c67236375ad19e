/* replay/detailed/uops/thread.h on traces made by hand. */
#include "replay/detailed/uops/thread.h"

#include <unistd.h>

#include "memsys/vm/vm_params.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/unit.h"

enum {
    ADDI = 0x00150513, LOAD = 0x00053583, STORE = 0x00b53023, AMO = 0x00b5302f, ECALL = 0x73,
    C_NOP = 0x0001, BEQ_8 = 0x00b50463, JUMP_8 = 0x0080006f, SC = 0x18b5362f, IMAGE_WORDS = 64
};
#define CODE UINT64_C(0x10000)
#define NOTHING UINT32_MAX

static char path[64];
static struct fault error;
static struct rbt_writer *writer;
static struct insn_trace *trace;
static struct supply_thread *thread;
static struct supply *supply;
static struct vm_memory *memory;

/* ---- a trace, its supply */

static void begin_of(enum isa isa, uint32_t lacks)
{
    int descriptor;

    snprintf(path, sizeof path, "/tmp/rubato-supply.XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    writer = rbt_writer_create(path, &(struct rbt_description){.isa = isa, .lacks = lacks, .source = "a test",
                                                               .command = ""}, &error);
    if (writer == NULL)
        fail_msg("%s", fault_text(error));
    assert_int_equal(rbt_writer_thread(writer, 1, &error), 0);
}

static void begin(void)
{
    begin_of(ISA_RV64, 0);
}

static void put_bytes(uint64_t pc, const uint8_t *bytes, unsigned length, enum insn_form form,
                      const struct insn_access *accesses, size_t count)
{
    struct insn insn = {.pc = pc, .size_bytes = length, .form = form, .encoding_bytes = (uint8_t)length,
                        .accesses = accesses, .access_count = count};

    memcpy(insn.encoding, bytes, length);
    assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
}

static void put_accesses(uint64_t pc, uint32_t bits, const struct insn_access *accesses, size_t count)
{
    uint8_t const bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};

    put_bytes(pc, bytes, (bits & 3) == 3 ? 4 : 2, INSN_EXECUTED, accesses, count);
}

static void put(uint64_t pc, uint32_t bits)
{
    put_accesses(pc, bits, NULL, 0);
}

static void put_load(uint64_t pc, uint64_t address)
{
    put_accesses(pc, LOAD, &(struct insn_access){.address = address, .size_bytes = 8}, 1);
}

static void put_branch(uint64_t pc, uint32_t bits, enum isa_kind kind, bool is_taken, uint64_t target)
{
    struct insn insn = {.pc = pc, .size_bytes = 4, .kind = kind, .branch = is_taken ? INSN_TAKEN : INSN_NOT_TAKEN,
                        .has_target = is_taken, .target = target, .encoding_bytes = 4};

    for (unsigned i = 0; i < 4; i++)
        insn.encoding[i] = (uint8_t)(bits >> 8 * i);
    assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, NULL)));
}

static void put_image(const uint32_t *words, size_t count)
{
    uint8_t bytes[4 * IMAGE_WORDS];

    assert_true(count <= IMAGE_WORDS);
    for (size_t i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    assert_true(WORKS(error, rbt_writer_image(writer, CODE, bytes, 4 * count)));
}

static void mark(enum insn_marker_kind kind)
{
    assert_true(WORKS(error, rbt_writer_mark(writer, 0, &(struct insn_marker){.kind = kind})));
}

static void open_trace(void)
{
    if (FAILS(error, rbt_writer_finish(writer)))
        fail_msg("%s", fault_text(error));
    trace = insn_trace_open(path, &error);
    if (trace == NULL)
        fail_msg("%s", fault_text(error));
}

static void open_supply(struct supply_thread_options options)
{
    if (trace == NULL)
        open_trace();
    thread = supply_thread_open(trace, 0, &options, &error);
    if (thread == NULL)
        fail_msg("%s", fault_text(error));
    supply = supply_of_thread(thread);
}

static int close_all(void **state)
{
    supply_thread_close(thread);
    insn_trace_close(trace);
    vm_memory_free(memory);
    unlink(path);
    thread = NULL;
    trace = NULL;
    memory = NULL;
    return 0;
}

static const struct supply_insn *right(uint64_t number)
{
    const struct supply_insn *insn;
    enum supply_step const step = supply_right(supply, number, &insn, &error);

    if (step == SUPPLY_FAULT)
        fail_msg("%s", fault_text(error));
    return step == SUPPLY_INSN ? insn : NULL;
}

static const struct supply_figures *figures(void)
{
    return supply_thread_figures(thread);
}

/* ---- numbers */

/* "any of them again until it was released"; "an instruction of the right path holds until it is released" */
static void instructions_can_be_asked_for_until_released(void **state)
{
    enum { ALL = 20000, KEPT = 9000 };
    const struct supply_insn *kept, *last;

    begin();
    for (unsigned i = 0; i < ALL; i++)
        put_load(CODE + i % 8 * 4, 0x8000 + 8 * i);
    open_supply((struct supply_thread_options){0});
    kept = right(0);
    for (uint64_t number = 0; number < ALL; number++) {
        const struct supply_insn *const insn = right(number);

        assert_int_equal(insn->number, number);
        assert_int_equal(insn->accesses[0].address, 0x8000 + 8 * number);
        if (number >= KEPT)
            supply_release(supply, number - KEPT);
        if (number % 100 == 0 && number < KEPT) {
            assert_ptr_equal(right(0), kept);
            assert_int_equal(kept->accesses[0].address, 0x8000);
            assert_int_equal(right(number / 2)->accesses[0].address, 0x8000 + 8 * (number / 2));
        }
    }
    assert_null(right(ALL));
    last = right(ALL - 1);
    supply_release(supply, ALL - 1);
    assert_ptr_equal(right(ALL - 1), last);
    assert_int_equal(last->accesses[0].address, 0x8000 + 8 * (ALL - 1));
    supply_release(supply, ALL);
    assert_null(right(ALL));
    assert_int_equal(figures()->loads, ALL);
}

/* the outcome of a branch is the place where the trace continues */
static void branches_have_outcome_and_target(void **state)
{
    begin();
    put_branch(CODE, BEQ_8, ISA_CONDITIONAL, false, 0);
    put_branch(CODE + 4, BEQ_8, ISA_CONDITIONAL, true, CODE + 12);
    put_branch(CODE + 12, JUMP_8, ISA_DIRECT_JUMP, true, CODE + 20);
    put(CODE + 20, C_NOP);
    open_supply((struct supply_thread_options){0});
    assert_false(right(0)->is_taken);
    assert_int_equal(right(0)->next_pc, CODE + 4);
    assert_int_equal(right(0)->target, CODE + 8);
    assert_true(right(1)->is_taken);
    assert_int_equal(right(1)->next_pc, CODE + 12);
    assert_true(right(2)->is_taken);
    assert_int_equal(right(2)->target, CODE + 20);
    assert_int_equal(right(3)->next_pc, CODE + 22);
    assert_int_equal(right(3)->size_bytes, 2);
    assert_int_equal(right(3)->encoding, C_NOP);
    assert_null(right(4));
    assert_false(supply->has_images);
    assert_null(supply_wrong(supply, CODE, SUPPLY_NO_STATE));
}

/* ---- system calls */

static void put_calling_program(void)
{
    static const uint32_t image[] = {ADDI, ECALL, ADDI, BEQ_8, ADDI, ECALL, LOAD, ECALL};

    begin();
    put_image(image, COUNT(image));
}

/* "where the trace continues after an instruction that was expected next, and the code image has a system call
 * there" */
static void system_calls_are_put_in(void **state)
{
    put_calling_program();
    put(CODE, ADDI);
    put(CODE + 8, ADDI);
    put_branch(CODE + 12, BEQ_8, ISA_CONDITIONAL, true, CODE + 20);
    put_load(CODE + 24, 0x8000);
    open_supply((struct supply_thread_options){0});
    for (uint64_t number = 0; number < 7; number++) {
        static const uint64_t pcs[] = {0, 4, 8, 12, 20, 24, 28, 32};
        const struct supply_insn *const insn = right(number);
        bool const is_call = number == 1 || number == 4 || number == 6;

        assert_int_equal(insn->number, number);
        assert_int_equal(insn->pc, CODE + pcs[number]);
        assert_int_equal(insn->next_pc, CODE + pcs[number + 1]);
        assert_int_equal(insn->is_taken, number == 3);
        assert_int_equal((insn->uops[0].flags & UOP_TRAP) != 0, is_call);
        if (is_call)
            assert_int_equal(insn->uops[0].flags, UOP_TRAP | UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE | UOP_LAST);
    }
    assert_null(right(7));
    assert_int_equal(figures()->system_calls, 3);
    assert_int_equal(figures()->instructions, 4);
    assert_int_equal(figures()->jumps, 0);
}

/* "traces in which a system call or its marker was met are left as they are" */
static void traces_with_system_calls_keep_theirs(void **state)
{
    put_calling_program();
    put(CODE, ADDI);
    put(CODE + 4, ECALL);
    mark(INSN_MARKER_SYSCALL);
    put(CODE + 8, ADDI);
    put(CODE + 16, ADDI);
    put_load(CODE + 24, 0x8000);
    open_supply((struct supply_thread_options){0});
    assert_int_equal(right(1)->uops[0].flags, UOP_TRAP | UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE | UOP_LAST);
    assert_int_equal(right(4)->pc, CODE + 24);
    assert_null(right(5));
    assert_int_equal(figures()->system_calls, 0);
    assert_int_equal(figures()->jumps, 2);
}

/* ---- wrong paths */

static void wrong_paths_are_decoded_from_images(void **state)
{
    static const uint32_t image[] = {ADDI, C_NOP | (uint32_t)C_NOP << 16, NOTHING, BEQ_8, ECALL, LOAD, 0x00ff0000};
    const struct supply_insn *insn;

    begin();
    put_image(image, COUNT(image));
    put(CODE, ADDI);
    open_supply((struct supply_thread_options){0});
    assert_true(supply->has_images);
    insn = supply_wrong(supply, CODE + 4, SUPPLY_NO_STATE);
    assert_int_equal(insn->number, SUPPLY_WRONG);
    assert_int_equal(insn->size_bytes, 2);
    assert_int_equal(insn->next_pc, CODE + 6);
    assert_int_equal(insn->encoding, C_NOP);
    assert_ptr_equal(supply_wrong(supply, CODE + 4, SUPPLY_NO_STATE), insn);
    assert_int_equal(supply_wrong(supply, CODE + 6, SUPPLY_NO_STATE)->pc, CODE + 6);
    /* no instruction */
    insn = supply_wrong(supply, CODE + 8, SUPPLY_NO_STATE);
    assert_int_equal(insn->size_bytes, 4);
    assert_int_equal(insn->uop_count, 1);
    assert_int_equal(insn->uops[0].op, DETAILED_OP_INT_ALU);
    assert_int_equal(insn->uops[0].flags, UOP_LAST);
    assert_int_equal(supply_wrong(supply, CODE + 24, SUPPLY_NO_STATE)->size_bytes, 2);
    /* the middle of one */
    assert_int_equal(supply_wrong(supply, CODE + 2, SUPPLY_NO_STATE)->encoding, ADDI >> 16);
    assert_int_equal(supply_wrong(supply, CODE + 12, SUPPLY_NO_STATE)->target, CODE + 20);
    assert_true(supply_wrong(supply, CODE + 16, SUPPLY_NO_STATE)->uops[0].flags & UOP_TRAP);
    insn = supply_wrong(supply, CODE + 20, SUPPLY_NO_STATE);
    assert_int_equal(insn->access_count, 1);
    assert_false(insn->accesses[0].has_place);
    /* half an instruction at the image's end, and addresses outside it */
    assert_int_equal(supply_wrong(supply, CODE + 26, SUPPLY_NO_STATE)->size_bytes, 4);
    assert_int_equal(supply_wrong(supply, CODE + 26, SUPPLY_NO_STATE)->encoding, 0xff);
    assert_null(supply_wrong(supply, CODE + 28, SUPPLY_NO_STATE));
    assert_null(supply_wrong(supply, CODE - 2, SUPPLY_NO_STATE));
    assert_null(supply_wrong(supply, UINT64_MAX, SUPPLY_NO_STATE));
}

/* "those of loads are the ones that the same instruction made when it was last released" */
static void wrong_path_loads_go_where_they_went_last(void **state)
{
    static const uint32_t image[] = {LOAD, STORE, ADDI};
    const struct supply_insn *first, *second;

    begin();
    put_image(image, COUNT(image));
    put_load(CODE, 0x8000);
    put_accesses(CODE + 4, STORE, &(struct insn_access){.address = 0x9000, .size_bytes = 8, .is_write = true}, 1);
    put_load(CODE, 0x8008);
    put(CODE + 8, ADDI);
    open_supply((struct supply_thread_options){.wrong_path_loads = true});
    right(3);
    assert_false(supply_wrong(supply, CODE, SUPPLY_NO_STATE)->accesses[0].has_place);
    supply_release(supply, 2);
    first = supply_wrong(supply, CODE, SUPPLY_NO_STATE);
    assert_true(first->accesses[0].has_place);
    assert_int_equal(first->accesses[0].address, 0x8000);
    assert_int_equal(first->accesses[0].size_bytes, 8);
    assert_false(supply_wrong(supply, CODE + 4, SUPPLY_NO_STATE)->accesses[0].has_place);
    supply_release(supply, 3);
    second = supply_wrong(supply, CODE, SUPPLY_NO_STATE);
    assert_int_equal(second->accesses[0].place, 0x8008);
    assert_int_equal(first->accesses[0].address, 0x8000);
}

/* ---- accesses and places */

/* "A read and a write of an atomic operation are one access"; "an access that is known from the instruction and missing
 * in the trace has no place" */
static void atomics_have_one_access(void **state)
{
    static const struct insn_access both[] = {{.address = 0x8000, .size_bytes = 8},
                                              {.address = 0x8000, .size_bytes = 8, .is_write = true}};

    begin();
    put_accesses(CODE, AMO, both, 2);
    put(CODE + 4, SC);
    open_supply((struct supply_thread_options){0});
    assert_int_equal(right(0)->access_count, 1);
    assert_int_equal(right(0)->accesses[0].address, 0x8000);
    assert_int_equal(right(0)->accesses[0].size_bytes, 8);
    assert_int_equal(right(1)->access_count, 1);
    assert_false(right(1)->accesses[0].has_place);
    assert_int_equal(figures()->atomics, 1);
    assert_int_equal(figures()->missing, 1);
}

static struct space *new_space(void)
{
    static const struct vm_range range = {0, UINT64_C(1) << 24};
    struct pages_params params = {0};
    struct space *space;

    memory = vm_memory_make(&params, &range, 1, &error);
    assert_non_null(memory);
    space = vm_memory_add_space(memory, "a test", false, &error);
    assert_non_null(space);
    return space;
}

/* "Pages are touched in the order of the program, pc before data"; "supply_touch_images gives all pages of code their
 * places before that" */
static void places_are_those_of_the_space(void **state)
{
    static const uint32_t image[] = {LOAD, LOAD, ADDI};
    struct space *const space = new_space();
    uint64_t place;

    begin();
    put_image(image, COUNT(image));
    put_load(CODE, 0x98ffc);
    put_load(CODE + 4, 0x77010);
    open_trace();
    assert_fine(supply_touch_images(trace, space));
    assert_fine(space_settle(space));
    open_supply((struct supply_thread_options){.space = space});
    assert_true(supply_place(supply, CODE + 8, &place));
    assert_int_equal(place, space_place(space, CODE + 8));
    assert_false(supply_place(supply, 0x77010, &place));
    assert_true(right(0)->accesses[0].has_place);
    assert_int_equal(right(0)->accesses[0].place, space_place(space, 0x98ffc));
    assert_int_equal(right(1)->accesses[0].place, space_place(space, 0x77010));
    /* the second page of an access that lies on two has a place, too */
    assert_true(supply_place(supply, 0x99000, &place));
    assert_true(supply_place(supply, 0x77010, &place));
    assert_int_equal(place, space_place(space, 0x77010));
}

/* "faults once (is_first_touch) if nothing before it in this thread did and the page is neither one of a code image nor
 * in `mapped`" */
static void first_touches_are_reported_on_request(void **state)
{
    static const uint32_t image[] = {LOAD, LOAD, LOAD};
    static const struct { uint64_t address; bool is_first; } loads[] = {
        {0x20000, true}, {0x20ff8, false}, {0x21ffc, true}, {0x22000, false}, {CODE, false}, {0x30000, false},
        {0x31000, true}, {0x20000, false}};
    struct supply_range const mapped = {0x30010, 8};

    begin();
    put_image(image, COUNT(image));
    for (size_t i = 0; i < COUNT(loads); i++)
        put_load(CODE, loads[i].address);
    open_supply((struct supply_thread_options){.page_faults = true, .mapped = &mapped, .mapped_count = 1});
    for (size_t i = 0; i < COUNT(loads); i++)
        assert_int_equal(right(i)->accesses[0].is_first_touch, loads[i].is_first);
    assert_int_equal(figures()->first_touches, 3);
    supply_thread_close(thread);
    open_supply((struct supply_thread_options){0});
    assert_false(right(0)->accesses[0].is_first_touch);
}

/* ---- parts */

/* "it ends before event `event` of the thread, counted from 0 with markers"; "numbers begin with 0 in each part" */
static void parts_end_before_their_event(void **state)
{
    begin();
    put(CODE, ADDI);
    put(CODE + 4, ADDI);
    mark(INSN_MARKER_STAMP);
    put(CODE + 8, ADDI);
    mark(INSN_MARKER_STAMP);
    put(CODE + 12, ADDI);
    open_supply((struct supply_thread_options){0});
    supply_thread_until(thread, 3);
    assert_int_equal(right(1)->pc, CODE + 4);
    assert_int_equal(right(1)->next_pc, CODE + 8);
    assert_null(right(2));
    supply_thread_until(thread, 3);
    assert_null(right(0));
    supply_thread_until(thread, 5);
    assert_int_equal(right(0)->pc, CODE + 8);
    assert_int_equal(right(0)->number, 0);
    assert_null(right(1));
    supply_thread_until(thread, UINT64_MAX);
    assert_int_equal(right(0)->pc, CODE + 12);
    assert_null(right(1));
}

/* ---- x86: pieces */

static void begin_x86(void)
{
    struct isa_decoder *const decoder = isa_decoder_open(ISA_X86_64, &error);

    if (decoder == NULL)
        skip();
    isa_decoder_close(decoder);
    begin_of(ISA_X86_64, 0);
}

static const uint8_t rep_movsb[] = {0xf3, 0xa4}, nop[] = {0x90}, fxsave[] = {0x0f, 0xae, 0x00};

static void put_iteration(enum insn_form form, uint64_t from, uint64_t to)
{
    struct insn_access const accesses[] = {{.address = from, .size_bytes = 1},
                                           {.address = to, .size_bytes = 1, .is_write = true}};

    put_bytes(CODE, rep_movsb, 2, form, accesses, 2);
}

/* "Iterations whose accesses follow each other within a line are one piece." */
static void iterations_of_strings_are_pieces_of_lines(void **state)
{
    begin_x86();
    for (unsigned i = 0; i < 100; i++)
        put_iteration(i == 0 ? INSN_EXECUTED : INSN_REPEAT, 0x8020 + i, 0x9020 + i);
    put_bytes(CODE + 2, nop, 1, INSN_EXECUTED, NULL, 0);
    open_supply((struct supply_thread_options){0});
    for (uint64_t number = 0; number < 3; number++) {
        static const uint32_t starts[] = {0x20, 0x40, 0x80}, sizes[] = {32, 64, 4};
        const struct supply_insn *const insn = right(number);

        assert_int_equal(insn->pc, CODE);
        assert_int_equal(insn->is_repeat, number > 0);
        assert_int_equal(insn->is_string, number == 0);
        assert_int_equal(insn->next_pc, number < 2 ? CODE : CODE + 2);
        assert_false(insn->is_taken);
        assert_int_equal(insn->access_count, 2);
        assert_int_equal(insn->accesses[0].address, 0x8000 + starts[number]);
        assert_int_equal(insn->accesses[1].address, 0x9000 + starts[number]);
        assert_int_equal(insn->accesses[1].size_bytes, sizes[number]);
        assert_true(insn->uops[0].flags & UOP_LOAD && insn->uops[1].flags & UOP_STORE);
    }
    assert_int_equal(right(3)->pc, CODE + 2);
    assert_false(right(3)->is_repeat);
    assert_null(right(4));
    assert_int_equal(figures()->instructions, 2);
    assert_int_equal(figures()->pieces, 2);
}

/* "Accesses longer than a line are cut at lines"; "each of at most CRACK_MOST_ACCESSES accesses" */
static void long_accesses_are_cut_into_pieces(void **state)
{
    uint64_t number, bytes = 0, next = 0x8010;

    begin_x86();
    put_bytes(CODE, fxsave, 3, INSN_EXECUTED,
              &(struct insn_access){.address = 0x8010, .size_bytes = 512, .is_write = true}, 1);
    put_bytes(CODE + 3, nop, 1, INSN_EXECUTED, NULL, 0);
    open_supply((struct supply_thread_options){0});
    for (number = 0; right(number)->pc == CODE; number++)
        for (unsigned i = 0; i < right(number)->access_count; i++) {
            const struct supply_access *const access = &right(number)->accesses[i];

            assert_int_equal(access->address, next);
            assert_int_equal(access->address / 64, (access->address + access->size_bytes - 1) / 64);
            bytes += access->size_bytes;
            next += access->size_bytes;
        }
    assert_int_equal(bytes, 512);
    assert_int_equal(number, 2);
    assert_int_equal(figures()->pieces, 1);
}

/* ---- what formats lack */

static void write_text(const char *text)
{
    FILE *file;
    int descriptor;

    snprintf(path, sizeof path, "/tmp/rubato-supply.XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    trace = insn_trace_open(path, &error);
    if (trace == NULL)
        fail_msg("%s", fault_text(error));
}

/* "traces that no core can execute: without pcs, or without the instructions that access nothing" */
static void accesses_alone_are_refused(void **state)
{
    struct fault fault;

    write_text("0x1000: R 0x8000\n0x1004: W 0x8010\n");
    fault = supply_check(trace);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), "instructions without accesses");
    insn_trace_close(trace);
    unlink(path);
    write_text("0x8000 R\n0x8010 W\n");
    assert_text(fault_text(supply_check(trace)), "lacks pcs");
}

/* "Of formats that do not know branches it is one from then on, with an unknown target." */
static void branches_of_lackey_are_found_by_the_next_instruction(void **state)
{
    write_text("I  1000,4\n L 8000,8\nI  1004,2\nI  1000,4\n S 8000,8\nI  1004,2\nI  1006,4\n");
    assert_fine(supply_check(trace));
    assert_int_equal(supply_lacks(trace) & 1u << INSN_LACKS_BRANCHES, 1u << INSN_LACKS_BRANCHES);
    open_supply((struct supply_thread_options){0});
    assert_int_equal(right(0)->uops[0].flags, UOP_LOAD | UOP_LAST);
    assert_int_equal(right(1)->uops[0].flags, UOP_CONTROL | UOP_CONDITIONAL | UOP_LAST);
    assert_true(right(1)->is_taken);
    assert_int_equal(right(1)->next_pc, 0x1000);
    assert_int_equal(right(2)->uops[0].flags, UOP_STORE | UOP_LAST);
    assert_int_equal(right(3)->uops[0].flags, UOP_CONTROL | UOP_CONDITIONAL | UOP_LAST);
    assert_false(right(3)->is_taken);
    assert_null(right(5));
}

/* "instructions as far as the next one is away, branches before that by their form"; targets likewise */
static void sizes_that_are_missing_are_learnt(void **state)
{
    static const uint64_t pcs[] = {0x1000, 0x1003, 0x1009, 0x1000, 0x1003, 0x1200};

    begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES);
    for (size_t i = 0; i < COUNT(pcs); i++) {
        bool const is_branch = pcs[i] == 0x1003 || pcs[i] == 0x1009;
        bool const is_taken = i == 2 || i == 4;
        struct isa_insn const what = {.class = ISA_CLASS_INT_ALU, .kind = is_branch ? ISA_CONDITIONAL : ISA_OTHER,
                                      .read_count = 1, .reads = {3}, .data_reads = 1};
        struct insn const insn = {.pc = pcs[i], .kind = (enum isa_kind)what.kind, .reads = {3},
                                  .branch = is_taken ? INSN_TAKEN : INSN_NOT_TAKEN};

        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, &what)));
    }
    open_supply((struct supply_thread_options){0});
    assert_int_equal(right(0)->size_bytes, 3);
    assert_int_equal(right(1)->size_bytes, 6);
    assert_false(right(1)->is_taken);
    assert_int_equal(right(2)->size_bytes, 2);
    assert_true(right(2)->is_taken);
    assert_int_equal(right(2)->target, 0x1000);
    assert_int_equal(right(4)->size_bytes, 6);
    assert_true(right(4)->is_taken);
    assert_int_equal(right(4)->next_pc, 0x1200);
    assert_null(right(6));
}

/* An instruction of a trace that has registers only. */
static void put_registers(uint64_t pc, enum isa_kind kind, const struct insn_access *access)
{
    struct isa_insn what = {.class = ISA_CLASS_INT_ALU, .kind = (uint8_t)kind, .read_count = 1, .reads = {3},
                            .data_reads = 1};
    struct insn insn = {.pc = pc, .kind = kind, .reads = {3}, .accesses = access, .access_count = access != NULL,
                        .branch = isa_kind_is_branch(kind) ? INSN_TAKEN : INSN_BRANCH_UNKNOWN};

    if (access)
        what.operands[what.operand_count++] = (struct isa_operand){.is_store = access->is_write,
                                                                   .is_load = !access->is_write, .address_reads = 1};
    assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, &what)));
}

/* calls are those whose first return continues behind them; before that they are recognised by their form; a call that
 * is left without a return, and a return that fits no call, change nothing */
static void calls_learn_their_size_from_their_first_return(void **state)
{
    static const struct { uint64_t pc; enum isa_kind kind; unsigned size_bytes; } insns[] = {
        {0x1000, ISA_DIRECT_CALL, 4}, {0x2000, ISA_OTHER, 7}, {0x2007, ISA_RETURN, 1},
        {0x1006, ISA_DIRECT_CALL, 5}, {0x3000, ISA_INDIRECT_CALL, 2}, {0x2007, ISA_RETURN, 1},
        {0x3003, ISA_DIRECT_CALL, 5},                                   /* left: it returns to its caller's caller */
        {0x2000, ISA_OTHER, 7}, {0x2007, ISA_RETURN, 1}, {0x100b, ISA_RETURN, 1},
        {0x1000, ISA_DIRECT_CALL, 6}, {0x2007, ISA_RETURN, 1}, {0x1006, ISA_DIRECT_CALL, 5},
        {0x3000, ISA_INDIRECT_CALL, 3}, {0x2007, ISA_RETURN, 1}, {0x3003, ISA_DIRECT_CALL, 5}, {0x2007, ISA_RETURN, 1}
    };

    begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES);
    for (size_t i = 0; i < COUNT(insns); i++)
        put_registers(insns[i].pc, insns[i].kind, NULL);
    open_supply((struct supply_thread_options){0});
    for (size_t i = 0; i < COUNT(insns); i++)
        if (right(i)->size_bytes != insns[i].size_bytes)
            fail_msg("instruction %zu at 0x%llx has %u bytes, expected %u", i, (unsigned long long)insns[i].pc,
                     right(i)->size_bytes, insns[i].size_bytes);
}

/* The form of an x86-64 branch that never went on behind itself: by the distance of its target, or its operand. Sizes
 * that are all even are of another architecture. */
static void branches_have_the_size_of_their_form(void **state)
{
    static const struct insn_access table = {.address = 0x8000};
    static const struct { uint64_t pc; enum isa_kind kind; const struct insn_access *access; unsigned size_bytes; }
        insns[] = {
        {0x1000, ISA_DIRECT_JUMP, NULL, 4}, {0x2000, ISA_OTHER, NULL, 3},
        {0x2003, ISA_DIRECT_JUMP, NULL, 2}, {0x2003 + 129, ISA_CONDITIONAL, NULL, 2},
        {0x2003 + 129 - 126, ISA_DIRECT_JUMP, NULL, 5}, {0x2006 + 130, ISA_CONDITIONAL, NULL, 6},
        {0x2006 + 130 - 127, ISA_INDIRECT_JUMP, NULL, 2}, {0x4000, ISA_INDIRECT_JUMP, &table, 3},
        {0x5000, ISA_RETURN, NULL, 1}, {0x1000, ISA_DIRECT_JUMP, NULL, 5}, {0x2000, ISA_OTHER, NULL, 3}};

    for (unsigned is_even = 0; is_even < 2; is_even++) {
        begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES);
        for (size_t i = 0; i < COUNT(insns); i++)
            put_registers(insns[i].pc << is_even, insns[i].kind, insns[i].access);
        open_supply((struct supply_thread_options){0});
        for (size_t i = 0; i < COUNT(insns); i++)
            assert_int_equal(right(i)->size_bytes, is_even == 0 ? insns[i].size_bytes
                             : insns[i].kind == ISA_OTHER ? 6 : 4);
        if (is_even == 0)
            close_all(state);
    }
}

/* A load that reads a register which no address of x86-64 can have computes with it; one that reads others does not. */
static void data_registers_of_champsim_are_no_address(void **state)
{
    for (uint8_t reads = 24; reads < 60; reads += 35) {
        struct isa_insn const what = {.class = ISA_CLASS_INT_ALU, .read_count = 2, .reads = {3, reads},
                                      .data_reads = 3, .write_count = 1, .writes = {10}, .operand_count = 1,
                                      .operands = {{.is_load = true, .address_reads = 3}}};
        struct insn const insn = {.pc = 0x1003, .reads = {3, reads}, .writes = {10}, .access_count = 1,
                                  .accesses = &(struct insn_access){.address = 0x8000}};

        begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES);
        put_registers(0x1000, ISA_OTHER, NULL);
        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, &what)));
        put_registers(0x1007, ISA_OTHER, NULL);
        open_supply((struct supply_thread_options){0});
        assert_int_equal(right(1)->uop_count, reads == 24 ? 1 : 2);
        assert_int_equal(right(1)->uops[0].source_count, reads == 24 ? 2 : 1);
        assert_int_equal(right(1)->uops[0].sources[0], 3);
        if (reads == 24)
            close_all(state);
    }
}

/* ChampSim's accesses: the largest power of two up to 8 that divides the addresses of the instruction so far; where
 * vector or partial registers are touched and it is below 4, 8; 32 where a load computes with them without flags. */
static void accesses_have_the_size_of_their_alignment(void **state)
{
    static const struct { uint64_t address; uint8_t read, write; unsigned size_bytes; } loads[] = {
        {0x8000, 3, 10, 8}, {0x8004, 3, 10, 4}, {0x8010, 3, 10, 4}, {0x8002, 3, 10, 2}, {0x8001, 3, 10, 1},
        {0x9000, 3, 60, 8}, {0x9004, 3, 60, 4}, {0x9001, 3, 60, 8},
        {0x9000, 60, 61, 8}, {0x9004, 60, 61, 4}, {0x9001, 60, 61, 32}, {0x9001, 60, 25, 8}};

    begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES | 1u << INSN_LACKS_ACCESS_SIZES);
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct isa_insn const what = {.class = ISA_CLASS_INT_ALU, .read_count = 1, .reads = {loads[i].read},
                                      .data_reads = 1, .write_count = 1, .writes = {loads[i].write},
                                      .operand_count = 1, .operands = {{.is_load = true, .address_reads = 1}}};
        struct insn const insn = {.pc = 0x1000u + 16u * loads[i].read + loads[i].write, .access_count = 1,
                                  .reads = {loads[i].read}, .writes = {loads[i].write},
                                  .accesses = &(struct insn_access){.address = loads[i].address}};

        put_registers(0x900, ISA_OTHER, NULL);
        assert_true(WORKS(error, rbt_writer_put(writer, 0, &insn, &what)));
    }
    open_supply((struct supply_thread_options){0});
    for (size_t i = 0; i < COUNT(loads); i++)
        if (right(2 * i + 1)->accesses[0].size_bytes != loads[i].size_bytes)
            fail_msg("load %zu has %u bytes, expected %u", i, right(2 * i + 1)->accesses[0].size_bytes,
                     loads[i].size_bytes);
}

/* A record for each iteration: one instruction in pieces of lines, its accesses as long as the step between them. */
static void iterations_are_one_instruction_where_they_have_a_record_each(void **state)
{
    begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES | 1u << INSN_LACKS_ACCESS_SIZES);
    put_registers(0x1000, ISA_OTHER, NULL);
    for (uint64_t i = 0; i < 100; i++)
        put_registers(0x1003, ISA_OTHER, &(struct insn_access){.address = 0x8010 + i, .is_write = true});
    put_registers(0x1005, ISA_OTHER, NULL);
    open_supply((struct supply_thread_options){0});
    assert_false(right(1)->is_repeat);
    assert_int_equal(right(1)->accesses[0].address, 0x8010);
    assert_int_equal(right(1)->accesses[0].size_bytes, 0x30);
    assert_true(right(2)->is_repeat);
    assert_int_equal(right(2)->accesses[0].address, 0x8040);
    assert_int_equal(right(2)->accesses[0].size_bytes, 100 - 0x30);
    assert_int_equal(right(3)->pc, 0x1005);
}

/* "Wrong path": where a trace has registers and no code, the instruction executed at that pc, without accesses; else
 * an instruction of the usual size */
static void wrong_paths_without_code_follow_the_trace(void **state)
{
    begin_of(ISA_CHAMPSIM, 1u << INSN_LACKS_INSN_SIZES);
    put_registers(0x1000, ISA_OTHER, &(struct insn_access){.address = 0x8000});
    put_registers(0x1007, ISA_DIRECT_CALL, NULL);
    put_registers(0x2000, ISA_OTHER, NULL);
    open_supply((struct supply_thread_options){0});
    assert_int_equal(right(2)->pc, 0x2000);
    assert_int_equal(supply_wrong(supply, 0x1000, SUPPLY_NO_STATE)->size_bytes, 7);
    assert_int_equal(supply_wrong(supply, 0x1000, SUPPLY_NO_STATE)->uops[0].flags & UOP_LOAD, UOP_LOAD);
    assert_false(supply_wrong(supply, 0x1000, SUPPLY_NO_STATE)->accesses[0].has_place);
    assert_int_equal(supply_wrong(supply, 0x1007, SUPPLY_NO_STATE)->target, 0x2000);
    assert_int_equal(supply_wrong(supply, 0x1007, SUPPLY_NO_STATE)->number, SUPPLY_WRONG);
    assert_int_equal(supply_wrong(supply, 0x5000, SUPPLY_NO_STATE)->size_bytes, 4);
    assert_int_equal(supply_wrong(supply, 0x5000, SUPPLY_NO_STATE)->next_pc, 0x5004);
}

/* "a fault of the trace comes with the instruction that could not be read", and with each one behind it */
static void faults_come_with_their_instruction(void **state)
{
    enum { GOOD = 300, LINE = 16 };
    const struct supply_insn *insn;
    struct fault fault;
    char text[(GOOD + 1) * LINE];
    size_t length = 0;

    for (unsigned i = 0; i < GOOD; i++)
        length += (size_t)sprintf(text + length, "I  %x,4\n", 0x1000 + 4 * i);
    sprintf(text + length, "I  1000,-4\n");
    write_text(text);
    open_supply((struct supply_thread_options){0});
    /* the last line is part of its instruction's facts */
    for (unsigned i = 0; i < GOOD - 1; i++)
        assert_int_equal(right(i)->pc, 0x1000 + 4 * i);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(supply_right(supply, GOOD - 1 + i, &insn, &fault), SUPPLY_FAULT);
        assert_text(fault_text(fault), "line 301");
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(instructions_can_be_asked_for_until_released), TEST(branches_have_outcome_and_target),
        TEST(system_calls_are_put_in), TEST(traces_with_system_calls_keep_theirs),
        TEST(wrong_paths_are_decoded_from_images), TEST(wrong_path_loads_go_where_they_went_last),
        TEST(atomics_have_one_access), TEST(places_are_those_of_the_space), TEST(first_touches_are_reported_on_request),
        TEST(parts_end_before_their_event), TEST(iterations_of_strings_are_pieces_of_lines),
        TEST(long_accesses_are_cut_into_pieces), TEST(accesses_alone_are_refused),
        TEST(branches_of_lackey_are_found_by_the_next_instruction), TEST(sizes_that_are_missing_are_learnt),
        TEST(faults_come_with_their_instruction), TEST(calls_learn_their_size_from_their_first_return),
        TEST(branches_have_the_size_of_their_form), TEST(data_registers_of_champsim_are_no_address),
        TEST(accesses_have_the_size_of_their_alignment),
        TEST(iterations_are_one_instruction_where_they_have_a_record_each),
        TEST(wrong_paths_without_code_follow_the_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
