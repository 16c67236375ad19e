/* replay/detailed/uops/thread.h on the instruction traces of $SHARED/traces/o3: counts of expected.tsv, and what the
 * reference's core committed and squashed in its first cycles, $SHARED/oracle/o3. */
#include "memsys/vm/vm_params.h"
#include "replay/detailed/uops/thread.h"
#include "tests/support/trace_files.h"

enum { WIDTH = 400, BEHIND = 512, CODE_DISTANCE = 0x10000 };

static const char *const programs[] = {"gups", "qsort", "lz", "interp", "recurse", "forward", "atomics", "matmul",
                                       "triad", "hashjoin", "spmv", "chase", "nbody", "memops"};

static bool find(const char *rest, const char *program, const char *end, char path[WIDTH])
{
    snprintf(path, WIDTH, "%s/%s/%s%s", reference_folder(), rest, program, end);
    return access(path, R_OK) == 0;
}

static void path_of(const char *rest, const char *program, const char *end, char path[WIDTH])
{
    if (!find(rest, program, end, path))
        skip();
}

/* Pages lie where the trace's page map has them; those of code follow each other in memory, as the reference has
 * them. */
static struct space *place_pages(const struct insn_trace *trace, struct vm_memory **memory)
{
    static const struct vm_range range = {0, UINT64_C(1) << 29};
    struct pages_params const params = {0};
    const struct insn_page *pages;
    size_t const count = insn_trace_pages(trace, &pages);
    struct fault fault;
    struct space *space;

    *memory = vm_memory_make(&params, &range, 1, &fault);
    assert_non_null(*memory);
    space = vm_memory_add_space(*memory, "a test", false, &fault);
    assert_non_null(space);
    for (size_t i = 0; i < count; i++)
        assert_fine(space_map(space, pages[i].virtual_address, pages[i].physical_address, pages[i].byte_count));
    assert_fine(supply_touch_images(trace, space));
    assert_fine(space_settle(space));
    return space;
}

/* memory: NULL if addresses are physical */
static struct supply_thread *open_program(const char *program, struct insn_trace **trace, struct vm_memory **memory)
{
    struct supply_thread_options options = {0};
    char path[WIDTH];
    struct fault fault;
    struct supply_thread *thread;

    path_of("traces/o3", program, ".trace.xz", path);
    *trace = insn_trace_open(path, &fault);
    if (*trace == NULL)
        fail_msg("%s", fault_text(fault));
    assert_fine(supply_check(*trace));
    if (memory != NULL)
        options.space = place_pages(*trace, memory);
    thread = supply_thread_open(*trace, 0, &options, &fault);
    if (thread == NULL)
        fail_msg("%s", fault_text(fault));
    assert_true(supply_of_thread(thread)->has_images);
    return thread;
}

static const struct supply_insn *next(struct supply *supply, uint64_t number)
{
    const struct supply_insn *insn;
    struct fault fault;

    switch (supply_right(supply, number, &insn, &fault)) {
    case SUPPLY_INSN: return insn;
    case SUPPLY_END: return NULL;
    default: fail_msg("%s", fault_text(fault));
    }
    return NULL;
}

/* A column of a table in text, by its number. */
static uint64_t column(const char *line, unsigned number, int base)
{
    while (number-- > 0)
        line = strchr(line, '\t') + 1;
    return strtoull(line, NULL, base);
}

struct counts { uint64_t insns, loads, stores, taken, untaken, branches, system_calls; };

/* Each number of supply.h follows the one before, and each instruction continues at the pc of the next. */
static struct counts count(struct supply *supply)
{
    struct counts counts = {0};
    uint64_t expected_pc = 0;
    const struct supply_insn *insn;

    for (uint64_t number = 0; (insn = next(supply, number)) != NULL; number++) {
        uint32_t flags = 0;

        assert_int_equal(insn->number, number);
        if (number > 0)
            assert_int_equal(insn->pc, expected_pc);
        expected_pc = insn->next_pc;
        counts.insns++;
        for (unsigned i = 0; i < insn->uop_count; i++) {
            const struct uop *const uop = &insn->uops[i];

            flags |= uop->flags;
            assert_int_equal((uop->flags & UOP_LAST) != 0, i + 1 == insn->uop_count);
            assert_int_equal((uop->flags & UOP_MEMORY) != 0, uop->access == 0);
            if (uop->access == 0)
                assert_true(insn->accesses[0].has_place && insn->accesses[0].place == insn->accesses[0].address);
        }
        counts.loads += (flags & (UOP_LOAD | UOP_ATOMIC)) != 0;
        counts.stores += (flags & (UOP_STORE | UOP_ATOMIC)) != 0;
        counts.branches += (flags & UOP_CONTROL) != 0;
        counts.taken += (flags & UOP_CONDITIONAL) != 0 && insn->is_taken;
        counts.untaken += (flags & UOP_CONDITIONAL) != 0 && !insn->is_taken;
        counts.system_calls += (flags & UOP_TRAP) != 0;
        if (!(flags & UOP_CONTROL))
            assert_int_equal(insn->next_pc, insn->pc + insn->size_bytes);
        if ((flags & UOP_DIRECT) && insn->is_taken)
            assert_int_equal(insn->next_pc, insn->target);
        if (number % BEHIND == BEHIND - 1)
            supply_release(supply, number - BEHIND / 2);
    }
    return counts;
}

