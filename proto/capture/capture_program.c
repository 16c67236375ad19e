/* Reads the required parts of ELF64, little-endian: header, program headers, symbol tables. Every offset of the file is
 * checked against its end before it is followed. Not read: 32-bit programs, which are refused by name. */
#include "proto/capture/host.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum { SCRIPT_LINE_BYTES = 256, SCRIPT_DEPTH = 5 };

/* --- finding it --- */

static bool is_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *program_in_path(const char *name, const char *search)
{
    if (strchr(name, '/') != NULL || search == NULL)
        return is_executable(name) ? strdup(name) : NULL;
    while (true) {
        const size_t length = strcspn(search, ":");
        char *const path = malloc(length + strlen(name) + 3);

        if (path == NULL)
            return NULL;
        memcpy(path, search, length);
        if (length == 0)
            path[0] = '.';
        path[length == 0 ? 1 : length] = '/';
        strcpy(path + (length == 0 ? 1 : length) + 1, name);
        if (is_executable(path))
            return path;
        free(path);
        if (search[length] == '\0')
            return NULL;
        search += length + 1;
    }
}

static struct fault not_found(const char *name)
{
    struct stat status;

    if (strchr(name, '/') == NULL)
        return fault_at(name, FAULT_NO_OFFSET, "no such program in $PATH; give its path, such as ./%s", name);
    if (stat(name, &status) != 0)
        return fault_at(name, FAULT_NO_OFFSET, "%s; expected a program", strerror(errno));
    return fault_at(name, FAULT_NO_OFFSET, "it may not be executed; expected a program with its mode set (chmod +x)");
}

static struct fault map_file(struct program *program)
{
    struct fault fault = fault_none();
    const int file = open(program->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const void *map;

    if (file < 0)
        return fault_at(program->path, FAULT_NO_OFFSET, "%s", strerror(errno));
    if (fstat(file, &status) != 0 || status.st_size <= 0) {
        close(file);
        return fault_at(program->path, FAULT_NO_OFFSET, "it is empty; expected a program");
    }
    program->input = input_file_map(file, program->path, &map, (size_t)status.st_size);
    if (program->input == NULL) {
        fault = fault_at(program->path, FAULT_NO_OFFSET, "%s", strerror(errno));
        close(file);
        return fault;
    }
    program->file = map;
    program->file_bytes = (size_t)status.st_size;
    return fault_none();
}

static void unmap_file(struct program *program)
{
    input_file_unmap(program->input);
    program->input = NULL;
    program->file = NULL;
}

static void free_words(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
}

static size_t word_count(char *const *words)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return count;
}

/* `first` and `second`, if not NULL, before the words from `skipped` on. NULL: out of memory. */
static char **joined(const char *first, const char *second, const char *third, char *const *words, size_t skipped)
{
    const char *const before[] = {first, second, third};
    const size_t count = word_count(words);
    char **const all = calloc(count + 4, sizeof *all);
    size_t filled = 0;

    for (size_t i = 0; all != NULL && i < 3; i++)
        if (before[i] != NULL)
            all[filled++] = strdup(before[i]);
    for (size_t i = skipped; all != NULL && i < count; i++)
        all[filled++] = strdup(words[i]);
    for (size_t i = 0; i < filled; i++)
        if (all[i] == NULL) {
            free_words(all);
            return NULL;
        }
    return all;
}

/* A script: its interpreter takes its place. */
static struct fault follow_script(struct program *program)
{
    char line[SCRIPT_LINE_BYTES];
    const size_t most = program->file_bytes - 2 < sizeof line - 1 ? program->file_bytes - 2 : sizeof line - 1;
    const uint8_t *const end = memchr(program->file + 2, '\n', most);
    const size_t length = end != NULL ? (size_t)(end - program->file - 2) : most;
    char *name = line, *argument, **argv;

    memcpy(line, program->file + 2, length);
    line[length] = '\0';
    name += strspn(name, " \t");
    argument = name + strcspn(name, " \t\r");
    if (*argument != '\0')
        *argument++ = '\0';
    argument += strspn(argument, " \t");
    for (size_t i = strlen(argument); i > 0 && strchr(" \t\r", argument[i - 1]) != NULL; i--)
        argument[i - 1] = '\0';
    if (*name == '\0')
        return fault_at(program->path, 0, "#! without an interpreter");
    argv = joined(name, *argument != '\0' ? argument : NULL, program->path, program->argv, 1);
    if (argv == NULL)
        return fault_memory(program->path, NULL);
    free_words(program->argv);
    program->argv = argv;
    if (!is_executable(name))
        return fault_at(program->path, 0, "its interpreter %s is missing or may not be executed", name);
    unmap_file(program);
    free(program->path);
    program->path = strdup(name);
    return program->path != NULL ? fault_none() : fault_memory(name, NULL);
}

