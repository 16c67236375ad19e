/* proto/gpu/gpu_store.h: what a store gives is what its text gives; damage is an error, never another trace. */
#include <unistd.h>

#include "proto/gpu/gpu_store_format.h"
#include "proto/trace_formats.h"
#include "tests/support/chunks.h"
#include "tests/support/file_bytes.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/rubato-test-XXXXXX";
static char list_path[64], store_path[64], kernel_paths[2][64];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(list_path, sizeof list_path, "%s/kernelslist.g", folder);
    snprintf(store_path, sizeof store_path, "%s/store", folder);
    for (int i = 0; i < 2; i++)
        snprintf(kernel_paths[i], sizeof kernel_paths[i], "%s/kernel-%d.traceg", folder, i + 1);
    return 0;
}

static int tear_down(void **state)
{
    unlink(list_path);
    unlink(store_path);
    unlink(kernel_paths[0]);
    unlink(kernel_paths[1]);
    return rmdir(folder);
}

/* --- the same? ---------------------------------------------------------------------------------------------------- */

static bool same_header(const struct gpu_header *a, const struct gpu_header *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->id == b->id && a->stream == b->stream
        && memcmp(a->grid, b->grid, sizeof a->grid) == 0 && memcmp(a->block, b->block, sizeof a->block) == 0
        && a->shmem_bytes == b->shmem_bytes && a->nregs == b->nregs && a->binary_version == b->binary_version
        && a->shmem_base == b->shmem_base && a->local_base == b->local_base
        && strcmp(a->nvbit_version, b->nvbit_version) == 0 && strcmp(a->tracer_version, b->tracer_version) == 0
        && a->tracer_major == b->tracer_major && a->has_line_info == b->has_line_info && a->warp_size == b->warp_size
        && a->isa == b->isa && a->other_count == b->other_count;

    for (size_t i = 0; same && i < a->other_count; i++)
        same = strcmp(a->others[i].key, b->others[i].key) == 0 && strcmp(a->others[i].value, b->others[i].value) == 0;
    return same;
}

static bool same_warp(const struct gpu_block *a, const struct gpu_block *b, uint32_t warp)
{
    if (a->warps[warp].count != b->warps[warp].count)
        return false;
    for (uint32_t i = 0; i < a->warps[warp].count; i++) {
        const struct gpu_inst *const one = &a->warps[warp].insts[i], *const other = &b->warps[warp].insts[i];

        if (one->mask != other->mask || one->base != other->base || one->stride != other->stride
            || one->index != other->index || one->value_count != other->value_count || one->mode != other->mode)
            return false;
        if (one->value_count > 0 && memcmp(a->values + one->values_at, b->values + other->values_at,
                                           one->value_count * sizeof *a->values) != 0)
            return false;
    }
    return true;
}

static bool same_block(const struct gpu_block *a, const struct gpu_block *b)
{
    bool same = memcmp(a->id, b->id, sizeof a->id) == 0 && a->warp_count == b->warp_count;

    for (uint32_t i = 0; same && i < a->warp_count; i++)
        same = same_warp(a, b, i);
    return same;
}

static bool same_warnings(const struct gpu_kernel *a, const struct gpu_kernel *b)
{
    bool same = a->warning_count == b->warning_count;

    for (size_t i = 0; same && i < a->warning_count; i++)
        same = strcmp(a->warnings[i], b->warnings[i]) == 0;
    return same;
}

static bool same_tables(const struct gpu_kernel *a, const struct gpu_kernel *b)
{
    return a->static_count == b->static_count && a->opcode_count == b->opcode_count
        && (a->static_count == 0
            || (memcmp(a->statics, b->statics, a->static_count * sizeof *a->statics) == 0
                && memcmp(a->opcodes, b->opcodes, a->opcode_count * sizeof *a->opcodes) == 0));
}

/* Both kernels are open; reads them to their ends. The second one's fault is in `error`. */
static bool same_kernel(struct gpu_kernel *text, struct gpu_kernel *stored, struct fault *error)
{
    struct gpu_block *one, *other;
    enum gpu_step step;
    bool same = same_header(&text->header, &stored->header) && same_warnings(text, stored);

    while ((step = gpu_kernel_next_block(text, &one, error)) == GPU_BLOCK) {
        if (gpu_kernel_next_block(stored, &other, error) != GPU_BLOCK) {
            gpu_block_free(one);
            return false;
        }
        same = same && same_block(one, other);
        gpu_block_free(one);
        gpu_block_free(other);
    }
    if (step != GPU_NO_BLOCK)
        fail_msg("%s", fault_text(*error));
    return gpu_kernel_next_block(stored, &other, error) == GPU_NO_BLOCK && same && same_tables(text, stored)
        && same_warnings(text, stored) && text->blocks_read == stored->blocks_read;
}

