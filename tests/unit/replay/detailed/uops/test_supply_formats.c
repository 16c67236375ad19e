/* replay/detailed/uops/supply.h on traces of several formats and architectures, of the repository and of $SHARED: what
 * holds of each instruction, and the counts of expected.tsv. */
#include "replay/detailed/uops/thread.h"
#include "tests/support/trace_files.h"

enum { WIDTH = 400, LINE = 64 };

static const char *const bundled[] = {
    "lackey/exact.lackey.txt", "drmemtrace/drmemtrace.threadsig.10510.0155.trace.gz",
    "drmemtrace/drmemtrace.small.x64.trace", "drmemtrace/drmemtrace.allasm_x86_64.trace.zip",
};

static const char *const shared[] = {
    "champsim/stevehenny-512B.champsim.trace", "drmemtrace/drmemtrace.simple_app.trace.zip",
    "drmemtrace/drmemtrace.as_traced.x64.tracedir", "drmemtrace/drmemtrace.threadsig.x64.tracedir",
    "drmemtrace/drmemtrace.legacy-for-record-filter.x64.tracedir", "drmemtrace/aarch64",
    "drmemtrace/mock_switch_sequences.x64.zip",
};

/* "temporaries of an instruction": none is read that none of its micro-ops wrote */
static void check_registers(const struct supply_insn *insn, bool is_first)
{
    bool is_written[UOP_TEMPORARIES] = {false};

    for (unsigned i = 0; i < insn->uop_count; i++) {
        const struct uop *const uop = &insn->uops[i];

        assert_in_range(uop->source_count, 0, UOP_SOURCES);
        assert_in_range(uop->result_count, 0, UOP_RESULTS);
        for (unsigned j = 0; j < uop->source_count; j++) {
            unsigned const number = uop->sources[j];

            assert_in_range(number, 1, UOP_REGISTERS - 1);
            if (number >= UOP_REGISTERS - UOP_TEMPORARIES && is_first)
                assert_true(is_written[number - (UOP_REGISTERS - UOP_TEMPORARIES)]);
        }
        for (unsigned j = 0; j < uop->result_count; j++) {
            assert_in_range(uop->results[j], 1, UOP_REGISTERS - 1);
            if (uop->results[j] >= UOP_REGISTERS - UOP_TEMPORARIES)
                is_written[uop->results[j] - (UOP_REGISTERS - UOP_TEMPORARIES)] = true;
        }
    }
}

/* Each access is that of one micro-op; the branch, and "UOP_LAST", are the last one. */
static uint64_t check_micro_ops(const struct supply_insn *insn)
{
    uint64_t accesses = 0, places = 0;

    assert_true(insn->uop_count > 0);
    for (unsigned i = 0; i < insn->uop_count; i++) {
        const struct uop *const uop = &insn->uops[i];
        bool const is_last = i + 1 == insn->uop_count;

        assert_int_equal((uop->flags & UOP_LAST) != 0, is_last);
        assert_true(is_last || !(uop->flags & UOP_CONTROL));
        assert_true(uop->op < DETAILED_OP_COUNT);
        assert_int_equal((uop->flags & UOP_MEMORY) != 0, uop->access != UOP_NO_ACCESS);
        if (uop->access == UOP_NO_ACCESS)
            continue;
        assert_true(uop->access < insn->access_count);
        assert_int_equal(accesses >> uop->access & 1, 0);
        accesses |= UINT64_C(1) << uop->access;
    }
    assert_int_equal(accesses, (UINT64_C(1) << insn->access_count) - 1);
    for (unsigned i = 0; i < insn->access_count; i++) {
        places += insn->accesses[i].has_place;
        assert_in_range(insn->accesses[i].size_bytes, insn->accesses[i].has_place, LINE);
    }
    return places;
}

static void check_flow(const struct supply_insn *insn, const struct supply_insn *before)
{
    assert_true(insn->size_bytes > 0);
    assert_int_equal(insn->is_taken, (insn->uops[insn->uop_count - 1].flags & UOP_CONTROL) != 0 && insn->is_taken);
    assert_true(!insn->is_taken || insn->next_pc != insn->pc + insn->size_bytes);
    if (before == NULL)
        return;
    assert_int_equal(before->next_pc, insn->pc);
    assert_int_equal(insn->number, before->number + 1);
    if (insn->is_repeat)
        assert_int_equal(insn->pc, before->pc);
}

