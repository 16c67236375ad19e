/* Fuzz target: any bytes as a header or list of MacSim traces. It may be refused, with a text that can be printed, but
 * not crash; an accepted one has the properties that its readers rely on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/macsim/macsim_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            abort();
}

static void check(const struct macsim_header *header)
{
    struct macsim_format format;
    char path[64];

    expect_printable(header->version);
    for (size_t i = 0; i < header->warning_count; i++)
        expect_printable(header->warnings[i]);
    if (header->form == MACSIM_THREADS
        ? header->thread_count == 0 || header->path_count > 0 || header->kind == MACSIM_KIND_UNKNOWN
        : header->path_count == 0 || header->thread_count > 0)
        abort();
    for (size_t i = 0; i < header->thread_count; i++)
        if (header->threads[i].id > INT64_MAX || !macsim_header_stream_path(header, i, path, sizeof path))
            abort();
    for (size_t i = 0; i < header->path_count; i++)
        if (strchr(header->paths[i], '.') == NULL)
            abort();
    if (macsim_header_format(header, &format) && format.layout >= MACSIM_LAYOUT_COUNT)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault error = fault_none();
    struct macsim_header header;
    bool const detected = macsim_header_detect((const char *)data, size);

    if (FAILS(error, macsim_header_read_memory(&header, "folder/Trace.txt", data, size))) {
        expect_printable(fault_text(error));
        if (fault_text(error)[0] == '\0')
            abort();
        return 0;
    }
    if (!detected)
        abort();
    check(&header);
    macsim_header_free(&header);
    return 0;
}
