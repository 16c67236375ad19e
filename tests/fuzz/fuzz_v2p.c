/* Fuzz target: any bytes as a v2p.textproto, from a file in memory. Nothing may crash; refusals can be printed; pages
 * are multiples of the page size. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/insn/v2p.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int const file = memfd_create("map", MFD_CLOEXEC);
    struct fault error = fault_none();
    struct v2p_map map;
    char path[64];

    expect(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (WORKS(error, v2p_read(path, &map))) {
        expect(map.count > 0 && map.page_bytes >= 4096);
        for (size_t i = 0; i < map.count; i++)
            expect((map.pages[i].address | map.pages[i].physical) % map.page_bytes == 0);
    } else {
        expect(fault_text(error)[0] != '\0');
        for (const char *text = fault_text(error); *text; text++)
            expect(*text >= ' ' && *text <= '~');
    }
    v2p_free(&map);
    close(file);
    return 0;
}
