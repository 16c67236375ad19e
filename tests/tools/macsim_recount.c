/* Recounts what `rubato trace convert` made of a C80 stream with Pin 3.13's opcodes: macsim_recount RAW DEPTRACE
 * FETCHTRACE [WINDOW WIDTH PERIOD_PS].
 *
 * Written from macsim-traces 2.1 and 4.1 and the rules of proto/macsim/macsim_elastic.h, without the code under test:
 * simple and slow. Every record is kept; each dependence is found by looking back, record by record. Compared are all
 * fields of all records and fetches. Prints the counts; the first difference ends it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "proto/elastic/dep_trace.h"
#include "proto/elastic/packet_trace.h"

enum kind { LOAD, PREFETCH, ALU, STORE, FENCE, OTHER, FRONT };
enum { LINK = 999, LINE = 64, MOST_ROWS = 800 };

struct row {
    enum kind kind;
    uint64_t instruction, pc, address, bytes, block;     /* block: number of the row of its front end */
    uint64_t delay_cyc, weight;
    unsigned part;                       /* rows with the same instruction and part write a register together */
    uint16_t sources[24], destinations[10];
    unsigned source_count, destination_count;
    uint64_t waits[3];                   /* FRONT: rows + 1 of the front end before and of what stops the fetch */
};

static struct row *rows;
static size_t count, room;
static uint64_t window = 768, width = 4, period_ps = 250;

static void die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    exit(1);
}

static uint64_t le64(const uint8_t *at)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static bool is_any(unsigned number, const unsigned *list)
{
    for (; *list; list++)
        if (*list == number)
            return true;
    return false;
}

/* Appendix B: 0 and 1 are no registers, 26, 44, 58 the instruction pointer. */
static bool carries(unsigned number)
{
    return number > 1 && number != 26 && number != 44 && number != 58;
}

/* Section 6, x86's default table. */
static uint64_t latency(unsigned opcode, bool is_fp)
{
    static const unsigned imul[] = {3, 38, 39, 42, 52, 86, 87, 93, 94, 95, 0};       /* both maps: IMUL, FMUL */
    static const unsigned fadd[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 34, 48, 49, 50, 75, 91, 0};
    static const unsigned ones[] = {16, 17, 25, 44, 45, 46, 66, 73, 51, 99, 0};

    if (is_any(opcode, ones))
        return 1;
    if (opcode == 98 || (opcode == 96 && is_fp))
        return 8;
    if (opcode == 96 || opcode == 97 || opcode == 36 || is_any(opcode, imul) || is_any(opcode, fadd))
        return 2;
    return is_fp ? 2 : 1;
}

static struct row *add_row(enum kind kind, uint64_t instruction, uint64_t pc)
{
    if (count == room) {
        room = room ? 2 * room : 1 << 16;
        rows = realloc(rows, room * sizeof *rows);
        if (!rows)
            die("out of memory");
    }
    rows[count] = (struct row){.kind = kind, .instruction = instruction, .pc = pc};
    return &rows[count++];
}

/* ---- the stream, a record at a time */

static struct {
    bool any, taken, must_fetch;
    uint64_t pc, block, block_uops, tick, skipped;
    size_t front, stop;                  /* rows + 1 */
} now;

static struct packet_reader *fetches;
static uint64_t fetch_count;

static void compare_fetch(uint64_t pc, uint64_t block)
{
    static uint64_t pages[1 << 16][2];
    static size_t page_count;
    struct packet_record got;
    struct fault error;
    size_t i = 0;

    if (packet_reader_next(fetches, &got, &error) != PACKET_RECORD)
        die("fetch %" PRIu64 " is missing", fetch_count);
    while (i < page_count && pages[i][0] != block / 4096)
        i++;
    if (i == page_count) {
        pages[page_count][0] = block / 4096;
        pages[page_count++][1] = got.addr / 4096;
    }
    if (got.tick != now.tick || got.pc != pc || got.addr % 4096 != block % 4096 || got.addr / 4096 != pages[i][1]
        || got.size_bytes != LINE || got.cmd != 1)
        die("fetch %" PRIu64 ": tick %" PRIu64 " pc 0x%" PRIx64 " address 0x%" PRIx64 ", expected tick %" PRIu64
            " pc 0x%" PRIx64, fetch_count, got.tick, got.pc, got.addr, now.tick, pc);
    fetch_count++;
}