static uint64_t check_thread(const struct insn_trace *trace, size_t index)
{
    struct fault fault;
    struct supply_thread *const thread = supply_thread_open(trace, index, &(struct supply_thread_options){0}, &fault);
    const struct supply_figures *figures;
    const struct supply_insn *insn, *before = NULL;
    uint64_t number = 0, places = 0, instructions;
    enum supply_step step;

    if (thread == NULL)
        fail_msg("%s", fault_text(fault));
    while ((step = supply_right(supply_of_thread(thread), number, &insn, &fault)) == SUPPLY_INSN) {
        check_flow(insn, before);
        check_registers(insn, !insn->is_repeat);
        places += check_micro_ops(insn);
        before = insn;
        number++;
        if (number > 1)
            supply_release(supply_of_thread(thread), number - 1);
    }
    if (step == SUPPLY_FAULT)
        fail_msg("%s", fault_text(fault));
    figures = supply_thread_figures(thread);
    instructions = figures->instructions;
    assert_int_equal(instructions + figures->pieces + figures->system_calls, number);
    assert_int_equal(figures->loads + figures->stores + figures->atomics, places);
    supply_thread_close(thread);
    return instructions;
}

/* Answers instructions; false: the decoder of its architecture is missing. */
static bool check_trace(const char *path, uint64_t *instructions)
{
    struct fault fault;
    struct insn_trace *const trace = insn_trace_open(path, &fault);

    if (trace == NULL) {
        assert_text(fault_text(fault), "Zydis");
        return false;
    }
    assert_fine(supply_check(trace));
    *instructions = 0;
    for (size_t i = 0; i < insn_trace_threads(trace); i++)
        *instructions += check_thread(trace, i);
    insn_trace_close(trace);
    return true;
}

/* The fourth column of expected.tsv. */
static uint64_t expected_instructions(const char *folder, const char *name)
{
    char path[WIDTH], line[WIDTH], wanted[WIDTH];
    unsigned long instructions = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/expected.tsv", folder);
    snprintf(wanted, sizeof wanted, "%s\t", name);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, wanted, strlen(wanted)) == 0)
            assert_int_equal(sscanf(line, "%*s %*s %*s %lu", &instructions), 1);
    fclose(file);
    if (instructions == 0)
        fail_msg("%s has no line %s", path, name);
    return instructions;
}

static void traces_of_the_repository(void **state)
{
    for (size_t i = 0; i < COUNT(bundled); i++) {
        char path[WIDTH];
        uint64_t instructions;

        snprintf(path, sizeof path, "tests/traces/insn/%s", bundled[i]);
        if (check_trace(path, &instructions))
            assert_int_equal(instructions, expected_instructions("tests/traces/insn", bundled[i]));
    }
}

static void shared_traces(void **state)
{
    for (size_t i = 0; i < COUNT(shared); i++) {
        char path[WIDTH];
        uint64_t instructions;

        snprintf(path, sizeof path, "%s/traces/insn/%s", reference_folder(), shared[i]);
        if (access(path, R_OK) != 0)
            skip();
        if (check_trace(path, &instructions))
            assert_true(instructions > 0);
    }
}

/* An executed instruction is the same one when a wrong path reaches it. */
static void wrong_paths_have_the_same_micro_ops(void **state)
{
    static const char *const names[] = {"chase", "hash", "matrix", "sort"};

    for (size_t i = 0; i < COUNT(names); i++) {
        char path[WIDTH];
        struct fault fault;
        struct insn_trace *trace;
        struct supply_thread *thread;
        struct supply *supply;
        const struct supply_insn *insn;

        snprintf(path, sizeof path, "tests/traces/detailed/%s.rbt", names[i]);
        trace = insn_trace_open(path, &fault);
        if (trace == NULL)
            fail_msg("%s", fault_text(fault));
        thread = supply_thread_open(trace, 0, &(struct supply_thread_options){0}, &fault);
        if (thread == NULL)
            fail_msg("%s", fault_text(fault));
        supply = supply_of_thread(thread);
        assert_true(supply->has_images);
        for (uint64_t number = 0; supply_right(supply, number, &insn, &fault) == SUPPLY_INSN; number++) {
            const struct supply_insn *const wrong = supply_wrong(supply, insn->pc, SUPPLY_NO_STATE);

            assert_non_null(wrong);
            assert_int_equal(wrong->encoding, insn->encoding);
            assert_int_equal(wrong->size_bytes, insn->size_bytes);
            assert_int_equal(wrong->target, insn->target);
            assert_int_equal(wrong->access_count, insn->access_count);
            assert_int_equal(wrong->uop_count, insn->uop_count);
            assert_memory_equal(wrong->uops, insn->uops, insn->uop_count * sizeof *insn->uops);
            supply_release(supply, number);
        }
        supply_thread_close(thread);
        insn_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(traces_of_the_repository), cmocka_unit_test(shared_traces),
                                       cmocka_unit_test(wrong_paths_have_the_same_micro_ops)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
