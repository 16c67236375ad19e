/* Makes a long trace of a short one: repeat_trace IN_FOLDER DATA_FILE FETCH_FILE RECORDS.
 *
 * Writes at least RECORDS data records, and the fetches that belong to them: the input again and again, sequence
 * numbers, dependences and fetch ticks shifted so that both rise through the whole file. One record is held at a time,
 * so the length does not matter. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"
#include "proto/elastic/trace_writer.h"

static struct fault error;

struct shifted {
    uint64_t *values;
    size_t room;
};

static const uint64_t *shift(struct shifted *list, const uint64_t *values, uint32_t count, uint64_t by)
{
    if (count > list->room) {
        list->room = 2 * (size_t)count;
        list->values = realloc(list->values, list->room * sizeof *list->values);
        if (list->values == NULL)
            abort();
    }
    for (uint32_t i = 0; i < count; i++)
        list->values[i] = values[i] + by;
    return list->values;
}

/* The number of repetitions that were written, 0 after an error. */
static uint64_t repeat_data(const char *in, const char *out, uint64_t least)
{
    struct trace_writer *writer = NULL;
    struct shifted rob = {0}, reg = {0};
    uint64_t written = 0, repetitions = 0, by = 0;

    while (written < least) {
        struct dep_reader *const reader = dep_reader_open(in, &error);
        struct dep_record record;
        uint64_t first = 0, last = 0;
        bool any = false;

        if (reader == NULL)
            return 0;
        if (writer == NULL)
            writer = dep_writer_open(out, dep_reader_header(reader), &error);
        if (writer == NULL)
            return 0;
        for (enum dep_result result; (result = dep_reader_next(reader, &record, &error)) != DEP_END; written++) {
            if (result == DEP_ERROR)
                return 0;
            first = any ? first : record.seq_num;
            last = record.seq_num;
            any = true;
            record.seq_num += by;
            record.rob_dep = shift(&rob, record.rob_dep, record.rob_dep_count, by);
            record.reg_dep = shift(&reg, record.reg_dep, record.reg_dep_count, by);
            if (FAILS(error, dep_writer_put(writer, &record)))
                return 0;
        }
        dep_reader_close(reader);
        if (!any)
            return 0;
        by += last - first + 1;
        repetitions++;
    }
    free(rob.values);
    free(reg.values);
    return WORKS(error, trace_writer_close(writer)) ? repetitions : 0;
}

static bool repeat_fetches(const char *in, const char *out, uint64_t repetitions)
{
    struct trace_writer *writer = NULL;
    uint64_t by = 0;

    for (uint64_t i = 0; i < repetitions; i++) {
        struct packet_reader *const reader = packet_reader_open(in, &error);
        struct packet_record record;
        uint64_t first = 0, last = 0;
        bool any = false;

        if (reader == NULL)
            return false;
        if (writer == NULL)
            writer = packet_writer_open(out, packet_reader_header(reader), &error);
        if (writer == NULL)
            return false;
        for (enum packet_result result; (result = packet_reader_next(reader, &record, &error)) != PACKET_END;) {
            if (result == PACKET_ERROR)
                return false;
            first = any ? first : record.tick;
            last = record.tick;
            any = true;
            record.tick += by;
            if (FAILS(error, packet_writer_put(writer, &record)))
                return false;
        }
        packet_reader_close(reader);
        by += last - first + 500;
    }
    return writer != NULL && WORKS(error, trace_writer_close(writer));
}

int main(int argc, char **argv)
{
    char in[2][4096];
    static const char *const names[2] = {"deptrace.proto.gz", "fetchtrace.proto.gz"};

    if (argc != 5) {
        fprintf(stderr, "usage: repeat_trace IN_FOLDER DATA_FILE FETCH_FILE RECORDS\n");
        return 2;
    }
    for (int i = 0; i < 2; i++)
        snprintf(in[i], sizeof in[i], "%s/%s", argv[1], names[i]);

    const uint64_t repetitions = repeat_data(in[0], argv[2], strtoull(argv[4], NULL, 10));

    if (repetitions == 0 || !repeat_fetches(in[1], argv[3], repetitions)) {
        fprintf(stderr, "repeat_trace: %s\n", fault_text(error));
        return 2;
    }
    return 0;
}
