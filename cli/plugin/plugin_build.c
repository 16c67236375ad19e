/* The compiler is started with a vector of arguments, never by a shell. Its output has a temporary name until it was
 * loaded. The header is looked for beside the program, as shipped systems are. */
#include "cli/plugin/plugin_build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/plugin/plugin_champsim.h"
#include "cli/plugin/plugin_show.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"

enum { MOST_SOURCES = 64, MOST_WORDS = MOST_SOURCES + PLUGIN_MOST_DEFINES + 32, PATH_TEXT = 4096 };

extern char **environ;

struct sources {
    char paths[MOST_SOURCES][PATH_TEXT];
    size_t count;
    bool has_cxx;
    struct champsim_source champsim;
    bool is_members;                     /* of the interface of 2021 */
};

/* ---- sources */

static bool is_c(const char *name)
{
    return text_ends_in(name, ".c");
}

static bool is_cxx(const char *name)
{
    return text_ends_in(name, ".cc") || text_ends_in(name, ".cpp") || text_ends_in(name, ".cxx");
}

static bool is_header(const char *name)
{
    return text_ends_in(name, ".h") || text_ends_in(name, ".hpp");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int read_folder(struct sources *sources, const char *path, DIR *folder)
{
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (is_header(entry->d_name)) {
            char header[PATH_TEXT];

            snprintf(header, sizeof header, "%.2000s/%s", path, entry->d_name);
            champsim_look(&sources->champsim, header);
        }
        if (!is_c(entry->d_name) && !is_cxx(entry->d_name))
            continue;
        if (sources->count == MOST_SOURCES)
            return cli_fail_text("plugin build: %s has more than %d sources; give the file of the module", path,
                                 MOST_SOURCES);
        snprintf(sources->paths[sources->count++], PATH_TEXT, "%.2000s/%s", path, entry->d_name);
    }
    qsort(sources->paths, sources->count, sizeof sources->paths[0], by_name);
    return CLI_OK;
}

static int find_sources(struct sources *sources, const char *path)
{
    DIR *const folder = opendir(path);
    int code = CLI_OK;

    if (folder) {
        code = read_folder(sources, path, folder);
        closedir(folder);
    } else if (access(path, R_OK) != 0) {
        return cli_fail_text("plugin build: %s: %s; give a source, or a folder of them", path, strerror(errno));
    } else if (is_c(path) || is_cxx(path)) {
        snprintf(sources->paths[sources->count++], PATH_TEXT, "%s", path);
    }
    if (code == CLI_OK && sources->count == 0)
        return cli_fail_text("plugin build: %s: no source; they end in .c, .cc, .cpp or .cxx", path);
    for (size_t i = 0; i < sources->count; i++)
        sources->has_cxx = sources->has_cxx || is_cxx(sources->paths[i]);
    return code;
}

/* ---- ChampSim's interfaces of 2021 and 2024 */

/* Its class, unless a header has it, or its members; a source of another interface is refused. */
static int find_champsim(struct sources *sources)
{
    struct champsim_source *const champsim = &sources->champsim;

    for (size_t i = 0; i < sources->count; i++)
        champsim_look(champsim, sources->paths[i]);
    sources->is_members = !*champsim->class && (champsim->has & CHAMPSIM_KINDS);
    if (!*champsim->class && !sources->is_members && *champsim->other)
        return cli_fail_text("plugin build: %s: %s is no hook of ChampSim's interface of 2021; those of other years "
                             "before 2024, and of forks, are not supported", champsim->other_file, champsim->other);
    return CLI_OK;
}

