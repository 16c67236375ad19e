/* proto/gpu/tracez.h: containers made here by libzstd as the format says (gpu-traces 4.4), with a dictionary and
 * without; the writer's, read by libzstd alone; files cut at every byte; an index that lies. */
#include <unistd.h>
#include <zdict.h>
#include <zstd.h>

#include "base/bits.h"
#include "proto/gpu/tracez.h"
#include "tests/support/unit.h"

#define HEADER "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-binary version = 90\n"                 \
    "-accelsim tracer version = 6\n\n#traces format = whatever\n"
#define A "0000 ffffffff 1 R1 MOV 1 R255 0 12 NoVal"
#define B "0010 0000000f 1 R2 LDG.E 1 R4 4 2 0x7000 4 8 16 0 NoVal"
#define C "0020 ffffffff 0 EXIT 0 0 0 NoVal"

/* Blocks of two warps: A, B, C in two frames; C in one; none; A, B and C in one. */
static const char *const frames[] = {A "\n" B, C, C, A "\n" B "\n" C "\n"};
static const unsigned lines[] = {2, 1, 1, 3};
static const char expected[] = HEADER
    "\n#BEGIN_TB\n\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n"
    "\nwarp = 0\ninsts = 3\n" A "\n" B "\n" C "\n\nwarp = 1\ninsts = 1\n" C "\n\n#END_TB\n"
    "\n#BEGIN_TB\n\nthread block = 1,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n"
    "\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 3\n" A "\n" B "\n" C "\n\n#END_TB\n";

static uint8_t file[1 << 18];
static size_t size, index_at;
static struct fault problem;

static void put32(uint32_t word)
{
    bits_store32(file + size, word);
    size += 4;
}

static void put64(uint64_t word)
{
    bits_store64(file + size, word);
    size += 8;
}

/* A warp's frames, frames[from] to frames[from + count - 1]; the answer is its place. */
static uint64_t put_warp(unsigned from, unsigned count, ZSTD_CDict *dictionary)
{
    ZSTD_CCtx *const context = ZSTD_createCCtx();
    uint64_t const at = size;
    uint32_t sum = 0;

    for (unsigned i = from; i < from + count; i++)
        sum += lines[i];
    put32(sum);
    put32(count);
    for (unsigned i = from; i < from + count; i++) {
        size_t const made = ZSTD_compress_usingCDict(context, file + size + 4, 10000, frames[i], strlen(frames[i]),
                                                     dictionary);

        assert_false(ZSTD_isError(made));
        put32((uint32_t)made);
        size += made;
    }
    ZSTD_freeCCtx(context);
    return at;
}

static void put_block(uint32_t number, uint32_t warps)
{
    uint32_t const words[] = {number, 0, 0, 0, 0, 0, number, 0, 0, number, warps};

    for (size_t i = 0; i < COUNT(words); i++)
        put32(words[i]);
}

static void put_index_of(uint64_t at, unsigned from, unsigned count)
{
    uint32_t sum = 0;

    for (unsigned i = from; i < from + count; i++)
        sum += lines[i];
    put32(sum);
    put32(count);
    put64(at);
    for (unsigned i = from; i < from + count; i++)
        put32(lines[i]);
}

static void make(const void *dictionary, size_t dictionary_bytes)
{
    ZSTD_CDict *const made = ZSTD_createCDict(dictionary, dictionary_bytes, 3);
    uint64_t at[4];

    memcpy(file, HEADER, sizeof HEADER);
    size = sizeof HEADER;
    put32((uint32_t)dictionary_bytes);
    put32(2);
    if (dictionary_bytes > 0)
        memcpy(file + size, dictionary, dictionary_bytes);
    size += dictionary_bytes;
    at[0] = put_warp(0, 2, made);
    at[1] = put_warp(2, 1, made);
    at[2] = put_warp(0, 0, made);
    at[3] = put_warp(3, 1, made);
    index_at = size;
    put32(2);
    put_block(0, 2);
    put_index_of(at[0], 0, 2);
    put_index_of(at[1], 2, 1);
    put_block(1, 2);
    put_index_of(at[2], 0, 0);
    put_index_of(at[3], 3, 1);
    put64(index_at);
    ZSTD_freeCDict(made);
}

