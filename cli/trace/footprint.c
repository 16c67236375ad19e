/* Lines and pages are numbers in sets; an access touches all that its bytes lie in. */
#include "cli/trace/footprint.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/line_span.h"

void footprint_touch(struct footprint *footprint, uint64_t addr, uint64_t bytes, uint64_t line_bytes)
{
    struct line_span const lines = line_span_of(addr, bytes, line_bytes);
    struct line_span const pages = line_span_of(addr, bytes, FOOTPRINT_PAGE_BYTES);
    uint64_t const last = bytes == 0 || addr + bytes - 1 < addr ? addr : addr + bytes - 1;
    bool const first = footprint->accesses == 0;

    footprint->lowest = first || addr < footprint->lowest ? addr : footprint->lowest;
    footprint->highest = first || last > footprint->highest ? last : footprint->highest;
    footprint->bytes += bytes;
    footprint->accesses++;
    footprint->crossing += lines.count > 1;
    for (uint64_t i = 0; i < lines.count; i++)
        number_set_add(&footprint->lines, lines.first + i);
    for (uint64_t i = 0; i < pages.count; i++)
        number_set_add(&footprint->pages, pages.first + i);
}

void footprint_free(struct footprint *footprint)
{
    number_set_free(&footprint->lines);
    number_set_free(&footprint->pages);
}

void trace_print_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t i = 0;

    for (; value >= 1024 && i < 6; i++)
        value /= 1024;
    printf(i == 0 ? "%.0f %s" : "%.1f %s", value, units[i]);
}

void footprint_print(const char *name, const struct footprint *footprint, uint64_t line_bytes)
{
    if (footprint->accesses == 0)
        return;
    printf("  %-12s %9zu lines of %" PRIu64 " bytes = ", name, footprint->lines.count, line_bytes);
    trace_print_bytes(footprint->lines.count * line_bytes);
    printf(", %zu pages of 4 KiB, bytes 0x%" PRIx64 " to 0x%" PRIx64 "; moves ", footprint->pages.count,
           footprint->lowest,
           footprint->highest);
    trace_print_bytes(footprint->bytes);
    if (footprint->crossing > 0)
        printf("; %" PRIu64 " cross a line", footprint->crossing);
    printf("%s\n", footprint->lines.failed || footprint->pages.failed ? " (too low: out of memory)" : "");
}
