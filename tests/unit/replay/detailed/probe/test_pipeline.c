/* Pipeline listings: both formats byte for byte, unknown fields, limits, compressed files, files that cannot be
 * written. */
#include "tests/support/unit.h"

#include <unistd.h>

#include "replay/detailed/probe/pipeline.h"
#include "tests/support/file_bytes.h"
#include "tests/support/stages.h"

static char folder[] = "/tmp/test_pipeline.XXXXXX";

static const struct uop add_uop = {.flags = UOP_LAST, .op = DETAILED_OP_INT_ALU};
static const struct uop load_uop = {.flags = UOP_LOAD | UOP_LAST, .op = DETAILED_OP_FLOAT_MEM_READ};
static const struct uop first_uop = {.flags = UOP_STORE | UOP_LINKED, .op = DETAILED_OP_MEM_WRITE};
static const struct supply_access place = {
    .address = 0x7fffffffffffff40, .place = 0x86df40, .size_bytes = 8, .has_place = true};
static const struct supply_insn wide = {.pc = 0x105e4, .size_bytes = 4, .encoding = 0x22000ef};
static const struct supply_insn narrow = {.pc = 0x105f2, .size_bytes = 2, .encoding = 0x00306582};

static const struct detailed_retired committed = {
    .seq = 1, .insn = &wide, .uop = &add_uop, .fetch_cyc = 178, .decode_cyc = 179, .rename_cyc = 180,
    .dispatch_cyc = 182, .issue_cyc = 182, .execute_cyc = 183, .to_commit_cyc = 184, .store_cyc = DETAILED_NEVER,
    .retire_cyc = 185
};
static const struct detailed_retired loaded = {
    .seq = 17, .insn = &narrow, .uop = &load_uop, .access = &place, .has_request = true, .is_predicted_taken = true,
    .is_mispredicted = true, .fetch_cyc = 326, .decode_cyc = 327, .rename_cyc = 328, .dispatch_cyc = 330,
    .issue_cyc = 330, .execute_cyc = 331, .store_cyc = DETAILED_NEVER, .retire_cyc = 505
};
/* Its access is known, but it was squashed before it asked. */
static const struct detailed_retired squashed = {
    .seq = 18, .insn = &narrow, .uop = &first_uop, .access = &place, .micro_pc = 1, .is_squashed = true,
    .fetch_cyc = 326, .decode_cyc = 327, .rename_cyc = 328, .dispatch_cyc = DETAILED_NEVER,
    .issue_cyc = DETAILED_NEVER, .execute_cyc = DETAILED_NEVER, .store_cyc = DETAILED_NEVER, .retire_cyc = 510
};

static void file_is(const char *path, const char *expected)
{
    size_t size;
    uint8_t *const bytes = read_file_bytes(path, &size);
    char *const text = strndup((const char *)bytes, size);

    assert_string_equal(text, expected);
    free(text);
    free(bytes);
}

static void write_all(const char *path, uint64_t most)
{
    struct fault fault = fault_none();
    struct pipeline *const pipeline = pipeline_open(path, pipeline_format_of(path), 500, most, &fault);

    assert_fine(fault);
    pipeline_retired(pipeline, &committed);
    pipeline_retired(pipeline, &loaded);
    pipeline_retired(pipeline, &squashed);
    assert_true(WORKS(fault, pipeline_close(pipeline)));
}

#define COLUMNS_LINE                                                                                                  \
    "seq\tcommitted\tpc\tmicro_op\tencoding\top_class\tvaddr\tpaddr\tsize\tpredicted_taken\tmispredicted\tfetch\t"    \
    "decode\trename\tdispatch\tissue\tcomplete\tretire\n"
#define FIRST_ROW "1\t1\t105e4\t0\t22000ef\t1\t-\t-\t-\t0\t0\t178\t179\t180\t182\t182\t183\t185\n"

static void a_table_has_the_columns_of_the_reference(void **state)
{
    char path[64];

    snprintf(path, sizeof path, "%s/a.tsv", folder);
    write_all(path, UINT64_MAX);
    file_is(path, COLUMNS_LINE FIRST_ROW
            "17\t1\t105f2\t0\t6582\t54\t7fffffffffffff40\t86df40\t8\t1\t1\t326\t327\t328\t330\t330\t331\t505\n"
            "18\t0\t105f2\t1\t6582\t53\t-\t-\t-\t0\t0\t326\t327\t328\t-\t-\t-\t510\n");
    write_all(path, 1);
    file_is(path, COLUMNS_LINE FIRST_ROW);
    unlink(path);
}

