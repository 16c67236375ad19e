/* The name of a store is the hash of both paths; the other conditions are checked against the store itself. */
#include "replay/source/store_cache.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash64.h"
#include "base/input_file.h"
#include "proto/gpu/gpu_store.h"
#include "proto/macsim/set.h"
#include "proto/trace_formats.h"

#define ENDING ".store"
#define PARTIAL ENDING ".partial-"
enum { PARTIAL_LIFE_S = 3600 };      /* older ones were left by killed processes */

/* A request: the pair, and the name of its store. */
struct wanted {
    struct store_source sources[STORE_PARTS];
    char path[STORE_CACHE_PATH_MAX];
};

/* The folder, and those above it. */
static bool make_folder(const char *folder)
{
    char path[STORE_CACHE_PATH_MAX];

    if (strlen(folder) >= sizeof path)
        return false;
    strcpy(path, folder);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static void remove_leftovers(const char *folder)
{
    DIR *const directory = opendir(folder);
    struct dirent *entry;
    char path[STORE_CACHE_PATH_MAX];
    struct stat about;

    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL)
        if (strstr(entry->d_name, PARTIAL) != NULL
            && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path
            && stat(path, &about) == 0 && about.st_mtime + PARTIAL_LIFE_S < time(NULL))
            unlink(path);
    closedir(directory);
}

static bool name_store(char path[STORE_CACHE_PATH_MAX], const char *folder,
                       const struct store_source sources[STORE_PARTS])
{
    size_t const room = strlen(sources[STORE_DEP].path) + strlen(sources[STORE_FETCH].path) + 2;
    char *const both = malloc(room);
    int length;

    if (both == NULL)
        return false;
    snprintf(both, room, "%s\n%s", sources[STORE_DEP].path, sources[STORE_FETCH].path);
    length = snprintf(path, STORE_CACHE_PATH_MAX, "%s/%016" PRIx64 ENDING, folder, hash64(both, room));
    free(both);
    return length < STORE_CACHE_PATH_MAX - 64;
}

/* False: no pair that a store can be made of. forget_wanted in any case. */
static bool want(struct wanted *wanted, const char *folder, const char *dep_path, const char *fetch_path)
{
    struct fault ignored;

    *wanted = (struct wanted){0};
    return store_source_look(dep_path, &wanted->sources[STORE_DEP]).kind == FAULT_NONE
           && WORKS(ignored, store_source_look(fetch_path, &wanted->sources[STORE_FETCH]))
           && name_store(wanted->path, folder, wanted->sources);
}

static void forget_wanted(struct wanted *wanted)
{
    free(wanted->sources[STORE_DEP].path);
    free(wanted->sources[STORE_FETCH].path);
}

static bool has_source(const struct store_source *kept, const struct store_source *now, bool verifies)
{
    uint64_t hash;

    return store_source_is_same(kept, now) && (!verifies || (hash64_file(now->path, &hash).kind == FAULT_NONE
                                                             && hash == kept->hash));
}

/* NULL: no store, or one that no longer matches its files. */
static struct store *open_fitting(const struct wanted *wanted, bool verifies)
{
    struct fault ignored;
    struct store *const store = store_detect(wanted->path) ? store_open(wanted->path, &ignored) : NULL;
    bool fits = store != NULL;

    for (int part = 0; fits && part < STORE_PARTS; part++)
        fits = has_source(&store_about(store)->source[part], &wanted->sources[part], verifies);
    if (fits && store_check(store).kind == FAULT_NONE)
        return store;
    store_close(store);
    return NULL;
}

static void warn_of_file(const struct warn_sink *sink, const struct fault *error)
{
    warn_of(sink, "no store is kept: %s; name another folder with --cache, or use --no-cache", fault_text(*error));
}

/* Is it the folder that refuses, and not the trace? */
static bool is_about(const char *path, const struct fault *error)
{
    const char *const name = strrchr(path, '/');

    return strstr(fault_text(*error), name != NULL ? name : path) != NULL;
}

static bool prepare_folder(const char *folder, const struct warn_sink *sink)
{
    if (!make_folder(folder)) {
        warn_of(sink, "no store is kept, as %s cannot be created: %s; name another folder with --cache, or use "
                      "--no-cache",
                folder, strerror(errno));
        return false;
    }
    remove_leftovers(folder);
    return true;
}

