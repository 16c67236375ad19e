/* .rbt: any content is read back as written; damage is found; the whole blocks of a cut file are read. */
#include "tests/support/unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/insn/rbt/copy.h"
#include "proto/insn/rbt/rbt_file.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "tests/support/chunks.h"
#include "tests/support/random_numbers.h"
#include "tests/support/temporary_file.h"

enum { THREADS = 3, MOST_ACCESSES = 40, STATICS = 300 };

static char path[TEMPORARY_PATH];
static struct fault error;

struct event {
    bool is_marker;
    struct insn_marker marker;
    struct insn insn;
    uint8_t bytes[INSN_ENCODING_BYTES];
    uint8_t length;
    size_t first_access;
};

/* The written instructions, by thread. */
static struct expected {
    struct event *events;
    size_t count;
    struct insn_access *accesses;
    size_t access_count;
} expected[THREADS];

static struct rbt_writer *create(void)
{
    struct rbt_description const about = {.isa = ISA_X86_64, .lacks = 1u << INSN_LACKS_HITS, .source = "a test",
                                          .command = "ls -l"};
    struct rbt_writer *const writer = rbt_writer_create(path, &about, &error);

    if (!writer)
        fail_msg("%s", fault_text(error));
    return writer;
}

/* ---- random traces */

struct program { uint8_t bytes[STATICS][2][INSN_ENCODING_BYTES], length[STATICS], version[STATICS], met[STATICS]; };

/* As after the code at 0x3000: registers, memory at first, and what two calls wrote. */
static const struct insn_memory kept_memory = {
    .has_start = true,
    .start = {.pc = 0x3000, .lead = 2, .registers = {0, 7, [2] = 0x7000, [31] = UINT64_MAX, [63] = 9}},
    .pieces = (struct insn_piece[]){{0, 0x3000, 0x2000, 0, INSN_PIECE_IMAGE}, {0, 0x1000, 5, 0, INSN_PIECE_BYTES},
                                    {0, 0x9000, 4096, 5, INSN_PIECE_ZEROS}, {1, 0x1002, 2, 5, INSN_PIECE_BYTES},
                                    {1000, 0x1000, 1, 7, INSN_PIECE_BYTES}},
    .piece_count = 5, .bytes = (uint8_t *)(uintptr_t)"memorywx", .byte_count = 8
};

static const char program_bytes[] = "the program, the program, the program, t";

static bool is_uneven;                   /* the first thread has half of the events */

/* Many follow from an access before, mostly the same one each time, or from their pc. */
static void make_source(const struct expected *to, uint64_t pc, uint64_t number, struct insn_access *access)
{
    uint64_t back;

    back = random_below(50) == 0 ? 1 + random_below(255) : 1 + number % 7;
    access->by = number % 8 == 6 ? 0 - number : number << number % 60;
    access->is_of_pc = number % 16 == 9;
    access->back = (uint8_t)(number % 16 > 9 && back < to->access_count ? back : 0);
    if (insn_access_follows(access))
        access->address = (access->is_of_pc ? pc : access[-(ptrdiff_t)back].address) + access->by;
}

static void make_accesses(struct expected *to, struct insn *insn, uint64_t number)
{
    size_t count = number % 4 == 0 ? 0 : number % 4 == 3 ? 1 + number % 3 : 1;

    if (number % 41 == 7)
        count = random_below(MOST_ACCESSES);
    for (size_t i = 0; i < count; i++) {
        uint64_t const kind = random_below(10);
        struct insn_access *const access = &to->accesses[to->access_count++];

        *access = (struct insn_access){.size_bytes = (uint32_t)(number % 5 == 0 ? 0 : 1u << random_below(4)),
                                       .is_write = (number + i) % 2};
        access->address = kind == 0 ? random_bits() : kind < 3 ? random_below(1 << 20)
            : 0x10000 * number + 8 * to->count + i;
        make_source(to, insn->pc, number, access);
    }
    insn->access_count = count;
}

