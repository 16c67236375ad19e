/* Fuzz target: any bytes as the table of a comparison. It may be refused, with a text, but not crash; rows that are
 * accepted have what the header promises, and files of their runs are looked for. */
#define _GNU_SOURCE
#include "sweep/compare/compare_table.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file const file = memory_file_open(data, size);
    struct comparison_table table = {0};
    struct fault fault = comparison_table_read(&table, file.path), none;

    if (fault.kind != FAULT_NONE && fault_text(fault)[0] == '\0')
        abort();
    for (size_t i = 0; fault.kind == FAULT_NONE && i < table.count; i++) {
        struct comparison_row const *const row = &table.rows[i];

        if (!row->program || !row->system || row->line < 2 || !(row->runs[SIDE_REPLAY].host_s >= 0))
            abort();
        for (unsigned side = 0; side < COMPARISON_SIDES; side++)
            free(comparison_file(&table, row, side, &none));
    }
    comparison_table_free(&table);
    memory_file_close(&file);
    return 0;
}
