/* What a capture's host tells, kept in a file, and read from it again: how long the conversion takes without a host
 * that runs beside it.
 *
 *     capture_words keep FILE WORDS FOLDER -- PROGRAM ARGUMENTS
 *     capture_words feed[-plain] FILE [TRACE.rbt]
 *
 * keep: runs the program in QEMU with the plugin in FOLDER, until its first thread has sent WORDS words.
 * feed: reads FILE as a capture does, feed-plain as one with the plain engine, and writes TRACE.rbt; without that, the
 * output is discarded where an encoder would begin. Prints words, instructions, seconds of processor time.
 * FILE: magic, ISA, number of the thread's words, number of the statics' words; the thread's; the statics'. These are
 * all read first. Exit code 2: it cannot be done. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/host_facts.h"
#include "proto/capture/assemble.h"
#include "proto/capture/fast/bind_capture.h"
#include "proto/capture/host.h"

#define FILE_MAGIC 0x73647277746362ull           /* "bctwrds" */
enum { HEAD_MAGIC, HEAD_ISA, HEAD_LANE, HEAD_STATICS, HEAD_WORDS };
enum { PIECE_WORDS = 1 << 14, PAUSE_NS = 300000, RUNS_ROOM = 1 << 20, ACCESSES_ROOM = 1 << 20 };

extern char **environ;

static int fail(const char *text)
{
    fprintf(stderr, "capture_words: %s\n", text);
    return 2;
}

/* --- keep --- */

struct keeping {
    struct capture_area *area;
    FILE *file, *statics;
    uint64_t head[HEAD_WORDS];
};

static bool keep_words(FILE *file, const uint64_t *ring, uint64_t room, uint64_t at, uint64_t words)
{
    const uint64_t begin = at & (room - 1), first = min_u64(words, room - begin);

    return fwrite(ring + begin, 8, first, file) == first && fwrite(ring, 8, words - first, file) == words - first;
}

static bool keep_new(struct keeping *keeping, bool has_ended, uint64_t *filled)
{
    struct capture_lane *const lane = &keeping->area->lanes[0];
    struct capture_statics *const statics = &keeping->area->statics;
    const uint64_t written = __atomic_load_n(&statics->written, __ATOMIC_ACQUIRE);

    *filled = capture_lane_filled(lane, has_ended);
    if (!keep_words(keeping->statics, capture_statics_words(keeping->area), CAPTURE_STATICS_WORDS, statics->read,
                    written - statics->read) ||
        !keep_words(keeping->file, capture_lane_words(keeping->area, 0), CAPTURE_LANE_WORDS, lane->read, *filled))
        return false;
    keeping->head[HEAD_STATICS] += written - statics->read;
    keeping->head[HEAD_LANE] += *filled;
    __atomic_store_n(&statics->read, written, __ATOMIC_RELEASE);
    __atomic_store_n(&lane->read, lane->read + *filled, __ATOMIC_RELEASE);
    return true;
}

static bool keep_all(struct keeping *keeping, pid_t pid, uint64_t most)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    bool has_ended = false;
    uint64_t filled;

    do {
        has_ended = has_ended || waitpid(pid, NULL, WNOHANG) == pid;
        if (!keep_new(keeping, has_ended, &filled))
            return false;
        if (filled == 0 && !has_ended)
            nanosleep(&pause, NULL);
    } while ((filled > 0 || !has_ended) && keeping->head[HEAD_LANE] < most);
    if (!has_ended) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return keep_new(keeping, true, &filled);
}

/* The statics behind the thread's words, then the head. */
static bool close_file(struct keeping *keeping)
{
    uint64_t word;

    rewind(keeping->statics);
    for (uint64_t i = 0; i < keeping->head[HEAD_STATICS]; i++)
        if (fread(&word, sizeof word, 1, keeping->statics) != 1 || fwrite(&word, sizeof word, 1, keeping->file) != 1)
            return false;
    rewind(keeping->file);
    return fwrite(keeping->head, sizeof keeping->head, 1, keeping->file) == 1 && fclose(keeping->file) == 0 &&
        fclose(keeping->statics) == 0;
}

static struct capture_area *make_area(int *file)
{
    struct capture_area *area;

    *file = memfd_create("capture_words", MFD_CLOEXEC);
    if (*file < 0 || ftruncate(*file, (off_t)capture_area_bytes()) != 0)
        return NULL;
    area = mmap(NULL, capture_area_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *file, 0);
    if (area == MAP_FAILED)
        return NULL;
    area->magic = CAPTURE_MAGIC;
    area->reader_pid = (uint64_t)getpid();
    area->main_only = 1;
    return area;
}

