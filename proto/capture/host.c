/* CPUs: for x86-64 all features of QEMU 7.2, which include AVX2 but not AVX-512; for aarch64 Neoverse N1, which has
 * atomic operations (LSE), no SVE (its accesses would not be reported individually), and zeroes 64 bytes by dc zva as
 * common cores do; for riscv64 the default with all of RV64GC.
 *
 * Valgrind: blocks without chasing of jumps, so that they match the program's; no optimisation before the tool sees
 * them, since that removes loads with unused values. An environment variable names Valgrind's library folder; for the
 * tool it is a folder with links to the installed files, and the tool itself. */
#include "proto/capture/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct target {
    enum isa isa;
    const char *qemu, *cpu, *sysroot;
};

static const struct target targets[] = {
    {ISA_X86_64, "qemu-x86_64", "max", NULL},
    {ISA_A64, "qemu-aarch64", "neoverse-n1", "/usr/aarch64-linux-gnu"},
    {ISA_RV64, "qemu-riscv64", "rv64", "/usr/riscv64-linux-gnu"}
};

static const struct target *target_of(enum isa isa)
{
    const struct target *target = targets;

    while (target->isa != isa)
        target++;
    return target;
}

static bool host_is_there(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0;
}

static bool is_native(enum isa isa)
{
#if defined __x86_64__
    return isa == ISA_X86_64;
#elif defined __aarch64__
    return isa == ISA_A64;
#else
    return isa == ISA_RV64 && false;
#endif
}

/* Commands of a few words, each a copy. */
enum { FIXED_WORDS = 16 };

static bool host_put_word(struct host_command *command, size_t *count, const char *word)
{
    command->argv[*count] = strdup(word);
    return command->argv[(*count)++] != NULL;
}

/* NULL: QEMU itself knows. */
static struct fault find_sysroot(const struct program *program, const struct host_options *options,
                                 const char **sysroot)
{
    struct fault fault = fault_none();
    char path[4096];

    *sysroot = options->sysroot;
    if (*sysroot == NULL && !options->has_sysroot_variable && !is_native(program->isa) && program->loader != NULL)
        *sysroot = target_of(program->isa)->sysroot;
    if (*sysroot == NULL || program->loader == NULL)
        return fault_none();
    snprintf(path, sizeof path, "%s/%s", *sysroot, program->loader);
    if (host_is_there(path) || (options->sysroot == NULL && host_is_there(program->loader)))
        return fault_none();
    fault = fault_at(program->path, FAULT_NO_OFFSET, "it is linked with shared libraries of %s, and %s has no %s; "
                     "give --sysroot DIR, or link it with -static", isa_name(program->isa), *sysroot, program->loader);
    fault.kind = FAULT_STALL;
    return fault;
}

static char *plugin_argument(const char *folder, const char *area, struct fault *error)
{
    static const char name[] = "/capture-qemu.so", option[] = ",area=";
    const size_t room = 2 * strlen(folder) + sizeof name + sizeof option + strlen(area) + 1;
    char *const argument = malloc(room);
    size_t filled = 0;

    if (argument == NULL) {
        *error = fault_memory("capture", NULL);
        return NULL;
    }
    snprintf(argument, room, "%s%s", folder, name);
    if (!host_is_there(argument)) {
        *error = fault_at(argument, FAULT_NO_OFFSET, "the plugin for QEMU is missing; it is built with the command "
                          "(`make`) and belongs beside it");
        free(argument);
        return NULL;
    }
    /* QEMU takes a comma as the end unless it is doubled. */
    for (const char *at = folder; *at != '\0'; at++) {
        argument[filled++] = *at;
        if (*at == ',')
            argument[filled++] = ',';
    }
    snprintf(argument + filled, room - filled, "%s%s%s", name, option, area);
    return argument;
}

static struct fault qemu_command(struct host_command *command, size_t *count, const struct program *program,
                                 const struct host_options *options, const char *area)
{
    struct fault fault = fault_none();
    const struct target *const target = target_of(program->isa);
    char *const qemu = program_in_path(target->qemu, options->search);
    const char *sysroot;
    char *plugin;
    bool done;

    if (qemu == NULL)
        return fault_at(target->qemu, FAULT_NO_OFFSET, "not found in $PATH; install QEMU's user mode (Debian, Ubuntu: "
                        "apt-get install qemu-user)");
    plugin = WORKS(fault, find_sysroot(program, options, &sysroot)) ? plugin_argument(options->folder, area, &fault)
        : NULL;
    if (plugin == NULL) {
        free(qemu);
        return fault;
    }
    done = host_put_word(command, count, qemu) && host_put_word(command, count, "-cpu") &&
        host_put_word(command, count, options->cpu != NULL ? options->cpu : target->cpu) &&
        (sysroot == NULL || (host_put_word(command, count, "-L") && host_put_word(command, count, sysroot))) &&
        host_put_word(command, count, "-plugin") && host_put_word(command, count, plugin) &&
        host_put_word(command, count, "-0") && host_put_word(command, count, program->argv[0]) &&
        host_put_word(command, count, program->path);
    free(qemu);
    free(plugin);
    return done ? fault_none() : fault_memory("capture", NULL);
}