static void make_insn(struct program *program, struct expected *to, uint64_t at,
                      struct event *event)
{
    uint64_t const number = random_below(9) == 0 ? random_below(STATICS) : at % STATICS;
    struct insn *const insn = &event->insn;

    if (random_below(500) == 0 && program->length[number] > 0)
        program->version[number] ^= 1;
    insn->pc = number == 0 ? 0 : 0x400000 + 4 * number;
    insn->size_bytes = (uint32_t)(number % 7 == 0 ? 0 : program->length[number]);
    insn->form = number % 50 == 49 ? INSN_ACCESS_ONLY : random_below(20) == 0 ? INSN_REPEAT : INSN_EXECUTED;
    insn->kind = (enum isa_kind)(number % ISA_KIND_COUNT);
    insn->branch = (enum insn_branch)random_below(3);
    insn->has_target = number % 6 == 2;
    insn->target = !insn->has_target ? 0 : random_below(3) == 0 ? random_bits() : insn->pc + 4;
    insn->gap = number % 13 == 5 ? random_below(100) : 0;
    event->length = program->length[number];
    memcpy(event->bytes, program->bytes[number][program->version[number]], event->length);
    /* As readers do: bytes that are new or changed, at times others, too. */
    if (event->length > 0 && (program->met[number] != program->version[number] + 1 || random_below(30) == 0)) {
        insn->encoding_bytes = event->length;
        memcpy(insn->encoding, event->bytes, event->length);
    }
    program->met[number] = (uint8_t)(program->version[number] + 1);
    event->first_access = to->access_count;
    make_accesses(to, insn, number);
}

static void make_marker(struct event *event)
{
    event->is_marker = true;
    event->marker.kind = (enum insn_marker_kind)random_below(INSN_MARKER_COUNT);
    event->marker.value = random_below(2) ? random_below(1000) : random_bits();
    event->marker.arg_count = (unsigned)random_below(INSN_MARKER_ARGS + 1);
    for (unsigned i = 0; i < event->marker.arg_count; i++)
        event->marker.args[i] = random_bits();
}

static void make_program(struct program *program)
{
    memset(program, 0, sizeof *program);
    for (size_t i = 0; i < STATICS; i++) {
        program->length[i] = (uint8_t)(i % 11 == 0 ? 0 : 1 + random_below(INSN_ENCODING_BYTES));
        for (size_t k = 0; k < sizeof program->bytes[i]; k++)
            ((uint8_t *)program->bytes[i])[k] = (uint8_t)random_bits();
        program->bytes[i][1][0] = (uint8_t)(program->bytes[i][0][0] + 1);
    }
}

/* `count` events in all, of three threads that take turns. */
static void write_random(uint64_t seed, size_t count)
{
    static struct program program;
    struct rbt_writer *const writer = create();

    random_state = seed;
    make_program(&program);
    for (size_t t = 0; t < THREADS; t++) {
        expected[t].events = calloc(count, sizeof *expected[t].events);
        expected[t].accesses = calloc(count + 1, MOST_ACCESSES * sizeof *expected[t].accesses);
        expected[t].count = expected[t].access_count = 0;
        assert_non_null(expected[t].events);
        assert_non_null(expected[t].accesses);
        assert_int_equal(rbt_writer_thread(writer, 100 + t, &error), t);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t const t = (uint32_t)(i / 100 % (is_uneven ? THREADS + 1 : THREADS) % THREADS);
        struct event *const event = &expected[t].events[expected[t].count];

        if (random_below(40) == 0) {
            make_marker(event);
            assert_true(WORKS(error, rbt_writer_mark(writer, t, &event->marker)));
        } else {
            make_insn(&program, &expected[t], i, event);
            event->insn.accesses = expected[t].accesses + event->first_access;
            assert_true(WORKS(error, rbt_writer_put(writer, t, &event->insn, NULL)));
        }
        expected[t].count++;
    }
    assert_true(WORKS(error, rbt_writer_image(writer, 0x400000, (const uint8_t *)"code", 4)));
    assert_true(WORKS(error, rbt_writer_program(writer, &(struct insn_kept){
        .name = (char *)(uintptr_t)"ls", .build_id = "\1\2\3", .build_id_bytes = 3, .base = 0x1000, .byte_count = 40,
        .bytes = (uint8_t *)(uintptr_t)program_bytes, .hash = hash64(program_bytes, 40),
        .sp = 0x7000, .stack = (uint64_t[]){1, 0x7ff0, 0}, .stack_words = 3, .memory = kept_memory})));
    for (uint64_t i = 0; i < 100; i++)
        assert_true(WORKS(error, rbt_writer_page(writer, &(struct insn_page){4096 * i, 4096 * (i * i % 77), 4096})));
    assert_true(WORKS(error, rbt_writer_note(writer, "left out", 42)));
    if (FAILS(error, rbt_writer_finish(writer)))
        fail_msg("%s", fault_text(error));
}

