/* One thread: it waits for messages in the ring, and for the end of Oclgrind, which is found dead before the last pass
 * over the ring, so that pass sees all that was written.
 *
 * A work-group is written when its end was told. The kernel that was under way when the program died has the groups
 * that had ended. After a fault of the output (a full disk), what was written is ended as well as the disk lets it. */
#define _GNU_SOURCE
#include "proto/capture/opencl/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "proto/capture/program.h"
#include "proto/gpu/header.h"
#include "proto/gpu/store_writer.h"

enum { PAUSE_NS = 500000, MESSAGES_A_STEP = 4096, KEYS_MAX = 70, LINE_BYTES = 400 };

#define AREA_BYTES (OCL_HEAD_BYTES + sizeof(uint64_t) * (size_t)OCL_RING_WORDS)

struct ocl_capture {
    struct ocl_options options;
    struct program program;
    struct ocl_area *area;
    int area_file;
    pid_t pid;                           /* 0: none, or it has ended */
    uint64_t message[OCL_MESSAGE_WORDS + 1];
    struct ocl_code code;
    struct ocl_warps warps;
    struct gpu_store_writer *writer;
    struct gpu_kernel kernel;            /* header of the one that runs */
    struct gpu_header_key keys[KEYS_MAX];
    size_t kernel_number;
    bool in_kernel, is_ready, in_group, has_failed;
    struct ocl_summary summary;
};

/* ---- start */

static bool make_area(struct ocl_capture *capture, struct fault *error)
{
    void *map = MAP_FAILED;

    capture->area_file = memfd_create("rubato capture", MFD_CLOEXEC);
    if (capture->area_file >= 0 && ftruncate(capture->area_file, (off_t)AREA_BYTES) == 0)
        map = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, capture->area_file, 0);
    if (map == MAP_FAILED)
        return fault_at(error, "capture", FAULT_NO_OFFSET, "no shared memory of %zu MiB: %s", AREA_BYTES >> 20,
                        strerror(errno));
    capture->area = map;
    capture->area->magic = OCL_MAGIC;
    capture->area->reader_pid = (uint64_t)getpid();
    return true;
}

static bool plugin_path(const struct ocl_capture *capture, char *path, size_t room, struct fault *error)
{
    struct stat status;

    if (snprintf(path, room, "%s/capture-oclgrind.so", capture->options.folder) < (int)room && stat(path, &status) == 0
        && strchr(path, ':') == NULL)
        return true;
    if (strchr(path, ':') != NULL)
        return fault_at(error, path, FAULT_NO_OFFSET, "Oclgrind loads no plugin from a path with a colon; install the "
                        "command elsewhere");
    return fault_at(error, path, FAULT_NO_OFFSET, "the plugin for Oclgrind is missing; `make` builds it with the "
                    "command where the headers of Oclgrind and of LLVM are (Debian, Ubuntu: apt-get install oclgrind "
                    "liboclgrind-dev llvm-14-dev), and it belongs beside it");
}

extern char **environ;

/* This process' environment and the variable; only the array is to be freed. */
static char **environment_with(char *variable)
{
    size_t count = 0, filled = 0;
    char **all;

    while (environ[count] != NULL)
        count++;
    all = calloc(count + 2, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++)
        if (strncmp(environ[i], OCL_VARIABLE "=", sizeof OCL_VARIABLE) != 0)
            all[filled++] = environ[i];
    if (all != NULL)
        all[filled] = variable;
    return all;
}

