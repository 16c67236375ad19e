/* gem5's packet traces (elastic-trace 1.3) of requests: recorded by a CommMonitor, played by a TrafficGen. Requests of
 * physical addresses at the ticks of their file.
 *
 * Commands that move no data (evictions of clean lines, upgrades, responses) are counted and left out. The fetch trace
 * of an elastic pair is a file of the same kind: all of its requests are fetches, which a warning says. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/elastic/elastic_input.h"
#include "proto/elastic/packet_trace.h"
#include "proto/insn/insn_format.h"

enum { MAGIC_BYTES = 4, IS_FETCH = 0x100 };

/* Commands (gem5's MemCmd, by number) and their effects. */
#define COMMANDS(C)                                                                                                   \
    C(1, READ) C(4, WRITE) C(7, WRITE) C(8, WRITE) C(9, WRITE) C(11, READ) C(12, READ) C(13, READ) C(16, WRITE)       \
    C(22, READ) C(24, READ) C(25, READ) C(26, READ) C(27, WRITE) C(30, READ) C(32, WRITE) C(34, BOTH)

enum command { NEITHER, READ, WRITE, BOTH };
#define COMMAND_ENTRY(number, what) [number] = what,
static const enum command commands[] = {COMMANDS(COMMAND_ENTRY)};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

struct state {
    struct packet_reader *packets;
    uint64_t tick, tick_freq, fetches;
};

static bool packets_detect(struct trace_bytes *bytes)
{
    return input_is(bytes, INPUT_PACKET_TRACE);
}

static struct fault open_packets(struct insn_reader *reader)
{
    struct fault fault = fault_none();
    struct state *const state = calloc(1, sizeof *state);

    if (!state)
        return fault_memory(reader->bytes.path, NULL);
    reader->state = state;
    state->packets = packet_reader_open_source(&(struct stream_source){.path = reader->bytes.path, .unpacks_all = true},
                                               &fault);
    if (!state->packets)
        return fault;
    state->tick_freq = packet_reader_header(state->packets)->tick_freq;
    reader->lacks = INSN_LACKS_ALL_BUT_ADDRESSES;
    reader->meaning = (struct insn_meaning){.addresses = INSN_ADDRESSES_PHYSICAL, .clock = INSN_CLOCK_PS};
    snprintf(reader->about, sizeof reader->about, "gem5's packet trace");
    return fault_none();
}

static void close_packets(struct insn_reader *reader)
{
    struct state *const state = reader->state;

    packet_reader_close(state->packets);
    free(state);
}

static uint64_t picoseconds(uint64_t ticks, uint64_t tick_freq)
{
    uint64_t const usual = UINT64_C(1000000000000);

    if (tick_freq == usual || tick_freq == 0)
        return ticks;
    return (uint64_t)((double)ticks * ((double)usual / (double)tick_freq));
}

static struct fault packets_add(struct insn_reader *reader, const struct packet_record *record, bool is_write)
{
    return insn_add_access(reader, &(struct insn_access){.address = record->addr, .size_bytes = record->size_bytes,
                                                         .is_write = is_write});
}

static enum insn_step packets_end(struct insn_reader *reader)
{
    const struct state *const state = reader->state;

    if (state->fetches > 0 && state->fetches == reader->counts.records)
        snprintf(reader->warning, sizeof reader->warning, "each of its requests is an instruction fetch; if it is half "
                 "of an elastic trace, give the folder with both files");
    return INSN_END;
}

static enum insn_step packets_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    struct state *const state = reader->state;
    struct packet_record record;

    for (;;) {
        enum packet_result const result = packet_reader_next(state->packets, &record, error);
        enum command command;

        if (result == PACKET_ERROR)
            return INSN_FAILED;
        if (result == PACKET_END)
            return packets_end(reader);
        reader->counts.records++;
        state->fetches += (record.flags & IS_FETCH) != 0;
        command = record.cmd < COMMAND_COUNT ? commands[record.cmd] : NEITHER;
        if (command == NEITHER) {
            reader->counts.without_data++;
            continue;
        }
        *insn = (struct insn){.form = INSN_ACCESS_ONLY};
        insn->gap_time = picoseconds(record.tick - state->tick, state->tick_freq);
        state->tick = record.tick;
        if ((command != WRITE && FAILS(*error, packets_add(reader, &record, false)))
            || (command != READ && FAILS(*error, packets_add(reader, &record, true))))
            return INSN_FAILED;
        insn_give(reader, insn);
        return INSN_RECORD;
    }
}

const struct insn_format insn_packets = {
    .about = INSN_FORMAT_ABOUT(packets), .detect = packets_detect, .open = open_packets,
    .next = packets_next, .close = close_packets};