static void o3pipeview_is_in_ticks_and_retires_squashed_ops_at_0(void **state)
{
    char path[64];

    snprintf(path, sizeof path, "%s/a.out", folder);
    write_all(path, UINT64_MAX);
    file_is(path,
            "O3PipeView:fetch:89000:0x000105e4:0:1:IntAlu 22000ef\nO3PipeView:decode:89500\nO3PipeView:rename:90000\n"
            "O3PipeView:dispatch:91000\nO3PipeView:issue:91000\nO3PipeView:complete:91500\n"
            "O3PipeView:retire:92500:store:0\n"
            "O3PipeView:fetch:163000:0x000105f2:0:17:FloatMemRead 6582 0x7fffffffffffff40+8\n"
            "O3PipeView:decode:163500\nO3PipeView:rename:164000\nO3PipeView:dispatch:165000\n"
            "O3PipeView:issue:165000\nO3PipeView:complete:165500\nO3PipeView:retire:252500:store:0\n"
            "O3PipeView:fetch:163000:0x000105f2:1:18:MemWrite 6582\nO3PipeView:decode:163500\n"
            "O3PipeView:rename:164000\nO3PipeView:dispatch:0\nO3PipeView:issue:0\nO3PipeView:complete:0\n"
            "O3PipeView:retire:0:store:0\n");
    unlink(path);
}

static void the_name_chooses_the_format(void **state)
{
    assert_int_equal(pipeline_format_of("a.tsv"), PIPELINE_TABLE);
    assert_int_equal(pipeline_format_of("a.tsv.gz"), PIPELINE_TABLE);
    assert_int_equal(pipeline_format_of("a.b.tsv.xz"), PIPELINE_TABLE);
    assert_int_equal(pipeline_format_of("a.out"), PIPELINE_O3PIPEVIEW);
    assert_int_equal(pipeline_format_of("tsv"), PIPELINE_O3PIPEVIEW);
    assert_int_equal(pipeline_format_of(".gz"), PIPELINE_O3PIPEVIEW);
}

static void a_packed_table_is_read_back(void **state)
{
    struct stage_listing listing, other;
    struct stage_comparison comparison;
    char path[64];

    snprintf(path, sizeof path, "%s/a.tsv.xz", folder);
    write_all(path, UINT64_MAX);
    assert_fine(stages_read(&listing, path));
    assert_fine(stages_read(&other, path));
    assert_int_equal(listing.count, 3);
    assert_int_equal(listing.committed_count, 2);
    assert_int_equal(listing.rows[1].cycles[STAGE_RETIRE], 505 - 178);
    assert_true(listing.rows[2].cycles[STAGE_ISSUE] == STAGE_NONE);
    other.rows[1].cycles[STAGE_ISSUE]++;
    stages_compare(&listing, &other, &comparison);
    assert_int_equal(comparison.pairs, 2);
    assert_int_equal(comparison.equal, 1);
    assert_int_equal(comparison.first, 1);
    assert_int_equal(comparison.equal_of[STAGE_ISSUE], 1);
    other.rows[1].micro_op++;
    stages_compare(&listing, &other, &comparison);
    assert_true(comparison.parts);
    assert_true(stages_equal_pct(&comparison) < 51);
    stages_free(&listing);
    stages_free(&other);
    unlink(path);
}

static void a_file_that_cannot_be_written_is_a_fault(void **state)
{
    struct fault fault = fault_none();
    char path[64];

    snprintf(path, sizeof path, "%s/none/a.tsv", folder);
    assert_null(pipeline_open(path, PIPELINE_TABLE, 500, UINT64_MAX, &fault));
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_text(fault_text(fault), path);
    fault = fault_none();
    if (access("/dev/full", W_OK) != 0)
        return;
    struct pipeline *const pipeline = pipeline_open("/dev/full", PIPELINE_TABLE, 500, UINT64_MAX, &fault);

    assert_non_null(pipeline);
    for (unsigned i = 0; i < 100000; i++)
        pipeline_retired(pipeline, &committed);
    assert_false(WORKS(fault, pipeline_close(pipeline)));
    assert_text(fault_text(fault), "/dev/full");
}

static void a_discarded_listing_leaves_no_file(void **state)
{
    struct fault fault = fault_none();
    char path[64];

    snprintf(path, sizeof path, "%s/a.tsv", folder);
    struct pipeline *const pipeline = pipeline_open(path, PIPELINE_TABLE, 500, UINT64_MAX, &fault);

    pipeline_retired(pipeline, &committed);
    pipeline_discard(pipeline);
    pipeline_discard(NULL);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_the_columns_of_the_reference),
        cmocka_unit_test(o3pipeview_is_in_ticks_and_retires_squashed_ops_at_0),
        cmocka_unit_test(the_name_chooses_the_format),
        cmocka_unit_test(a_packed_table_is_read_back),
        cmocka_unit_test(a_file_that_cannot_be_written_is_a_fault),
        cmocka_unit_test(a_discarded_listing_leaves_no_file)
    };

    if (!mkdtemp(folder))
        return 1;
    int const failed = cmocka_run_group_tests(tests, NULL, NULL);

    rmdir(folder);
    return failed;
}
