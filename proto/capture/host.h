/* The host: runs the program and reports its execution. Either QEMU's user mode with the plugin of qemu/, or Valgrind
 * with the tool of valgrind/. This module builds the command that starts it.
 *
 * Use: host_command; host_command_free. Ownership: the command owns its words.
 * Errors: FAULT_INPUT names the package to install; FAULT_STALL if the libraries of the program's architecture are
 * missing. */
#ifndef PROTO_CAPTURE_HOST_H
#define PROTO_CAPTURE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/input_file.h"
#include "proto/isa/isa.h"

/* The program to be captured: its file, the interpreter of a script, the contents of its ELF header.
 *
 * Use: program_find, program_free. Then program_symbol, program_code.
 * Ownership: struct program owns all strings and the map of the file. Errors: FAULT_INPUT with the name, the kind of
 * the file and the kinds that can be captured. Source: System V ABI, "Object files"; execve(2) for scripts. */

struct program {
    enum isa isa;
    char *path;                          /* of the ELF file: of a script, of its interpreter */
    char **argv;                         /* as the kernel would give them to it; ends with NULL */
    bool is_fixed;                       /* at the addresses of its file; else loaded anywhere */
    char *loader;                        /* that it names (PT_INTERP); NULL: static */
    uint64_t first_code;                 /* lowest address of its executable segments, as in the file */
    struct input_file *input;            /* mapped: */
    const uint8_t *file;
    size_t file_bytes;
};

/* search: folders as in $PATH; NULL: only the name as it is. */
struct fault program_find(struct program *program, char *const *argv, const char *search);
void program_free(struct program *program);

/* Finds an executable as the shell does. The caller frees the result; NULL: not found. */
char *program_in_path(const char *name, const char *search);

/* Address, as in the file, of a function or object. FAULT_INPUT: unknown symbol, with a similar one. */
struct fault program_symbol(const struct program *program, const char *name, uint64_t *address);
/* Bytes from it to the next symbol, but for _fini, which runs when all else has; of itself if none is behind it; 0:
 * unknown. */
uint64_t program_symbol_room(const struct program *program, const char *name);
/* Where it begins, as in the file. */
uint64_t program_entry(const struct program *program);

/* The next executable segment after the `*place`th, which begins at 0: address as in the file, bytes. False: none. */
bool program_code(const struct program *program, unsigned *place, uint64_t *address, const uint8_t **bytes,
                  size_t *count);

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

/* The process in which a captured program runs (QEMU, Valgrind, Oclgrind), and the memory that it shares with this one.
 *
 * Use: child_share; child_start; child_reap until it answers true; child_kill at any time before; child_free.
 * A child finds the memory by the path that child_shared_path makes, as long as this process holds it.
 * The program gets the default signal actions of a program started by a shell, regardless of this process's. Its
 * standard input, output and errors are those of this process.
 * Begin with CHILD_NONE. Errors: FAULT_INPUT with the system's reason. */

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
/* argv[0] is a path. variable: NAME=VALUE, replaces this process's value in the child's environment; NULL: none. */
struct fault child_start(struct child *child, char *const *argv, char *variable);
/* Has it ended? Waits for it if `waits`. */
bool child_reap(struct child *child, bool waits);
void child_kill(const struct child *child);
/* Ends it if it still runs. */
void child_free(struct child *child);

#endif