static void forget(void)
{
    for (size_t t = 0; t < THREADS; t++) {
        free(expected[t].events);
        free(expected[t].accesses);
    }
    unlink(path);
}

static bool is_same_insn(const struct event *event, const struct expected *of, const struct insn *insn,
                         uint64_t thread, const uint8_t *bytes, size_t length)
{
    const struct insn *const wanted = &event->insn;

    if (insn->thread != thread || insn->pc != wanted->pc || insn->size_bytes != wanted->size_bytes
        || insn->form != wanted->form || insn->kind != wanted->kind || insn->branch != wanted->branch
        || insn->has_target != wanted->has_target || insn->target != wanted->target || insn->gap != wanted->gap
        || insn->access_count != wanted->access_count || length != event->length
        || memcmp(bytes, event->bytes, length) != 0)
        return false;
    for (size_t i = 0; i < insn->access_count; i++) {
        const struct insn_access *const access = &of->accesses[event->first_access + i];

        if (insn->accesses[i].address != access->address || insn->accesses[i].size_bytes != access->size_bytes
            || insn->accesses[i].is_write != access->is_write)
            return false;
    }
    return true;
}

static bool is_same_marker(const struct insn_marker *wanted, const struct insn_marker *marker)
{
    return marker->kind == wanted->kind && marker->value == wanted->value && marker->arg_count == wanted->arg_count
        && memcmp(marker->args, wanted->args, wanted->arg_count * sizeof *wanted->args) == 0;
}

/* How many events of a thread were read and are as expected; SIZE_MAX: one is not. *good: up to the end. */
static size_t read_thread(const struct insn_trace *trace, size_t t, bool *good)
{
    struct insn_cursor *const cursor = insn_cursor_open(trace, t, &error);
    const struct expected *const of = &expected[insn_trace_thread(trace, t)->id - 100];
    struct insn_event event;
    enum insn_step step;
    size_t count = 0;

    assert_non_null(cursor);
    while ((step = insn_cursor_next(cursor, &event, &error)) == INSN_RECORD) {
        const struct event *const wanted = &of->events[count];
        const uint8_t *bytes = NULL;
        size_t const length = event.is_marker ? 0 : insn_cursor_bytes(cursor, event.number, &bytes);

        if (count >= of->count || event.is_marker != wanted->is_marker
            || (event.is_marker ? !is_same_marker(&wanted->marker, &event.marker)
                : !is_same_insn(wanted, of, &event.insn, insn_trace_thread(trace, t)->id, bytes, length))) {
            insn_cursor_close(cursor);
            return SIZE_MAX;
        }
        count++;
    }
    *good = step == INSN_END;
    insn_cursor_close(cursor);
    return count;
}