/* --- ELF --- */

static const void *part(const struct program *program, uint64_t offset, uint64_t bytes)
{
    return offset <= program->file_bytes && bytes <= program->file_bytes - offset ? program->file + offset : NULL;
}

static bool header_of(const struct program *program, Elf64_Ehdr *header)
{
    const void *const bytes = part(program, 0, sizeof *header);

    if (bytes == NULL)
        return false;
    memcpy(header, bytes, sizeof *header);
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

static bool segment_of(const struct program *program, unsigned i, Elf64_Phdr *segment)
{
    Elf64_Ehdr header;
    const void *bytes;

    if (!header_of(program, &header) || i >= header.e_phnum || header.e_phentsize != sizeof *segment)
        return false;
    bytes = part(program, header.e_phoff + (uint64_t)i * sizeof *segment, sizeof *segment);
    if (bytes == NULL)
        return false;
    memcpy(segment, bytes, sizeof *segment);
    return true;
}

static bool section_of(const struct program *program, unsigned i, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    const void *bytes;

    if (!header_of(program, &header) || i >= header.e_shnum || header.e_shentsize != sizeof *section)
        return false;
    bytes = part(program, header.e_shoff + (uint64_t)i * sizeof *section, sizeof *section);
    if (bytes == NULL)
        return false;
    memcpy(section, bytes, sizeof *section);
    return true;
}

static const char *machine_name(unsigned machine)
{
    static const struct { unsigned machine; const char *name; } names[] = {
        {EM_386, "x86, 32 bits"}, {EM_ARM, "arm, 32 bits"}, {EM_PPC64, "ppc64"}, {EM_S390, "s390"}, {EM_MIPS, "mips"},
        {EM_PPC, "ppc"}, {EM_SPARCV9, "sparc64"}
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another machine";
}

static struct fault read_elf(struct program *program)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (!header_of(program, &header))
        return fault_at(program->path, 0, "neither ELF nor a script with #!; expected a program for x86-64, aarch64 "
                        "or riscv64");
    if (header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_ident[EI_CLASS] == ELFCLASS64)
        program->isa = header.e_machine == EM_X86_64 ? ISA_X86_64 : header.e_machine == EM_AARCH64 ? ISA_A64
            : header.e_machine == EM_RISCV ? ISA_RV64 : ISA_UNKNOWN;
    if (program->isa == ISA_UNKNOWN)
        return fault_at(program->path, 18, "ELF of machine %u (%s); x86-64, aarch64 and riscv64 of 64 bits can be "
                        "captured", header.e_machine, machine_name(header.e_machine));
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return fault_at(program->path, 16, "ELF of type %u; expected a program (2 or 3): objects must be linked first",
                        header.e_type);
    program->is_fixed = header.e_type == ET_EXEC;
    program->first_code = UINT64_MAX;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (!segment_of(program, i, &segment))
            return fault_at(program->path, header.e_phoff, "program header %u lies behind the end of the file", i);
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && segment.p_vaddr < program->first_code)
            program->first_code = segment.p_vaddr;
        if (segment.p_type == PT_INTERP && program->loader == NULL) {
            const char *const name = part(program, segment.p_offset, segment.p_filesz);

            if (name == NULL || segment.p_filesz == 0 || name[segment.p_filesz - 1] != '\0')
                return fault_at(program->path, segment.p_offset, "the name of its loader is cut");
            program->loader = strdup(name);
            if (program->loader == NULL)
                return fault_memory(program->path, NULL);
        }
    }
    return fault_none();
}

struct fault program_find(struct program *program, char *const *argv, const char *search)
{
    struct fault fault = fault_none();