/* The name of the file or folder, without what no name of a module has. */
static void name_of(const char *source, char name[64])
{
    size_t length = strlen(source), begin;

    while (length > 1 && source[length - 1] == '/')
        length--;
    for (begin = length; begin > 0 && source[begin - 1] != '/';)
        begin--;
    snprintf(name, 64, "%.*s", (int)(length - begin < 63 ? length - begin : 63), source + begin);
    if (strchr(name + 1, '.'))
        *strchr(name + 1, '.') = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* A source beside the module's own, which makes a module of its hooks. */
static void write_members(const struct sources *sources, const char *source, FILE *wrapper)
{
    char name[64];

    name_of(source, name);
    fprintf(wrapper, "#define RUBATO_CHAMPSIM_NAME \"%s\"\n", name);
    for (unsigned bit = 1; champsim_has_name(bit); bit *= 2)
        if (sources->champsim.has & bit)
            fprintf(wrapper, "#define RUBATO_HAS_%s\n", champsim_has_name(bit));
    fprintf(wrapper, "#include <rubato_champsim_hooks.h>\n");
}

/* A source that includes the class and makes a module of it, in place of the one that defines it. */
static bool write_class(const struct champsim_source *champsim, FILE *wrapper)
{
    char *const file = realpath(champsim->file, NULL);

    if (file)
        fprintf(wrapper, "%s#include \"%s\"\n#include <rubato_champsim.h>\n#include <rubato_private.h>\n"
                "RUBATO_CHAMPSIM_%s(%s)\n",
                champsim->has & CHAMPSIM_NUM_CPUS ? "#define RUBATO_HAS_NUM_CPUS\n" : "", file, champsim->kind,
                champsim->class);
    free(file);
    return file != NULL;
}

static int write_wrapper(struct sources *sources, const char *source, const char *path)
{
    FILE *const wrapper = fopen(path, "w");
    bool is_written = wrapper && (sources->is_members || write_class(&sources->champsim, wrapper));
    size_t i = 0;

    if (wrapper && sources->is_members)
        write_members(sources, source, wrapper);
    if (wrapper && fclose(wrapper) != 0)
        is_written = false;
    if (!is_written)
        return cli_fail_text("plugin build: %s: %s; give another --output", path, strerror(errno));
    while (i < sources->count && (sources->is_members || strcmp(sources->paths[i], sources->champsim.file) != 0))
        i++;
    if (i == MOST_SOURCES)
        return cli_fail_text("plugin build: more than %d sources; give the file of the module", MOST_SOURCES - 1);
    sources->count += i == sources->count;
    snprintf(sources->paths[i], PATH_TEXT, "%.4000s", path);
    sources->has_cxx = true;
    return CLI_OK;
}

/* The number of cores of --system, as a macro. */
static int find_cores(const struct plugin_build *build, char macro[40])
{
    struct system_config *const config = build->system ? config_new() : NULL;
    struct fault fault = fault_none();

    *macro = '\0';
    if (!build->system)
        return CLI_OK;
    if (!config)
        return cli_fail_text("out of memory");
    fault = config_read(config, build->system, NULL, 0);
    if (fault.kind == FAULT_NONE)
        snprintf(macro, 40, "RUBATO_NUM_CPUS=%u", config_core_count(config) > 0 ? config_core_count(config) : 1);
    free(config);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* ---- the header */

static bool find_include(char folder[PATH_TEXT])
{
    static const char *const places[] = {"/include", "/../include", "/../../include"};
    char program[PATH_TEXT], header[2 * PATH_TEXT];
    ssize_t const length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, PATH_TEXT, "%.3900s%s", program, places[i]);
        snprintf(header, sizeof header, "%s/rubato_policy.h", folder);
        if (access(header, R_OK) == 0)
            return true;
    }
    return false;
}

/* ---- the compiler */

