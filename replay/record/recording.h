/* Recordings: the samples of a run in a file, to be looked at later (replay --record).
 *
 * Layout of the file, numbers little-endian: the 16 bytes RECORDING_MAGIC; then blocks. A block is one byte for its
 * kind, the number of bytes of its payload (u32), the CRC-32 of kind, length and payload (u32), the payload:
 *   'H'  once, first: the layout of samples as text (replay/record/telemetry_text.h)
 *   'K'  a sample by itself      'D'  a sample as its difference to the one before
 *   'C'  DRAM commands of a window of time, those decided before the sample that follows
 *   'Q'  requests that were followed, answered since the sample before the one that follows
 *   'E'  last: the number of samples (u64)
 * A sample is its words one after the other, each less that of the sample before ('K': less 0), as LEB128 numbers: 0
 * and then n for n + 1 words without a difference, else twice the difference, or for a negative one twice its amount
 * less 1. A command is six LEB128 numbers: its kind (enum dram_command_kind), the place of its rank in the layout, the
 * bank, its start less that of the command before in the block (twice the difference, or as above), its duration, both
 * in ps, and the row. A request is eight LEB128 numbers: address, core, flags (1 write, 2 slow, 4 burst, 8 row hit),
 * rank, bank, row, number of stops, time of the first; then of each stop kind, component, time less that of the one
 * before.
 *
 * Use: recording_create, recording_put for each sample, recording_end; or recording_open, recording_next until it is
 * false, look at `end` and `fault`, recording_close. A file without 'E', cut off or damaged, gives all samples up to
 * that place, and says where it is.
 * Errors: recording_put and recording_end give FAULT_INPUT when the file cannot be written; then no more is written.
 * Ownership: the FILE is the caller's; names are borrowed. */
#ifndef REPLAY_RECORD_RECORDING_H
#define REPLAY_RECORD_RECORDING_H

#include <stdio.h>

#include "memsys/dram/command.h"
#include "memsys/telemetry/telemetry_requests.h"
#include "replay/record/telemetry_text.h"

#define RECORDING_MAGIC "rubato-samples\x01\n"

/* See memsys/dram/command.h and replay/record/request_follow.h. */
struct recorded_command {
    uint32_t component, bank;
    enum dram_command_kind kind;
    uint64_t start_ps, duration_ps;
    uint64_t row;                        /* of POWER: enum dram_power_state */
};

struct recording_writer {
    FILE *file;
    const char *path;
    uint32_t word_count;
    uint64_t samples;
    uint64_t *before;
    unsigned char *block;
    size_t block_room;
    unsigned char *commands;             /* a block of them, not written yet */
    size_t commands_bytes;
    uint64_t command_ps;                 /* start of the last of them */
    unsigned char *requests;             /* a block of them, not written yet */
    size_t requests_bytes, requests_room;
};

struct fault recording_create(struct recording_writer *writer, FILE *file, const char *path,
                              const struct telemetry *layout, uint64_t interval_ps);
struct fault recording_put(struct recording_writer *writer, const uint64_t *words);
struct fault recording_put_command(struct recording_writer *writer, const struct recorded_command *command);
struct fault recording_put_request(struct recording_writer *writer, const struct telemetry_request *request);
struct fault recording_end(struct recording_writer *writer);
/* Frees what create took; also without recording_end, and after a fault. */
void recording_free(struct recording_writer *writer);

enum recording_state {
    RECORDING_OPEN,
    RECORDING_WHOLE,                     /* it ends as it should */
    RECORDING_BROKEN                     /* it breaks off, or is damaged: see fault */
};

struct recording {
    FILE *file;
    const char *path;
    struct telemetry_text text;
    enum recording_state state;
    struct fault fault;                  /* of a broken one: path, byte, the error and the expectation */
    uint64_t samples, offset;            /* read so far */
    uint64_t *words;                     /* of the sample read last */
    uint32_t *banks;                     /* of each component; 0 unless it is a rank */
    unsigned char *block;
    size_t block_room;
    /* May be NULL. Receives each command, before the sample behind it. */
    void (*on_command)(void *context, const struct recorded_command *command);
    void (*on_request)(void *context, const struct telemetry_request *request);      /* the same of requests */
    void *context;
};

/* FAULT_INPUT: it is no recording; FAULT_MEMORY. Then there is nothing to close. */
struct fault recording_open(struct recording *recording, FILE *file, const char *path);
/* Reads the next sample into `words`; false: no more. */
bool recording_next(struct recording *recording);
void recording_close(struct recording *recording);

#endif
