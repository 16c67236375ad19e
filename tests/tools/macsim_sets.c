/* Small MacSim sets with kernels, made by the project's own writers: macsim_sets DIR makes in DIR, which must be there,
 *
 *     ptx/kernel_config.txt     kernels fill_0 with 6 blocks of 2 warps, scan_1 with 3 blocks of 4 (G72, version 14)
 *     nvbit/Kernel0/trace.txt   2 blocks of 2 warps whose numbers have gaps; loads with children (N64)
 *     x86/app.txt               2 threads, the second from instruction 500 of the first on (C80)
 *     trace_file_list           the threads and the two kernels
 *
 * N64 has no writer, so its bytes are laid out here (macsim-traces 2.3). Exit code 1 and one line if it fails. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "proto/macsim/enum.h"
#include "proto/macsim/macsim_header.h"
#include "tests/support/macsim_writer.h"

enum { PATH_ROOM = 1000, N64_BYTES = 64, X86_RECORDS = 2000, SECOND_STARTS = 500 };

static _Noreturn void stop(const char *text)
{
    fprintf(stderr, "macsim_sets: %s\n", text);
    exit(1);
}

static void join(char path[PATH_ROOM], const char *folder, const char *name)
{
    if (snprintf(path, PATH_ROOM, "%s/%s", folder, name) >= PATH_ROOM)
        stop("a path is too long");
}

static void make_folder(char path[PATH_ROOM], const char *folder, const char *name)
{
    join(path, folder, name);
    if (mkdir(path, 0777) != 0)
        stop(path);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_ROOM];
    FILE *file;

    join(path, folder, name);
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        stop(path);
}

static struct sink *open_stream(const char *folder, const char *base, uint64_t id, bool gzip)
{
    struct fault error;
    char path[PATH_ROOM], name[100];
    struct sink *sink;

    snprintf(name, sizeof name, "%s_%" PRIu64 ".raw", base, id);
    join(path, folder, name);
    sink = sink_open_bytes(path, gzip, &error);
    if (sink == NULL)
        stop(fault_text(error));
    return sink;
}

static void close_stream(struct sink *sink)
{
    struct fault error;

    if (FAILS(error, sink_close(sink)))
        stop(fault_text(error));
}

static void write_header(const char *folder, const char *name, struct macsim_header *header)
{
    struct fault error;
    char path[PATH_ROOM];

    join(path, folder, name);
    if (!macsim_header_write(header, path, &error))
        stop(fault_text(error));
}

/* ---- PTX */

struct warp {
    struct sink *sink;
    uint64_t pc;
    unsigned block, number;
};

/* One instruction of the warp; the pc steps by 8 as the generator's. */
static void put(struct warp *warp, const char *opcode, struct macsim_gpu_record record)
{
    struct fault error;
    int const number = macsim_opcode_find(MACSIM_PTX_V14, opcode);

    if (number < 0)
        stop(opcode);
    record.opcode = (uint8_t)number;
    record.pc = warp->pc += 8;
    record.size = 4;
    record.active_mask = record.active_mask != 0 ? record.active_mask : UINT32_MAX;
    if (!macsim_write_gpu(warp->sink, &record, &error))
        stop(fault_text(error));
}

static void put_access(struct warp *warp, const char *opcode, bool is_load, uint32_t mask, uint64_t start,
                       uint64_t stride)
{
    struct macsim_gpu_record record = {
        .is_load = is_load, .accesses_memory = true, .has_lanes = true, .active_mask = mask, .access_bytes = 4,
        .source_count = 1, .sources = {2}, .destination_count = is_load, .destinations = {3}
    };

    for (unsigned i = 0; i < MACSIM_LANES; i++)
        record.lanes[i] = (mask >> i & 1) != 0 ? start + i * stride : 0;
    record.address = record.lanes[0];
    put(warp, opcode, record);
}

