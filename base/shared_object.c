/* The header of an ELF file says its class, byte order and machine; those of the running program are read from
 * /proc/self/exe. */
#include "base/shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"

enum { MACHINE_END = EI_NIDENT + 4 };    /* of the header: identification, type, machine */

static const char *machine_name(unsigned machine)
{
    static const struct { unsigned machine; const char *name; } names[] = {
        {EM_X86_64, "x86-64"}, {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"}, {EM_386, "x86 of 32 bits"},
        {EM_ARM, "Arm of 32 bits"}, {EM_PPC64, "PowerPC of 64 bits"}, {EM_S390, "s390"}
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another architecture";
}

static bool read_head(const char *path, unsigned char head[MACHINE_END])
{
    int const descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t const count = descriptor >= 0 ? read(descriptor, head, MACHINE_END) : -1;

    if (descriptor >= 0)
        close(descriptor);
    return count == MACHINE_END && memcmp(head, ELFMAG, SELFMAG) == 0;
}

static unsigned machine_of(const unsigned char head[MACHINE_END])
{
    unsigned const low = head[EI_NIDENT + 2], high = head[EI_NIDENT + 3];

    return head[EI_DATA] == ELFDATA2LSB ? low | high << 8 : low << 8 | high;
}

static unsigned type_of(const unsigned char head[MACHINE_END])
{
    return head[EI_DATA] == ELFDATA2LSB ? head[EI_NIDENT] : head[EI_NIDENT + 1];
}

static struct fault check_file(const char *path)
{
    unsigned char head[MACHINE_END], own[MACHINE_END];
    struct stat about;

    if (!strchr(path, '/'))
        return fault_make(FAULT_INPUT, "%.250s: a shared object is named by its path; give it a slash, such as "
                          "./%.250s", path, path);
    if (stat(path, &about) != 0)
        return fault_make(FAULT_INPUT, "%.300s: %s; give the path of a shared object that is there", path,
                          strerror(errno));
    if (!S_ISREG(about.st_mode) || !read_head(path, head) || type_of(head) != ET_DYN)
        return fault_make(FAULT_INPUT, "%.300s: not a shared object; make one with rubato plugin build FILE -o NAME.so",
                          path);
    if (read_head("/proc/self/exe", own)
        && (machine_of(head) != machine_of(own) || head[EI_CLASS] != own[EI_CLASS] || head[EI_DATA] != own[EI_DATA]))
        return fault_make(FAULT_INPUT, "%.300s: made for %s, but rubato runs on %s; build it anew on this host", path,
                          machine_name(machine_of(head)), machine_name(machine_of(own)));
    return fault_none();
}

/* Errors of the loader begin with the path, which the message has already. */
static const char *loader_error(const char *path)
{
    const char *const text = dlerror();
    size_t const length = strlen(path);

    if (!text)
        return "unknown error";
    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

static struct fault find_symbol(struct shared_object *object, void *library, const char *path, const char *symbol,
                                const char *expected)
{
    if (!library)
        return fault_make(FAULT_INPUT, "%.300s: cannot be loaded: %.300s; build it anew with rubato plugin build", path,
                          loader_error(path));
    object->symbol = dlsym(library, symbol);
    if (object->symbol)
        return fault_none();
    dlclose(library);
    return fault_make(FAULT_INPUT, "%.300s: has no symbol %s, so it is not %s; export one, or name another file", path,
                      symbol, expected);
}

struct fault shared_object_load(struct shared_object *object, const char *path, const char *symbol,
                                const char *expected)
{
    FORWARD(check_file(path));
    FORWARD(hash64_file(path, &object->digest));
    return find_symbol(object, dlopen(path, RTLD_NOW | RTLD_LOCAL), path, symbol, expected);
}