static int keep(const char *path, uint64_t most, const char *folder, char **argv)
{
    const struct host_options options = {.kind = HOST_QEMU, .search = getenv("PATH"), .folder = folder};
    struct keeping keeping = {.head = {[HEAD_MAGIC] = FILE_MAGIC}};
    struct program program;
    struct host_command command;
    struct fault error;
    char area_path[64];
    int area_file;
    pid_t pid;

    keeping.area = make_area(&area_file);
    if (keeping.area == NULL)
        return fail("no shared memory");
    snprintf(area_path, sizeof area_path, "/proc/%ld/fd/%d", (long)getpid(), area_file);
    if (FAILS(error, program_find(&program, argv, options.search))
        || FAILS(error, host_command(&command, &program, &options, area_path)))
        return fail(fault_text(error));
    keeping.head[HEAD_ISA] = program.isa;
    keeping.file = fopen(path, "wb");
    keeping.statics = tmpfile();
    if (keeping.file == NULL || keeping.statics == NULL ||
        fwrite(keeping.head, sizeof keeping.head, 1, keeping.file) != 1)
        return fail("the file cannot be written");
    if (posix_spawn(&pid, command.argv[0], NULL, NULL, command.argv, environ) != 0)
        return fail("QEMU cannot be started");
    if (!keep_all(&keeping, pid, most) || !close_file(&keeping))
        return fail("the file cannot be written");
    host_command_free(&command);
    program_free(&program);
    return keeping.head[HEAD_LANE] != 0 ? 0 : fail("nothing was told");
}

/* --- feed --- */

/* Sink of runs and addresses that are not encoded. */
struct nowhere {
    uint32_t *runs, run_count;
    uint64_t *addresses;
    uint64_t filled;
};

static uint32_t nowhere_thread(void *of, uint64_t id, struct fault *error)
{
    (void)of, (void)error;
    return (uint32_t)id;
}

static struct fault nowhere_put(void *of, uint32_t thread, const struct insn *insn)
{
    (void)of, (void)thread, (void)insn;
    return fault_none();
}

static struct fault nowhere_mark(void *of, uint32_t thread, const struct insn_marker *marker)
{
    (void)of, (void)thread, (void)marker;
    return fault_none();
}

static uint32_t nowhere_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    struct nowhere *const nowhere = of;

    (void)thread, (void)count, (void)accesses;
    return nowhere->run_count++;
}

static uint32_t nowhere_join(void *of, const uint32_t *runs, unsigned count)
{
    return nowhere_run(of, 0, count, runs[0]);
}

/* As large as a block of a trace, and filled before it begins anew, so that as much memory is written. */
static bool nowhere_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    struct nowhere *const nowhere = of;

    (void)thread;
    if (nowhere->filled > ACCESSES_ROOM / 2)
        nowhere->filled = 0;
    *room = (struct rbt_writer_room){
        .runs = nowhere->runs, .addresses = nowhere->addresses + nowhere->filled, .insns = RUNS_ROOM,
        .accesses = ACCESSES_ROOM - (uint32_t)nowhere->filled
    };
    return true;
}

static void nowhere_put_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                             uint32_t followed, uint64_t target)
{
    struct nowhere *const nowhere = of;

    (void)thread, (void)count, (void)insns, (void)followed, (void)target;
    nowhere->filled += accesses;
}

static uint32_t writer_thread(void *of, uint64_t id, struct fault *error)
{
    return rbt_writer_thread(of, id, error);
}

static struct fault writer_put(void *of, uint32_t thread, const struct insn *insn)
{
    return rbt_writer_put(of, thread, insn, NULL);
}

static struct fault writer_mark(void *of, uint32_t thread, const struct insn_marker *marker)
{
    return rbt_writer_mark(of, thread, marker);
}

static uint32_t writer_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    return rbt_writer_run(of, thread, count, accesses);
}

static uint32_t writer_join(void *of, const uint32_t *runs, unsigned count)
{
    return rbt_writer_join(of, runs, count);
}

static bool writer_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    return rbt_writer_room(of, thread, room);
}

static void writer_put_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                            uint32_t followed, uint64_t target)
{
    rbt_writer_put_runs(of, thread, count, insns, accesses, followed, target);
}

/* The whole file in memory, each page touched. */
static const uint64_t *load(const char *path)
{
    const int file = open(path, O_RDONLY);
    const uint64_t *head;
    struct stat status;
    uint64_t words;
    void *map;

    if (file < 0 || fstat(file, &status) != 0)
        return NULL;
    words = (uint64_t)status.st_size / 8;
    map = words > HEAD_WORDS ? mmap(NULL, 8 * words, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0) : MAP_FAILED;
    close(file);
    head = map;
    return map != MAP_FAILED && head[HEAD_MAGIC] == FILE_MAGIC && head[HEAD_LANE] < words &&
        head[HEAD_STATICS] == words - HEAD_WORDS - head[HEAD_LANE] ? head : NULL;
}

