/* Functions and lines of source by pc, from the symbols and the DWARF of ELF files, by libdw of elfutils.
 *
 * Use: symbols_open; symbols_add for each file (program, shared library); then symbols_find; symbols_close.
 * A file is placed by what it has: where one of the code images has the bytes of its executable segment. So a file of
 * another build is refused, and none is used at a wrong place. Without images, and with SYMBOLS_FIND as address, a
 * program that is not moved when it is loaded is taken as it is.
 * Separate debug files are found as elfutils find them (build-id, debug link below /usr/lib/debug).
 * Ownership: images are borrowed; texts that are found live until symbols_close. Errors: FAULT_INPUT with the file.
 * Sources: System V ABI (program headers); libdwfl of elfutils. */
#ifndef PROTO_SYMBOLS_SYMBOLS_H
#define PROTO_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn_program.h"

#define SYMBOLS_FIND UINT64_MAX

struct symbols;

/* NULL: error, above all where libdw is not installed, or the build had no headers of it. */
struct symbols *symbols_open(const struct insn_image *images, size_t image_count, struct fault *error);
void symbols_close(struct symbols *symbols);

/* address: where the file's address 0 is loaded; SYMBOLS_FIND: found by the images. */
struct fault symbols_add(struct symbols *symbols, const char *path, uint64_t address);
size_t symbols_files(const struct symbols *symbols);

/* Of the file that was added last; NULL: no file was added. */
const char *symbols_last(const struct symbols *symbols);

struct symbols_place {
    const char *module;                  /* its file, without folders */
    const char *function;                /* NULL: no symbol covers the pc */
    uint64_t begin;                      /* of the function */
    const char *file;                    /* of the source, as the compiler was given it; NULL: not known */
    unsigned line;
};

/* False: the pc is of no file. */
bool symbols_find(const struct symbols *symbols, uint64_t pc, struct symbols_place *place);

/* The names of shared libraries that the file asks for, its loader first; called for each. False: no such file. */
bool symbols_visit_needed(const char *path, void (*take)(void *context, const char *name), void *context);

#endif
