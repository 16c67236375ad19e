/* Bins of a histogram. Not modelled: negative samples, weights, bins that begin above 0. */
#include "memsys/sim/histogram.h"

#include <stdlib.h>

struct fault histogram_init(struct histogram *histogram, uint32_t bin_count)
{
    *histogram = (struct histogram){.bin_count = bin_count, .bin_width = 1, .logged_log = -INFINITY};
    histogram->bins = calloc(bin_count, sizeof *histogram->bins);
    if (histogram->bins == NULL)
        return fault_make(FAULT_MEMORY, "out of memory for a histogram of %u bins", bin_count);
    return fault_none();
}

void histogram_free(struct histogram *histogram)
{
    free(histogram->bins);
    *histogram = (struct histogram){.bin_width = 1};
}

void histogram_reset(struct histogram *histogram)
{
    histogram->sums = (struct sample_sums){0};
    histogram->log_sum = 0;
    histogram->bin_width = 1;
    histogram->bin_shift = 0;
    for (uint32_t i = 0; i < histogram->bin_count; i++)
        histogram->bins[i] = 0;
}

void histogram_grow(struct histogram *histogram, uint64_t value)
{
    uint64_t *const bins = histogram->bins;
    uint32_t const count = histogram->bin_count;

    while (value >> histogram->bin_shift >= count) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t const from = UINT64_C(2) * i;

            bins[i] = (from < count ? bins[from] : 0) + (from + 1 < count ? bins[from + 1] : 0);
        }
        histogram->bin_width *= 2;
        histogram->bin_shift++;
    }
}
