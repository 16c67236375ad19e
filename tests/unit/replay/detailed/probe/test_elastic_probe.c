/* replay/detailed/probe/elastic_probe.h: the two files, events before and after the probe's window
 * (elastic-trace 3.2, 3.9; elastic-truth 1.3, 1.7). */
#include "replay/detailed/probe/elastic_probe.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/elastic/packet_trace.h"
#include "tests/support/unit.h"

static char folder[64], dep_path[128], fetch_path[128];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "%s", "/tmp/rubato-probe-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(dep_path, sizeof dep_path, "%s/deptrace.proto.gz", folder);
    snprintf(fetch_path, sizeof fetch_path, "%s/fetchtrace.proto.gz", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(dep_path);
    unlink(fetch_path);
    return rmdir(folder);
}

static struct elastic_probe *open_from(uint64_t from)
{
    struct elastic_probe_setup const setup = {
        .folder = folder, .object = "system.cpu.traceListener", .period_ps = 500, .window = 576, .fetch_bytes = 64,
        .from = from
    };
    struct fault fault = fault_none();
    struct elastic_probe *const probe = elastic_probe_open(&setup, &fault);

    if (!probe)
        fail_msg("%s", fault_text(fault));
    return probe;
}

/* A load of one micro-op that waits for `producer`. */
static void retire(struct elastic_probe *probe, uint64_t seq, uint64_t rename, uint64_t execute, uint64_t now,
                   uint64_t producer, bool is_squashed)
{
    struct supply_insn const insn = {.pc = 0x1000 + seq};
    struct uop const uop = {.flags = UOP_LOAD | UOP_LAST};
    struct supply_access const access = {.place = 0x40, .size_bytes = 8, .has_place = true};
    struct detailed_retired const retired = {
        .seq = seq, .insn = &insn, .uop = &uop, .access = &access, .is_squashed = is_squashed, .has_request = true,
        .rename_cyc = rename, .execute_cyc = execute, .to_commit_cyc = now - 1, .retire_cyc = now,
        .producer_count = 1, .producers = {producer}
    };
    const struct detailed_listener *const listener = elastic_probe_listener(probe);

    listener->retired(listener->context, &retired);
}

static void fetch(struct elastic_probe *probe, uint64_t now_ps, uint64_t place, uint64_t pc)
{
    const struct detailed_listener *const listener = elastic_probe_listener(probe);

    listener->fetched(listener->context, now_ps, place, pc);
}

/* The sequence numbers of all records, each with its first producer behind a colon. */
static void assert_records(const char *expected)
{
    struct fault fault = fault_none();
    struct dep_reader *const reader = dep_reader_open(dep_path, &fault);
    struct dep_record record;
    char text[400] = "";

    assert_fine(fault);
    assert_int_equal(dep_reader_header(reader)->window_size, 576);
    assert_int_equal(dep_reader_header(reader)->tick_freq, UINT64_C(1000000000000));
    assert_string_equal(dep_reader_header(reader)->obj_id, "system.cpu.traceListener");
    while (dep_reader_next(reader, &record, &fault) == DEP_RECORD) {
        size_t const length = strlen(text);

        snprintf(text + length, sizeof text - length, "%s%llu", length ? " " : "",
                 (unsigned long long)record.seq_num);
        if (record.reg_dep_count)
            snprintf(text + strlen(text), sizeof text - strlen(text), ":%llu", (unsigned long long)record.reg_dep[0]);
    }
    assert_fine(fault);
    dep_reader_close(reader);
    assert_string_equal(text, expected);
}

static void assert_fetches(const char *expected)
{
    struct fault fault = fault_none();
    struct packet_reader *const reader = packet_reader_open(fetch_path, &fault);
    struct packet_record record;
    char text[400] = "";

    assert_fine(fault);
    while (packet_reader_next(reader, &record, &fault) == PACKET_RECORD) {
        size_t const length = strlen(text);

        snprintf(text + length, sizeof text - length, "%s%llu %u %llx %u %x %llx", length ? ", " : "",
                 (unsigned long long)record.tick, record.cmd, (unsigned long long)record.addr, record.size_bytes,
                 record.flags, (unsigned long long)record.pc);
    }
    assert_fine(fault);
    packet_reader_close(reader);
    assert_string_equal(text, expected);
}