static void front_end(uint64_t instruction, uint64_t pc)
{
    uint64_t cycles = now.any ? (now.block_uops + width - 1) / width : 1;
    struct row *row;

    if (cycles == 0)
        cycles = 1;
    if (now.any)
        now.tick += cycles * period_ps;
    now.any = true;
    now.block_uops = 0;
    row = add_row(FRONT, instruction, pc);
    row->delay_cyc = cycles;
    row->weight = now.skipped ? now.skipped - 1 : 0;
    now.skipped = 0;
    row->waits[0] = now.front;
    row->waits[1] = now.stop;
    now.stop = 0;
    now.front = count;
}

static void fetch(uint64_t instruction, uint64_t pc, uint64_t size)
{
    uint64_t const first = pc / LINE * LINE, last = (pc + size - 1) / LINE * LINE;
    bool const again = now.any && pc == now.pc && !now.taken;

    if (!now.any || now.must_fetch || (!again && (now.taken || first != now.block))) {
        front_end(instruction, pc);
        compare_fetch(pc, first);
        now.block = first;
    } else if (now.block_uops >= 16 * width) {
        front_end(instruction, pc);
    }
    if (last != now.block) {
        front_end(instruction, pc);
        compare_fetch(pc, last);
        now.block = last;
    }
    now.must_fetch = false;
    now.pc = pc;
}

static void add_registers(uint16_t *list, unsigned *length, const uint8_t *numbers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        list[(*length)++] = numbers[i];
}

static void finish_row(struct row *row)
{
    row->weight = now.skipped;
    now.skipped = 0;
    row->block = now.front - 1;
}

static void access_rows(enum kind kind, uint64_t instruction, unsigned part, uint64_t address, uint64_t bytes,
                        const struct row *like)
{
    if (bytes == 0)
        bytes = 1;
    while (bytes > 0) {
        uint64_t const most = LINE - address % LINE, length = bytes < most ? bytes : most;
        struct row *const row = add_row(kind, instruction, like->pc);

        *row = *like;
        row->kind = kind;
        row->instruction = instruction;
        row->part = part;
        row->address = address;
        row->bytes = length;
        row->delay_cyc = 1;
        finish_row(row);
        address += length;
        bytes -= length;
    }
}

static void instruction(uint64_t number, const uint8_t *r)
{
    static const unsigned prefetches[] = {56, 100, 101, 102, 103, 0}, stopping[] = {40, 41, 69, 78, 79, 80, 0};
    unsigned const sources = r[0], destinations = r[1], opcode = r[19], cf = r[17];
    unsigned const loads = r[23] < 2 ? r[23] : 2;
    bool const is_fp = r[21], stores = r[20], is_prefetch = is_any(opcode, prefetches);
    bool const is_move = loads > 0 && opcode == 30, alu = destinations > 0 && !is_move;
    bool const links = loads > 0 && !is_prefetch && (alu || stores || cf);
    uint64_t const pc = le64(r + 56), size = r[24] ? r[24] : 1;
    bool const is_fence = !loads && !alu && !stores && !cf && opcode == 47 && le64(r + 40) == 1;
    bool const stops = is_any(opcode, stopping) && (cf || (alu && !stores) || (!loads && !alu && !stores));
    struct row like = {.pc = pc};
    unsigned uops = loads + alu + stores + (cf != 0);

    fetch(number, pc, size);
    add_registers(like.sources, &like.source_count, r + 2, sources);
    for (unsigned i = 0; i < loads; i++) {
        struct row load = like;

        if (is_move)
            add_registers(load.destinations, &load.destination_count, r + 11, destinations);
        if (links)
            load.destinations[load.destination_count++] = LINK;
        access_rows(is_prefetch ? PREFETCH : LOAD, number, 1, le64(r + 32 + 8 * i), r[72], &load);
    }
    if (alu) {
        struct row row = like;
        bool wanted = stops && !stores && !cf;

        add_registers(row.destinations, &row.destination_count, r + 11, destinations);
        for (unsigned i = 0; i < destinations; i++)
            wanted = wanted || carries(r[11 + i]);
        if (loads && !is_prefetch)
            row.sources[row.source_count++] = LINK;
        row.kind = ALU, row.instruction = number, row.part = 2, row.delay_cyc = latency(opcode, is_fp);
        if (wanted) {
            finish_row(&row);
            *add_row(ALU, number, pc) = row;
            if (stops && !stores && !cf)
                now.stop = count;
        } else {
            now.skipped++;
        }
    }
    if (loads && !is_prefetch && !alu)
        like.sources[like.source_count++] = LINK;
    if (alu)
        add_registers(like.sources, &like.source_count, r + 11, destinations);
    if (stores)
        access_rows(STORE, number, 3, le64(r + 48), r[73], &like);
    if (cf || is_fence || uops == 0) {
        if (stops || is_fence) {
            struct row row = like;

            if (!cf)
                row.source_count = 0;
            row.kind = is_fence ? FENCE : OTHER, row.instruction = number, row.part = 4;
            row.delay_cyc = is_fence ? 100 : 1;
            finish_row(&row);
            *add_row(row.kind, number, pc) = row;
            if (stops)
                now.stop = count;
        } else {
            now.skipped++;
        }
        uops += uops == 0;
    }
    now.must_fetch = stops;
    now.block_uops += uops;
    now.taken = r[75] && cf;
}

