/* One thread: it waits for messages in the ring, and for the end of Oclgrind, which is found dead before the last
 * pass over the ring, so that pass sees all that was written.. */
#include "proto/capture/opencl/opencl_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/capture/host.h"
#include "proto/capture/opencl/opencl_ring.h"

enum { PAUSE_NS = 500000, MESSAGES_A_STEP = 4096 };

#define AREA_BYTES (OCL_HEAD_BYTES + sizeof(uint64_t) * (size_t)OCL_RING_WORDS)

struct ocl_capture {
    struct ocl_options options;
    struct program program;
    struct child child;                  /* Oclgrind; shares the area */
    struct ocl_area *area;
    uint64_t message[OCL_MESSAGE_WORDS + 1];
    struct ocl_recorder recorder;
    struct ocl_summary summary;
};

/* ---- start */

static struct fault make_area(struct ocl_capture *capture)
{
    FORWARD(child_share(&capture->child, AREA_BYTES));
    capture->area = capture->child.shared;
    capture->area->magic = OCL_MAGIC;
    capture->area->reader_pid = (uint64_t)getpid();
    return fault_none();
}

static struct fault plugin_path(const struct ocl_capture *capture, char *path, size_t room)
{
    struct stat status;

    if (snprintf(path, room, "%s/capture-oclgrind.so", capture->options.folder) < (int)room && stat(path, &status) == 0
        && strchr(path, ':') == NULL)
        return fault_none();
    if (strchr(path, ':') != NULL)
        return fault_at(path, FAULT_NO_OFFSET, "Oclgrind loads no plugin from a path with a colon; install the "
                        "command elsewhere");
    return fault_at(path, FAULT_NO_OFFSET, "the plugin for Oclgrind is missing; `make` builds it with the command "
                    "where the headers of Oclgrind and of LLVM are (Debian, Ubuntu: apt-get install oclgrind "
                    "liboclgrind-dev llvm-14-dev), and it belongs beside it");
}

static struct fault start_program(struct ocl_capture *capture, char *oclgrind, char *plugin)
{
    struct fault fault = fault_none();
    char path[CHILD_PATH_ROOM], variable[sizeof path + sizeof OCL_VARIABLE + 1], option[] = "--plugins";
    size_t words = 0;
    char **argv;
    bool good;

    child_shared_path(&capture->child, path);
    snprintf(variable, sizeof variable, "%s=%s", OCL_VARIABLE, path);
    while (capture->program.argv[words] != NULL)
        words++;
    argv = calloc(words + 4, sizeof *argv);
    if (argv == NULL)
        return fault_memory("capture", NULL);
    argv[0] = oclgrind;
    argv[1] = option;
    argv[2] = plugin;
    argv[3] = capture->program.path;
    for (size_t i = 1; i < words; i++)
        argv[3 + i] = capture->program.argv[i];
    good = WORKS(fault, child_start(&capture->child, argv, variable));
    free(argv);
    return good ? fault_none() : fault;
}

static struct fault opencl_capture_prepare(struct ocl_capture *capture)
{
    struct fault fault = fault_none();
    char plugin[4096], *oclgrind;
    bool good;

    FORWARD(program_find(&capture->program, capture->options.argv, capture->options.search));
    FORWARD(plugin_path(capture, plugin, sizeof plugin));
    oclgrind = program_in_path("oclgrind", capture->options.search);
    if (oclgrind == NULL)
        return fault_at("oclgrind", FAULT_NO_OFFSET, "not found in $PATH; install it (Debian, Ubuntu: apt-get install "
                        "oclgrind)");
    good = WORKS(fault, make_area(capture))
           && WORKS(fault, ocl_recorder_open(&capture->recorder, capture->options.output, capture->options.warp_size,
                                             &capture->summary.told))
           && WORKS(fault, start_program(capture, oclgrind, plugin));
    free(oclgrind);
    return good ? fault_none() : fault;
}

struct ocl_capture *ocl_capture_start(const struct ocl_options *options, struct fault *error)
{
    struct ocl_capture *const capture = calloc(1, sizeof *capture);

    if (capture == NULL) {
        *error = fault_memory("capture", NULL);
        return NULL;
    }
    capture->options = *options;
    capture->child = CHILD_NONE;
    if (WORKS(*error, opencl_capture_prepare(capture)))
        return capture;
    ocl_capture_free(capture);
    return NULL;
}