static void writes_both_files_when_closed(void **state)
{
    struct elastic_probe *const probe = open_from(0);
    struct elastic_probe_counts counts;

    fetch(probe, 0, 0x5e4, 0x105e4);
    fetch(probe, 1001, 0x600, 0x105fe);
    retire(probe, 1, 5, 10, 20, 0, false);
    retire(probe, 4, 5, 22, 30, 1, false);
    assert_int_equal(access(dep_path, F_OK), -1);
    assert_int_equal(access(fetch_path, F_OK), -1);
    assert_fine(elastic_probe_close(probe, &counts));
    assert_records("1 4:1");
    assert_fetches("0 1 5c0 64 100 105e4, 1001 1 600 64 100 105fe");
    assert_int_equal(counts.fetches, 2);
    assert_int_equal(counts.instructions, 2);
    assert_int_equal(counts.data.records[DEP_LOAD], 2);
}

static void leaves_no_file_when_discarded(void **state)
{
    struct elastic_probe *const probe = open_from(0);
    DIR *files;
    size_t count = 0;

    retire(probe, 1, 5, 10, 20, 0, false);
    elastic_probe_discard(probe);
    elastic_probe_discard(NULL);
    files = opendir(folder);
    assert_non_null(files);
    for (const struct dirent *file; (file = readdir(files)) != NULL;)
        count += file->d_name[0] != '.';
    closedir(files);
    assert_int_equal(count, 0);
}

static void refuses_a_folder_that_is_not_there(void **state)
{
    struct elastic_probe_setup const setup = {.folder = "/nowhere/at/all", .object = "cpu", .window = 576,
                                              .period_ps = 500, .fetch_bytes = 64};
    struct fault fault = fault_none();

    assert_null(elastic_probe_open(&setup, &fault));
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), "/nowhere/at/all/deptrace.proto.gz");
}

/* 3.9: it listens from the commit of the second instruction, in cycle 30. */
static void listens_from_an_instruction(void **state)
{
    struct elastic_probe *const probe = open_from(2);
    struct elastic_probe_counts counts;

    fetch(probe, 1000, 0, 0);
    retire(probe, 1, 5, 10, 20, 0, false);
    retire(probe, 2, 5, 10, 20, 0, true);                /* squashed: no instruction */
    retire(probe, 3, 5, 22, 30, 1, false);
    retire(probe, 4, 6, 24, 30, 1, false);               /* executed before */
    retire(probe, 5, 6, 30, 32, 3, false);               /* in the same cycle, before commit */
    retire(probe, 6, 6, 31, 33, 3, false);               /* renamed before: no producers */
    fetch(probe, 16000, 0x40, 0x10040);
    retire(probe, 7, 31, 35, 40, 6, false);              /* its producer was renamed before */
    retire(probe, 8, 31, 41, 44, 7, false);
    assert_fine(elastic_probe_close(probe, &counts));
    assert_records("6 7 8:7");
    assert_fetches("16000 1 40 64 100 10040");
    assert_int_equal(counts.instructions, 7);
}

/* A failed write is reported when the probe is closed, and neither file is left. */
static void reports_a_failure_at_the_end(void **state)
{
    struct elastic_probe *const probe = open_from(0);
    struct fault fault;

    fetch(probe, 2000, 0, 0);
    fetch(probe, 1000, 0, 0);                            /* time runs backwards */
    retire(probe, 1, 5, 10, 20, 0, false);
    fault = elastic_probe_close(probe, NULL);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), "fetchtrace.proto.gz");
    assert_int_equal(access(dep_path, F_OK), -1);
    assert_int_equal(access(fetch_path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writes_both_files_when_closed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(leaves_no_file_when_discarded, make_folder, remove_folder),
        cmocka_unit_test(refuses_a_folder_that_is_not_there),
        cmocka_unit_test_setup_teardown(listens_from_an_instruction, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(reports_a_failure_at_the_end, make_folder, remove_folder)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
