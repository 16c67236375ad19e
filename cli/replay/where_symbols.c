/* Which files have the symbols of a trace's program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/replay/where.h"
#include "proto/symbols/symbols.h"
#include "replay/source/workload.h"

enum { WHERE_PATH_BYTES = 4096 };

struct symbol_search {
    struct symbols *symbols;
    enum isa isa;
    struct fault fault;                  /* of a file that was there and not taken */
};

/* A file that may be the one: it is taken if it is. */
static bool try_file(struct symbol_search *search, const char *path)
{
    struct fault fault;

    if (access(path, R_OK) != 0)
        return false;
    if (WORKS(fault, symbols_add(search->symbols, path, SYMBOLS_FIND)))
        return true;
    search->fault = fault;
    return false;
}

static bool try_name(struct symbol_search *search, const char *folder, size_t folder_length, const char *name,
                     const char *ending)
{
    char path[WHERE_PATH_BYTES];
    int const length = snprintf(path, sizeof path, "%.*s%s%s%s", (int)folder_length, folder,
                                folder_length > 0 ? "/" : "", name, ending);

    return length > 0 && (size_t)length < sizeof path && try_file(search, path);
}

static bool try_folders(struct symbol_search *search, const char *folders, const char *name)
{
    for (const char *folder = folders; folder && *folder;) {
        size_t const length = strcspn(folder, ":");

        if (length > 0 && try_name(search, folder, length, name, ""))
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* Shared libraries of the program's architecture, as capture finds them. */
static void take_needed(void *context, const char *name)
{
    struct symbol_search *const search = context;
    static const char x86[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
    static const char a64[] = "/usr/aarch64-linux-gnu/lib:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib";
    static const char rv64[] = "/usr/riscv64-linux-gnu/lib:/lib/riscv64-linux-gnu:/usr/lib/riscv64-linux-gnu:/lib";
    const char *const prefix = getenv("QEMU_LD_PREFIX");

    if (prefix && try_name(search, prefix, strlen(prefix), name[0] == '/' ? name + 1 : name, ""))
        return;
    if (name[0] == '/' && try_file(search, name))
        return;
    try_folders(search, search->isa == ISA_A64 ? a64 : search->isa == ISA_RV64 ? rv64 : x86, path_name(name));
}

static void find_program(struct symbol_search *search, const char *trace, const char *command)
{
    char program[WHERE_PATH_BYTES];
    size_t const length = strcspn(command, " ");
    const char *const trace_name = path_name(trace);
    size_t const folder = trace_name > trace ? (size_t)(trace_name - trace) - 1 : 0;
    const char *name;

    if (length == 0 || length >= sizeof program)
        return;
    memcpy(program, command, length);
    program[length] = '\0';
    name = path_name(program);
    if (!try_name(search, trace, folder, name, "") && !try_name(search, trace, folder, name, ".elf")) {
        if (name > program)
            try_file(search, program);
        else
            try_folders(search, getenv("PATH"), name);
    }
}

/* Of the only file: of more, the user has chosen. */
static void find_needed(struct symbol_search *search)
{
    char program[WHERE_PATH_BYTES];

    snprintf(program, sizeof program, "%s", symbols_last(search->symbols));
    symbols_visit_needed(program, take_needed, search);
}

/* FILE or FILE@ADDRESS */
static struct fault add_named(struct symbols *symbols, const char *text)
{
    const char *const at = strrchr(text, '@');
    char path[WHERE_PATH_BYTES], *end = NULL;
    uint64_t address = SYMBOLS_FIND;

    if (at && access(text, R_OK) != 0) {
        address = strtoull(at + 1, &end, 0);
        if (end == at + 1 || *end != '\0' || at[1] == '-' || address == SYMBOLS_FIND)
            return fault_make(FAULT_INPUT, "--symbols %s: %s is no address; expected FILE or FILE@ADDRESS, such as "
                              "libm.so.6@0x4000800000", text, at + 1);
    }
    if ((size_t)snprintf(path, sizeof path, "%.*s", (int)(address == SYMBOLS_FIND ? strlen(text) : (size_t)(at - text)),
                         text) >= sizeof path)
        return fault_make(FAULT_INPUT, "--symbols: the path is too long");
    return symbols_add(symbols, path, address);
}

struct symbols *where_find_symbols(const struct where_options *options, const struct workload *workload)
{
    const struct insn_trace *const trace = workload->insn ? workload->insn[0] : NULL;
    const struct insn_image *images = NULL;
    size_t const image_count = trace ? insn_trace_images(trace, &images) : 0;
    struct symbol_search search = {.isa = trace ? insn_trace_isa(trace) : ISA_UNKNOWN, .fault = fault_none()};
    struct fault fault = fault_none();

    search.symbols = symbols_open(images, image_count, &fault);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < options->symbol_count; i++)
        fault = add_named(search.symbols, options->symbols[i]);
    if (fault.kind == FAULT_NONE && options->symbol_count == 0 && trace)
        find_program(&search, workload->insn_paths[0], insn_trace_command(trace));
    if (fault.kind == FAULT_NONE && image_count > 0 && symbols_files(search.symbols) == 1)
        find_needed(&search);
    if (fault.kind == FAULT_NONE && symbols_files(search.symbols) == 0)
        fault = search.fault.kind != FAULT_NONE ? search.fault
                : fault_make(FAULT_INPUT, "--by: the program of the trace was not found beside it or by its command "
                             "%.200s; give it by --symbols FILE, or --by pc",
                             trace && *insn_trace_command(trace) ? insn_trace_command(trace) : "(unknown)");
    if (fault.kind == FAULT_NONE)
        return search.symbols;
    symbols_close(search.symbols);
    cli_fail(fault);
    return NULL;
}
