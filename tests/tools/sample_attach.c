/* Attaches to a run that publishes samples: sample_attach NAME [--ask N] [--first].
 *
 * Prints "layout COMPONENTS FIELDS WORDS", then "sample NUMBER TIME_PS SINCE_PS SUM" for each sample, where SUM is that
 * of all its words, at the end "lost N" and how the run ended: "ended" or "died". --ask: asks for a sample, waits for
 * it, N times, printing "asked" before each. --first: ends after the first sample. Exit code 2: no such run. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "replay/record/sample_share.h"

static bool print_next(struct sample_reader *reader)
{
    uint64_t sum = 0;

    if (!sample_reader_next(reader))
        return false;
    for (uint32_t i = 0; i < reader->ring.word_count; i++)
        sum += reader->words[i];
    printf("sample %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", reader->words[TELEMETRY_NUMBER],
           reader->words[TELEMETRY_TIME], reader->words[TELEMETRY_SINCE], sum);
    fflush(stdout);
    return true;
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

int main(int argc, char **argv)
{
    struct sample_reader reader;
    struct fault const fault = sample_reader_open(&reader, argc > 1 ? argv[1] : "");
    unsigned asks = argc == 4 && strcmp(argv[2], "--ask") == 0 ? (unsigned)atoi(argv[3]) : 0;
    bool const is_short = argc == 3 && strcmp(argv[2], "--first") == 0;
    bool is_waiting = false;
    enum sample_writer_state state;

    if (fault.kind != FAULT_NONE) {
        fprintf(stderr, "%s\n", fault_text(fault));
        return 2;
    }
    printf("layout %u %u %u\n", reader.text.layout.component_count, reader.text.layout.field_count,
           reader.text.layout.word_count);
    fflush(stdout);
    do {
        state = sample_reader_state(&reader);
        while (print_next(&reader)) {
            is_waiting = false;
            if (is_short)
                return 0;
        }
        if (asks > 0 && !is_waiting) {
            printf("asked\n");
            fflush(stdout);
            sample_reader_ask(&reader);
            is_waiting = true;
            asks--;
        }
        if (state == SAMPLE_WRITER_RUNS)
            wait_a_little();
    } while (state == SAMPLE_WRITER_RUNS);
    printf("lost %" PRIu64 "\n%s\n", reader.ring.lost, state == SAMPLE_WRITER_ENDED ? "ended" : "died");
    sample_reader_close(&reader);
    return 0;
}