/* In parts as large as those that a capture takes. The last event may be cut. */
static bool feed_all(struct code *code, struct assembler *assembler, const uint64_t *head, struct fault *error)
{
    const uint64_t *const words = head + HEAD_WORDS, *const statics = words + head[HEAD_LANE];

    error->kind = FAULT_NONE;
    for (uint64_t at = 0, done = 1; done > 0; at += done) {
        done = code_read(code, statics + at, 0, head[HEAD_STATICS] - at, error);
        if (error->kind != FAULT_NONE)
            return false;
    }
    for (uint64_t at = 0, done = 1; done > 0; at += done) {
        done = assemble_read(assembler, 0, words + at, 0, min_u64(head[HEAD_LANE] - at, PIECE_WORDS), error);
        if (error->kind != FAULT_NONE)
            return false;
    }
    return WORKS(*error, assemble_close(assembler, 0));
}

static bool make_sink(struct assemble_sink *sink, struct nowhere *nowhere, enum isa isa, const char *trace,
                      struct fault *error)
{
    const struct rbt_description description = {.isa = isa, .source = "capture_words", .command = "", .is_quick = true};

    if (trace != NULL) {
        *sink = (struct assemble_sink){
            .of = rbt_writer_create(trace, &description, error), .thread = writer_thread, .put = writer_put,
            .mark = writer_mark, .run = writer_run, .join = writer_join, .room = writer_room,
            .put_runs = writer_put_runs
        };
        return sink->of != NULL;
    }
    nowhere->runs = calloc(RUNS_ROOM, sizeof *nowhere->runs);
    nowhere->addresses = calloc(ACCESSES_ROOM, sizeof *nowhere->addresses);
    *sink = (struct assemble_sink){
        .of = nowhere, .thread = nowhere_thread, .put = nowhere_put, .mark = nowhere_mark, .run = nowhere_run,
        .join = nowhere_join, .room = nowhere_room, .put_runs = nowhere_put_runs
    };
    return (nowhere->runs != NULL && nowhere->addresses != NULL) || WORKS(*error, fault_memory("capture_words", NULL));
}

static int feed(const char *path, const char *trace, bool is_plain)
{
    static const struct assemble_region all = {.to_count = UINT64_MAX, .at_most = UINT64_MAX};
    const uint64_t *const head = load(path);
    struct nowhere nowhere = {0};
    struct assemble_sink sink;
    struct code code;
    struct fault error;

    if (head == NULL)
        return fail("no file that it has kept");

    const enum isa isa = (enum isa)head[HEAD_ISA];
    struct isa_decoder *const decoder = isa_decoder_open(isa, &error);

    if (decoder == NULL || !make_sink(&sink, &nowhere, isa, trace, &error))
        return fail(fault_text(error));
    code_begin(&code, decoder);
    code.zeroed_bytes = host_zeroed_bytes(&(struct host_options){.cpu = NULL});

    struct assembler *const assembler = assemble_begin(&code, &sink, &all, &error);
    const double begin_s = host_process_s();

    if (assembler != NULL && !is_plain)
        capture_bind_fast(assembler);
    if (assembler == NULL || !feed_all(&code, assembler, head, &error)
        || (trace != NULL && FAILS(error, rbt_writer_finish(sink.of))))
        return fail(fault_text(error));
    printf("%" PRIu64 " words, %" PRIu64 " instructions, %.3f s\n", head[HEAD_LANE],
           assemble_counts(assembler)->instructions, host_process_s() - begin_s);
    assemble_end(assembler);
    code_end(&code);
    isa_decoder_close(decoder);
    free(nowhere.runs);
    free(nowhere.addresses);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 6 && strcmp(argv[1], "keep") == 0 && strcmp(argv[5], "--") == 0)
        return keep(argv[2], strtoull(argv[3], NULL, 0), argv[4], argv + 6);
    if ((argc == 3 || argc == 4) && (strcmp(argv[1], "feed") == 0 || strcmp(argv[1], "feed-plain") == 0))
        return feed(argv[2], argc == 4 ? argv[3] : NULL, strcmp(argv[1], "feed-plain") == 0);
    return fail("keep FILE WORDS FOLDER -- PROGRAM ARGUMENTS, or feed[-plain] FILE [TRACE.rbt]");
}
