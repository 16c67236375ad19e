/* The host: runs the program and reports its execution. Either QEMU's user mode with the plugin of qemu/, or Valgrind
 * with the tool of valgrind/. This module builds the command that starts it.
 *
 * Use: host_command; host_command_free. Ownership: the command owns its words.
 * Errors: FAULT_INPUT names the package to install; FAULT_STALL if the libraries of the program's architecture are
 * missing. */
#ifndef PROTO_CAPTURE_HOST_H
#define PROTO_CAPTURE_HOST_H

#include "proto/capture/program.h"

enum host_kind { HOST_QEMU, HOST_VALGRIND };

struct host_options {
    enum host_kind kind;
    const char *search;                  /* $PATH */
    const char *sysroot;                 /* where the program's libraries are; NULL: where the distribution has them */
    const char *cpu;                     /* model, as QEMU calls it; NULL: one that is known to be good */
    const char *folder;                  /* where the plugin is, and the folder valgrind/ with the tool */
    bool has_sysroot_variable;           /* QEMU_LD_PREFIX is set: it says where the libraries are */
    bool main_only;                      /* only the first thread is recorded */
};

struct host_command {
    char **argv;                         /* argv[0] is a path */
    char *source;                        /* "capture, qemu-x86_64" */
    const char *name;                    /* "QEMU" */
    const char *needs;                   /* which of them it must be, in case it did not begin */
    char *variable;                      /* NAME=VALUE that its environment has besides this one's; NULL: none */
};

/* area: path of the file that is shared. */
struct fault host_command(struct host_command *command, const struct program *program,
                          const struct host_options *options, const char *area);
void host_command_free(struct host_command *command);

/* Bytes that aarch64's dc zva zeroes on the CPU that is shown; 0: not known. */
uint32_t host_zeroed_bytes(const struct host_options *options);

#endif
