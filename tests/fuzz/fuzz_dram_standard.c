/* Fuzz target: any bytes as the file of a DRAM standard. It may be refused, with a reason, but not crash; a standard
 * that is accepted gives devices or is refused, and a memory of such a device serves requests for a while, or ends with
 * a reason. */
#define _GNU_SOURCE
#include <string.h>

#include "memsys/command/cmd_memory.h"
#include "replay/config/command_standard.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PRESETS = 2, REQUESTS = 24, TICKS = 20000, MOST_BYTES = 1 << 16, MOST_BANKS = 1 << 12 };

static bool is_fine(struct fault fault)
{
    if (fault.kind != FAULT_NONE && *fault_text(fault) == '\0')
        abort();
    return fault.kind == FAULT_NONE;
}

static void drive(const struct cmd_spec *spec)
{
    struct cmd_hooks const hooks = {0};
    struct cmd_memory *memory = NULL;
    struct cmd_config config;
    struct fault fault;

    cmd_config_default(&config, spec);
    if (!is_fine(cmd_memory_new(&memory, &config, &hooks, 1))) {
        cmd_memory_free(memory);
        return;
    }
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct cmd_access const access = {.kind = i % 3 ? CMD_READ : CMD_WRITE, .token = i,
                                          .address = (uint64_t)i * i * spec->tx_bytes};

        cmd_memory_send(memory, &access, &fault);
        if (!is_fine(fault))
            break;
    }
    while (cmd_memory_now(memory) < TICKS && is_fine(cmd_memory_run(memory, TICKS)))
        ;
    cmd_memory_free(memory);
}

static void make(const struct cmd_standard *standard, size_t organization, size_t timing)
{
    struct cmd_spec spec = {0};

    /* Devices of very many banks take memory, not other code. */
    if (is_fine(cmd_spec_make(&spec, standard, standard->organizations[organization].name,
                              standard->timings[timing].name, (struct cmd_overrides){NULL, 0}, true, true))
        && spec.bank_count <= MOST_BANKS)
        drive(&spec);
    cmd_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file const file = memory_file_open(data, size < MOST_BYTES ? size : MOST_BYTES);
    struct cmd_standard standard = {0};

    if (is_fine(command_standard_read(&standard, file.path))) {
        for (size_t i = 0; i < standard.organization_count && i < MOST_PRESETS; i++)
            for (size_t k = 0; k < standard.preset_count && k < MOST_PRESETS; k++)
                make(&standard, i, k);
        cmd_standard_free(&standard);
    }
    memory_file_close(&file);
    return 0;
}
