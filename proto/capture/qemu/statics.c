/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hash table has the pages that were told. */
#define _GNU_SOURCE
#include "statics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 2000000 };

static struct capture_area *area;
static pthread_mutex_t statics_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t static_at;
static bool is_stopped;
static uint64_t *pages;                          /* addresses of reported pages; 0: free */
static size_t page_count, page_places;

void statics_begin(struct capture_area *of)
{
    area = of;
}

void statics_stop(void)
{
    is_stopped = true;
}

bool statics_reader_is_gone(void)
{
    return (uint64_t)getppid() != area->reader_pid || __atomic_load_n(&area->stopped, __ATOMIC_RELAXED) != 0;
}

void statics_wait(void)
{
    const struct timespec pause = {.tv_nsec = WAIT_NS};

    nanosleep(&pause, NULL);
}

/* False: the reader is gone. */
static bool wait_until_read(uint64_t at_least)
{
    while (__atomic_load_n(&area->statics.read, __ATOMIC_ACQUIRE) < at_least) {
        if (statics_reader_is_gone())
            return false;
        statics_wait();
    }
    return true;
}

bool statics_open(uint64_t words)
{
    pthread_mutex_lock(&statics_lock);
    static_at = area->statics.written;
    if (!is_stopped && wait_until_read(static_at + words < CAPTURE_STATICS_WORDS ? 0
                                       : static_at + words - CAPTURE_STATICS_WORDS))
        return true;
    pthread_mutex_unlock(&statics_lock);
    return false;
}

void statics_put(uint64_t word)
{
    capture_statics_words(area)[static_at++ & (CAPTURE_STATICS_WORDS - 1)] = word;
}

void statics_close(void)
{
    __atomic_store_n(&area->statics.written, static_at, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&statics_lock);
}

bool statics_copy(uint64_t from, void *to, uint64_t bytes)
{
    const struct iovec into = {to, bytes}, of = {(void *)(uintptr_t)from, bytes};

    return process_vm_readv(getpid(), &into, 1, &of, 1, 0) == (ssize_t)bytes;
}

/* Was it new? With the lock of translation, or that of mmap: both are taken by few. */
static bool add_page(uint64_t address)
{
    if (page_count * 2 >= page_places) {
        const size_t places = page_places == 0 ? 1024 : page_places * 2;
        uint64_t *const table = calloc(places, sizeof *table);

        if (table == NULL)
            return false;
        for (size_t i = 0; i < page_places; i++)
            if (pages[i] != 0) {
                size_t at = (pages[i] >> 12) * 0x9e3779b97f4a7c15ull >> 20 & (places - 1);

                while (table[at] != 0)
                    at = (at + 1) & (places - 1);
                table[at] = pages[i];
            }
        free(pages);
        pages = table;
        page_places = places;
    }

    size_t at = (address >> 12) * 0x9e3779b97f4a7c15ull >> 20 & (page_places - 1);

    for (; pages[at] != 0; at = (at + 1) & (page_places - 1))
        if (pages[at] == address)
            return false;
    pages[at] = address;
    page_count++;
    return true;
}

void statics_page(uint64_t address, const void *host)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t words[CAPTURE_PAGE_WORDS];

    pthread_mutex_lock(&lock);

    const bool is_new = address != 0 && add_page(address);

    pthread_mutex_unlock(&lock);
    /* The kernel reads it: a page may lie beyond the end of its file. */
    if (!is_new || !statics_copy((uint64_t)(uintptr_t)host, words, sizeof words) ||
        !statics_open(2 + CAPTURE_PAGE_WORDS))
        return;
    statics_put((uint64_t)CAPTURE_STATIC_PAGE << CAPTURE_KIND_SHIFT);
    statics_put(address);
    for (unsigned i = 0; i < CAPTURE_PAGE_WORDS; i++)
        statics_put(words[i]);
    statics_close();
}

void statics_memory(uint64_t address, uint64_t call, const uint8_t *bytes, uint64_t count)
{
    if (count == 0 || !statics_open(3 + (count + 7) / 8))
        return;
    statics_put((uint64_t)CAPTURE_STATIC_MEMORY << CAPTURE_KIND_SHIFT | count);
    statics_put(address);
    statics_put(call);
    for (uint64_t i = 0; i < count; i += 8) {
        uint64_t word = 0;

        memcpy(&word, bytes + i, count - i < 8 ? count - i : 8);
        statics_put(word);
    }
    statics_close();
}

void statics_zeros(uint64_t address, uint64_t count)
{
    if (count == 0 || !statics_open(3))
        return;
    statics_put((uint64_t)CAPTURE_STATIC_ZEROS << CAPTURE_KIND_SHIFT);
    statics_put(address);
    statics_put(count);
    statics_close();
}