static void comes_back(uint64_t seed, size_t count)
{
    const struct insn_image *images;
    const struct insn_kept *kept;
    const struct insn_page *pages;
    struct insn_trace *trace;
    uint64_t noted;
    bool good;

    make_temporary_file(path);
    write_random(seed, count);
    trace = insn_trace_open_raw(path, &error);
    if (!trace)
        fail_msg("%s", fault_text(error));
    assert_int_equal(insn_trace_threads(trace), THREADS);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(read_thread(trace, t, &good), expected[t].count);
        assert_true(good);
    }
    assert_int_equal(insn_trace_isa(trace), ISA_X86_64);
    assert_int_equal(insn_trace_lacks(trace), 1u << INSN_LACKS_HITS);
    assert_string_equal(insn_trace_command(trace), "ls -l");
    assert_int_equal(insn_trace_images(trace, &images), 1);
    assert_memory_equal(images[0].bytes, "code", 4);
    kept = insn_trace_kept(trace);
    assert_non_null(kept);
    assert_string_equal(kept->name, "ls");
    assert_int_equal(kept->build_id_bytes, 3);
    assert_memory_equal(kept->build_id, "\1\2\3", 3);
    assert_int_equal(kept->base, 0x1000);
    assert_int_equal(kept->byte_count, 40);
    assert_memory_equal(kept->bytes, program_bytes, 40);
    assert_int_equal(kept->sp, 0x7000);
    assert_int_equal(kept->stack_words, 3);
    assert_int_equal(kept->stack[1], 0x7ff0);
    assert_true(kept->memory.has_start);
    assert_int_equal(kept->memory.start.pc, 0x3000);
    assert_int_equal(kept->memory.start.lead, 2);
    assert_memory_equal(kept->memory.start.registers, kept_memory.start.registers, sizeof kept_memory.start.registers);
    assert_int_equal(kept->memory.piece_count, kept_memory.piece_count);
    for (size_t i = 0; i < kept_memory.piece_count; i++) {
        assert_int_equal(kept->memory.pieces[i].call, kept_memory.pieces[i].call);
        assert_int_equal(kept->memory.pieces[i].address, kept_memory.pieces[i].address);
        assert_int_equal(kept->memory.pieces[i].byte_count, kept_memory.pieces[i].byte_count);
        assert_int_equal(kept->memory.pieces[i].kind, kept_memory.pieces[i].kind);
    }
    assert_memory_equal(kept->memory.bytes, "memorywx", 8);
    assert_int_equal(insn_trace_pages(trace, &pages), 100);
    assert_int_equal(pages[9].physical_address, 4096 * (81 % 77));
    assert_string_equal(insn_trace_note(trace, 0, &noted), "left out");
    assert_int_equal(noted, 42);
    insn_trace_close(trace);
    forget();
}

static void random_traces_are_read_back(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        comes_back(seed, 300 * seed);
}

/* rbt_format.h: blocks of 1,048,576 instructions */
static void across_blocks(void **state)
{
    is_uneven = true;
    comes_back(77, 2160000);
    is_uneven = false;
}

/* The reader's format gives the same as the cursors, thread by thread, with bytes where they are new. */
static void as_a_format(void **state)
{
    uint8_t bytes[STATICS][INSN_ENCODING_BYTES], lengths[STATICS] = {0};
    struct insn_reader *reader;
    enum insn_step step;
    struct insn insn;
    size_t at[THREADS] = {0};

    make_temporary_file(path);
    write_random(5, 5000);
    reader = insn_reader_open(path, &error);
    assert_non_null(reader);
    assert_string_equal(insn_reader_name(reader), "rbt");
    insn_reader_want_markers(reader);
    while ((step = insn_reader_next(reader, &insn, &error)) == INSN_RECORD || step == INSN_MARKED) {
        size_t const t = insn.thread - 100, number = insn.pc == 0 ? 0 : (insn.pc - 0x400000) / 4;
        const struct event *const wanted = &expected[t].events[at[t]++];

        assert_int_equal(step == INSN_MARKED, wanted->is_marker);
        if (step == INSN_MARKED) {
            assert_true(is_same_marker(&wanted->marker, insn_reader_marker(reader)));
            continue;
        }
        if (insn.encoding_bytes > 0) {
            lengths[number] = insn.encoding_bytes;
            memcpy(bytes[number], insn.encoding, insn.encoding_bytes);
        }
        assert_true(is_same_insn(wanted, &expected[t], &insn, insn.thread, bytes[number], lengths[number]));
    }
    assert_int_equal(step, INSN_END);
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(at[t], expected[t].count);
    insn_reader_close(reader);
    forget();
}

