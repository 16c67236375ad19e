/* Objects of other users, and such that others may write to, are refused by both sides.
 *
 * The writer creates the object or opens its own, takes the lock, and checks that the name still refers to the object
 * that it has locked. If another writer was faster it starts again; if the object holds something, its writer is dead:
 * the name is removed and made anew, so that readers of the old one keep their contents. Locks of the open file, where
 * there are such, not of the process: one process may then write and read.
 *
 * Readers map the ring for reading only, but for its first page, which has the word by which they ask. */
#include "replay/record/sample_share.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_SLOTS = 16, MOST_SLOTS = 1024, MOST_TRIES = 100 };
#define USUAL_RING_BYTES (UINT64_C(1) << 20)

#ifdef F_OFD_SETLK
enum { TAKE_LOCK = F_OFD_SETLK, LOOK_AT_LOCK = F_OFD_GETLK };
#else
enum { TAKE_LOCK = F_SETLK, LOOK_AT_LOCK = F_GETLK };
#endif

bool sample_share_path(const char *name, char path[SAMPLE_SHARE_PATH])
{
    size_t const length = strlen(name);

    if (length == 0 || length > SAMPLE_SHARE_MOST_NAME)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
            return false;
    memcpy(path, "/rubato.", 8);
    memcpy(path + 8, name, length + 1);
    return true;
}

static struct fault no_name(const char *name)
{
    return fault_make(FAULT_INPUT, "%.80s: no name to publish by; at most %d letters, digits, '.', '-', '_'", name,
                      SAMPLE_SHARE_MOST_NAME);
}

/* ---- writing */

