/* Symbols of functions by libdwfl's table of symbols, which joins those of a file with those of its separate debug
 * file; lines by its DWARF. The library is loaded when it is needed, as a short run has no use for it.
 * Not read: names of inlined functions (an inlined call has the lines of its own source and the function around it),
 * mangled names of C++ are shown as they are. */
#include "proto/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_library.h"
#include "base/path.h"
#include "proto/symbols/elf_load.h"

#ifdef RUBATO_DW
#include <elfutils/libdwfl.h>

#define LIBRARY "libdw.so.1"

/* Result, name, arguments of the functions that are called. */
#define FUNCTIONS(F)                                                                                                  \
    F(Dwfl *, begin, (const Dwfl_Callbacks *))                                                                        \
    F(void, end, (Dwfl *))                                                                                            \
    F(Dwfl_Module *, report_elf, (Dwfl *, const char *, const char *, int, GElf_Addr, bool))                          \
    F(void, report_begin_add, (Dwfl *))                                                                               \
    F(int, report_end, (Dwfl *, int (*)(Dwfl_Module *, void *, const char *, Dwarf_Addr, void *), void *))            \
    F(Dwfl_Module *, addrmodule, (Dwfl *, Dwarf_Addr))                                                                \
    F(const char *, module_addrinfo, (Dwfl_Module *, GElf_Addr, GElf_Off *, GElf_Sym *, GElf_Word *, Elf **,          \
                                      Dwarf_Addr *))                                                                  \
    F(const char *, module_info, (Dwfl_Module *, void ***, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *, Dwarf_Addr *,    \
                                  const char **, const char **))                                                      \
    F(Dwfl_Line *, module_getsrc, (Dwfl_Module *, Dwarf_Addr))                                                        \
    F(const char *, lineinfo, (Dwfl_Line *, Dwarf_Addr *, int *, int *, Dwarf_Word *, Dwarf_Word *))                  \
    F(const char *, errmsg, (int))                                                                                    \
    F(int, errno, (void))

struct symbols {
    const struct insn_image *images;
    size_t image_count, file_count;
    char *last;                          /* path of the newest file */
    void *library;
    Dwfl *session;
    Dwfl_Callbacks callbacks;
#define FUNCTION_FIELD(result, name, arguments) result (*dw_##name) arguments;
    FUNCTIONS(FUNCTION_FIELD)
#undef FUNCTION_FIELD
};

