/* Where a system's file is. Shipped systems lie in the folder configs beside the program, or in ../share/rubato/configs
 * of an installed one, so that it finds them from any working folder; configs in the working folder serves programs
 * that lie elsewhere (tests). In the public library (RUBATO_LIBRARY) the program is somebody else's: there they lie in
 * share/rubato of the prefix that the shared library lies in, or of the one that it was made for. Where there is no
 * such folder, what the program itself holds takes its place (shipped_files.sh). */
#include "replay/config/config.h"

#include <dirent.h>
#ifdef RUBATO_LIBRARY
#include <dlfcn.h>

#include "replay/config/data_folder.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "replay/config/config_text.h"

enum { PATH_TEXT = 4096 };

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* folder/name+ending; false if it does not fit or is no file */
static bool try_file(const char *folder, const char *name, const char *ending, char *path, size_t size)
{
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    int const length = snprintf(path, size, "%s%s%s%s", folder, slash, name, ending);

    return length > 0 && (size_t)length < size && is_file(path);
}

/* Folder of the running program; "" if unknown. */
static void program_folder(char *folder, size_t size)
{
    ssize_t const length = readlink("/proc/self/exe", folder, size - 1);

    folder[length > 0 ? length : 0] = '\0';
    if (strrchr(folder, '/'))
        *strrchr(folder, '/') = '\0';
}

/* Folders that may have a folder configs, the likeliest first; the last, "", is the working folder. */
enum { MOST_PLACES = 6 };
struct places {
    char folders[MOST_PLACES][PATH_TEXT];
    size_t count;
};

static void add_place(struct places *places, const char *folder, const char *behind)
{
    snprintf(places->folders[places->count++], PATH_TEXT, "%.*s%s", PATH_TEXT - 64, folder, behind);
}

/* Libraries lie in PREFIX/lib, or in a folder of it. */
static void add_places_of_library(struct places *places)
{
#ifdef RUBATO_LIBRARY
    static const char anything_of_it = 0;
    char folder[PATH_TEXT];
    Dl_info info;

    if (dladdr(&anything_of_it, &info) != 0 && strrchr(info.dli_fname, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
        add_place(places, folder, "/../share/rubato");
        add_place(places, folder, "/../../share/rubato");
    }
    add_place(places, RUBATO_DATA_FOLDER, "");
#else
    (void)places;
#endif
}

static void find_places(struct places *places)
{
    char program[PATH_TEXT];

    places->count = 0;
    program_folder(program, sizeof program);
    if (*program) {
        add_place(places, program, "");
        add_place(places, program, "/../share/rubato");
    }
    add_places_of_library(places);
    add_place(places, "", "");
}

/* in configs, or in its folder of GPUs */
static bool try_shipped(const char *folder, const char *name, char *path, size_t size)
{
    static const char *const places[] = {"configs", "configs/gpu"};
    char configs[PATH_TEXT];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(configs, sizeof configs, "%.*s%s%s", PATH_TEXT - 16, folder, *folder ? "/" : "", places[i]);
        if (try_file(configs, name, "", path, size) || try_file(configs, name, ".yaml", path, size))
            return true;
    }
    return false;
}

/* A path of the systems inside the program, which may be relative to the folder of one that includes it. */
static bool try_inner_path(const char *folder, const char *name, char *path, size_t size)
{
    char full[PATH_TEXT];
    const struct shipped_file *file;
    bool const is_inner = strncmp(folder, SHIPPED_FOLDER, strlen(SHIPPED_FOLDER)) == 0;

    snprintf(full, sizeof full, "%.*s%.*s", is_inner ? PATH_TEXT / 2 : 0, folder, PATH_TEXT / 2 - 1, name);
    file = shipped_of_path(full);
    return file && snprintf(path, size, SHIPPED_FOLDER "%s", file->name) < (int)size;
}

