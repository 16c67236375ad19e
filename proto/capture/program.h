/* The program to be captured: its file, the interpreter of a script, the contents of its ELF header.
 *
 * Use: program_find, program_free. Then program_symbol, program_code.
 * Ownership: struct program owns all strings and the map of the file. Errors: FAULT_INPUT with the name, the kind of
 * the file and the kinds that can be captured. Source: System V ABI, "Object files"; execve(2) for scripts. */
#ifndef PROTO_CAPTURE_PROGRAM_H
#define PROTO_CAPTURE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/input_file.h"
#include "proto/isa/isa.h"

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

/* The next executable segment after the `*place`th, which begins at 0: address as in the file, bytes. False: none. */
bool program_code(const struct program *program, unsigned *place, uint64_t *address, const uint8_t **bytes,
                  size_t *count);

#endif