static bool load(struct symbols *symbols)
{
    symbols->library = host_library_open(LIBRARY);
    if (!symbols->library)
        return false;
#define FUNCTION_FIND(result, name, arguments)                                                                        \
    if (!host_library_find(symbols->library, "dwfl_" #name, &symbols->dw_##name))                                     \
        return false;
    FUNCTIONS(FUNCTION_FIND)
#undef FUNCTION_FIND
    return host_library_find(symbols->library, "dwfl_standard_find_debuginfo", &symbols->callbacks.find_debuginfo)
        && host_library_find(symbols->library, "dwfl_offline_section_address", &symbols->callbacks.section_address);
}

struct symbols *symbols_open(const struct insn_image *images, size_t image_count, struct fault *error)
{
    struct symbols *const symbols = calloc(1, sizeof *symbols);

    if (!symbols) {
        *error = fault_make(FAULT_MEMORY, "out of memory for symbols");
        return NULL;
    }
    symbols->images = images;
    symbols->image_count = image_count;
    if (!load(symbols)) {
        *error = fault_make(FAULT_INPUT, "functions and lines of a program are read by %s of elfutils, which is not "
                            "there; install it (Debian, Ubuntu: apt-get install libdw1)", LIBRARY);
        symbols_close(symbols);
        return NULL;
    }
    symbols->session = symbols->dw_begin(&symbols->callbacks);
    if (!symbols->session) {
        *error = fault_make(FAULT_MEMORY, "%s: %s", LIBRARY, symbols->dw_errmsg(symbols->dw_errno()));
        symbols_close(symbols);
        return NULL;
    }
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    if (!symbols)
        return;
    if (symbols->session)
        symbols->dw_end(symbols->session);
    host_library_close(symbols->library);
    free(symbols->last);
    free(symbols);
}

static struct fault find_base(const struct symbols *symbols, const char *path, const struct elf_load *elf,
                              uint64_t *base)
{
    if (elf_load_place(elf, symbols->images, symbols->image_count, base))
        return fault_none();
    if (symbols->image_count > 0)
        return fault_at(path, FAULT_NO_OFFSET, "is another program than the trace's: no code image of the trace has "
                        "its executable segment; expected the file that was captured, unchanged");
    *base = 0;
    return elf->is_moved
        ? fault_at(path, FAULT_NO_OFFSET, "may be loaded at any address, and the trace has no code images that say "
                   "where; give FILE@ADDRESS, where its address 0 was")
        : fault_none();
}

struct fault symbols_add(struct symbols *symbols, const char *path, uint64_t address)
{
    uint64_t base = address;
    struct elf_load elf;
    struct fault fault = elf_load_read(&elf, path);

    if (fault.kind != FAULT_NONE)
        return fault;
    if (address == SYMBOLS_FIND)
        fault = find_base(symbols, path, &elf, &base);
    elf_load_free(&elf);
    if (fault.kind != FAULT_NONE)
        return fault;
    symbols->dw_report_begin_add(symbols->session);
    if (!symbols->dw_report_elf(symbols->session, path_name(path), path, -1, base, true)
        || symbols->dw_report_end(symbols->session, NULL, NULL) != 0)
        return fault_at(path, FAULT_NO_OFFSET, "%s: expected an ELF file that overlaps no other one",
                        symbols->dw_errmsg(symbols->dw_errno()));
    free(symbols->last);
    symbols->last = strdup(path);
    symbols->file_count++;
    return symbols->last ? fault_none() : fault_memory(path, "symbols");
}

size_t symbols_files(const struct symbols *symbols)
{
    return symbols->file_count;
}

const char *symbols_last(const struct symbols *symbols)
{
    return symbols->last;
}

bool symbols_find(const struct symbols *symbols, uint64_t pc, struct symbols_place *place)
{
    Dwfl_Module *const module = symbols->dw_addrmodule(symbols->session, pc);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    Dwfl_Line *line;
    int number = 0;

    *place = (struct symbols_place){0};
    if (!module)
        return false;
    place->module = symbols->dw_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    place->function = symbols->dw_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
    place->begin = pc - offset;
    line = symbols->dw_module_getsrc(module, pc);
    place->file = line ? symbols->dw_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    place->line = number > 0 ? (unsigned)number : 0;
    return true;
}

#else

struct symbols {
    char none;
};

struct symbols *symbols_open(const struct insn_image *images, size_t image_count, struct fault *error)
{
    (void)images;
    (void)image_count;
    *error = fault_make(FAULT_INPUT, "this rubato was built without libdw of elfutils, which reads functions and lines "
                        "of a program; install its headers (Debian, Ubuntu: apt-get install libdw-dev) and build anew");
    return NULL;
}

void symbols_close(struct symbols *symbols)
{
    (void)symbols;
}

struct fault symbols_add(struct symbols *symbols, const char *path, uint64_t address)
{
    (void)symbols;
    (void)path;
    (void)address;
    return fault_none();
}

size_t symbols_files(const struct symbols *symbols)
{
    (void)symbols;
    return 0;
}

const char *symbols_last(const struct symbols *symbols)
{
    (void)symbols;
    return NULL;
}

bool symbols_find(const struct symbols *symbols, uint64_t pc, struct symbols_place *place)
{
    (void)symbols;
    (void)pc;
    *place = (struct symbols_place){0};
    return false;
}

#endif

bool symbols_visit_needed(const char *path, void (*take)(void *context, const char *name), void *context)
{
    struct elf_load elf;
    struct fault const fault = elf_load_read(&elf, path);

    if (fault.kind != FAULT_NONE)
        return false;
    elf_load_visit_needed(&elf, take, context);
    elf_load_free(&elf);
    return true;
}
