/* The name of a store is the hash of both paths; what else must fit stands in the store itself. */
#define _XOPEN_SOURCE 700
#include "cli/store_cache.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "proto/gpu_store.h"
#include "proto/hash64.h"

#define ENDING ".store"
#define PARTIAL ENDING ".partial-"
enum { PARTIAL_LIFE_S = 3600 };      /* older ones were left by killed processes */

/* What is asked for: the pair, and the name of its store. */
struct wanted {
    struct store_source sources[STORE_PARTS];
    char path[STORE_CACHE_PATH_MAX];
};

bool store_cache_folder(char folder[STORE_CACHE_PATH_MAX])
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    int length = STORE_CACHE_PATH_MAX;

    /* only absolute paths count there */
    if (cache != NULL && cache[0] == '/')
        length = snprintf(folder, STORE_CACHE_PATH_MAX, "%s/rubato", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(folder, STORE_CACHE_PATH_MAX, "%s/.cache/rubato", home);
    return length < STORE_CACHE_PATH_MAX;
}

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
    struct proto_error ignored;

    *wanted = (struct wanted){0};
    return store_source_look(dep_path, &wanted->sources[STORE_DEP], &ignored)
        && store_source_look(fetch_path, &wanted->sources[STORE_FETCH], &ignored)
        && name_store(wanted->path, folder, wanted->sources);
}

static void forget_wanted(struct wanted *wanted)
{
    free(wanted->sources[STORE_DEP].path);
    free(wanted->sources[STORE_FETCH].path);
}

/* NULL: there is none, or it does not fit any more. */
static struct store *open_fitting(const struct wanted *wanted)
{
    struct proto_error ignored;
    struct store *const store = store_detect(wanted->path) ? store_open(wanted->path, &ignored) : NULL;

    if (store != NULL && store_source_is_same(&store_about(store)->source[STORE_DEP], &wanted->sources[STORE_DEP])
        && store_source_is_same(&store_about(store)->source[STORE_FETCH], &wanted->sources[STORE_FETCH])
        && store_check(store, &ignored))
        return store;
    store_close(store);
    return NULL;
}

static void warn_of_file(const struct proto_error *error)
{
    cli_warn("no store is kept: %s; name another folder with --cache, or use --no-cache", error->text);
}

/* Is it the folder that refuses, and not the trace? */
static bool is_about(const char *path, const struct proto_error *error)
{
    const char *const name = strrchr(path, '/');

    return strstr(error->text, name != NULL ? name : path) != NULL;
}

static bool prepare_folder(const char *folder)
{
    if (!make_folder(folder)) {
        cli_warn("no store is kept, as %s cannot be made: %s; name another folder with --cache, or use --no-cache",
                 folder, strerror(errno));
        return false;
    }
    remove_leftovers(folder);
    return true;
}

struct store *store_cache_find(const char *folder, const char *dep_path, const char *fetch_path)
{
    struct wanted wanted;
    struct store *const store = want(&wanted, folder, dep_path, fetch_path) ? open_fitting(&wanted) : NULL;

    forget_wanted(&wanted);
    return store;
}

struct store *store_cache_make(const char *folder, const char *dep_path, const char *fetch_path)
{
    struct wanted wanted;
    struct proto_error error;
    struct store *store = NULL;

    if (want(&wanted, folder, dep_path, fetch_path) && prepare_folder(folder)) {
        if (store_pack(dep_path, fetch_path, wanted.path, &error))
            store = open_fitting(&wanted);
        else if (is_about(wanted.path, &error))
            warn_of_file(&error);
    }
    forget_wanted(&wanted);
    return store;
}

struct store_packing *store_cache_begin(const char *folder, const char *dep_path, const char *fetch_path)
{
    struct wanted wanted;
    struct proto_error error;
    struct store_packing *packing = NULL;

    if (want(&wanted, folder, dep_path, fetch_path) && prepare_folder(folder)) {
        packing = store_packing_begin(dep_path, fetch_path, wanted.path, &error);
        if (packing == NULL && is_about(wanted.path, &error))
            warn_of_file(&error);
    }
    forget_wanted(&wanted);
    return packing;
}

void store_cache_end(struct store_packing *packing)
{
    struct proto_error error;

    if (store_packing_end(packing, &error) == STORE_NOT_WRITTEN)
        warn_of_file(&error);
}

/* ---- GPU lists */
static bool is_source(const struct store_source *kept, const char *path)
{
    struct store_source now = {0};
    struct proto_error ignored;
    bool const is_same = store_source_look(path, &now, &ignored) && store_source_is_same(kept, &now);

    free(now.path);
    return is_same;
}

static bool gpu_store_fits(const char *path, const char *list)
{
    struct proto_error ignored;
    struct gpu_store *const store = gpu_store_detect(path) ? gpu_store_open(path, &ignored) : NULL;
    bool fits = store != NULL && is_source(&gpu_store_about(store)->list, list) && gpu_store_check(store, &ignored);

    for (size_t i = 0; fits && i < gpu_store_about(store)->kernel_count; i++) {
        struct store_source const *const source = &gpu_store_about(store)->kernels[i].source;

        fits = is_source(source, source->path);
    }
    gpu_store_close(store);
    return fits;
}

static bool find_gpu_store(const char *folder, const char *list, char path[STORE_CACHE_PATH_MAX])
{
    struct store_source const sources[STORE_PARTS] = {{.path = (char[]){"gpu"}}, {.path = realpath(list, NULL)}};
    struct proto_error error;
    bool is_there = sources[1].path != NULL && name_store(path, folder, sources);

    free(sources[1].path);
    if (!is_there || gpu_store_fits(path, list))
        return is_there;
    if (!prepare_folder(folder))
        return false;
    is_there = gpu_store_pack(list, path, &error);
    if (!is_there && is_about(path, &error))
        warn_of_file(&error);
    return is_there;
}

bool store_cache_gpu(const char *folder, const char *list, char path[STORE_CACHE_PATH_MAX])
{
    struct gpu_list opened;
    struct proto_error ignored;
    bool is_there;

    if (gpu_store_detect(list) || !gpu_list_open(&opened, list, &ignored))
        return false;
    is_there = find_gpu_store(folder, opened.path, path);
    gpu_list_close(&opened);
    return is_there;
}
