/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The statics lane: records of ring.h that several threads write, one after the other.
 *
 * Use: statics_begin; statics_open, statics_put for each word, statics_close; statics_page and statics_memory for whole
 * records. A writer waits at a full lane as long as the reader lives. statics_stop in a forked child: nothing is
 * written any more. */
#ifndef CAPTURE_QEMU_STATICS_H
#define CAPTURE_QEMU_STATICS_H

#include <stdbool.h>
#include <stdint.h>

#include "../ring.h"

void statics_begin(struct capture_area *area);
void statics_stop(void);

bool statics_reader_is_gone(void);
void statics_wait(void);

/* Opens a record of `words` words; false: the reader is gone. Holds a lock until the record is closed. */
bool statics_open(uint64_t words);
void statics_put(uint64_t word);
void statics_close(void);

/* Copies memory of this process through the kernel, as it may not be there. False: not all of it is. */
bool statics_copy(uint64_t from, void *to, uint64_t bytes);
/* A page of code at an address of the guest, once. */
void statics_page(uint64_t address, const void *host);
/* At most 4096 bytes. */
void statics_memory(uint64_t address, uint64_t call, const uint8_t *bytes, uint64_t count);
void statics_zeros(uint64_t address, uint64_t count);

#endif
