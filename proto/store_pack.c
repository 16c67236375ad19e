/* Reads both files through the readers, so all their checks hold, and hands the records to the writer. */
#define _XOPEN_SOURCE 700
#include "proto/store_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/hash64.h"
#include "proto/store_writer.h"

struct packing {
    struct dep_reader *dep;
    struct packet_reader *fetch;
    struct store_writer *writer;
    struct store_about about;
};

bool store_source_look(const char *path, struct store_source *source, struct proto_error *error)
{
    struct stat file;

    *source = (struct store_source){0};
    if (stat(path, &file) != 0)
        return proto_fail(error, path, PROTO_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (!S_ISREG(file.st_mode))
        return proto_fail(error, path, PROTO_NO_OFFSET, "is no regular file; a store is made of files only");
    source->path = realpath(path, NULL);
    if (source->path == NULL)
        return proto_fail(error, path, PROTO_NO_OFFSET, "cannot be resolved: %s", strerror(errno));
    source->size_bytes = (uint64_t)file.st_size;
    source->mtime_s = (int64_t)file.st_mtim.tv_sec;
    source->mtime_ns = (uint32_t)file.st_mtim.tv_nsec;
    return true;
}

bool store_source_is_same(const struct store_source *one, const struct store_source *other)
{
    return strcmp(one->path, other->path) == 0 && one->size_bytes == other->size_bytes
        && one->mtime_s == other->mtime_s && one->mtime_ns == other->mtime_ns;
}

static bool pack_records(struct packing *packing, struct proto_error *error)
{
    struct dep_record record;

    for (;;)
        switch (dep_reader_next(packing->dep, &record, error)) {
        case DEP_END: return true;
        case DEP_ERROR: return false;
        case DEP_RECORD:
            if (!store_writer_record(packing->writer, &record, error))
                return false;
        }
}

static bool pack_fetches(struct packing *packing, struct proto_error *error)
{
    struct packet_record record;

    for (;;)
        switch (packet_reader_next(packing->fetch, &record, error)) {
        case PACKET_END: return true;
        case PACKET_ERROR: return false;
        case PACKET_RECORD:
            if (!store_writer_fetch(packing->writer, &record, error))
                return false;
        }
}

static bool add_warning(struct store_warnings *warnings, const char *text)
{
    char **const texts = realloc(warnings->texts, (warnings->count + 1) * sizeof *texts);

    if (texts == NULL)
        return false;
    warnings->texts = texts;
    texts[warnings->count] = strdup(text);
    return texts[warnings->count++] != NULL;
}

static bool gather_about(struct packing *packing, struct proto_error *error)
{
    struct store_about *const about = &packing->about;
    bool good = true;

    about->dep = *dep_reader_header(packing->dep);
    about->fetch = *packet_reader_header(packing->fetch);
    for (size_t i = 0; good && i < dep_reader_warning_count(packing->dep); i++)
        good = add_warning(&about->warnings[STORE_DEP], dep_reader_warning(packing->dep, i));
    for (size_t i = 0; good && i < packet_reader_warning_count(packing->fetch); i++)
        good = add_warning(&about->warnings[STORE_FETCH], packet_reader_warning(packing->fetch, i));
    return good || proto_fail(error, about->source[STORE_DEP].path, PROTO_NO_OFFSET, "out of memory");
}

/* Hashes a source, and makes sure that it is what was read. */
static bool seal_source(struct store_source *source, struct proto_error *error)
{
    struct store_source now;
    bool is_same;

    if (!hash64_file(source->path, &source->hash, error) || !store_source_look(source->path, &now, error))
        return false;
    is_same = store_source_is_same(source, &now);
    free(now.path);
    return is_same || proto_fail(error, source->path, PROTO_NO_OFFSET, "changed while it was packed; pack it again "
                                 "when it is complete");
}

static bool pack(struct packing *packing, const char *dep_path, const char *fetch_path, const char *store_path,
                 struct proto_error *error)
{
    struct store_source *const source = packing->about.source;

    if (!store_source_look(dep_path, &source[STORE_DEP], error)
        || !store_source_look(fetch_path, &source[STORE_FETCH], error)
        || (packing->dep = dep_reader_open(dep_path, error)) == NULL
        || (packing->fetch = packet_reader_open(fetch_path, error)) == NULL
        || (packing->writer = store_writer_open(store_path, error)) == NULL
        || !pack_records(packing, error) || !pack_fetches(packing, error) || !gather_about(packing, error)
        || !seal_source(&source[STORE_DEP], error) || !seal_source(&source[STORE_FETCH], error))
        return false;

    struct store_writer *const writer = packing->writer;

    packing->writer = NULL;
    return store_writer_close(writer, &packing->about, error);
}

bool store_pack(const char *dep_path, const char *fetch_path, const char *store_path, struct proto_error *error)
{
    struct packing packing = {0};
    bool const good = pack(&packing, dep_path, fetch_path, store_path, error);

    store_writer_discard(packing.writer);
    dep_reader_close(packing.dep);
    packet_reader_close(packing.fetch);
    for (int part = 0; part < STORE_PARTS; part++) {
        for (size_t i = 0; i < packing.about.warnings[part].count; i++)
            free(packing.about.warnings[part].texts[i]);
        free(packing.about.warnings[part].texts);
        free(packing.about.source[part].path);
    }
    return good;
}