struct store *store_cache_find(const char *folder, const char *dep_path, const char *fetch_path, bool verifies)
{
    struct wanted wanted;
    struct store *const store = want(&wanted, folder, dep_path, fetch_path) ? open_fitting(&wanted, verifies) : NULL;

    forget_wanted(&wanted);
    return store;
}

struct store *store_cache_make(const char *folder, const char *dep_path, const char *fetch_path,
                               const struct warn_sink *sink)
{
    struct wanted wanted;
    struct fault error;
    struct store *store = NULL;

    if (want(&wanted, folder, dep_path, fetch_path) && prepare_folder(folder, sink)) {
        input_file_forget(wanted.path);
        if (WORKS(error, store_pack(dep_path, fetch_path, wanted.path)))
            store = open_fitting(&wanted, false);
        else if (is_about(wanted.path, &error))
            warn_of_file(sink, &error);
    }
    forget_wanted(&wanted);
    return store;
}

struct store_packing *store_cache_begin(const char *folder, const char *dep_path, const char *fetch_path,
                                        const struct warn_sink *sink)
{
    struct wanted wanted;
    struct fault error;
    struct store_packing *packing = NULL;

    if (want(&wanted, folder, dep_path, fetch_path) && prepare_folder(folder, sink)) {
        input_file_forget(wanted.path);
        packing = store_packing_begin(dep_path, fetch_path, wanted.path, &error);
        if (packing == NULL && is_about(wanted.path, &error))
            warn_of_file(sink, &error);
    }
    forget_wanted(&wanted);
    return packing;
}

void store_cache_end(struct store_packing *packing, const struct warn_sink *sink)
{
    struct fault error;

    if (store_packing_end(packing, &error) == STORE_NOT_WRITTEN)
        warn_of_file(sink, &error);
}

/* ---- GPU lists */
static bool is_source(const struct store_source *kept, const char *path, bool verifies)
{
    struct store_source now = {0};
    bool const is_same = store_source_look(path, &now).kind == FAULT_NONE && has_source(kept, &now, verifies);

    free(now.path);
    return is_same;
}

/* Streams of MacSim are read whole, as the store knows their hash only. */
static bool has_streams(const struct gpu_store_kernel *kernel)
{
    struct gpu_streams now;

    return kernel->streams.count == 0 || (macsim_streams_look(kernel->source.path, &now).kind == FAULT_NONE
                                          && now.hash == kernel->streams.hash);
}

static bool gpu_store_fits(const char *path, const char *list, bool verifies)
{
    struct fault ignored;
    struct gpu_store *const store = gpu_store_detect(path) ? gpu_store_open(path, &ignored) : NULL;
    bool fits = store != NULL && is_source(&gpu_store_about(store)->list, list, verifies)
                && WORKS(ignored, gpu_store_check(store));

    for (size_t i = 0; fits && i < gpu_store_about(store)->kernel_count; i++) {
        struct gpu_store_kernel const *const kernel = &gpu_store_about(store)->kernels[i];

        fits = is_source(&kernel->source, kernel->source.path, verifies) && has_streams(kernel);
    }
    gpu_store_close(store);
    return fits;
}

static bool find_gpu_store(const char *folder, const char *list, bool verifies, char path[STORE_CACHE_PATH_MAX],
                           const struct warn_sink *sink)
{
    struct store_source const sources[STORE_PARTS] = {{.path = (char[]){"gpu"}}, {.path = realpath(list, NULL)}};
    struct fault error;
    bool is_there = sources[1].path != NULL && name_store(path, folder, sources);

    free(sources[1].path);
    if (!is_there || gpu_store_fits(path, list, verifies))
        return is_there;
    if (!prepare_folder(folder, sink))
        return false;
    input_file_forget(path);
    is_there = WORKS(error, trace_list_pack(list, NULL, path));
    if (!is_there && is_about(path, &error))
        warn_of_file(sink, &error);
    return is_there;
}

bool store_cache_gpu(const char *folder, const char *list, bool verifies, char path[STORE_CACHE_PATH_MAX],
                     const struct warn_sink *sink)
{
    struct gpu_list opened;
    bool is_there;

    if (gpu_store_detect(list) || trace_list_open(&opened, list, NULL).kind != FAULT_NONE)
        return false;
    is_there = find_gpu_store(folder, opened.path, verifies, path, sink);
    gpu_list_close(&opened);
    return is_there;
}
