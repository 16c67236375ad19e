/* The compiler is started with a vector of arguments, never by a shell. Its output has a temporary name until it was
 * loaded. The header is looked for beside the program, as shipped systems are. */
#include "cli/plugin/plugin_build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
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
#include "cli/plugin/plugin_wrapper.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"

enum {
    MOST_SOURCES = 64, MOST_MACROS = 32, PATH_TEXT = 4096,
    MOST_WORDS = MOST_SOURCES + 2 * (PLUGIN_MOST_DEFINES + MOST_MACROS) + 32
};

extern char **environ;

struct sources {
    char paths[MOST_SOURCES][PATH_TEXT];
    size_t count;
    bool has_cxx;
    struct champsim_source champsim;
    enum champsim_api api;
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
        if (!is_c(entry->d_name) && !is_cxx(entry->d_name) && !champsim_is_contest_file(entry->d_name))
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
    } else if (access(path, R_OK) == 0 && is_header(path)) {
        champsim_look(&sources->champsim, path);
    } else if (access(path, R_OK) != 0) {
        return cli_fail_text("plugin build: %s: %s; give a source, or a folder of them", path, strerror(errno));
    } else if (is_c(path) || is_cxx(path) || champsim_is_contest_file(path)) {
        snprintf(sources->paths[sources->count++], PATH_TEXT, "%s", path);
    }
    if (code == CLI_OK && sources->count == 0 && !(sources->champsim.apis & 1u << CHAMPSIM_CBP5))
        return cli_fail_text("plugin build: %s: no source; they end in .c, .cc, .cpp or .cxx, those of ChampSim's "
                             "contests in .l1d_pref, .llc_repl, .bpred and the like", path);
    for (size_t i = 0; i < sources->count; i++)
        sources->has_cxx = sources->has_cxx || is_cxx(sources->paths[i]);
    return code;
}

/* ---- ChampSim's interfaces */

/* Which of several generations a source has hooks of; a source of none, or of a form that is not known, is refused. */
static int find_champsim(const struct plugin_build *build, struct sources *sources)
{
    struct champsim_source *const champsim = &sources->champsim;

    for (size_t i = 0; i < sources->count; i++)
        champsim_look(champsim, sources->paths[i]);
    if (*champsim->refused)
        return cli_fail_text("plugin build: %s", champsim->refused);
    if (champsim->apis == 0 && (champsim->has & CHAMPSIM_KINDS))
        champsim->apis = 1u << CHAMPSIM_G1;
    if (champsim->apis == 0 && *champsim->other)
        return cli_fail_text("plugin build: %s: %s is no hook of ChampSim's interfaces of 2017 and 2021; those of "
                             "forks are not supported", champsim->other_file, champsim->other);
    for (unsigned api = 1; api < CHAMPSIM_API_COUNT; api++) {
        bool const is_wanted = build->api && strcmp(build->api, champsim_api_word(api)) == 0;

        if (is_wanted && !(champsim->apis & 1u << api))
            return cli_fail_text("plugin build: %s: no hook of --api %s was found; leave it out", build->source,
                                 build->api);
        if (build->api ? is_wanted : (champsim->apis & 1u << api) != 0 && !sources->api)
            sources->api = (enum champsim_api)api;
    }
    if (!build->api && champsim->apis & ~(1u << sources->api))
        return cli_fail_text("plugin build: %s: hooks of several generations of ChampSim's interface; say which one "
                             "with --api, such as --api %s", build->source, champsim_api_word(sources->api));
    if (sources->api == CHAMPSIM_G0 && *champsim->geometry && !build->system)
        return cli_fail_text("plugin build: %s: %s is a size of the system's caches; give --system SYSTEM",
                             build->source, champsim->geometry);
    return CLI_OK;
}

/* Does the source that is written stand in place of the one that has the class or the functions? */
static bool includes_source(enum champsim_api api)
{
    return api == CHAMPSIM_G2 || api == CHAMPSIM_CRC2 || api == CHAMPSIM_CBP5;
}

static int write_wrapper(struct sources *sources, const char *source, const char *path)
{
    size_t i = 0;

    if (!plugin_wrapper_write(&sources->champsim, sources->api, source, path))
        return cli_fail_text("plugin build: %s: %s; give another --output", path, strerror(errno));
    while (i < sources->count
           && (!includes_source(sources->api) || strcmp(sources->paths[i], sources->champsim.file) != 0))
        i++;
    if (i == MOST_SOURCES)
        return cli_fail_text("plugin build: more than %d sources; give the file of the module", MOST_SOURCES - 1);
    sources->count += i == sources->count;
    snprintf(sources->paths[i], PATH_TEXT, "%.4000s", path);
    sources->has_cxx = true;
    return CLI_OK;
}

/* ---- sizes of a system, as macros */

struct macros {
    char texts[MOST_MACROS][40];
    size_t count;
};

static void add_macro(struct macros *macros, const char *level, const char *size, uint64_t value)
{
    if (macros->count < MOST_MACROS)
        snprintf(macros->texts[macros->count++], sizeof macros->texts[0], "%s_%s=%" PRIu64, level, size, value);
}