/* The whole text; NULL: `problem` says why. */
static const char *text_of(size_t bytes)
{
    static char text[1 << 16];
    struct gpu_tracez *const container =
        gpu_tracez_open(&(struct stream_source){.path = "x.tracez", .data = file, .size = bytes}, &problem);
    const uint8_t *from, *end;
    enum gpu_text_step step;
    size_t used = 0;

    if (container == NULL)
        return NULL;
    while ((step = gpu_tracez_next(container, &from, &end, &problem)) == GPU_TEXT_LINE) {
        assert_true(end > from && end[-1] == '\n' && used + (size_t)(end - from) < sizeof text);
        memcpy(text + used, from, (size_t)(end - from));
        used += (size_t)(end - from);
    }
    text[used] = '\0';
    gpu_tracez_close(container);
    return step == GPU_TEXT_END ? text : NULL;
}

static void refuse(const char *words)
{
    if (text_of(size) != NULL)
        fail_msg("accepted; expected: %s", words);
    assert_text(fault_text(problem), "x.tracez: ");
    assert_text(fault_text(problem), "byte ");
    assert_text(fault_text(problem), words);
}

static void gives_the_text(void **state)
{
    static char samples[64 * 400], trained[4096];
    size_t sizes[400], bytes = 0;

    make(NULL, 0);
    assert_string_equal(text_of(size), expected);
    make(A "\n" B "\n" C "\n" A "\n", 3 * strlen(A));
    assert_string_equal(text_of(size), expected);
    for (unsigned i = 0; i < 400; i++) {         /* as Accel-Sim's tool does */
        sizes[i] = (size_t)snprintf(samples + bytes, 64, "%04x ffffffff 1 R%u LDG.E 1 R4 4 1 0x7%03x0 4 0", i * 16,
                                    i % 9, i);
        bytes += sizes[i];
    }
    bytes = ZDICT_trainFromBuffer(trained, sizeof trained, samples, sizes, 400);
    assert_false(ZDICT_isError(bytes));
    make(trained, bytes);
    assert_string_equal(text_of(size), expected);
}

/* Also as a file: windows of it instead of the whole. */
static void reads_files(void **state)
{
    char path[] = "/tmp/rubato-test-XXXXXX.tracez";
    int const made = mkstemps(path, 7);
    struct gpu_kernel kernel;
    struct gpu_block *block;

    make(A "\n" B "\n" C "\n" A "\n", 2 * strlen(A));
    assert_int_equal(write(made, file, size), size);
    close(made);
    assert_fine(gpu_kernel_open(&kernel, "", path));
    assert_int_equal(kernel.header.tracer_major, 6);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    assert_int_equal(block->warps[0].count, 3);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_BLOCK);
    assert_int_equal(block->cluster.rank, 1);
    assert_int_equal(block->warps[0].count, 0);
    assert_int_equal(block->warps[1].count, 3);
    gpu_block_free(block);
    assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_NO_BLOCK);
    gpu_kernel_close(&kernel);
    unlink(path);
    assert_false(WORKS(problem, gpu_kernel_open(&kernel, "", path)));
    assert_text(fault_text(problem), "is not there");
}

static void notices_cuts(void **state)
{
    make(A "\n" B "\n" C "\n" A "\n", 2 * strlen(A));
    for (size_t cut = 0; cut < size; cut++)
        if (text_of(cut) != NULL)
            fail_msg("accepted when cut at byte %zu of %zu", cut, size);
        else
            assert_text(fault_text(problem), " again");
}