static void fill(struct warp *warp)
{
    uint64_t const start = 0x140000 + 0x1000 * warp->block + 0x80 * warp->number;

    put_access(warp, "MEM_LD_PM", true, UINT32_MAX, 0x40000, 0);
    put(warp, "MAD", (struct macsim_gpu_record){.source_count = 1, .sources = {1551}, .destination_count = 1,
                                                .destinations = {2}});
    put_access(warp, "MEM_LD_GM", true, UINT32_MAX, start, 4);
    put(warp, "ADD", (struct macsim_gpu_record){.is_fp = true, .source_count = 1, .sources = {3},
                                                .destination_count = 1, .destinations = {4}});
    put_access(warp, "MEM_ST_GM", false, UINT32_MAX, start + 0x100000, 4);
    put(warp, "EXIT", (struct macsim_gpu_record){.cf = MACSIM_CF_SYSTEM});
}

static void scan(struct warp *warp)
{
    put_access(warp, "MEM_LD_SM", true, 0x0000ffff, 0x40000, 64);
    put(warp, "BAR_SYNC", (struct macsim_gpu_record){.barrier_threads = 128});
    put(warp, "BRA", (struct macsim_gpu_record){.cf = MACSIM_CF_CONDITIONAL, .taken_mask = 0xff, .target = 9000});
    for (unsigned i = 0; i < 20; i++)
        put_access(warp, "MEM_LD_GM", true, 0x80ff00ff, 0x400000 + 0x10000 * warp->block + 0x40 * i, 0x400);
    put_access(warp, "ATOM_GM", true, 0x1, 0x140000, 0);
    put_access(warp, "MEM_LD_LM", true, UINT32_MAX, 0x40010, 0);
    put(warp, "EXIT", (struct macsim_gpu_record){.cf = MACSIM_CF_SYSTEM});
}

static void make_kernel(const char *folder, unsigned blocks, unsigned warps, unsigned max_blocks,
                        void (*run)(struct warp *warp))
{
    struct macsim_header header = {.form = MACSIM_THREADS, .kind = MACSIM_KIND_NEWPTX, .max_blocks = max_blocks};

    header.threads = calloc((size_t)blocks * warps, sizeof *header.threads);
    if (header.threads == NULL)
        stop("out of memory");
    for (unsigned i = 0; i < blocks * warps; i++) {
        struct warp warp = {.pc = 8000 - 8, .block = i / warps, .number = i % warps};

        header.threads[header.thread_count++].id = (uint64_t)warp.block << 16 | warp.number;
        warp.sink = open_stream(folder, "Trace", header.threads[i].id, i % 2 == 0);
        run(&warp);
        close_stream(warp.sink);
    }
    write_header(folder, "Trace.txt", &header);
    free(header.threads);
}

static void make_ptx(const char *folder)
{
    /* the first is a path of the machine that made it */
    char *paths[] = {"/elsewhere/fill_0/Trace.txt", "scan_1/Trace.txt"};
    struct macsim_header list = {
        .form = MACSIM_KERNEL_LIST, .kind = MACSIM_KIND_NEWPTX, .paths = paths, .path_count = 2
    };
    char kernel[PATH_ROOM];

    make_folder(kernel, folder, "fill_0");
    make_kernel(kernel, 6, 2, 1, fill);
    make_folder(kernel, folder, "scan_1");
    make_kernel(kernel, 3, 4, 2, scan);
    write_header(folder, "kernel_config.txt", &list);
}

/* ---- N64 */

