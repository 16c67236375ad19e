/* Fuzz target: any bytes as a pack of MacSim threads. It may be refused, with a text, but not crash; its content is
 * read to the end, as micro-ops where it has any. Hashes hold damage off, so they are set right, too. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/macsim/macsim_pack.h"
#include "proto/macsim/set.h"
#include "proto/macsim/uop.h"
#include "tests/support/chunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stream(const struct macsim_part *part, struct macsim_stream *stream)
{
    struct macsim_uop_options const options = {.compat = part->header.thread_count % 2 == 0};
    struct macsim_uops uops;
    struct macsim_cpu_record record;
    struct fault error = fault_none();
    enum macsim_step step;

    macsim_uops_init(&uops, &part->detection.format, &options);
    while ((step = macsim_stream_next_cpu(stream, &record, &error)) == MACSIM_RECORD)
        if (macsim_uops_can(&part->detection.format) && (!macsim_uops_decode(&uops, &record) || uops.count == 0))
            abort();
    if ((step == MACSIM_FAILED) != (fault_text(error)[0] != '\0'))
        abort();
    macsim_uops_free(&uops);
}

static void read_part(const struct macsim_part *part)
{
    if (part->is_gpu || part->packed == NULL || part->header.thread_count == 0)
        abort();
    for (size_t i = 0; i < part->header.thread_count; i++) {
        struct macsim_stream stream;
        struct fault error;

        if (FAILS(error, macsim_part_open(part, i, &stream)))
            continue;
        read_stream(part, &stream);
        macsim_stream_close(&stream);
    }
}

/* Packs are mapped, so the bytes become a file. */
static void try(const uint8_t *bytes, size_t size)
{
    int const file = memfd_create("pack", 0);
    struct fault error = fault_none();
    struct macsim_set set;
    char path[32];

    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (macsim_pack_detect(path)) {
        if (WORKS(error, macsim_set_open(&set, path, NULL))) {
            error = macsim_pack_check(set.pack);
            for (size_t a = 0; a < set.application_count; a++)
                for (size_t p = 0; p < set.applications[a].part_count; p++)
                    read_part(&set.applications[a].parts[p]);
            macsim_set_close(&set);
        } else if (fault_text(error)[0] == '\0') {
            abort();
        }
    }
    close(file);
}

static void mend_hashes(uint8_t *bytes, size_t size)
{
    static const struct container_kind kind = {.magic = MACSIM_PACK_MAGIC, .index = 2};

    memcpy(bytes, MACSIM_PACK_MAGIC "\1\0\0\0\0\0\0\0", CONTAINER_HEAD_BYTES);
    chunks_hash_again(bytes, size, &kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = malloc(size + 1);

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    try(bytes, size);
    if (size >= CONTAINER_HEAD_BYTES) {
        mend_hashes(bytes, size);
        try(bytes, size);
    }
    free(bytes);
    return 0;
}