/* L1D_SET and the like. Without a third cache the second one is both L2C and LLC. */
static void add_sizes(struct macros *macros, const struct system_config *config)
{
    static const char *const levels[][3] = {{"L1I", "l1i", "l1i"}, {"L1D", "l1d", "l1d"}, {"L2C", "l2", "l1d"},
                                            {"LLC", "l3", "l2"}};

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct config_cache_sizes sizes;

        if (!config_cache_sizes_of(config, levels[i][1], &sizes)
            && !config_cache_sizes_of(config, levels[i][2], &sizes))
            continue;
        add_macro(macros, levels[i][0], "SET", sizes.sets);
        add_macro(macros, levels[i][0], "WAY", sizes.ways);
        add_macro(macros, levels[i][0], "MSHR_SIZE", sizes.mshrs);
        add_macro(macros, levels[i][0], "RQ_SIZE", sizes.mshrs);
        add_macro(macros, levels[i][0], "WQ_SIZE", sizes.write_buffers);
        add_macro(macros, levels[i][0], "PQ_SIZE", sizes.prefetch_queue);
        add_macro(macros, levels[i][0], "LATENCY", sizes.hit_cycles);
    }
}

/* The number of cores of --system, and the sizes of its caches where the source needs them. */
static int find_sizes(const struct plugin_build *build, const struct sources *sources, struct macros *macros)
{
    struct system_config *const config = build->system ? config_new() : NULL;
    struct fault fault = fault_none();

    macros->count = 0;
    if (!build->system)
        return CLI_OK;
    if (!config)
        return cli_fail_text("out of memory");
    fault = config_read(config, build->system, NULL, 0);
    if (fault.kind == FAULT_NONE) {
        add_macro(macros, "RUBATO_NUM", "CPUS", config_core_count(config) > 0 ? config_core_count(config) : 1);
        if (*sources->champsim.geometry)
            add_sizes(macros, config);
    }
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

static bool is_kit(enum champsim_api api)
{
    return api == CHAMPSIM_CRC2 || api == CHAMPSIM_CBP5 || api == CHAMPSIM_CBP2025;
}

/* The oldest modules name `data` and `size`, which are names of C++17, too. */
static const char *standard_of(const struct sources *sources)
{
    enum champsim_api const api = sources->api;
    bool const is_old = api == CHAMPSIM_G0 || api == CHAMPSIM_CRC2 || api == CHAMPSIM_CBP5;

    return !sources->has_cxx ? "-std=c17" : is_old ? "-std=c++14" : "-std=c++17";
}

static const char *generation_of(enum champsim_api api)
{
    static const char *const macros[CHAMPSIM_API_COUNT] = {[CHAMPSIM_G0] = "-DRUBATO_CHAMPSIM_CONTEST",
                                                           [CHAMPSIM_G1] = "-DRUBATO_CHAMPSIM_MEMBERS",
                                                           [CHAMPSIM_G3] = "-DRUBATO_CHAMPSIM_BUILDER"};

    return macros[api];
}

/* argv[0] is set for each compiler that is tried. */
static size_t make_words(const char **words, const struct plugin_build *build, const struct sources *sources,
                         const char *include, const char *const champsim[2], const struct macros *macros,
                         const char *output)
{
    static const char *const flags[] = {"-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden"};
    size_t count = 1;

    words[count++] = standard_of(sources);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        words[count++] = flags[i];
    words[count++] = "-I";
    words[count++] = include;
    words[count++] = "-I";
    words[count++] = champsim[0];
    if (is_kit(sources->api)) {
        words[count++] = "-I";
        words[count++] = champsim[1];
    }
    if (generation_of(sources->api))
        words[count++] = generation_of(sources->api);
    for (size_t i = 0; i < macros->count; i++) {
        words[count++] = "-D";
        words[count++] = macros->texts[i];
    }
    for (size_t i = 0; i < build->define_count; i++) {
        words[count++] = "-D";
        words[count++] = build->defines[i];
    }
    if (sources->api == CHAMPSIM_G0) {
        words[count++] = "-x";
        words[count++] = "c++";
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
    char champsim[PATH_TEXT + 16], kits[PATH_TEXT + 16];
    const char *const folders[] = {champsim, kits};
    struct macros macros;
    int status = -1;
    int const code = find_sizes(build, sources, &macros);

    if (code != CLI_OK)
        return code;
    snprintf(champsim, sizeof champsim, "%s/champsim", include);
    snprintf(kits, sizeof kits, "%s/champsim/inc", include);
    make_words(words, build, sources, include, folders, &macros, output);
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
    int code;

    if (!sources)
        return cli_fail_text("out of memory");
    snprintf(output, sizeof output, "%s%.4000s.%ld.so", strchr(build->output, '/') ? "" : "./", build->output,
             (long)getpid());
    code = find_sources(sources, build->source);
    snprintf(wrapper, sizeof wrapper, "%s.cc", output);
    if (code == CLI_OK)
        code = find_champsim(build, sources);
    if (code == CLI_OK && sources->api)
        code = write_wrapper(sources, build->source, wrapper);
    if (code == CLI_OK && !find_include(include))
        code = cli_fail_text("plugin build: rubato_policy.h is not beside the program; install rubato, or run it from "
                             "where it was built");
    if (code == CLI_OK)
        code = compile(build, sources, include, output);
    if (sources->api)
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