    *program = (struct program){.path = program_in_path(argv[0], search)};
    if (program->path == NULL)
        return not_found(argv[0]);
    program->argv = joined(NULL, NULL, NULL, argv, 0);
    if (program->argv == NULL)
        return fault_memory(argv[0], NULL);
    for (unsigned depth = 0; WORKS(fault, map_file(program)); depth++) {
        if (program->file_bytes < 2 || memcmp(program->file, "#!", 2) != 0)
            return read_elf(program);
        if (depth == SCRIPT_DEPTH)
            return fault_at(program->path, 0, "scripts that interpret scripts, %u deep", depth);
        FORWARD(follow_script(program));
    }
    return fault;
}

void program_free(struct program *program)
{
    unmap_file(program);
    free_words(program->argv);
    free(program->path);
    free(program->loader);
    *program = (struct program){0};
}

bool program_code(const struct program *program, unsigned *place, uint64_t *address, const uint8_t **bytes,
                  size_t *count)
{
    Elf64_Phdr segment;

    while (segment_of(program, (*place)++, &segment))
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            *address = segment.p_vaddr;
            *bytes = part(program, segment.p_offset, segment.p_filesz);
            *count = segment.p_filesz;
            if (*bytes != NULL && *count <= UINT64_MAX - segment.p_vaddr)
                return true;
        }
    return false;
}

/* --- symbols --- */

/* Calls `each` with every defined symbol, until it answers true. */
static bool any_symbol(const struct program *program,
                       bool (*each)(void *of, const char *name, const Elf64_Sym *symbol), void *of)
{
    Elf64_Shdr table, names;

    for (unsigned i = 0; section_of(program, i, &table); i++) {
        const char *text;

        if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || !section_of(program, table.sh_link, &names))
            continue;
        text = part(program, names.sh_offset, names.sh_size);
        if (text == NULL || names.sh_size == 0 || text[names.sh_size - 1] != '\0' ||
            part(program, table.sh_offset, table.sh_size) == NULL)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;

            memcpy(&symbol, program->file + table.sh_offset + at, sizeof symbol);
            if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.sh_size &&
                each(of, text + symbol.st_name, &symbol))
                return true;
        }
    }
    return false;
}

struct wanted_symbol {
    const char *name;
    uint64_t address, bytes;
    uint64_t defined;
    char like[80];                       /* a name that differs by case or contains it */
};

static bool capture_program_is_wanted(void *of, const char *name, const Elf64_Sym *symbol)
{
    struct wanted_symbol *const wanted = of;

    wanted->defined++;
    if (strcmp(name, wanted->name) == 0) {
        wanted->address = symbol->st_value;
        wanted->bytes = symbol->st_size;
        return true;
    }
    if (wanted->like[0] == '\0' && strlen(name) < sizeof wanted->like && strstr(name, wanted->name) != NULL)
        strcpy(wanted->like, name);
    return false;
}

struct fault program_symbol(const struct program *program, const char *name, uint64_t *address)
{
    struct wanted_symbol wanted = {.name = name};

    if (any_symbol(program, capture_program_is_wanted, &wanted)) {
        *address = wanted.address;
        return fault_none();
    }
    if (wanted.defined == 0)
        return fault_at(program->path, FAULT_NO_OFFSET, "it has no symbols (stripped), so %s is not known; give an "
                        "address such as 0x401000 or a number of instructions", name);
    if (wanted.like[0] != '\0')
        return fault_at(program->path, FAULT_NO_OFFSET, "no symbol %s; there is %s", name, wanted.like);
    return fault_at(program->path, FAULT_NO_OFFSET, "no symbol %s among its %llu; `nm` lists them", name,
                    (unsigned long long)wanted.defined);
}

struct next_symbol {
    uint64_t address, next;
};

static bool see_next(void *of, const char *name, const Elf64_Sym *symbol)
{
    struct next_symbol *const seen = of;

    if (symbol->st_value > seen->address && symbol->st_value < seen->next && strcmp(name, "_fini") != 0)
        seen->next = symbol->st_value;
    return false;
}

uint64_t program_symbol_room(const struct program *program, const char *name)
{
    struct wanted_symbol wanted = {.name = name};
    struct next_symbol seen = {.next = UINT64_MAX};

    if (!any_symbol(program, capture_program_is_wanted, &wanted))
        return 0;
    seen.address = wanted.address;
    any_symbol(program, see_next, &seen);
    return seen.next == UINT64_MAX ? wanted.bytes : seen.next - wanted.address;
}

uint64_t program_entry(const struct program *program)
{
    Elf64_Ehdr header;

    return header_of(program, &header) ? header.e_entry : 0;
}