/* expected.tsv, and one more instruction for each system call that was put in */
static void has_the_counts_of_the_traces(void **state)
{
    char path[WIDTH];
    size_t size;
    uint8_t *table;

    path_of("traces/o3", "expected", ".tsv", path);
    table = inflate_file(path, &size);
    table = realloc(table, size + 1);
    table[size] = '\0';
    for (size_t i = 0; i < COUNT(programs); i++) {
        struct insn_trace *trace;
        struct supply_thread *const thread = open_program(programs[i], &trace, NULL);
        const struct supply_figures *const figures = supply_thread_figures(thread);
        char name[WIDTH];
        const char *line;
        struct counts counts;

        snprintf(name, sizeof name, "\n%s.trace.xz\t", programs[i]);
        line = strstr((const char *)table, name);
        assert_non_null(line);
        counts = count(supply_of_thread(thread));
        assert_int_equal(figures->instructions, column(line, 2, 10));
        assert_int_equal(counts.insns, column(line, 2, 10) + figures->system_calls);
        assert_int_equal(counts.system_calls, figures->system_calls);
        assert_true(figures->system_calls >= 10 && figures->system_calls < 100);
        assert_int_equal(figures->jumps + figures->missing + figures->orphans + figures->pieces, 0);
        assert_int_equal(counts.loads, column(line, 3, 10));
        assert_int_equal(counts.stores, column(line, 4, 10));
        assert_int_equal(counts.branches, column(line, 5, 10));
        assert_int_equal(counts.taken, column(line, 8, 10));
        assert_int_equal(counts.untaken, column(line, 9, 10));
        supply_thread_close(thread);
        insn_trace_close(trace);
    }
    free(table);
}

/* The reference's number of an op class (riscv-decode 1). */
static unsigned number_of(unsigned op)
{
    return op < DETAILED_OP_SIMD_ALU ? op : op - DETAILED_OP_MEM_READ + 52;
}

/* Sequence number, whether it was committed, pc, micro-op, encoding, class, ..., size (column 8). */
static void compare_row(struct supply *supply, const char *row, uint64_t *number, unsigned *micro_op)
{
    bool const is_committed = column(row, 1, 10) == 1;
    uint64_t const pc = column(row, 2, 16), encoding = column(row, 4, 16);
    unsigned const micro = (unsigned)column(row, 3, 10);
    const struct supply_insn *const insn = is_committed ? next(supply, *number)
                                                        : supply_wrong(supply, pc, SUPPLY_NO_STATE);
    const struct uop *uop;
    uint64_t place;

    assert_non_null(insn);
    assert_true(supply_place(supply, pc, &place));
    assert_int_equal(place, pc - CODE_DISTANCE);
    if (insn->pc != pc || insn->encoding != encoding || micro >= insn->uop_count)
        fail_msg("row %.60s: pc %llx, encoding %x, %d micro-ops", row, (unsigned long long)insn->pc, insn->encoding,
                 insn->uop_count);
    uop = &insn->uops[micro];
    assert_int_equal(number_of(uop->op), column(row, 5, 10));
    if (!is_committed)
        return;
    assert_int_equal(micro, *micro_op);
    if (uop->access == 0) {
        assert_int_equal(insn->accesses[0].address, column(row, 6, 16));
        assert_int_equal(insn->accesses[0].place, column(row, 7, 16));
        assert_int_equal(insn->accesses[0].size_bytes, column(row, 8, 10));
    }
    *micro_op = uop->flags & UOP_LAST ? 0 : *micro_op + 1;
    *number += *micro_op == 0;
}

static bool is_system_call(struct supply *supply, uint64_t number)
{
    const struct supply_insn *const insn = next(supply, number);

    return insn != NULL && insn->uops[0].flags & UOP_TRAP;
}

/* Encodings, op classes, micro-ops, addresses, places and sizes of committed instructions; encodings, op classes and
 * places of the code of squashed ones, too. System calls are squashed there. The bundled
 * reference data have one listing. */
static void equals_the_references_listings(void **state)
{
    unsigned compared = 0;

    for (size_t i = 0; i < COUNT(programs); i++) {
        struct vm_memory *memory;
        struct insn_trace *trace;
        struct supply_thread *thread;
        struct supply *supply;
        unsigned micro_op = 0, rows = 0;
        uint64_t number = 0;
        char path[WIDTH];
        size_t size;
        uint8_t *text;
        char *row, *rest;

        if (!find("oracle/o3", programs[i], ".base.pipe.tsv.xz", path))
            continue;
        compared++;
        thread = open_program(programs[i], &trace, &memory);
        supply = supply_of_thread(thread);
        text = inflate_file(path, &size);
        text = realloc(text, size + 1);
        text[size] = '\0';
        for (row = strtok_r((char *)text, "\n", &rest); (row = strtok_r(NULL, "\n", &rest)) != NULL; rows++) {
            while (micro_op == 0 && column(row, 1, 10) == 1 && is_system_call(supply, number))
                number++;
            compare_row(supply, row, &number, &micro_op);
        }
        assert_int_equal(rows, 60000);
        assert_true(number > 20000);
        free(text);
        supply_thread_close(thread);
        insn_trace_close(trace);
        vm_memory_free(memory);
    }
    if (compared == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_counts_of_the_traces), cmocka_unit_test(equals_the_references_listings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
