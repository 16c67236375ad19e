/* What an ELF file of 64 bits loads: its executable segments, what it needs, and where code images have it.
 *
 * Use: elf_load_read; elf_load_place; elf_load_free. Ownership: bytes are its own. Errors: FAULT_INPUT with file and
 * field. Source: System V ABI, "ELF Header", "Program Header", "Dynamic Section". */
#ifndef PROTO_SYMBOLS_ELF_LOAD_H
#define PROTO_SYMBOLS_ELF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn_program.h"

struct elf_load {
    uint8_t *bytes;
    uint64_t byte_count;
    uint64_t headers_at, header_count;   /* program headers, all of them in the file */
    bool is_moved;                       /* ET_DYN: it is loaded at any address */
};

struct fault elf_load_read(struct elf_load *elf, const char *path);
void elf_load_free(struct elf_load *elf);

/* *base: where address 0 of the file is, if the images have its executable segment there. False: they do not. */
bool elf_load_place(const struct elf_load *elf, const struct insn_image *images, size_t image_count, uint64_t *base);
/* Its loader, then the libraries that it needs; names point into the file. */
void elf_load_visit_needed(const struct elf_load *elf, void (*take)(void *context, const char *name), void *context);

#endif