/* The exit status; -1: there is no such program, with errno. */
static int run(const char *const *words)
{
    pid_t pid;
    int status = 0;

    errno = posix_spawnp(&pid, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ);
    if (errno != 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int no_compiler(const struct plugin_build *build, bool has_cxx)
{
    if (build->compiler)
        return cli_fail_text("plugin build: %s: %s; give --compiler one that is there", build->compiler,
                             strerror(errno));
    return cli_fail_text("plugin build: no compiler of %s was found; install one, such as the package %s, or name one "
                         "with --compiler", has_cxx ? "C++ (g++, clang++)" : "C (gcc, clang)",
                         has_cxx ? "g++" : "gcc");
}

/* argv[0] is set for each compiler that is tried. */
static size_t make_words(const char **words, const struct plugin_build *build, const struct sources *sources,
                         const char *include, const char *champsim, const char *cores, const char *output)
{
    static const char *const flags[] = {"-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden"};
    size_t count = 1;

    words[count++] = sources->has_cxx ? "-std=c++17" : "-std=c17";
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        words[count++] = flags[i];
    words[count++] = "-I";
    words[count++] = include;
    words[count++] = "-I";
    words[count++] = champsim;
    if (sources->is_members)
        words[count++] = "-DRUBATO_CHAMPSIM_MEMBERS";
    if (*cores) {
        words[count++] = "-D";
        words[count++] = cores;
    }
    for (size_t i = 0; i < build->define_count; i++) {
        words[count++] = "-D";
        words[count++] = build->defines[i];
    }
    for (size_t i = 0; i < sources->count; i++)
        words[count++] = sources->paths[i];
    words[count++] = "-o";
    words[count++] = output;
    words[count] = NULL;
    return count;
}

static int compile(const struct plugin_build *build, const struct sources *sources, const char *include,
                   const char *output)
{
    const char *const given[] = {build->compiler, NULL};
    static const char *const c[] = {"gcc", "clang", "cc", NULL}, *const cxx[] = {"g++", "clang++", "c++", NULL};
    const char *const *const names = build->compiler ? given : sources->has_cxx ? cxx : c;
    const char *words[MOST_WORDS];
    char champsim[PATH_TEXT + 16], cores[40];
    int status = -1;
    int const code = find_cores(build, cores);

    if (code != CLI_OK)
        return code;

    snprintf(champsim, sizeof champsim, "%s/champsim", include);
    make_words(words, build, sources, include, champsim, cores, output);
    for (size_t i = 0; names[i] && status < 0; i++) {
        words[0] = names[i];
        status = run(words);
        if (status < 0 && errno != ENOENT)
            break;
    }
    if (status < 0)
        return no_compiler(build, sources->has_cxx);
    if (status != 0)
        return cli_fail_text("plugin build: %s could not compile %s; its messages are above", words[0], build->source);
    return CLI_OK;
}

int plugin_build(const struct plugin_build *build)
{
    struct sources *const sources = calloc(1, sizeof *sources);
    char include[PATH_TEXT], output[PATH_TEXT], wrapper[PATH_TEXT + 8];
    bool is_champsim;
    int code;

    if (!sources)
        return cli_fail_text("out of memory");
    snprintf(output, sizeof output, "%s%.4000s.%ld.so", strchr(build->output, '/') ? "" : "./", build->output,
             (long)getpid());
    code = find_sources(sources, build->source);
    snprintf(wrapper, sizeof wrapper, "%s.cc", output);
    if (code == CLI_OK)
        code = find_champsim(sources);
    is_champsim = *sources->champsim.class || sources->is_members;
    if (code == CLI_OK && is_champsim)
        code = write_wrapper(sources, build->source, wrapper);
    if (code == CLI_OK && !find_include(include))
        code = cli_fail_text("plugin build: rubato_policy.h is not beside the program; install rubato, or run it from "
                             "where it was built");
    if (code == CLI_OK)
        code = compile(build, sources, include, output);
    if (is_champsim)
        unlink(wrapper);
    if (code == CLI_OK)
        code = plugin_show(output, build->output, true);
    if (code == CLI_OK && rename(output, build->output) != 0)
        code = cli_fail_text("plugin build: %s: %s; give another --output", build->output, strerror(errno));
    if (code != CLI_OK)
        unlink(output);
    free(sources);
    return code;
}