/* ---- dependences, by looking back */

static uint64_t found[2][MOST_ROWS * 2];
static size_t found_count[2];

static void note(int list, size_t parent)
{
    for (size_t i = 0; i < found_count[list]; i++)
        if (found[list][i] == parent + 1)
            return;
    found[list][found_count[list]++] = parent + 1;      /* seq_num */
}

static bool writes(const struct row *row, unsigned number)
{
    for (unsigned i = 0; i < row->destination_count; i++)
        if (row->destinations[i] == number)
            return true;
    return false;
}

static size_t reach(size_t i)
{
    return i >= window ? i - (size_t)window + 1 : 0;
}

static void find_writers(size_t i, unsigned number)
{
    size_t last = i;

    if (number != LINK && !carries(number))
        return;
    for (size_t j = i; j-- > 0 && i - j < 2 * window + MOST_ROWS;)
        if ((rows[j].instruction != rows[i].instruction || rows[j].part != rows[i].part)
            && writes(&rows[j], number)) {
            last = j;
            break;
        }
    if (last == i)
        return;
    for (size_t j = last + 1; j-- > reach(i);)
        if (rows[j].instruction != rows[last].instruction)
            break;
        else if (rows[j].part == rows[last].part && writes(&rows[j], number))
            note(1, j);
}

