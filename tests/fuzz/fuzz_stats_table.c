/* Fuzz target: any bytes as a file of statistics, text or JSON. It may be refused, with a text, but not crash; the
 * names of an accepted file are found, and differ. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/compare/stats_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    struct stats_table table;
    struct fault fault;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    fault = stats_table_parse(&table, "fuzz", text, size);
    if (fault.kind != FAULT_NONE) {
        if (fault_text(fault)[0] == '\0')
            abort();
        return 0;
    }
    for (size_t i = 0; i < table.count; i++)
        if (stats_table_find(&table, table.lines[i].name) != &table.lines[i] || !table.lines[i].value
            || !table.lines[i].shares)
            abort();
    stats_table_free(&table);
    return 0;
}
