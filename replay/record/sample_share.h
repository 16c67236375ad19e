/* Samples of a run for other processes (replay --publish NAME): the ring of memsys/telemetry/telemetry_ring.h in
 * shared memory, the layout of samples as text (replay/record/telemetry_text.h) as its header.
 *
 * The object is named by sample_share_path: on Linux the file /dev/shm/rubato.NAME. The writer holds a lock on it for
 * as long as it lives, which distinguishes a running writer from a killed one; it removes the name at the end. Readers
 * may come, stop and die when they like: the writer never waits for them, and reads only the one word by which they
 * request a sample.
 *
 * A writer: sample_share_create; telemetry_ring_put into `ring` for each sample; a sample, too, whenever
 * telemetry_ring_is_asked; telemetry_ring_end and sample_share_remove. A reader: sample_reader_open; look at
 * text.layout; sample_reader_next until it has nothing new; sample_reader_state; sample_reader_close.
 * Errors: FAULT_INPUT names the remedy; after a fault there is nothing to close. Ownership: texts are copied. */
#ifndef REPLAY_RECORD_SAMPLE_SHARE_H
#define REPLAY_RECORD_SAMPLE_SHARE_H

#include "memsys/telemetry/telemetry_ring.h"
#include "replay/record/telemetry_text.h"

enum { SAMPLE_SHARE_MOST_NAME = 64, SAMPLE_SHARE_PATH = SAMPLE_SHARE_MOST_NAME + 16 };

/* "/rubato.NAME", as shm_open wants it. False: NAME is empty, too long, or has other characters than letters, digits,
 * '.', '-' and '_'. */
bool sample_share_path(const char *name, char path[SAMPLE_SHARE_PATH]);

struct sample_share {
    char path[SAMPLE_SHARE_PATH];        /* "": no object */
    int file;
    void *memory;
    size_t bytes;
    struct telemetry_ring ring;
    bool has_replaced;                   /* there was one that a killed run had left */
};

/* FAULT_INPUT: the name is malformed, belongs to a running process, or there is no room. */
struct fault sample_share_create(struct sample_share *share, const char *name, const struct telemetry *layout,
                                 uint64_t interval_ps);
/* Readers that have it open keep it, and may read on. */
void sample_share_remove(struct sample_share *share);

enum sample_writer_state {
    SAMPLE_WRITER_RUNS,
    SAMPLE_WRITER_ENDED,                 /* no more samples than the ring holds */
    SAMPLE_WRITER_DIED                   /* the same; the run was stopped before its end */
};

struct sample_reader {
    int file;
    void *memory;
    size_t bytes;
    struct telemetry_ring ring;          /* .lost: samples that were overwritten before they were read */
    struct telemetry_text text;
    uint64_t *words;                     /* of the sample read last */
};

/* FAULT_INPUT: there is no such run, or it was killed before it was ready. */
struct fault sample_reader_open(struct sample_reader *reader, const char *name);
void sample_reader_close(struct sample_reader *reader);
/* Reads the next sample into `words`; false: not yet available. After the end of the run the remaining samples can
 * still be read. */
bool sample_reader_next(struct sample_reader *reader);
/* Ask first, then read on until there is nothing: so the last samples are not missed. */
enum sample_writer_state sample_reader_state(const struct sample_reader *reader);
/* The run puts a sample as soon as it looks; several that ask at once get one. */
void sample_reader_ask(struct sample_reader *reader);

#endif
