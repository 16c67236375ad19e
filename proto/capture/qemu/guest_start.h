/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the kernel puts on the stack of a program that begins: numbers of arguments, pointers, the auxiliary vector; not
 * the strings, which may be private.
 *
 * Use: guest_start_find before the guest's first instruction. It looks through the process's writable areas for one
 * whose lowest word that is not zero begins such a stack, with the entry in its auxiliary vector, or the loader whose
 * entry it is. */
#ifndef CAPTURE_QEMU_GUEST_START_H
#define CAPTURE_QEMU_GUEST_START_H

#include <stdint.h>

/* How many words were copied, up to the end of the auxiliary vector; 0: not found, or more than CAPTURE_START_WORDS.
 * *sp: their address in the guest. */
uint64_t guest_start_find(uint64_t guest_base, uint64_t entry, uint64_t *words, uint64_t *sp);

#endif
