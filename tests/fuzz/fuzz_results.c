/* Fuzz target: any bytes as a file of results. It may be refused, not crash; rows that are read have their texts. The
 * file lies in a folder of memory while it is read. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/results/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look_at(void *self, const struct results_row *row)
{
    size_t *const rows = self;

    if (!row->hash || !row->system || !row->traces || !row->state)
        abort();
    return ++*rows < 100;
}

static void count(void *self, uint64_t hash, bool is_failed, double cpu_s)
{
    (void)hash;
    (void)is_failed;
    (void)cpu_s;
    ++*(size_t *)self;
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    bool const is_written = file && fwrite(data, 1, size, file) == size;

    return file && fclose(file) == 0 && is_written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], other[80];
    struct results *results;
    size_t rows = 0, axes;

    snprintf(path, sizeof path, "%s/rubato-fuzz-%ld.db", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    if (write_file(path, data, size) && results_open(&results, path, RESULTS_READ).kind == FAULT_NONE) {
        (void)results_axes(results, &axes);
        (void)results_read(results, look_at, &rows);
        (void)results_known(results, count, &rows);
        (void)results_close(results);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(other, sizeof other, "%s%s", path, (const char *const[]){"-wal", "-shm", "-journal"}[i]);
        unlink(other);
    }
    unlink(path);
    return 0;
}
