/* Captures the kernels of an OpenCL program: starts it under Oclgrind with the plugin of ../oclgrind/, combines
 * work-items into warps while it runs, and writes a store of GPU traces.
 *
 * Use: ocl_capture_start; ocl_capture_step until it answers OCL_ENDED; ocl_capture_finish, after which the file is
 * there under its name, if any kernel ran; ocl_capture_free. ocl_capture_stop at any time ends the program, whose
 * standard input, output and errors are those of the process.
 * Nothing of a work-group that has ended is lost when the program dies: it is in memory shared with it (ring.h).
 * Ownership: the options and everything they point at outlive the capture. Errors: FAULT_INPUT if there is no such
 * program, nothing to run it with, or it uses no OpenCL; FAULT_STALL afterwards; then ocl_capture_finish still writes
 * all that was captured. */
#ifndef OPENCL_CAPTURE_H
#define OPENCL_CAPTURE_H

#include "proto/capture/host.h"
#include "proto/capture/opencl/recorder.h"

struct ocl_options {
    char *const *argv;                   /* the program and its arguments */
    const char *output;
    const char *search;                  /* $PATH */
    const char *folder;                  /* where the plugin is */
    unsigned warp_size;                  /* 32: SASS; 64: GCN3 */
};

enum ocl_state { OCL_RUNS, OCL_ENDED, OCL_FAILED };

struct ocl_summary {
    struct ocl_told told;
    struct ocl_counts counts;
    bool was_stopped;
    struct child_end child;              /* of Oclgrind */
    uint64_t bytes;                      /* of the file */
};

struct ocl_capture;

struct ocl_capture *ocl_capture_start(const struct ocl_options *options, struct fault *error);
/* Works for some milliseconds, or waits for one. */
enum ocl_state ocl_capture_step(struct ocl_capture *capture, struct fault *error);
void ocl_capture_stop(struct ocl_capture *capture);
/* Also after OCL_FAILED. Without a kernel there is no file, and that is a fault. */
struct fault ocl_capture_finish(struct ocl_capture *capture);
void ocl_capture_free(struct ocl_capture *capture);
const struct ocl_summary *ocl_capture_summary(const struct ocl_capture *capture);

#endif