/* An object of another user could be cut under our feet, or written to. */
static bool is_our_own(int file)
{
    struct stat about;

    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid()
        && (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Made anew, or one of our own that is there. */
static struct fault sample_share_open_file(struct sample_share *share, const char *name)
{
    share->file = shm_open(share->path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (share->file < 0 && errno == EEXIST)
        share->file = shm_open(share->path, O_RDWR, 0);
    if (share->file < 0 && errno == ENOENT)          /* removed meanwhile */
        return fault_none();
    if (share->file < 0)
        return fault_make(FAULT_INPUT, "%s: cannot be published: %s; choose another name", name, strerror(errno));
    if (is_our_own(share->file))
        return fault_none();
    close(share->file);
    return fault_make(FAULT_INPUT, "%s: another user made an object of that name, or others may write to it; choose "
                      "another name", name);
}

/* A file whose lock is ours, and to which the name leads. */
static struct fault take_file(struct sample_share *share, const char *name)
{
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        struct stat ours, named;
        int again;

        FORWARD(sample_share_open_file(share, name));
        if (share->file < 0)
            continue;
        if (fcntl(share->file, TAKE_LOCK, &lock) != 0) {
            close(share->file);
            return fault_make(FAULT_INPUT, "%s: another run publishes by that name; choose another", name);
        }
        again = shm_open(share->path, O_RDONLY, 0);
        if (again >= 0 && fstat(share->file, &ours) == 0 && fstat(again, &named) == 0 && ours.st_ino == named.st_ino) {
            close(again);
            if (ours.st_size == 0)
                return fault_none();
            shm_unlink(share->path);
            share->has_replaced = true;
        } else if (again >= 0) {
            close(again);
        }
        close(share->file);
    }
    return fault_make(FAULT_INPUT, "%s: others make and remove it all the time; choose another name", name);
}

static uint32_t slots_for(uint32_t word_count, size_t header_bytes)
{
    uint32_t slots = LEAST_SLOTS;

    while (slots < MOST_SLOTS && telemetry_ring_bytes(word_count, 2 * slots, header_bytes) <= USUAL_RING_BYTES)
        slots *= 2;
    return slots;
}

static struct fault fill_file(struct sample_share *share, const char *name, const struct telemetry *layout,
                              const char *text)
{
    size_t const length = strlen(text);
    uint32_t const slots = slots_for(layout->word_count, length);
    int error;

    share->bytes = telemetry_ring_bytes(layout->word_count, slots, length);
    error = posix_fallocate(share->file, 0, (off_t)share->bytes);
    if (error)
        return fault_make(FAULT_INPUT, "%s: no room for %zu bytes of shared memory: %s", name, share->bytes,
                          strerror(error));
    share->memory = mmap(NULL, share->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, share->file, 0);
    if (share->memory == MAP_FAILED)
        return fault_make(FAULT_MEMORY, "%s: out of memory for a ring of samples", name);
    telemetry_ring_create(&share->ring, share->memory, layout->word_count, slots, text, length);
    return fault_none();
}

struct fault sample_share_create(struct sample_share *share, const char *name, const struct telemetry *layout,
                                 uint64_t interval_ps)
{
    struct fault fault;
    char *text;

    *share = (struct sample_share){.file = -1};
    FORWARD(telemetry_text_write(layout, interval_ps, &text));
    fault = sample_share_path(name, share->path) ? take_file(share, name) : no_name(name);
    if (fault.kind == FAULT_NONE) {
        fault = fill_file(share, name, layout, text);
        if (fault.kind != FAULT_NONE) {
            shm_unlink(share->path);
            close(share->file);
        }
    }
    free(text);
    if (fault.kind != FAULT_NONE)
        *share = (struct sample_share){.file = -1};
    return fault;
}

void sample_share_remove(struct sample_share *share)
{
    if (!share->path[0])
        return;
    shm_unlink(share->path);
    munmap(share->memory, share->bytes);
    close(share->file);
    *share = (struct sample_share){.file = -1};
}

/* ---- reading */

static struct fault map_file(struct sample_reader *reader, const char *name)
{
    struct stat status;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct fault fault;

    if (fstat(reader->file, &status) != 0 || status.st_size == 0)
        return fault_make(FAULT_INPUT, "%s: the run that publishes it is not ready yet; try again", name);
    reader->bytes = (size_t)status.st_size;
    reader->memory = mmap(NULL, reader->bytes, PROT_READ, MAP_SHARED, reader->file, 0);
    if (reader->memory == MAP_FAILED || mprotect(reader->memory, page, PROT_READ | PROT_WRITE) != 0)
        return fault_make(FAULT_MEMORY, "%s: out of memory for a ring of samples", name);
    fault = telemetry_ring_open(&reader->ring, reader->memory, reader->bytes);
    if (fault.kind != FAULT_NONE)
        return fault_within(fault, "%s: ", name);
    FORWARD(telemetry_text_read(&reader->text, reader->ring.header, reader->ring.header_bytes));
    if (reader->text.layout.word_count != reader->ring.word_count)
        return fault_make(FAULT_INPUT, "%s: samples of %u words, but a layout of %u", name, reader->ring.word_count,
                          reader->text.layout.word_count);
    reader->words = calloc(reader->ring.word_count, sizeof *reader->words);
    return reader->words ? fault_none() : fault_make(FAULT_MEMORY, "%s: out of memory for a sample", name);
}

struct fault sample_reader_open(struct sample_reader *reader, const char *name)
{
    char path[SAMPLE_SHARE_PATH];
    struct fault fault;

    *reader = (struct sample_reader){.file = -1, .memory = MAP_FAILED};
    if (!sample_share_path(name, path))
        return no_name(name);
    reader->file = shm_open(path, O_RDWR, 0);
    if (reader->file < 0)
        return fault_make(FAULT_INPUT, "%s: no run publishes by that name: start one with replay --publish %s", name,
                          name);
    if (is_our_own(reader->file))
        fault = map_file(reader, name);
    else
        fault = fault_make(FAULT_INPUT, "%s: belongs to another user, or others may write to it; only runs of "
                           "one's own can be watched", name);
    if (fault.kind != FAULT_NONE)
        sample_reader_close(reader);
    return fault;
}

void sample_reader_close(struct sample_reader *reader)
{
    telemetry_text_free(&reader->text);
    free(reader->words);
    if (reader->memory != MAP_FAILED)
        munmap(reader->memory, reader->bytes);
    if (reader->file >= 0)
        close(reader->file);
    *reader = (struct sample_reader){.file = -1, .memory = MAP_FAILED};
}

bool sample_reader_next(struct sample_reader *reader)
{
    return telemetry_ring_next(&reader->ring, reader->words);
}

enum sample_writer_state sample_reader_state(const struct sample_reader *reader)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool const is_locked = fcntl(reader->file, LOOK_AT_LOCK, &lock) == 0 && lock.l_type != F_UNLCK;

    /* The lock is looked at first: a run that ends says so before it gives the lock back. */
    if (telemetry_ring_has_ended(&reader->ring))
        return SAMPLE_WRITER_ENDED;
    return is_locked ? SAMPLE_WRITER_RUNS : SAMPLE_WRITER_DIED;
}

void sample_reader_ask(struct sample_reader *reader)
{
    telemetry_ring_ask(&reader->ring);
}