/* The program gets the signals of a program started by a shell, whatever this process does with them. */
static int spawn(pid_t *pid, char *const *argv, char *const *environment)
{
    static const int defaults[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    posix_spawnattr_t attributes;
    sigset_t set, none;
    int code;

    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        sigaddset(&set, defaults[i]);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    code = posix_spawn(pid, argv[0], NULL, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static bool start_program(struct ocl_capture *capture, char *oclgrind, char *plugin, struct fault *error)
{
    char variable[96], option[] = "--plugins";
    size_t words = 0;
    char **argv, **environment;
    int code;

    snprintf(variable, sizeof variable, "%s=/proc/%ld/fd/%d", OCL_VARIABLE, (long)getpid(), capture->area_file);
    while (capture->program.argv[words] != NULL)
        words++;
    argv = calloc(words + 4, sizeof *argv);
    environment = environment_with(variable);
    if (argv == NULL || environment == NULL) {
        free(argv);
        free(environment);
        return fault_memory(error, "capture", NULL);
    }
    argv[0] = oclgrind;
    argv[1] = option;
    argv[2] = plugin;
    argv[3] = capture->program.path;
    for (size_t i = 1; i < words; i++)
        argv[3 + i] = capture->program.argv[i];
    code = spawn(&capture->pid, argv, environment);
    free(argv);
    free(environment);
    if (code == 0)
        return true;
    capture->pid = 0;
    return fault_at(error, oclgrind, FAULT_NO_OFFSET, "%s", strerror(code));
}

static bool prepare(struct ocl_capture *capture, struct fault *error)
{
    char plugin[4096], *oclgrind;
    bool good;

    if (!program_find(&capture->program, capture->options.argv, capture->options.search, error)
        || !plugin_path(capture, plugin, sizeof plugin, error))
        return false;
    oclgrind = program_in_path("oclgrind", capture->options.search);
    if (oclgrind == NULL)
        return fault_at(error, "oclgrind", FAULT_NO_OFFSET, "not found in $PATH; install it (Debian, Ubuntu: apt-get "
                        "install oclgrind)");
    good = make_area(capture, error);
    capture->writer = good ? gpu_store_writer_open(capture->options.output, error) : NULL;
    good = capture->writer != NULL && start_program(capture, oclgrind, plugin, error);
    free(oclgrind);
    return good;
}

struct ocl_capture *ocl_capture_start(const struct ocl_options *options, struct fault *error)
{
    struct ocl_capture *const capture = calloc(1, sizeof *capture);

    if (capture == NULL) {
        fault_memory(error, "capture", NULL);
        return NULL;
    }
    capture->options = *options;
    capture->area_file = -1;
    capture->warps.warp_size = options->warp_size;
    capture->warps.code = &capture->code;
    if (prepare(capture, error))
        return capture;
    ocl_capture_free(capture);
    return NULL;
}

/* ---- messages */

static bool wrong(struct fault *error)
{
    return fault_at(error, "capture", FAULT_NO_OFFSET, "what the plugin tells makes no sense; plugin and command must "
                    "be of one build");
}

static bool take_copy(struct ocl_capture *capture, const uint64_t *words, size_t count, struct fault *error)
{
    struct ocl_summary *const summary = &capture->summary;
    struct gpu_command command = {0};

    if (count != 3 || words[0] > 1)
        return wrong(error);
    command = (struct gpu_command){.kind = words[0] == 0 ? GPU_COPY_TO_DEVICE : GPU_COPY_TO_HOST,
                                   .line = summary->kernels + summary->copies + summary->copies_back + 1,
                                   .address = words[1], .bytes = words[2]};
    summary->copies += words[0] == 0;
    summary->copies_back += words[0] == 1;
    *(words[0] == 0 ? &summary->copied_bytes : &summary->copied_back_bytes) += words[2];
    return gpu_store_writer_command(capture->writer, &command, 0, error);
}

static bool put_key(struct ocl_capture *capture, const char *key, const char *value)
{
    struct gpu_header *const header = &capture->kernel.header;
    struct gpu_header_key *const pair = &capture->keys[header->other_count];

    if (header->other_count == KEYS_MAX)
        return true;
    *pair = (struct gpu_header_key){strdup(key), strdup(value)};
    header->other_count++;
    for (char *c = pair->value; c != NULL && *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return pair->key != NULL && pair->value != NULL;
}

static void free_header(struct ocl_capture *capture)
{
    struct gpu_header *const header = &capture->kernel.header;

    for (size_t i = 0; i < header->other_count; i++) {
        free(capture->keys[i].key);
        free(capture->keys[i].value);
    }
    free(header->name);
    *header = (struct gpu_header){0};
}

/* Threads and blocks as the store can hold them. */
static bool take_geometry(struct gpu_header *header, const uint64_t *words, struct fault *error)
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++) {
        if (words[i] > UINT32_MAX || words[3 + i] == 0 || words[3 + i] > GPU_THREADS_MAX)
            return wrong(error);
        header->grid[i] = (uint32_t)words[i];
        header->block[i] = (uint32_t)words[3 + i];
        threads *= words[3 + i];
    }
    return threads <= GPU_THREADS_MAX
        || fault_at(error, "capture", FAULT_NO_OFFSET, "a work-group has %" PRIu64 " work-items; expected at most %u",
                    threads, GPU_THREADS_MAX);
}

static bool take_kernel(struct ocl_capture *capture, const uint64_t *words, size_t count, struct fault *error)
{
    struct gpu_header *const header = &capture->kernel.header;
    bool const is_sass = capture->options.warp_size == 32;
    char name[1024], file[64];

    if (capture->in_kernel || count < 8 || !ocl_take_text(words + 8, count - 8, name, sizeof name))
        return wrong(error);
    free_header(capture);
    *header = (struct gpu_header){
        .name = strdup(name), .id = capture->summary.kernels + 1, .shmem_bytes = words[6],
        .nregs = (uint32_t)max_u64(1, min_u64(words[7], OCL_REGISTERS)), .binary_version = is_sass ? 70 : 100,
        .nvbit_version = "-1", .tracer_version = "4", .tracer_major = 4, .has_line_info = true,
        .warp_size = capture->options.warp_size, .isa = is_sass ? GPU_ISA_SASS : GPU_ISA_GCN3,
        .others = capture->keys
    };
    if (header->name == NULL
        || !put_key(capture, "capture", "Oclgrind's LLVM instructions; registers a thread are an estimate: words live "
                    "at once; lanes meet at immediate post-dominators"))
        return fault_memory(error, "capture", NULL);
    if (!take_geometry(header, words, error)
        || !ocl_code_begin(&capture->code, capture->kernel.header.isa, error))
        return false;
    snprintf(file, sizeof file, "kernel-%" PRIu64 ".traceg", header->id);
    if (!gpu_store_writer_kernel(capture->writer, file, &capture->kernel_number, error))
        return false;
    capture->in_kernel = true;
    capture->is_ready = capture->in_group = false;
    return gpu_store_writer_command(capture->writer, &(struct gpu_command){
        .kind = GPU_KERNEL, .line = ++capture->summary.kernels + capture->summary.copies
        + capture->summary.copies_back}, capture->kernel_number, error);
}

static bool take_argument(struct ocl_capture *capture, const uint64_t *words, size_t count, struct fault *error)
{
    static const char *const spaces[] = {"value", "global memory at", "constant memory at", "local memory"};
    char key[32], name[200], value[LINE_BYTES];

    if (!capture->in_kernel || count < 3 || words[0] > OCL_LOCAL || !ocl_take_text(words + 3, count - 3, name,
                                                                                   sizeof name))
        return wrong(error);
    snprintf(key, sizeof key, "argument %zu", capture->kernel.header.other_count - 1);
    if (words[0] == OCL_LOCAL)
        snprintf(value, sizeof value, "%s, %s of %" PRIu64 " bytes", name, spaces[words[0]], words[2]);
    else
        snprintf(value, sizeof value, "%s, %s 0x%" PRIx64 "%s", name, spaces[words[0]], words[1],
                 words[2] > sizeof words[1] ? ", its first bytes" : "");
    return put_key(capture, key, value) || fault_memory(error, "capture", NULL);
}

static bool end_kernel(struct ocl_capture *capture, struct fault *error)
{
    struct gpu_kernel *const kernel = &capture->kernel;

    capture->in_kernel = false;
    capture->summary.groups_lost += capture->in_group;
    capture->in_group = false;
    kernel->statics = capture->code.statics.items;
    kernel->static_count = capture->code.statics.count;
    kernel->opcodes = capture->code.opcodes;
    kernel->opcode_count = capture->code.opcode_count;
    return gpu_store_writer_kernel_end(capture->writer, kernel, 0, NULL, NULL, error);
}

static bool take_group(struct ocl_capture *capture, const uint64_t *words, size_t count, struct fault *error)
{
    uint32_t id[3];

    if (!capture->is_ready || capture->in_group || count != 4 || words[3] == 0
        || words[3] > gpu_header_threads(&capture->kernel.header))
        return wrong(error);
    for (int i = 0; i < 3; i++)
        id[i] = (uint32_t)words[i];
    capture->in_group = true;
    return ocl_warps_begin(&capture->warps, id, (size_t)words[3], error);
}

static bool end_group(struct ocl_capture *capture, struct fault *error)
{
    const struct gpu_block *block;

    if (!capture->in_group)
        return wrong(error);
    capture->in_group = false;
    return ocl_warps_block(&capture->warps, &block, error) && gpu_store_writer_block(capture->writer, block, error);
}

static void take_trouble(struct ocl_capture *capture, const uint64_t *words, size_t count)
{
    char text[sizeof capture->summary.trouble];
    const char *line = text;

    if (capture->summary.troubles++ > 0 || !ocl_take_text(words, count, text, sizeof text))
        return;
    line += strspn(line, "\n\t ");
    snprintf(capture->summary.trouble, sizeof capture->summary.trouble, "%.*s", (int)strcspn(line, "\n"), line);
}

static bool take_message(struct ocl_capture *capture, unsigned type, const uint64_t *words, size_t count,
                         struct fault *error)
{
    switch (type) {
    case OCL_COPY: return take_copy(capture, words, count, error);
    case OCL_KERNEL: return take_kernel(capture, words, count, error);
    case OCL_ARGUMENT: return take_argument(capture, words, count, error);
    case OCL_INSTRUCTION:
        return (capture->in_kernel && !capture->is_ready) ? ocl_code_instruction(&capture->code, words, count, error)
                                                          : wrong(error);
    case OCL_PIECE:
        return (capture->in_kernel && !capture->is_ready) ? ocl_code_piece(&capture->code, words, count, error)
                                                          : wrong(error);
    case OCL_READY:
        capture->is_ready = capture->in_kernel;
        return ocl_code_end(&capture->code, error);
    case OCL_GROUP: return take_group(capture, words, count, error);
    case OCL_RUN:
        return (capture->in_group && count > 0) ? ocl_warps_run(&capture->warps, words[0], words + 1, count - 1, error)
                                                : wrong(error);
    case OCL_GROUP_END: return end_group(capture, error);
    case OCL_KERNEL_END:
        if (!capture->is_ready || count != 2)
            return wrong(error);
        capture->summary.told_instructions += words[0];
        capture->summary.async_bytes += words[1];
        return end_kernel(capture, error);
    case OCL_TROUBLE: take_trouble(capture, words, count); return true;
    default: return wrong(error);
    }
}

/* The next message, in one piece; false: there is none, or it makes no sense (then with an error). */
static bool next_message(struct ocl_capture *capture, unsigned *type, size_t *count, struct fault *error)
{
    const uint64_t *const ring = (const uint64_t *)(const void *)((const char *)capture->area + OCL_HEAD_BYTES);
    uint64_t const written = __atomic_load_n(&capture->area->written, __ATOMIC_ACQUIRE), at = capture->area->read;
    uint64_t head;
    size_t start, first;

    if (written == at)
        return false;
    head = ring[at % OCL_RING_WORDS];
    *type = (unsigned)(head & 0xff);
    *count = (size_t)(head >> 8);
    if (written - at > OCL_RING_WORDS || head >> 8 > OCL_MESSAGE_WORDS || *count + 1 > written - at)
        return wrong(error);
    start = (size_t)((at + 1) % OCL_RING_WORDS);
    first = *count < OCL_RING_WORDS - start ? *count : OCL_RING_WORDS - start;
    memcpy(capture->message, ring + start, first * sizeof *ring);
    memcpy(capture->message + first, ring, (*count - first) * sizeof *ring);
    __atomic_store_n(&capture->area->read, at + *count + 1, __ATOMIC_RELEASE);
    return true;
}

/* ---- while it runs */

void ocl_capture_stop(struct ocl_capture *capture)
{
    __atomic_store_n(&capture->area->stopped, 1, __ATOMIC_RELAXED);
    capture->summary.was_stopped = true;
    if (capture->pid != 0)
        kill(capture->pid, SIGKILL);
}

/* Has Oclgrind ended? */
static bool reap(struct ocl_capture *capture, int options)
{
    struct ocl_summary *const summary = &capture->summary;
    struct rusage used;
    int status;

    if (capture->pid == 0)
        return true;
    if (wait4(capture->pid, &status, options, &used) != capture->pid)
        return false;
    capture->pid = 0;
    summary->has_exited = WIFEXITED(status);
    summary->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    summary->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    summary->user_s = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
    return true;
}

static enum ocl_state failed(struct ocl_capture *capture, struct fault *error)
{
    capture->has_failed = true;
    ocl_capture_stop(capture);
    reap(capture, 0);
    if (error->kind == FAULT_INPUT)
        error->kind = FAULT_STALL;
    return OCL_FAILED;
}

enum ocl_state ocl_capture_step(struct ocl_capture *capture, struct fault *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const bool has_ended = reap(capture, WNOHANG);
    unsigned type, done = 0;
    size_t count;

    error->kind = FAULT_NONE;
    while (done < MESSAGES_A_STEP && next_message(capture, &type, &count, error)) {
        done++;
        if (!take_message(capture, type, capture->message, count, error))
            return failed(capture, error);
    }
    if (error->kind != FAULT_NONE)
        return failed(capture, error);
    if (done > 0)
        return OCL_RUNS;
    if (has_ended)
        return OCL_ENDED;
    nanosleep(&pause, NULL);
    return OCL_RUNS;
}

/* ---- the end */

static bool began(const struct ocl_capture *capture, struct fault *error)
{
    const char *const program = capture->options.argv[0];

    if (capture->summary.kernels > 0)
        return true;
    if (capture->area->attached != 0)
        fault_at(error, program, FAULT_NO_OFFSET, "it ended (exit code %d) before it ran a kernel under Oclgrind; no "
                 "file is written, and its own messages are above", capture->summary.exit_code);
    else
        fault_at(error, program, FAULT_NO_OFFSET, "it ended (exit code %d) without using OpenCL, or Oclgrind did not "
                 "load the plugin, and then says why above; expected a program that calls OpenCL's library",
                 capture->summary.exit_code);
    if (capture->area->attached != 0)
        error->kind = FAULT_STALL;
    return false;
}

static char *source_text(const struct ocl_capture *capture)
{
    static const char begin[] = "capture, oclgrind:";
    size_t length = sizeof begin;
    char *text;

    for (char *const *word = capture->options.argv; *word != NULL; word++)
        length += strlen(*word) + 1;
    text = calloc(1, length);
    if (text != NULL)
        strcpy(text, begin);
    for (char *const *word = capture->options.argv; text != NULL && *word != NULL; word++) {
        strcat(text, " ");
        strcat(text, *word);
    }
    return text;
}

bool ocl_capture_finish(struct ocl_capture *capture, struct fault *error)
{
    struct gpu_store_writer *const writer = capture->writer;
    struct store_source source = {0};
    bool good;

    reap(capture, 0);
    capture->summary.counts = capture->warps.counts;
    good = began(capture, error) && (!capture->in_kernel || end_kernel(capture, error));
    capture->writer = NULL;
    capture->summary.bytes = gpu_store_writer_bytes(writer);
    source.path = good ? source_text(capture) : NULL;
    if (good && source.path == NULL)
        good = fault_memory(error, "capture", NULL);
    if (good)
        good = gpu_store_writer_finish(writer, &source, NULL, 0, error);
    else
        gpu_store_writer_abandon(writer);
    free(source.path);
    if (!good && capture->summary.kernels > 0 && error->kind == FAULT_INPUT)
        error->kind = FAULT_STALL;
    return good;
}

void ocl_capture_free(struct ocl_capture *capture)
{
    if (capture == NULL)
        return;
    if (capture->pid != 0) {
        ocl_capture_stop(capture);
        reap(capture, 0);
    }
    if (capture->writer != NULL)
        gpu_store_writer_abandon(capture->writer);
    free_header(capture);
    ocl_code_free(&capture->code);
    ocl_warps_free(&capture->warps);
    if (capture->area != NULL)
        munmap(capture->area, AREA_BYTES);
    if (capture->area_file >= 0)
        close(capture->area_file);
    program_free(&capture->program);
    free(capture);
}

const struct ocl_summary *ocl_capture_summary(const struct ocl_capture *capture)
{
    return &capture->summary;
}
