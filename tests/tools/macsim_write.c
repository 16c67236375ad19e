/* Writes streams of MacSim records made by hand, of any layout (tests/support/macsim_samples.h):
 *
 * macsim_write LAYOUT/OPCODES LOOPS plain|gzip PREFIX ID...
 *
 * makes PREFIX_ID.raw for each id. A loop is 6 records of a thread; of a warp, 5 instructions, of which one loads and
 * one stores, with EXIT behind the last loop. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/io/sink.h"
#include "proto/macsim/detect.h"
#include "tests/support/macsim_samples.h"

static bool write_stream(const char *path, bool gzip, const struct sample *sample)
{
    struct fault error = fault_none();
    struct sink *const sink = sink_open_bytes(path, gzip, &error);

    if (sink != NULL && WORKS(error, sink_write(sink, sample->bytes, sample->length))
        && WORKS(error, sink_close(sink)))
        return true;
    fprintf(stderr, "%s\n", fault_text(error));
    return false;
}

int main(int argc, char **argv)
{
    struct macsim_override format;
    char problem[600];

    if (argc < 6) {
        fputs("Usage: macsim_write LAYOUT/OPCODES LOOPS plain|gzip PREFIX ID...\n", stderr);
        return 2;
    }
    if (!macsim_override_parse(&format, argv[1], problem, sizeof problem) || !format.has_layout
        || !format.has_dialect) {
        fprintf(stderr, "%s: %s\n", argv[1], problem);
        return 2;
    }
    for (int i = 5; i < argc; i++) {
        struct sample sample = {0};
        uint64_t const id = strtoull(argv[i], NULL, 10);
        char path[4096];
        bool good;

        sample_make(&sample, format.layout, format.dialect, (unsigned)strtoul(argv[2], NULL, 10),
                    SAMPLE_DATA + id * 4096);
        snprintf(path, sizeof path, "%s_%" PRIu64 ".raw", argv[4], id);
        good = write_stream(path, strcmp(argv[3], "gzip") == 0, &sample);
        sample_free(&sample);
        if (!good)
            return 1;
    }
    return 0;
}
