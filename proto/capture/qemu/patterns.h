/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The few instructions that the plugin must know as such, by their bytes: those that order threads (atomic operations,
 * ordered loads and stores), and divisions of x86, which may end a block without having accessed memory.
 * Sources: Intel SDM volume 2, 2.1 and appendix A; Arm ARM, C4.1 "Loads and stores"; RISC-V unprivileged ISA, 8. */
#ifndef CAPTURE_QEMU_PATTERNS_H
#define CAPTURE_QEMU_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum guest { GUEST_X86_64, GUEST_A64, GUEST_RV64 };

struct x86_opcode { bool is_locked; uint8_t opcode, modrm; };

static inline struct x86_opcode x86_opcode(const uint8_t *bytes, size_t count)
{
    struct x86_opcode found = {0};
    size_t i = 0;

    for (; i < count && memchr("\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65", bytes[i], 11) != NULL; i++)
        found.is_locked |= bytes[i] == 0xf0;
    if (i < count && (bytes[i] & 0xf0) == 0x40)
        i++;
    if (i < count)
        found.opcode = bytes[i];
    if (i + 1 < count)
        found.modrm = bytes[i + 1];
    return found;
}

static inline bool orders_threads(enum guest guest, const uint8_t *bytes, size_t count)
{
    uint32_t word;

    if (guest == GUEST_X86_64) {
        const struct x86_opcode x86 = x86_opcode(bytes, count);

        return x86.is_locked || ((x86.opcode & 0xfe) == 0x86 && x86.modrm < 0xc0);
    }
    if (count != 4)
        return false;
    memcpy(&word, bytes, 4);
    if (guest == GUEST_A64)
        return (word & 0x3f000000) == 0x08000000 || (word & 0x3b200c00) == 0x38200000;
    return (word & 0x7f) == 0x2f;
}

static inline bool is_x86_division(enum guest guest, const uint8_t *bytes, size_t count)
{
    const struct x86_opcode x86 = x86_opcode(bytes, count);

    return guest == GUEST_X86_64 && (x86.opcode & 0xfe) == 0xf6 && (x86.modrm & 0x30) == 0x30;
}

#endif
