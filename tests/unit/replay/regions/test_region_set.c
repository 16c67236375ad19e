/* replay/regions/region_set.h: what is written is read again, and wrong files are refused with line and field. */
#include "replay/regions/region_set.h"

#include <fcntl.h>
#include <unistd.h>

#include "proto/container/container.h"
#include "replay/regions/trace_mark.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-regions-XXXXXX";
static char trace[64], file[64];

static void write_text(const char *path, const char *text)
{
    FILE *const to = fopen(path, "w");

    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

static void what_is_written_is_read(void **state)
{
    struct region_set set, read;
    struct region regions[] = {
        {.first = 10, .warmup = 20, .instructions = 30, .weight = 1.0 / 3},
        {.first = 1100, .warmup = 20, .instructions = 30, .weight = 2.0 / 3, .stratum = 1}};
    struct region_stratum strata[] = {{.intervals = 5}, {.intervals = 7}};
    FILE *to = fopen(file, "w");

    assert_non_null(to);
    assert_fine(region_set_begin(&set, trace));
    set.method = REGIONS_SYSTEMATIC;
    set.interval = 30;
    set.instructions = 1000;
    set.events = 1150;                   /* places count more than instructions */
    set.regions = regions;
    set.count = 2;
    set.strata = strata;
    set.stratum_count = 2;
    assert_true(region_set_write(&set, to));
    fclose(to);
    assert_true(region_set_is_file(file));
    assert_fine(region_set_read(&read, file));
    assert_string_equal(read.trace, trace);
    assert_int_equal(read.trace_bytes, 5);
    assert_true(read.trace_hash == set.trace_hash && read.method == set.method && read.interval == 30);
    assert_int_equal(read.count, 2);
    assert_int_equal(read.stratum_count, 2);
    assert_int_equal(read.strata[1].intervals, 7);
    assert_int_equal(read.events, 1150);
    assert_true(read.regions[1].first == 1100 && read.regions[1].weight == regions[1].weight);
    assert_fine(region_set_check_trace(&read, file, trace));
    write_text(trace, "bytex");
    assert_text(fault_text(region_set_check_trace(&read, file, trace)), "of another trace");
    write_text(trace, "bytes");
    region_set_free(&read);
    free(set.trace);
}

/* trace_mark.h: a change anywhere in a file with hashes of its chunks; in the pieces that are read of another. */
enum { CHUNKS = 4, CHUNK_BYTES = 200000 };

static void write_chunks(unsigned changed)
{
    static const struct container_kind kind = {.magic = "\x89rubrbt\n", .name = "a test", .mend = "",
                                               .index = CHUNKS + 1};
    struct container_writer writer = {.path = trace, .file = open(trace, O_RDWR | O_CREAT | O_TRUNC, 0600)};
    struct column chunk = {0};

    assert_true(writer.file >= 0);
    assert_fine(container_begin(&writer, &kind));
    for (unsigned i = 0; i <= CHUNKS; i++) {
        container_chunk_begin(&chunk);
        for (unsigned j = 0; j < CHUNK_BYTES; j++)
            column_put_byte(&chunk, (uint8_t)(j == CHUNK_BYTES / 2 && i == changed ? 1 : 0));
        if (i < CHUNKS)
            assert_fine(container_put(&writer, &chunk, i + 1));
    }
    assert_fine(container_end(&writer, &chunk, &kind));
    close(writer.file);
    column_free(&chunk);
}

static void write_pieces(long changed)
{
    FILE *const to = fopen(trace, "w");

    assert_non_null(to);
    for (long i = 0; i < 3 << 20; i++)
        putc(i == changed, to);
    fclose(to);
}

static uint64_t mark_of_trace(void)
{
    uint64_t bytes, hash;

    assert_fine(trace_mark(trace, &bytes, &hash));
    return hash;
}

static void a_change_in_the_middle_is_another_trace(void **state)
{
    uint64_t hash;

    (void)state;
    write_chunks(CHUNKS);
    hash = mark_of_trace();
    for (unsigned i = 0; i < CHUNKS; i++) {
        write_chunks(i);
        assert_true(mark_of_trace() != hash);
    }
    write_chunks(CHUNKS);
    assert_true(mark_of_trace() == hash);
    write_pieces(-1);
    hash = mark_of_trace();
    for (long i = 0; i < 3; i++) {
        write_pieces((i << 20) + 4095);
        assert_true(mark_of_trace() != hash);
    }
    write_pieces((3 << 20) - 65536);
    assert_true(mark_of_trace() != hash);
    write_text(trace, "bytes");
}

#define HEAD "rubato-regions\ntrace\ta.rbt\nmark\t5\t0123456789abcdef\nmethod\tsimpoint\ninterval\t10\n" \
             "instructions\t100\n"

static void wrong_files_are_refused(void **state)
{
    const struct { const char *text, *says; } wrong[] = {
        {"", "trace is missing"},
        {"rubato\n", "line 1: rubato; expected rubato-regions"},
        {"rubato-regions\ntrace\n", "line 2: trace has fewer fields; expected 2"},
        {"rubato-regions\nmark\t5\tabc\n", "line 2: hash abc; expected 16 hexadecimal digits"},
        {"rubato-regions\nmethod\tbest\n", "line 2: method best; expected simpoint, systematic, stratified or given"},
        {"rubato-regions\ninterval\t-3\n", "line 2: interval -3; expected a whole number"},
        {"rubato-regions\nstratum\t0\n", "line 2: intervals 0; expected 1 at least"},
        {"rubato-regions\nwhat\t1\n", "line 2: fact what; expected trace, mark"},
        {HEAD, "region is missing"},
        {HEAD "region\t0\t0\t10\t1\t0\n", "line 7: stratum 0; expected the number of one of the strata before it"},
        {HEAD "stratum\t1\nregion\t0\t0\t10\t0\t0\n", "line 8: weight 0; expected a number above 0, at most 1"},
        {HEAD "stratum\t1\nregion\t0\t0\t1000\t1\t0\n", "line 8: instructions 1000; expected 1 at least, and no more"},
        {HEAD "stratum\t1\nregion\t81\t10\t10\t1\t0\n", "line 8: first 81; expected a place from which"},
        {HEAD "events\t110\nstratum\t1\nregion\t91\t10\t10\t1\t0\n", "line 9: first 91; expected a place"},
        {HEAD "stratum\t1\nregion\t0\t0\t10\t0.5\t0\n", "weights add up to 0.500000; expected 1"},
        {HEAD "stratum\t1\nregion\t0\t0\t10\t1\t0\t5\n", "line 8: region has more fields; expected 6"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct region_set set;

        write_text(file, wrong[i].text);
        assert_text(fault_text(region_set_read(&set, file)), wrong[i].says);
        region_set_free(&set);
    }
}

/* "taken from the folder of the set's file unless it is absolute" */
static void the_trace_lies_beside_the_file(void **state)
{
    const struct { const char *name, *at, *path; } cases[] = {
        {"a.rbt", "b.regions", "a.rbt"}, {"a.rbt", "x/y/b.regions", "x/y/a.rbt"}, {"/a.rbt", "x/b.regions", "/a.rbt"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[16];
        struct region_set const set = {.trace = strcpy(name, cases[i].name)};
        char *const path = region_set_trace_path(&set, cases[i].at);

        assert_string_equal(path, cases[i].path);
        free(path);
    }
}

static int set_up(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(trace, sizeof trace, "%s/a.rbt", folder);
    snprintf(file, sizeof file, "%s/a.regions", folder);
    write_text(trace, "bytes");
    return 0;
}

static int tear_down(void **state)
{
    unlink(trace);
    unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_change_in_the_middle_is_another_trace),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(the_trace_lies_beside_the_file),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
