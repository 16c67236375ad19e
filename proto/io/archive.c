/* Modelled: one member after the other, in the order of the file. Not modelled: folders in archives (their members are
 * read like any others), passwords.
 *
 * A member has ended only when the library says so with the next read, so a block is held back until that is known. */
#include "proto/io/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_library.h"
#include "base/input_file.h"
#include "base/path.h"

#define MAGIC_BYTES 4

static const struct { const char *bytes; size_t count; bool is_zip; } magics[] = {
    {"PK\x03\x04", 4, true}, {"PK\x05\x06", 4, true}, {"\x04\x22\x4d\x18", 4, false}, {"BZh", 3, false}
};

static bool begins_with_magic(const char *path, bool *is_zip)
{
    char begin[MAGIC_BYTES] = {0};
    FILE *const file = path_is_folder(path) || path_is_pipe(path) ? NULL : fopen(path, "rb");
    size_t count;

    *is_zip = false;
    if (!file)
        return false;
    count = fread(begin, 1, sizeof begin, file);
    fclose(file);
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (count < magics[i].count || memcmp(begin, magics[i].bytes, magics[i].count) != 0)
            continue;
        *is_zip = magics[i].is_zip;
        return true;
    }
    return false;
}

bool archive_detect(const char *path)
{
    bool is_zip;

    return begins_with_magic(path, &is_zip);
}

bool archive_is_zip(const char *path)
{
    bool is_zip;

    return begins_with_magic(path, &is_zip) && is_zip;
}

#ifdef RUBATO_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

#define LIBRARY "libarchive.so.13"
#define BLOCK_BYTES (1 << 16)

/* Result, name, arguments of the functions that are called. */
#define FUNCTIONS(F)                                                                                                  \
    F(struct archive *, read_new, (void))                                                                             \
    F(int, read_support_filter_lz4, (struct archive *))                                                               \
    F(int, read_support_filter_bzip2, (struct archive *))                                                             \
    F(int, read_support_format_zip, (struct archive *))                                                               \
    F(int, read_support_format_raw, (struct archive *))                                                               \
    F(int, read_open_fd, (struct archive *, int, size_t))                                                             \
    F(int, read_next_header, (struct archive *, struct archive_entry **))                                             \
    F(la_ssize_t, read_data, (struct archive *, void *, size_t))                                                      \
    F(la_int64_t, filter_bytes, (struct archive *, int))                                                              \
    F(const char *, error_string, (struct archive *))                                                                 \
    F(int, read_free, (struct archive *))

struct archive_file {
    const char *path;
    int descriptor;                      /* -1: not open */
    struct input_file *input;
    void *library;
    struct archive *archive;
    uint8_t held[BLOCK_BYTES];
    size_t held_bytes;
    bool has_ended;                      /* a further call of the library would fail */
#define FUNCTION_FIELD(result, name, arguments) result (*name) arguments;
    FUNCTIONS(FUNCTION_FIELD)
};

static bool load(struct archive_file *file)
{
    file->library = host_library_open(LIBRARY);
    if (!file->library)
        return false;
#define FUNCTION_FIND(result, name, arguments)                                                                        \
    if (!host_library_find(file->library, "archive_" #name, &file->name))                                             \
        return false;
    FUNCTIONS(FUNCTION_FIND)
    return true;
}

static struct fault fail(struct archive_file *file)
{
    const char *const why = file->error_string(file->archive);

    return fault_at(file->path, FAULT_NO_OFFSET, "cannot be decompressed: %s; the file is damaged or cut",
                    why ? why : "no reason given");
}

struct archive_file *archive_open(const char *path, struct fault *error)
{
    struct archive_file *const file = calloc(1, sizeof *file);

    if (!file) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    file->path = path;
    file->descriptor = -1;
    if (!load(file)) {
        *error = fault_at(path, FAULT_NO_OFFSET, "is a zip, lz4 or bzip2 file, which %s reads; install that "
                          "library, or decompress the file", LIBRARY);
        archive_close(file);
        return NULL;
    }
    file->archive = file->read_new();
    if (!file->archive) {
        *error = fault_memory(path, NULL);
        archive_close(file);
        return NULL;
    }
    file->read_support_filter_lz4(file->archive);
    file->read_support_filter_bzip2(file->archive);
    file->read_support_format_zip(file->archive);
    file->read_support_format_raw(file->archive);
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0) {
        *error = fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
        archive_close(file);
        return NULL;
    }
    file->input = input_file_begin(file->descriptor, path);
    if (file->read_open_fd(file->archive, file->descriptor, BLOCK_BYTES) == ARCHIVE_OK)
        return file;
    *error = fail(file);
    archive_close(file);
    return NULL;
}

void archive_close(struct archive_file *file)
{
    if (!file)
        return;
    if (file->archive)
        file->read_free(file->archive);
    input_file_end(file->input);
    if (file->descriptor >= 0)
        close(file->descriptor);
    host_library_close(file->library);
    free(file);
}

/* Reads the next block of the current member into `held`. */
static struct fault archive_hold(struct archive_file *file)
{
    la_ssize_t const count = file->read_data(file->archive, file->held, BLOCK_BYTES);

    if (count < 0)
        return fail(file);
    file->held_bytes = (size_t)count;
    return fault_none();
}

int64_t archive_read(struct archive_file *file, void *to, size_t room, bool *member_ended, struct fault *error)
{
    size_t given;

    *member_ended = false;
    while (file->held_bytes == 0) {
        struct archive_entry *entry;
        int const found = file->has_ended ? ARCHIVE_EOF : file->read_next_header(file->archive, &entry);

        file->has_ended = found == ARCHIVE_EOF;
        if (file->has_ended)
            return 0;
        if ((found != ARCHIVE_OK && found != ARCHIVE_WARN) || FAILS(*error, archive_hold(file))) {
            *error = fail(file);
            return -1;
        }
    }
    given = file->held_bytes < room ? file->held_bytes : room;
    memcpy(to, file->held, given);
    if (given < file->held_bytes) {
        memmove(file->held, file->held + given, file->held_bytes - given);
        file->held_bytes -= given;
        return (int64_t)given;
    }
    if (FAILS(*error, archive_hold(file)))
        return -1;
    *member_ended = file->held_bytes == 0;
    return (int64_t)given;
}

uint64_t archive_position(const struct archive_file *file)
{
    return (uint64_t)file->filter_bytes(file->archive, -1);
}

#else
struct archive_file *archive_open(const char *path, struct fault *error)
{
    *error = fault_at(path, FAULT_NO_OFFSET, "is a zip, lz4 or bzip2 file, and this rubato was built without "
                      "libarchive; decompress the file");
    return NULL;
}

void archive_close(struct archive_file *file)
{
    (void)file;
}

int64_t archive_read(struct archive_file *file, void *to, size_t room, bool *member_ended, struct fault *error)
{
    (void)file, (void)to, (void)room, (void)member_ended, (void)error;
    return -1;
}

uint64_t archive_position(const struct archive_file *file)
{
    (void)file;
    return 0;
}
#endif
