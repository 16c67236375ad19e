/* The process in which a captured program runs (QEMU, Valgrind, Oclgrind), and the memory that it shares with this one.
 *
 * Use: child_share; child_start; child_reap until it answers true; child_kill at any time before; child_free.
 * A child finds the memory by the path that child_shared_path makes, as long as this process holds it.
 * The program gets the signals of a program that a shell starts, whatever this process does with them. Its standard
 * input, output and errors are those of this process.
 * Begin with CHILD_NONE. Errors: FAULT_INPUT with the system's reason. */
#ifndef PROTO_CAPTURE_CHILD_H
#define PROTO_CAPTURE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"

enum { CHILD_PATH_ROOM = 64 };

/* How the child ended, and the resources it used. */
struct child_end {
    bool has_exited;                     /* with exit_code; else ended by signal */
    int exit_code, signal;
    double user_s;
};

struct child {
    pid_t pid;                           /* 0: none, or it has ended */
    struct child_end end;
    int shared_file, shared_segment;     /* -1: none */
    void *shared;                        /* zeros at first */
    size_t shared_bytes;
};

#define CHILD_NONE ((struct child){.shared_file = -1, .shared_segment = -1})

struct fault child_share(struct child *child, size_t bytes);
void child_shared_path(const struct child *child, char path[CHILD_PATH_ROOM]);
/* argv[0] is a path. variable: NAME=VALUE that its environment has in place of what this process has; NULL: none. */
struct fault child_start(struct child *child, char *const *argv, char *variable);
/* Has it ended? Waits for it if `waits`. */
bool child_reap(struct child *child, bool waits);
void child_kill(const struct child *child);
/* Ends it if it still runs. */
void child_free(struct child *child);

#endif