/* The same by name, as in the folder. */
static bool try_inner(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"", "gpu/"}, *const endings[] = {"", ".yaml"};
    char full[PATH_TEXT];

    for (size_t i = 0; i < 4; i++) {
        snprintf(full, sizeof full, "%s%.*s%s", folders[i / 2], PATH_TEXT / 2, name, endings[i % 2]);
        if (shipped_find(full))
            return snprintf(path, size, SHIPPED_FOLDER "%s", full) < (int)size;
    }
    return false;
}

/* The name behind a folder that must be said: systems in detailed/ have names such as base, files in core/ are parts of
 * systems. */
static const char *behind_folder(const char *name)
{
    static const char *const folders[] = {"detailed/", "core/"};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(name, folders[i], strlen(folders[i])) == 0)
            return name + strlen(folders[i]);
    return name;
}

bool config_find(const char *folder, const char *name, char *path, size_t size)
{
    static const char prefix[] = "configs/";
    static const char gpu_prefix[] = "gpu/";
    const char *bare = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
    struct places places;

    if (try_file(*name == '/' ? "" : folder, name, "", path, size) || try_inner_path(folder, name, path, size))
        return true;
    if (strncmp(bare, gpu_prefix, strlen(gpu_prefix)) == 0)
        bare += strlen(gpu_prefix);
    if (*bare == '\0' || strchr(behind_folder(bare), '/'))
        return false;
    find_places(&places);
    for (size_t i = 0; i < places.count; i++)
        if (try_shipped(places.folders[i], bare, path, size))
            return true;
    return try_inner(bare, path, size);
}

/* ---- all of them */
struct listing {
    bool (*visit)(void *context, const char *name, const char *path);
    void *context;
};

static int is_yaml(const struct dirent *entry)
{
    return text_ends_in(entry->d_name, ".yaml");
}

/* Visits the files in the order of their names, with `prefix` before each. Returns whether the folder exists. */
static bool visit_folder(const struct listing *listing, const char *folder, const char *prefix, bool *goes_on)
{
    struct dirent **entries;
    int const count = scandir(folder, &entries, is_yaml, alphasort);

    for (int i = 0; i < count; i++) {
        char path[PATH_TEXT], name[256];

        snprintf(path, sizeof path, "%.*s/%s", PATH_TEXT - 260, folder, entries[i]->d_name);
        snprintf(name, sizeof name, "%s%.*s", prefix, (int)(strlen(entries[i]->d_name) - strlen(".yaml")),
                 entries[i]->d_name);
        *goes_on = *goes_on && listing->visit(listing->context, name, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count >= 0;
}

static bool visit_folders(const struct listing *listing, const char *beside)
{
    static const struct { const char *folder, *prefix; } places[] = {
        {"configs", ""}, {"configs/gpu", ""}, {"configs/detailed", "detailed/"}
    };
    bool is_there = false, goes_on = true;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char folder[PATH_TEXT];

        snprintf(folder, sizeof folder, "%.*s%s%s", PATH_TEXT - 32, beside, *beside ? "/" : "", places[i].folder);
        is_there |= visit_folder(listing, folder, places[i].prefix, &goes_on);
    }
    return is_there;
}

static void visit_inner(const struct listing *listing)
{
    static const struct { const char *folder, *prefix; } places[] = {
        {"", ""}, {"gpu/", ""}, {"detailed/", "detailed/"}
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t const length = strlen(places[i].folder);

        for (size_t k = 0; shipped_at(k); k++) {
            const char *const file = shipped_at(k)->name;
            char name[256], path[PATH_TEXT];

            if (strncmp(file, places[i].folder, length) != 0 || strchr(file + length, '/'))
                continue;
            snprintf(path, sizeof path, SHIPPED_FOLDER "%s", file);
            snprintf(name, sizeof name, "%s%.*s", places[i].prefix, (int)(strlen(file + length) - strlen(".yaml")),
                     file + length);
            if (!listing->visit(listing->context, name, path))
                return;
        }
    }
}

void config_each_shipped(bool (*visit)(void *context, const char *name, const char *path), void *context)
{
    struct listing const listing = {visit, context};
    struct places places;

    find_places(&places);
    for (size_t i = 0; i < places.count; i++)
        if (visit_folders(&listing, places.folders[i]))
            return;
    visit_inner(&listing);
}