/* Settings of the user, which may be for other tools, are left out. */
static struct fault valgrind_command(struct host_command *command, size_t *count, const struct program *program,
                                     const struct host_options *options, const char *area)
{
    static const char *const fixed[] = {
        "--tool=capture", "--command-line-only=yes", "--quiet", "--vgdb=no", "--trace-children=yes",
        "--vex-guest-chase=no", "--vex-iropt-level=0"
    };
    static const char variable[] = "VALGRIND_LIB=", tool[] = "/capture-amd64-linux";
    const size_t room = sizeof variable + strlen(options->folder) + sizeof "/valgrind" + sizeof tool;
    char area_option[128], *valgrind;
    bool done;

    if (program->isa != ISA_X86_64)
        return fault_at(program->path, FAULT_NO_OFFSET, "a program of %s; Valgrind runs those of x86-64: leave out "
                        "--with valgrind", isa_name(program->isa));
    if (options->cpu != NULL || options->sysroot != NULL)
        return fault_at(options->cpu != NULL ? "--cpu" : "--sysroot", FAULT_NO_OFFSET, "is QEMU's; Valgrind runs "
                        "programs with the CPU and the libraries of the host");
    command->variable = malloc(room);
    if (command->variable == NULL)
        return fault_memory("capture", NULL);
    snprintf(command->variable, room, "%s%s/valgrind%s", variable, options->folder, tool);
    if (!host_is_there(command->variable + sizeof variable - 1))
        return fault_at(command->variable + sizeof variable - 1, FAULT_NO_OFFSET, "the tool for Valgrind is missing; "
                        "`make` builds it with the command where Valgrind 3.19 is (Debian, Ubuntu: apt-get install "
                        "valgrind), and it belongs beside it");
    command->variable[strlen(command->variable) - (sizeof tool - 1)] = '\0';
    valgrind = program_in_path("valgrind", options->search);
    if (valgrind == NULL)
        return fault_at("valgrind", FAULT_NO_OFFSET, "not found in $PATH; install it (Debian, Ubuntu: apt-get install "
                        "valgrind)");
    snprintf(area_option, sizeof area_option, "--area=%s", area);
    done = host_put_word(command, count, valgrind);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0] && done; i++)
        done = host_put_word(command, count, fixed[i]);
    done = done && host_put_word(command, count, area_option) && host_put_word(command, count, "--") &&
        host_put_word(command, count, program->path);
    free(valgrind);
    return done ? fault_none() : fault_memory("capture", NULL);
}

struct fault host_command(struct host_command *command, const struct program *program,
                          const struct host_options *options, const char *area)
{
    const bool is_qemu = options->kind == HOST_QEMU;
    size_t words = 0, count = 0;

    while (program->argv[words] != NULL)
        words++;
    *command = (struct host_command){.argv = calloc(words + FIXED_WORDS, sizeof *command->argv), .source = malloc(80)};
    if (command->argv == NULL || command->source == NULL)
        return fault_memory("capture", NULL);
    snprintf(command->source, 80, "capture, %s", is_qemu ? target_of(program->isa)->qemu : "valgrind");
    command->name = is_qemu ? "QEMU" : "Valgrind";
    command->needs = is_qemu ? "QEMU 6.0 to 8.2, built with plugins, is needed, a CPU that it knows" :
        "Valgrind is needed as it was when the tool was built";
    FORWARD((is_qemu ? qemu_command : valgrind_command)(command, &count, program, options, area));
    for (size_t i = 1; i < words; i++)
        if (!host_put_word(command, &count, program->argv[i]))
            return fault_memory("capture", NULL);
    return fault_none();
}

uint32_t host_zeroed_bytes(const struct host_options *options)
{
    return options->cpu == NULL ? 64 : 0;
}

void host_command_free(struct host_command *command)
{
    for (size_t i = 0; command->argv != NULL && command->argv[i] != NULL; i++)
        free(command->argv[i]);
    free(command->argv);
    free(command->source);
    free(command->variable);
    *command = (struct host_command){0};
}
