/* The name of a store is the hash of both paths; what else must fit stands in the store itself. */
#define _POSIX_C_SOURCE 200809L
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
#include "proto/hash64.h"
#include "proto/store_pack.h"

#define ENDING ".store"
#define PARTIAL ENDING ".partial-"
enum { PARTIAL_LIFE_S = 3600 };      /* older ones were left by killed processes */

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

/* NULL: there is none, or it does not fit any more. */
static struct store *open_fitting(const char *path, const struct store_source sources[STORE_PARTS])
{
    struct proto_error ignored;
    struct store *const store = store_detect(path) ? store_open(path, &ignored) : NULL;

    if (store != NULL && store_source_is_same(&store_about(store)->source[STORE_DEP], &sources[STORE_DEP])
        && store_source_is_same(&store_about(store)->source[STORE_FETCH], &sources[STORE_FETCH])
        && store_check(store, &ignored))
        return store;
    store_close(store);
    return NULL;
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

/* Is it the folder that refuses, and not the trace? */
static bool is_about(const char *path, const struct proto_error *error)
{
    const char *const name = strrchr(path, '/');

    return strstr(error->text, name != NULL ? name : path) != NULL;
}

static struct store *make(const char *path, const char *folder, const struct store_source sources[STORE_PARTS])
{
    struct proto_error error;

    if (!make_folder(folder)) {
        cli_warn("no store is kept, as %s cannot be made: %s; name another folder with --cache, or use --no-cache",
                 folder, strerror(errno));
        return NULL;
    }
    remove_leftovers(folder);
    if (store_pack(sources[STORE_DEP].path, sources[STORE_FETCH].path, path, &error))
        return open_fitting(path, sources);
    if (is_about(path, &error))
        cli_warn("no store is kept: %s; name another folder with --cache, or use --no-cache", error.text);
    return NULL;
}

struct store *store_cache_get(const char *folder, const char *dep_path, const char *fetch_path, bool makes)
{
    struct store_source sources[STORE_PARTS] = {{0}};
    struct proto_error ignored;
    char path[STORE_CACHE_PATH_MAX];
    struct store *store = NULL;

    if (store_source_look(dep_path, &sources[STORE_DEP], &ignored)
        && store_source_look(fetch_path, &sources[STORE_FETCH], &ignored) && name_store(path, folder, sources)) {
        store = open_fitting(path, sources);
        if (store == NULL && makes)
            store = make(path, folder, sources);
    }
    free(sources[STORE_DEP].path);
    free(sources[STORE_FETCH].path);
    return store;
}
