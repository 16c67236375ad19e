/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source: Linux, "create_elf_tables": at the stack pointer, a multiple of 16, the number of arguments, their pointers,
 * 0, those of the environment, 0, pairs of type and value up to type 0. All below is zero when the program begins. */
#define _GNU_SOURCE
#include "../ring.h"
#include "guest_start.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PIECE_WORDS = 512, AUX_NULL = 0, AUX_PAGE_BYTES = 6, AUX_BASE = 7, AUX_ENTRY = 9, PAGE_BYTES = 4096, LINE = 512
};
#define LEAST_STACK (1ull << 16)
#define MOST_LOADER (1ull << 28)

/* Read through the kernel, as the area may end. False: not all of it is there. */
static bool copy(uint64_t from, uint64_t *words, uint64_t count)
{
    const struct iovec to = {words, 8 * count}, of = {(void *)(uintptr_t)from, 8 * count};

    return process_vm_readv(getpid(), &to, 1, &of, 1, 0) == (ssize_t)(8 * count);
}

/* The lowest word of the area that is not zero; `end`: all are zero. */
static uint64_t first_word(uint64_t begin, uint64_t end)
{
    uint64_t piece[PIECE_WORDS];

    for (uint64_t at = begin; at < end; at += sizeof piece) {
        if (!copy(at, piece, PIECE_WORDS))
            return end;
        for (unsigned i = 0; i < PIECE_WORDS; i++)
            if (piece[i] != 0)
                return at + 8ull * i;
    }
    return end;
}

/* The number of words up to the end of the auxiliary vector; 0: it is no such stack. */
static uint64_t length_of(const uint64_t *words, uint64_t count, uint64_t entry)
{
    uint64_t at = words[0] + 2;
    bool has_entry = false, has_page = false;

    if (words[0] == 0 || words[0] >= count - 2 || words[at - 1] != 0)
        return 0;
    while (at < count && words[at] != 0)
        at++;
    for (at++; at + 1 < count; at += 2) {
        /* A loader begins before the program. */
        has_entry |= (words[at] == AUX_ENTRY && words[at + 1] == entry) ||
            (words[at] == AUX_BASE && words[at + 1] != 0 && entry - words[at + 1] < MOST_LOADER);
        has_page |= words[at] == AUX_PAGE_BYTES && words[at + 1] == PAGE_BYTES;
        if (words[at] == AUX_NULL)
            return has_entry && has_page ? at + 2 : 0;
    }
    return 0;
}

uint64_t guest_start_find(uint64_t guest_base, uint64_t entry, uint64_t *words, uint64_t *sp)
{
    FILE *const maps = fopen("/proc/self/maps", "re");
    uint64_t count = 0;
    char line[LINE];

    while (maps != NULL && count == 0 && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long begin, end;
        uint64_t at, most;
        char rights[5];

        if (sscanf(line, "%llx-%llx %4s", &begin, &end, rights) != 3 || strncmp(rights, "rw", 2) != 0 ||
            end - begin < LEAST_STACK || begin < guest_base)
            continue;
        at = first_word(begin, end) & ~15ull;
        most = (end - at) / 8 < CAPTURE_START_WORDS ? (end - at) / 8 : CAPTURE_START_WORDS;
        if (most > 2 && copy(at, words, most))
            count = length_of(words, most, entry);
        *sp = at - guest_base;
    }
    if (maps != NULL)
        fclose(maps);
    return count;
}