/* ---- damage */

static uint8_t *read_file(size_t *size)
{
    FILE *const file = fopen(path, "rb");
    uint8_t *const bytes = malloc(1 << 24);

    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Is the file refused, or all of it as it was? */
static bool is_refused_or_same(void)
{
    struct insn_trace *const trace = insn_trace_open_raw(path, &error);
    bool is_same = true, good = true;

    if (!trace)
        return fault_text(error)[0] != '\0';
    for (size_t t = 0; is_same && good && t < insn_trace_threads(trace); t++) {
        size_t const count = read_thread(trace, t, &good);

        is_same = count != SIZE_MAX && (!good || count == expected[t].count);
    }
    insn_trace_close(trace);
    return is_same;
}

/* Flips a bit of each byte at both ends, and of every step-th byte between them: no flip changes the content that is
 * read. */
static void flip_bits(uint8_t *bytes, size_t size, size_t step)
{
    enum { END_BYTES = 64 };

    for (size_t i = 0; i < size; i += i < END_BYTES || i + END_BYTES > size ? 1 : step) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        write_file(bytes, size);
        if (!is_refused_or_same())
            fail_msg("a bit of byte %zu of %zu changes what is read", i, size);
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
}

static void every_flipped_bit_is_found(void **state)
{
    uint8_t *bytes;
    size_t size;

    make_temporary_file(path);
    write_random(3, 120);
    bytes = read_file(&size);
    flip_bits(bytes, size, 1);
    free(bytes);
    forget();
}

/* rbt_file.h: a program that cannot be is one error, also behind a hash that is right */
static void damaged_programs_are_refused(void **state)
{
    unsigned refused = 0, tried = 0;
    uint8_t *bytes;
    size_t size;

    make_temporary_file(path);
    write_random(5, 10);
    bytes = read_file(&size);
    for (size_t at = 0, begin = 0, end = 0; at < size; at++) {
        struct container_chunk chunk;
        struct insn_trace *trace;
        uint8_t const was = bytes[at];

        if (at % CONTAINER_ALIGNMENT == 0 && !container_look(bytes, size, at, &rbt_kind, false, &chunk)
            && chunk.kind == RBT_PROGRAM)
            begin = at + CONTAINER_CHUNK_HEAD_BYTES, end = begin + chunk.length;
        if (at < begin || at >= end)
            continue;
        bytes[at] ^= (uint8_t)(1 + random_below(255));
        chunks_hash_again(bytes, size, &rbt_kind);
        write_file(bytes, size);
        trace = insn_trace_open_raw(path, &error);
        tried++;
        refused += trace == NULL;
        if (trace == NULL)
            assert_text(fault_text(error), path);
        insn_trace_close(trace);
        bytes[at] = was;
    }
    assert_true(tried > 300 && refused > 20);
    free(bytes);
    forget();
}

/* A file that is cut is refused with a hint at the remedy; its whole blocks are read by salvage. */
static void cuts(void **state)
{
    size_t size, most = 0;
    uint8_t *bytes;

    make_temporary_file(path);
    write_random(4, 900000);
    bytes = read_file(&size);
    for (size_t length = 0; length < size; length += length < 64 || length > size - 64 ? 1 : size / 37) {
        struct insn_trace *trace;

        write_file(bytes, length);
        assert_null(insn_trace_open_raw(path, &error));
        assert_text(fault_text(error), path);
        trace = insn_trace_open_salvaged(path, &error);
        for (size_t t = 0; trace && t < insn_trace_threads(trace); t++) {
            bool good;
            size_t const count = read_thread(trace, t, &good);

            assert_true(count != SIZE_MAX && good);
            most = count > most ? count : most;
        }
        insn_trace_close(trace);
    }
    assert_true(most >= 262144);
    free(bytes);
    forget();
}

/* A full disk: the written part is whole if the file is finished all the same. */
static void a_full_disk(void **state)
{
    struct rlimit before, limit;
    struct rbt_writer *writer;
    struct insn_trace *trace;
    struct insn_access access = {.size_bytes = 8};
    struct insn insn = {.size_bytes = 4, .accesses = &access, .access_count = 1};
    uint64_t put = 0;

    make_temporary_file(path);
    writer = create();
    assert_int_equal(rbt_writer_thread(writer, 1, &error), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 10000000;
    setrlimit(RLIMIT_FSIZE, &limit);
    for (;; put++) {
        insn.pc = 0x1000 + 4 * (put % 1000);
        access.address = random_bits();
        if (FAILS(error, rbt_writer_put(writer, 0, &insn, NULL)))
            break;
    }
    assert_text(fault_text(error), "cannot be written");
    assert_true(WORKS(error, rbt_writer_finish(writer)));
    setrlimit(RLIMIT_FSIZE, &before);
    trace = insn_trace_open_raw(path, &error);
    if (!trace)
        fail_msg("%s", fault_text(error));
    assert_true(insn_trace_thread(trace, 0)->instructions > 0 && insn_trace_thread(trace, 0)->instructions <= put);
    insn_trace_close(trace);
    unlink(path);
}

static void other_files(void **state)
{
    static const uint8_t newer[] = "\x89rubrbt\n\x02\0\0\0\0\0\0\0        ";

    make_temporary_file(path);
    write_file(newer, sizeof newer - 1);
    assert_null(insn_trace_open_raw(path, &error));
    assert_text(fault_text(error), "byte 8: is an .rbt file of version 2; expected version 1; capture or convert");
    unlink(path);
}

/* ---- copies */

/* rbt/copy.h: a range of each thread, and of some threads only; a copy of all is the same file. */
static void parts(void **state)
{
    uint64_t const wanted[] = {101};
    struct rbt_copy_request request = {.behind = UINT64_MAX};
    struct rbt_copy_result result;
    struct insn_trace *trace;
    char other[80];
    uint8_t *first, *second;
    size_t sizes[2];

    make_temporary_file(path);
    write_random(9, 3000);
    first = read_file(&sizes[0]);
    snprintf(other, sizeof other, "%s.copy", path);
    trace = insn_trace_open_raw(path, &error);
    assert_non_null(trace);
    request.path = other;
    assert_true(WORKS(error, rbt_copy(trace, &request, &result)));
    assert_int_equal(result.threads, THREADS);
    request.threads = wanted;
    request.thread_count = 1;
    request.first = 100;
    request.behind = 150;
    insn_trace_close(trace);
    trace = insn_trace_open_raw(other, &error);
    assert_non_null(trace);
    for (size_t t = 0; t < THREADS; t++) {
        bool good;

        assert_int_equal(read_thread(trace, t, &good), expected[t].count);
    }
    unlink(path);
    request.path = path;
    assert_true(WORKS(error, rbt_copy(trace, &request, &result)));
    assert_int_equal(result.insns, 50);
    insn_trace_close(trace);
    second = read_file(&sizes[1]);
    assert_true(sizes[1] < sizes[0]);
    free(first);
    free(second);
    unlink(other);
    forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_are_read_back), cmocka_unit_test(across_blocks), cmocka_unit_test(as_a_format),
        cmocka_unit_test(every_flipped_bit_is_found), cmocka_unit_test(damaged_programs_are_refused),
        cmocka_unit_test(cuts), cmocka_unit_test(a_full_disk), cmocka_unit_test(other_files), cmocka_unit_test(parts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