static bool overlap(const struct row *a, const struct row *b)
{
    return a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

static void find_memory_order(size_t i, uint64_t *memory)
{
    struct row const *const row = &rows[i];
    bool store = false, load = false, fence = false, waits = row->kind == FENCE;
    size_t before = found_count[0];

    for (size_t j = i; j-- > reach(i);) {
        if (rows[j].kind == STORE && !store
            && (row->kind == STORE || row->kind == FENCE || (row->kind == LOAD && overlap(row, &rows[j])))) {
            note(0, j);
            store = true;
        }
        if (rows[j].kind == LOAD && row->kind == STORE && !load) {
            note(0, j);
            load = true;
        }
        if (rows[j].kind == LOAD && waits) {
            note(1, j);
            ++*memory;
        }
        if (rows[j].kind == FENCE && !fence && (row->kind == LOAD || row->kind == STORE || row->kind == FENCE)) {
            note(0, j);
            fence = true;
            waits = false;
        }
    }
    *memory += found_count[0] - before;
}

static int by_number(const void *a, const void *b)
{
    uint64_t const one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

static void compare_list(size_t i, const char *name, int list, const uint64_t *got, uint32_t got_count)
{
    uint64_t sorted[MOST_ROWS * 2];

    if (got_count != found_count[list])
        die("record %zu: %" PRIu32 " %s, expected %zu", i, got_count, name, found_count[list]);
    memcpy(sorted, got, got_count * sizeof *got);
    qsort(sorted, got_count, sizeof *sorted, by_number);
    qsort(found[list], found_count[list], sizeof **found, by_number);
    for (uint32_t k = 0; k < got_count; k++)
        if (sorted[k] != found[list][k])
            die("record %zu: %s has %" PRIu64 ", expected %" PRIu64, i, name, sorted[k], found[list][k]);
}

static void compare_records(const char *path)
{
    static const enum dep_type types[] = {DEP_LOAD, DEP_LOAD, DEP_COMP, DEP_STORE, DEP_COMP, DEP_COMP, DEP_COMP};
    uint64_t registers = 0, memory = 0, order = 0;
    struct fault error;
    struct dep_record got;
    struct dep_reader *const reader = dep_reader_open(path, &error);

    if (!reader)
        die("%s", fault_text(error));
    for (size_t i = 0; i < count; i++) {
        struct row const *const row = &rows[i];
        bool needs_front = row->kind != FRONT;

        if (dep_reader_next(reader, &got, &error) != DEP_RECORD)
            die("record %zu is missing", i);
        found_count[0] = found_count[1] = 0;
        if (row->kind == LOAD || row->kind == STORE || row->kind == FENCE)
            find_memory_order(i, &memory);
        if (row->kind != FENCE && row->kind != FRONT) {
            for (unsigned k = 0; k < row->source_count; k++)
                find_writers(i, row->sources[k]);
            registers += found_count[1];
        }
        for (int list = 0; list < 2; list++)
            for (size_t k = 0; k < found_count[list]; k++)
                needs_front = needs_front && found[list][k] < row->block + 1;
        if (needs_front) {
            note(0, row->block);
            order++;
        }
        for (int k = 0; row->kind == FRONT && k < 2; k++)
            if (row->waits[k]) {
                note(0, row->waits[k] - 1);
                order++;
            }
        if (got.seq_num != i + 1 || got.type != types[row->kind] || got.pc != row->pc || got.weight != row->weight
            || got.comp_delay != row->delay_cyc * period_ps)
            die("record %zu: seq %" PRIu64 " type %" PRIu32 " pc 0x%" PRIx64 " weight %" PRIu32 " delay %" PRIu64
                ", expected type %d pc 0x%" PRIx64 " weight %" PRIu64 " delay %" PRIu64, i, got.seq_num, got.type,
                got.pc,
                got.weight, got.comp_delay, (int)types[row->kind], row->pc, row->weight, row->delay_cyc * period_ps);
        if (types[row->kind] != DEP_COMP && (got.v_addr != row->address || got.size_bytes != row->bytes
                                             || got.p_addr % 4096 != row->address % 4096
                                             || (got.flags != 0) != (row->kind == PREFETCH)))
            die("record %zu: address 0x%" PRIx64 " size %" PRIu32 ", expected 0x%" PRIx64 ", %" PRIu64, i, got.v_addr,
                got.size_bytes, row->address, row->bytes);
        compare_list(i, "rob_dep", 0, got.rob_dep, got.rob_dep_count);
        compare_list(i, "reg_dep", 1, got.reg_dep, got.reg_dep_count);
    }
    if (dep_reader_next(reader, &got, &error) != DEP_END)
        die("more than the expected %zu records", count);
    dep_reader_close(reader);
    printf("equal: %zu records, %" PRIu64 " register, %" PRIu64 " memory order, %" PRIu64 " fetch order, %" PRIu64
           " fetches\n", count, registers, memory, order, fetch_count);
}

int main(int argc, char **argv)
{
    uint8_t record[80];
    struct fault error;
    struct packet_record more;
    gzFile raw;

    if (argc != 4 && argc != 7)
        die("use: macsim_recount RAW DEPTRACE FETCHTRACE [WINDOW WIDTH PERIOD_PS]");
    if (argc == 7) {
        window = strtoull(argv[4], NULL, 10);
        width = strtoull(argv[5], NULL, 10);
        period_ps = strtoull(argv[6], NULL, 10);
    }
    raw = gzopen(argv[1], "rb");
    fetches = packet_reader_open(argv[3], &error);
    if (!raw || !fetches)
        die("%s or %s cannot be read", argv[1], argv[3]);
    for (uint64_t i = 0; gzread(raw, record, sizeof record) == (int)sizeof record; i++)
        instruction(i, record);
    gzclose(raw);
    if (packet_reader_next(fetches, &more, &error) != PACKET_END)
        die("more than the expected %" PRIu64 " fetches", fetch_count);
    packet_reader_close(fetches);
    compare_records(argv[2]);
    free(rows);
    return 0;
}