/* ---- while it runs */

/* The next message, in one piece. A fault: it makes no sense. */
static struct fault next_message(struct ocl_capture *capture, bool *is_there, unsigned *type,
                                 size_t *count)
{
    const uint64_t *const ring = (const uint64_t *)(const void *)((const char *)capture->area + OCL_HEAD_BYTES);
    uint64_t const written = __atomic_load_n(&capture->area->written, __ATOMIC_ACQUIRE), at = capture->area->read;
    uint64_t head;
    size_t start, first;

    *is_there = written != at;
    if (!*is_there)
        return fault_none();
    head = ring[at % OCL_RING_WORDS];
    *type = (unsigned)(head & 0xff);
    *count = (size_t)(head >> 8);
    if (written - at > OCL_RING_WORDS || head >> 8 > OCL_MESSAGE_WORDS || *count + 1 > written - at)
        return ocl_makes_no_sense();
    start = (size_t)((at + 1) % OCL_RING_WORDS);
    first = *count < OCL_RING_WORDS - start ? *count : OCL_RING_WORDS - start;
    memcpy(capture->message, ring + start, first * sizeof *ring);
    memcpy(capture->message + first, ring, (*count - first) * sizeof *ring);
    __atomic_store_n(&capture->area->read, at + *count + 1, __ATOMIC_RELEASE);
    return fault_none();
}

void ocl_capture_stop(struct ocl_capture *capture)
{
    __atomic_store_n(&capture->area->stopped, 1, __ATOMIC_RELAXED);
    capture->summary.was_stopped = true;
    child_kill(&capture->child);
}

static enum ocl_state opencl_capture_failed(struct ocl_capture *capture, struct fault *error)
{
    ocl_capture_stop(capture);
    child_reap(&capture->child, true);
    if (error->kind == FAULT_INPUT)
        error->kind = FAULT_STALL;
    return OCL_FAILED;
}

enum ocl_state ocl_capture_step(struct ocl_capture *capture, struct fault *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const bool has_ended = child_reap(&capture->child, false);
    unsigned type = 0, done = 0;
    size_t count = 0;
    bool is_there;

    for (; done < MESSAGES_A_STEP; done++) {
        if (FAILS(*error, next_message(capture, &is_there, &type, &count)))
            return opencl_capture_failed(capture, error);
        if (!is_there)
            break;
        if (FAILS(*error, ocl_recorder_take(&capture->recorder, type, capture->message, count)))
            return opencl_capture_failed(capture, error);
    }
    if (done > 0)
        return OCL_RUNS;
    if (has_ended)
        return OCL_ENDED;
    nanosleep(&pause, NULL);
    return OCL_RUNS;
}

/* ---- the end */

static struct fault began(const struct ocl_capture *capture)
{
    struct fault fault = fault_none();
    const char *const program = capture->options.argv[0];

    if (capture->summary.told.kernels > 0)
        return fault_none();
    if (capture->area->attached != 0)
        fault = fault_at(program, FAULT_NO_OFFSET, "it ended (exit code %d) before it ran a kernel under Oclgrind; no "
                         "file is written, and its own messages are above", capture->child.end.exit_code);
    else
        fault = fault_at(program, FAULT_NO_OFFSET, "it ended (exit code %d) without using OpenCL, or Oclgrind did not "
                         "load the plugin, and then says why above; expected a program that calls OpenCL's library",
                         capture->child.end.exit_code);
    if (capture->area->attached != 0)
        fault.kind = FAULT_STALL;
    return fault;
}

struct fault ocl_capture_finish(struct ocl_capture *capture)
{
    struct ocl_summary *const summary = &capture->summary;
    struct fault fault;

    child_reap(&capture->child, true);
    summary->child = capture->child.end;
    summary->counts = capture->recorder.warps.counts;
    fault = ocl_recorder_finish(&capture->recorder, capture->options.argv, began(capture), &summary->bytes);
    if (summary->told.kernels > 0 && fault.kind == FAULT_INPUT)
        fault.kind = FAULT_STALL;
    return fault;
}

void ocl_capture_free(struct ocl_capture *capture)
{
    if (capture == NULL)
        return;
    child_free(&capture->child);
    ocl_recorder_free(&capture->recorder);
    program_free(&capture->program);
    free(capture);
}

const struct ocl_summary *ocl_capture_summary(const struct ocl_capture *capture)
{
    return &capture->summary;
}