/* Words of the index, the warp's own, the frame's length, and what is said of them. */
static void notices_lies(void **state)
{
    make(NULL, 0);

    size_t const dictionary = sizeof HEADER, warp = dictionary + 8, length = warp + 8, frame = length + 4;
    size_t const entry = 4 + 11 * 4;             /* of the first warp, in the index */
    struct {
        size_t at;
        uint32_t word;
        const char *words;
    } const cases[] = {
        {dictionary, 1u << 30, "the dictionary has 1073741824 bytes, more than the file holds"},
        {index_at, 3, "the index ends where a block was expected"},
        {index_at, 1, "the index goes on behind its last block"},
        {index_at + 4 + 40, 3000, "has 3000 warps; expected at most 2048"},
        {index_at + 4 + 40, 1, "the index goes on behind its last block"},
        {index_at + entry, 4, "the warp has 3 instructions in 2 frames; expected 4 in 2"},
        {index_at + entry + 4, 3, "expected 3 in 3"},
        {index_at + entry + 8, 3, "warp 0 is said to begin at byte 3; expected"},
        {index_at + entry + 12, 1, "is said to begin at byte 4294967"},
        {index_at + entry + 16, 1, "the frame has 2 lines; expected 1"},
        {size - 8, 0, "the index is said to begin at byte 0"},
        {size - 4, 1, "the index is said to begin at byte 4294967"},
        {warp, 4, "the warp has 4 instructions in 2 frames; expected 3 in 2"},
        {length, 1u << 30, "frame 0 of warp 0 has 1073741824 bytes, which go beyond"},
        {length, 4, "here is no frame"},
        {frame, 0, "here is no frame"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        make(NULL, 0);
        bits_store32(file + cases[i].at, cases[i].word);
        refuse(cases[i].words);
    }
    make(NULL, 0);
    memset(file, 'a', sizeof HEADER);
    memset(file + sizeof HEADER, 'b', size - sizeof HEADER);
    refuse("the header's text has no zero byte");
}

/* Any damaged byte is noticed, or changes no more than the text. */
static void survives_damage(void **state)
{
    make(A "\n" B "\n" C "\n" A "\n", 2 * strlen(A));
    for (size_t at = 0; at < size; at++) {
        file[at] ^= 0x55;
        if (text_of(size) == NULL)
            assert_true(fault_text(problem)[0] != '\0');
        file[at] ^= 0x55;
    }
    assert_string_equal(text_of(size), expected);
}

/* ---- the writer */

static void put_lines(struct gpu_tracez_writer *writer, unsigned count)
{
    static const char *const three[] = {A "\n", B "\n", C "\n"};

    for (unsigned i = 0; i < count; i++)
        assert_fine(gpu_tracez_writer_line(writer, three[i % 3], strlen(three[i % 3])));
}

/* Two blocks; the first warp has few lines, more than a frame holds, or more than a dictionary holds. */
static void writes(void **state)
{
    static const unsigned counts[] = {0, 1, 3, 2048, 2049, 5000};

    for (size_t i = 0; i < COUNT(counts); i++) {
        char path[] = "/tmp/rubato-test-XXXXXX";
        int const made = mkstemp(path);
        struct sink *const sink = sink_open_descriptor(dup(made), "written", &problem);
        struct gpu_tracez_writer *const writer = gpu_tracez_writer_new(sink);
        struct gpu_kernel kernel;
        struct gpu_block *block;

        unlink(path);
        assert_fine(gpu_tracez_writer_header(writer, HEADER, strlen(HEADER)));
        for (uint32_t number = 0; number < 2; number++) {
            assert_fine(gpu_tracez_writer_block(writer, &(struct gpu_block){.id = {number, 0, 0}}));
            assert_fine(gpu_tracez_writer_warp(writer));
            put_lines(writer, counts[i]);
            assert_fine(gpu_tracez_writer_warp(writer));
            put_lines(writer, 3);
        }
        assert_fine(gpu_tracez_writer_finish(writer));
        gpu_tracez_writer_free(writer);
        assert_fine(sink_close(sink));
        size = (size_t)pread(made, file, sizeof file, 0);
        close(made);
        assert_fine(gpu_kernel_open_memory(&kernel, "x.tracez", file, size));
        for (uint32_t number = 0; number < 2; number++) {
            if (gpu_kernel_next_block(&kernel, &block, &problem) != GPU_BLOCK)
                fail_msg("%u lines: %s", counts[i], fault_text(problem));
            assert_int_equal(block->id[0], number);
            assert_int_equal(block->warps[0].count, counts[i]);
            assert_int_equal(block->warps[1].count, 3);
            gpu_block_free(block);
        }
        assert_int_equal(gpu_kernel_next_block(&kernel, &block, &problem), GPU_NO_BLOCK);
        gpu_kernel_close(&kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_text), cmocka_unit_test(reads_files), cmocka_unit_test(notices_cuts),
        cmocka_unit_test(notices_lies), cmocka_unit_test(survives_damage), cmocka_unit_test(writes)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