static void put_n64(struct sink *sink, uint64_t pc, const char *opcode, bool is_load, bool is_fp, uint64_t address,
                    unsigned bytes)
{
    int const number = macsim_opcode_find(MACSIM_NVBIT, opcode);
    uint8_t record[N64_BYTES] = {0};
    struct fault error;

    if (number < 0)
        stop(opcode);
    record[0] = (uint8_t)number;
    record[1] = is_fp;
    record[2] = is_load;
    record[5] = is_load;                     /* one destination, R3 */
    record[14] = 3;
    record[22] = 16;
    bits_store32(record + 24, UINT32_MAX);
    bits_store64(record + 32, pc);
    bits_store64(record + 40, pc + 16);
    bits_store64(record + 48, address);
    record[56] = (uint8_t)bytes;
    record[60] = address != 0 ? 3 : 0;       /* global */
    if (FAILS(error, sink_write(sink, record, sizeof record)))
        stop(fault_text(error));
}

/* The 2026 tracer's: a load of 4 blocks, its parent with the first; a store of one. */
static void make_nvbit(const char *folder)
{
    static uint64_t const ids[] = {0, 1, (1 << 16) + 12, (1 << 16) + 13};
    char kernel[PATH_ROOM];

    make_folder(kernel, folder, "Kernel0");
    for (unsigned i = 0; i < 4; i++) {
        struct sink *const sink = open_stream(kernel, "trace", ids[i], true);
        uint64_t const start = 0x7f0000000000 + 0x10000 * i;

        put_n64(sink, 0x100, "S2R", false, false, 0, 4);
        put_n64(sink, 0x110, "LDG", true, false, start, 16);
        for (unsigned child = 1; child < 4; child++)
            put_n64(sink, 0x110, "LDG", true, true, start + 0x1000 * child, 4);
        put_n64(sink, 0x120, "STG", false, false, start + 0x8000, 4);
        put_n64(sink, 0x130, "EXIT", false, false, 0, 4);
        close_stream(sink);
    }
    write_text(kernel, "trace.txt", "nvbit\n14\n16\n4\n0 0\n1 0\n65548 0\n65549 0\n");
}

/* ---- x86: each reads a piece of memory and writes another */

static void make_x86(const char *folder)
{
    struct macsim_thread threads[] = {{.id = 0}, {.id = 1, .start = SECOND_STARTS}};
    struct macsim_header header = {
        .form = MACSIM_THREADS, .kind = MACSIM_KIND_X86, .threads = threads, .thread_count = 2
    };
    struct fault error;

    for (unsigned thread = 0; thread < 2; thread++) {
        struct sink *const sink = open_stream(folder, "app", thread, true);

        for (unsigned i = 0; i < X86_RECORDS; i++) {
            struct macsim_cpu_record record = {
                .pc = 0x400000 + 4 * (i % 100), .size = 4, .source_count = 1, .sources = {4},
                .opcode = (uint16_t)macsim_opcode_find(MACSIM_X86_PIN313, "DATAXFER")
            };

            if (i % 100 == 99) {
                record.opcode = (uint16_t)macsim_opcode_find(MACSIM_X86_PIN313, "COND_BR");
                record.cf = MACSIM_CF_CONDITIONAL;
                record.taken = true;
                record.target = 0x400000;
            } else if (i % 3 == 0) {
                record.has_store = true;
                record.store_count = 1;
                record.store = 0x700000 + 0x100000 * thread + 8 * i;
                record.bytes_written = 8;
            } else {
                record.load_count = 1;
                record.load[0] = 0x600000 + 64 * i;
                record.bytes_read = 8;
                record.destination_count = 1;
                record.destinations[0] = 10;
            }
            if (!macsim_write_cpu(sink, &record, &error))
                stop(fault_text(error));
        }
        close_stream(sink);
    }
    write_header(folder, "app.txt", &header);
}

int main(int argc, char **argv)
{
    char folder[PATH_ROOM];

    if (argc != 2)
        stop("expected one folder");
    make_folder(folder, argv[1], "ptx");
    make_ptx(folder);
    make_folder(folder, argv[1], "nvbit");
    make_nvbit(folder);
    make_folder(folder, argv[1], "x86");
    make_x86(folder);
    write_text(argv[1], "trace_file_list", "2\nx86/app.txt\nptx/kernel_config.txt\n");
    return 0;
}