static bool same_command(const struct gpu_command *a, const struct gpu_command *b)
{
    return a->kind == b->kind && a->line == b->line && a->address == b->address && a->bytes == b->bytes
        && (a->file == NULL) == (b->file == NULL) && (a->file == NULL || strcmp(a->file, b->file) == 0);
}

/* The list's kernels against those of an open list of a store. */
static bool same_list(const struct gpu_list *text, const struct gpu_list *stored, struct fault *error)
{
    bool same = text->count == stored->count && text->warning_count == stored->warning_count;

    for (size_t i = 0; same && i < text->count; i++) {
        struct gpu_kernel one, other;

        same = same_command(&text->commands[i], &stored->commands[i]);
        if (!same || text->commands[i].kind != GPU_KERNEL)
            continue;
        assert_true(WORKS(*error, gpu_kernel_open(&one, text->folder, text->commands[i].file)));
        same = WORKS(*error, gpu_kernel_open(&other, stored->folder, stored->commands[i].file));
        if (same) {
            same = same_kernel(&one, &other, error);
            gpu_kernel_close(&other);
        }
        gpu_kernel_close(&one);
    }
    return same;
}

/* Packs a list and compares. */
static void expect_same(const char *list)
{
    struct fault error = fault_none();
    struct gpu_list text, stored;

    if (FAILS(error, trace_list_pack(list, NULL, store_path)) || FAILS(error, gpu_list_open(&text, list))
        || FAILS(error, gpu_list_open(&stored, store_path)))
        fail_msg("%s", fault_text(error));
    if (!same_list(&text, &stored, &error))
        fail_msg("%s: the store says something else; %s", list, fault_text(error));
    gpu_list_close(&text);
    gpu_list_close(&stored);
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define HEAD "-kernel name = k = <int>\n-kernel id = 7\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 96\n"     \
    "-nregs = 9\n-binary version = 80\n-cuda stream id = 18446744073709551615\n-shmem base_addr = 0x7f0000000000\n"    \
    "-local mem base_addr = 0x7e0000000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"                     \
    "-enable lineinfo = 1\n-odd key = odd value\n-other = \n#traces format\n\n"

#define GCN3_HEAD "-kernel name = w\n-kernel id = 8\n-warp size = 64\n-isa type = GCN3\n-shmem = 0\n-nregs = 9\n"      \
    "-binary version = 100\n-cuda stream id = 0\n-nvbit version = -1\n-accelsim tracer version = 3\n"                 \
    "-grid dim = (0,1,1)\n-block dim = (64,1,1)\n#\n"

/* Every mode; lists that repeat, and that do not; negative steps; masks of 0; empty and surplus warps */
static void write_traces(void)
{
    write_file(list_path, "MemcpyHtoD,0x00007f4d25700000,800000\nkernel-1.traceg\nwhat is this\nMemcpyHtoD,0x10,1\n"
               "kernel-2.traceg\nkernel-1.traceg\n");
    write_file(kernel_paths[0], HEAD
               "#BEGIN_TB\nthread block = 0,0,0\n"
               "warp = 0\ninsts = 9\n"
               "12 0000 ffffffff 1 R1 LDG.E.64.SYS 1 R4 8 1 0x7f4e34ac3600 8 -5\n"
               "12 0010 0000000f 1 R1 LDG.E 1 R4 4 0 0x7f10 0x7f00 0xffffffffffffff00 0x0 0\n"
               "13 0020 0000000f 1 R1 LDG.E 1 R4 4 2 0x7f10 4 -8 1073741824 0\n"
               "13 0020 0000000f 1 R1 LDG.E 1 R4 4 2 0x8f10 4 -8 1073741824 0\n"
               "14 0030 00000000 1 R1 LDG.E 1 R4 4 1 0x0 0 0\n"
               "14 0030 00000001 1 R1 LDG.E 1 R4 4 2 0x7f10 0\n"
               "14 0030 00000001 1 R1 LDG.E 1 R4 4 0 0x0 0\n"
               "15 0040 ffffffff 0 WHAT.IS.THIS 2 R255 R3 0 -77\n"
               "16 0050 ffffffff 0 EXIT 0 0 0\n"
               "warp = 2\ninsts = 2\n"
               "13 0020 00000003 1 R1 LDG.E 1 R4 4 2 0x9000000000000000 -9223372036854775807 0\n"
               "16 0050 ffffffff 0 NOT.AN.END 0 0 0\n#END_TB\n"
               "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 0\nwarp = 1\ninsts = 1\n"
               "12 0000 ffffffff 1 R1 LDG.E.64.SYS 1 R4 8 1 0x7f4e34ac3700 -8 -5\n#END_TB\n");
    write_file(kernel_paths[1], GCN3_HEAD
               "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n"
               "00005108 ffffffffffffffff 8 S12 S13 S14 S15 S16 S17 S18 S19 S_LOAD_DWORDX8 2 S6 S7 32 1 0x6000 "
               "274877902928\n"
               "0000f208 043340440799484c 0 FLAT_STORE_DWORD 3 R3 R4 R0 4 2 0x2228 4 12 52 12 40 12 4 12 36 4 4 64 16 "
               "64 40 4 12 4 52\n"
               "0000f210 8000000000000000 0 DS_WRITE_B32 2 R3 R4 4 1 0x0 5\n"
               "00005124 ffffffffffffffff 1 R2 V_MOV_B32_E32 0  0\n"
               "00005128 ffffffffffffffff 0 S_ENDPGM 0 0\n#END_TB\n");
}

static void every_kind_of_line(void **state)
{
    write_traces();
    expect_same(list_path);
}

static void bundled_traces(void **state)
{
    expect_same("tests/traces/gpu/pascal-vectoradd-100");
    expect_same("tests/traces/gpu/gcn3-fir");
    expect_same("tests/traces/gpu/volta-bfs-2blocks");
    expect_same("tests/traces/gpu-raw");
    expect_same("tests/traces/gpu-raw/kernel-266.trace");
}

/* More than one chunk; then more shapes than 16 bits count */
static void large_kernels(void **state)
{
    FILE *file = fopen(kernel_paths[0], "w");

    write_file(list_path, "kernel-1.traceg\n");
    assert_non_null(file);
    fputs("-kernel name = k\n-grid dim = (60,1,1)\n-block dim = (1024,1,1)\n-binary version = 70\n"
          "-accelsim tracer version = 3\n#\n", file);
    for (unsigned block = 0; block < 60; block++) {
        fprintf(file, "#BEGIN_TB\nthread block = %u,0,0\n", block);
        for (unsigned warp = 0; warp < 32; warp++) {
            fprintf(file, "warp = %u\ninsts = 80\n", warp);
            for (unsigned i = 0; i < 80; i++)
                fprintf(file, "%04x %08x 1 R1 LDG.E 1 R2 4 2 0x%llx %lld\n", (unsigned)(16 * random_below(30)),
                        3u << i % 30, ((unsigned long long)random_number() >> 8) + 1000,
                        (long long)random_below(1000) - 500);
        }
        fputs("#END_TB\n", file);
    }
    assert_int_equal(fclose(file), 0);
    expect_same(list_path);

    file = fopen(kernel_paths[0], "w");
    assert_non_null(file);
    fputs("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n"
          "-accelsim tracer version = 3\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 70000\n", file);
    for (unsigned i = 0; i < 70000; i++)
        fprintf(file, "0010 0000ffff 1 R1 LDG.E 1 R2 4 1 0x7f00 %u\n", i);
    fputs("#END_TB\n", file);
    assert_int_equal(fclose(file), 0);
    expect_same(list_path);
}

static void a_kernel_without_blocks(void **state)
{
    write_file(list_path, "kernel-1.traceg\n");
    write_file(kernel_paths[0], HEAD);
    expect_same(list_path);
}

/* --- damage ------------------------------------------------------------------------------------------------------- */

/* Does a store in memory say what the list says? If not, is there an error? */
static bool memory_is_same(const struct gpu_list *text, const uint8_t *bytes, size_t size, struct fault *error)
{
    struct gpu_store *store;
    struct gpu_list stored;
    bool same;

    *error = fault_none();
    store = gpu_store_open_memory("damaged", bytes, size, error);
    if (store == NULL)
        return false;
    same = WORKS(*error, gpu_store_list(store, &stored)) && stored.count == text->count;
    for (size_t i = 0; same && i < gpu_store_about(store)->kernel_count; i++) {
        struct gpu_kernel one, other;

        assert_true(WORKS(*error, gpu_kernel_open(&one, text->folder, gpu_store_about(store)->kernels[i].file)));
        same = WORKS(*error, gpu_store_kernel_open(store, i, &other));
        if (same) {
            same = same_kernel(&one, &other, error);
            gpu_kernel_close(&other);
        }
        gpu_kernel_close(&one);
    }
    gpu_list_close(&stored);
    gpu_store_close(store);
    return same;
}

static void open_small(struct gpu_list *text)
{
    struct fault error = fault_none();

    write_traces();
    if (FAILS(error, trace_list_pack(list_path, NULL, store_path)) || FAILS(error, gpu_list_open(text, list_path)))
        fail_msg("%s", fault_text(error));
}

/* header: "a damaged file is an error, never a wrong trace" */
static void every_flipped_bit_is_found(void **state)
{
    struct fault error;
    struct gpu_list text;
    size_t size;
    uint8_t *bytes;

    open_small(&text);
    bytes = read_file_bytes(store_path, &size);
    assert_true(memory_is_same(&text, bytes, size, &error));
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        if (!memory_is_same(&text, bytes, size, &error) && fault_text(error)[0] == '\0')
            fail_msg("byte %zu of %zu: another trace, and no error", at, size);
        if (fault_text(error)[0] == '\0')
            fail_msg("byte %zu of %zu: no error", at, size);
        bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    free(bytes);
    gpu_list_close(&text);
}

static void every_cut_is_found(void **state)
{
    struct fault error;
    struct gpu_list text;
    size_t size;
    uint8_t *bytes;

    open_small(&text);
    bytes = read_file_bytes(store_path, &size);
    for (size_t left = 0; left < size; left++) {
        uint8_t *const part = malloc(left + 1);

        assert_non_null(part);
        memcpy(part, bytes, left);
        assert_null(gpu_store_open_memory("cut", part, left, &error));
        free(part);
    }
    free(bytes);
    gpu_list_close(&text);
}

static uint8_t *find_words(uint8_t *bytes, size_t size, const uint64_t words[2])
{
    uint8_t wanted[16];

    bits_store64(wanted, words[0]);
    bits_store64(wanted + 8, words[1]);
    for (size_t at = 0; at + sizeof wanted <= size; at++)
        if (memcmp(bytes + at, wanted, sizeof wanted) == 0)
            return bytes + at;
    fail_msg("the words are not there");
    return NULL;
}

static uint8_t *tables_end(uint8_t *bytes, const struct gpu_store_kernel *kernel)
{
    uint8_t *const head = bytes + kernel->place;

    return head + CONTAINER_CHUNK_HEAD_BYTES + bits_load64(head + 8);
}

/* A whole chunk, and whole tables, of another kernel under their right hashes */
static void another_chunk_is_found(void **state)
{
    enum { INDEX = 8 * GPU_CHUNK_INDEX_WORDS };
    struct fault error;
    struct gpu_store *store;
    struct gpu_list text;
    const struct gpu_store_kernel *kernels;
    uint64_t meta;
    size_t size;
    uint8_t *bytes, *entry;

    open_small(&text);
    bytes = read_file_bytes(store_path, &size);
    store = gpu_store_open(store_path, &error);
    assert_non_null(store);
    kernels = gpu_store_about(store)->kernels;
    /* each kernel has one chunk; its index entry is the last thing in the tables */
    memcpy(tables_end(bytes, &kernels[1]) - INDEX, tables_end(bytes, &kernels[0]) - INDEX, 8);
    chunks_hash_again(bytes, size, &gpu_store_kind);
    assert_false(memory_is_same(&text, bytes, size, &error));
    assert_non_null(strstr(fault_text(error), "is another chunk than its index says"));
    free(bytes);

    bytes = read_file_bytes(store_path, &size);
    meta = chunks_index(bytes, size);
    entry = find_words(bytes + meta, size - meta, (uint64_t[]){kernels[1].insts, kernels[1].place});
    bits_store64(entry + 8, kernels[0].place);
    chunks_hash_again(bytes, size, &gpu_store_kind);
    assert_false(memory_is_same(&text, bytes, size, &error));
    assert_non_null(strstr(fault_text(error), "tables of a kernel make no sense"));
    gpu_store_close(store);
    free(bytes);
    gpu_list_close(&text);
}

static void other_files_than_stores_are_refused(void **state)
{
    struct fault error;
    struct gpu_kernel kernel;
    struct gpu_list text;
    char inside[80];

    open_small(&text);
    snprintf(inside, sizeof inside, "%s/", store_path);
    assert_false(WORKS(error, gpu_kernel_open(&kernel, inside, "kernel-9.traceg")));
    assert_non_null(strstr(fault_text(error), "holds no kernel kernel-9.traceg"));
    assert_false(WORKS(error, trace_list_pack(store_path, NULL, list_path)));
    assert_non_null(strstr(fault_text(error), "is a store already"));
    assert_null(gpu_store_open(list_path, &error));
    assert_non_null(strstr(fault_text(error), "is not a store of GPU traces"));
    assert_false(WORKS(error, trace_list_pack(list_path, NULL, folder)));
    assert_int_equal(error.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(error), folder));
    write_file(kernel_paths[1], "nonsense\n");
    assert_false(WORKS(error, trace_list_pack(list_path, NULL, store_path)));
    gpu_list_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_line),
        cmocka_unit_test(bundled_traces),
        cmocka_unit_test(large_kernels),
        cmocka_unit_test(a_kernel_without_blocks),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_cut_is_found),
        cmocka_unit_test(another_chunk_is_found),
        cmocka_unit_test(other_files_than_stores_are_refused)
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
