/* rubato trace info of GPU traces: one pass over all kernels of a list; then the contents of each, and of all
 * together. Memory grows with the distinct lines of the footprint and with the number of kernels, not with their
 * size. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/line_span.h"
#include "base/number_map.h"
#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/reuse_print.h"
#include "cli/trace/sheet.h"
#include "cli/trace/trace_command.h"
#include "memsys/gpu/coalesce.h"
#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_text.h"

#define LINE_BYTES 128               /* of the footprint, if not said */
#define SECTOR_BYTES 32u
#define UNKNOWN_MAX 16               /* opcodes that are named */
#define MODES 3

struct access_count {
    uint64_t insts, lanes, sectors;
};

struct unknown {
    char text[48];
    uint64_t count;
};

struct gpu_counts {
    uint64_t blocks, warps, insts, thread_insts, masked_off;
    uint64_t classes[GPU_CLASS_COUNT], modes[MODES];
    struct access_count spaces[GPU_SPACE_COUNT];
    size_t statics;
};

struct kernel_info {
    const char *file;
    struct gpu_header header;
    struct gpu_counts counts;
};

struct info {
    struct gpu_list list;
    uint64_t line_bytes;
    uint64_t copies, copy_bytes, copies_back, copy_back_bytes;
    struct kernel_info *kernels;
    size_t kernel_count;
    struct gpu_counts all;
    struct number_map lines;         /* of memory that all blocks share */
    struct reuse reuse;              /* of these */
    struct unknown unknown[UNKNOWN_MAX];
    size_t unknown_count;
    uint64_t unknown_insts;
};

/* --- counting ----------------------------------------------------------------------------------------------------- */

static bool is_shared_by_all(unsigned space)
{
    return space == GPU_SPACE_GLOBAL || space == GPU_SPACE_GENERIC || space == GPU_SPACE_SCALAR;
}

static void gpu_info_touch(struct info *info, const struct lane_access *access)
{
    for (uint64_t left = access->lanes; left != 0; left &= left - 1) {
        struct line_span const span = line_span_of(access->addresses[__builtin_ctzll(left)], access->width_bytes,
                                                   info->line_bytes);

        for (uint64_t i = 0; i < span.count; i++)
            number_map_add(&info->lines, span.first + i);
    }
}

static void count_access(struct info *info, struct gpu_counts *counts, const struct gpu_block *block,
                         const struct gpu_inst *inst, const struct gpu_static *fixed, unsigned space)
{
    uint64_t addresses[GPU_MAX_LANES];
    uint64_t const lanes = gpu_inst_addresses(block, inst, space == GPU_SPACE_SCALAR, addresses);
    struct lane_access const access = {.addresses = addresses, .lanes = lanes, .width_bytes = fixed->width_bytes};
    struct access_count *const count = &counts->spaces[space];

    counts->modes[inst->mode]++;
    count->insts++;
    count->lanes += (uint64_t)__builtin_popcountll(lanes);
    count->sectors += coalesce_count_lines(&access, SECTOR_BYTES);
    if (is_shared_by_all(space))
        gpu_info_touch(info, &access);
}

static void count_unknown(struct info *info, const char *text)
{
    size_t i = 0;

    info->unknown_insts++;
    while (i < info->unknown_count && strcmp(info->unknown[i].text, text) != 0)
        i++;
    if (i == UNKNOWN_MAX)
        return;
    if (i == info->unknown_count)
        memcpy(info->unknown[info->unknown_count++].text, text, sizeof info->unknown[i].text);
    info->unknown[i].count++;
}

static void touch_again(struct info *info, const struct gpu_kernel *kernel, const struct gpu_block *block,
                        const struct gpu_inst *inst)
{
    const struct gpu_static *const fixed = &kernel->statics[inst->index];
    unsigned const space = kernel->opcodes[fixed->opcode].space;
    struct lane_lines lines = {.count = 0};
    uint64_t addresses[GPU_MAX_LANES];

    if (inst->mode == GPU_ADDRESS_NONE || !is_shared_by_all(space))
        return;
    for (uint64_t left = gpu_inst_addresses(block, inst, space == GPU_SPACE_SCALAR, addresses); left != 0;
         left &= left - 1)
        lane_lines_add(&lines, addresses[__builtin_ctzll(left)], fixed->width_bytes, info->line_bytes);
    lane_lines_touch(&lines, &info->reuse);
}

/* The warps of a block take turns, an instruction each. */
static void count_reuse(struct info *info, const struct gpu_kernel *kernel, const struct gpu_block *block)
{
    bool is_any = true;

    for (size_t i = 0; is_any; i++) {
        is_any = false;
        for (uint32_t w = 0; w < block->warp_count; w++)
            if (i < block->warps[w].count) {
                touch_again(info, kernel, block, &block->warps[w].insts[i]);
                is_any = true;
            }
    }
}

/* A scalar instruction of GCN3 counts as one thread, regardless of its mask (7.3). */
static uint64_t threads_of(const struct gpu_kernel *kernel, const struct gpu_opcode *opcode, uint64_t mask)
{
    bool const is_scalar = kernel->header.isa == GPU_ISA_GCN3 && (opcode->text[0] | 0x20) == 's'
        && opcode->text[1] == '_';

    return is_scalar ? 1 : (uint64_t)__builtin_popcountll(mask);
}

static void count_block(struct info *info, struct gpu_counts *counts, const struct gpu_kernel *kernel,
                        const struct gpu_block *block)
{
    counts->blocks++;
    count_reuse(info, kernel, block);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct gpu_warp_list *const warp = &block->warps[w];

        counts->warps += warp->count > 0;
        counts->insts += warp->count;
        for (const struct gpu_inst *inst = warp->insts; inst < warp->insts + warp->count; inst++) {
            const struct gpu_static *const fixed = &kernel->statics[inst->index];
            const struct gpu_opcode *const opcode = &kernel->opcodes[fixed->opcode];

            counts->thread_insts += threads_of(kernel, opcode, inst->mask);
            counts->masked_off += inst->mask == 0;
            counts->classes[opcode->cls]++;
            if (!opcode->is_known)
                count_unknown(info, opcode->text);
            if (inst->mode != GPU_ADDRESS_NONE)
                count_access(info, counts, block, inst, fixed, opcode->space);
        }
    }
}

static void add_up(struct gpu_counts *all, const struct gpu_counts *one)
{
    all->blocks += one->blocks;
    all->warps += one->warps;
    all->insts += one->insts;
    all->thread_insts += one->thread_insts;
    all->masked_off += one->masked_off;
    all->statics += one->statics;
    for (int i = 0; i < GPU_CLASS_COUNT; i++)
        all->classes[i] += one->classes[i];
    for (int i = 0; i < MODES; i++)
        all->modes[i] += one->modes[i];
    for (int i = 0; i < GPU_SPACE_COUNT; i++) {
        all->spaces[i].insts += one->spaces[i].insts;
        all->spaces[i].lanes += one->spaces[i].lanes;
        all->spaces[i].sectors += one->spaces[i].sectors;
    }
}

static uint64_t accesses_of(const struct gpu_counts *counts)
{
    uint64_t sum = 0;

    for (int i = 0; i < GPU_SPACE_COUNT; i++)
        sum += counts->spaces[i].insts;
    return sum;
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static void print_three(char *text, size_t room, const uint32_t numbers[3])
{
    snprintf(text, room, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", numbers[0], numbers[1], numbers[2]);
}

/* The sources of a store. */
static void print_store(struct sheet *sheet, const char *path)
{
    struct fault error;
    struct gpu_store *const store = gpu_store_open(path, &error);
    const struct gpu_store_about *about;

    if (store == NULL)
        return;
    about = gpu_store_about(store);
    sheet_numbers(sheet, "  size          {store_bytes} bytes\n", about->file_bytes);
    sheet_strings(sheet, "  made of       {made_of} ", about->list.path);
    sheet_numbers(sheet, "(hash {hash:h})\n", about->list.hash);
    gpu_store_close(store);
}

static void print_list(struct sheet *sheet, const struct info *info)
{
    bool const is_store = gpu_store_detect(info->list.path);

    sheet_strings(sheet, "{path}\n  kind          {kind}\n", info->list.path,
                  is_store ? "store of GPU traces" : "GPU trace");
    if (is_store)
        print_store(sheet, info->list.path);
    sheet_text(sheet, "  kernels       %zu\n", info->kernel_count);
    sheet_numbers(sheet, "  copies        {copies} to the device, {copy_bytes} bytes\n", info->copies,
                  info->copy_bytes);
    if (info->copies_back > 0)
        sheet_numbers(sheet, "  copies        {copies_back} to the host, {copy_back_bytes} bytes\n", info->copies_back,
                      info->copy_back_bytes);
    sheet_text(sheet, "\n  %-28s %6s %-14s %-14s %8s %10s %9s %9s  %s\n", "file", "stream", "grid", "block", "blocks",
               "insts", "statics", "accesses", "name");
}

/* Of the only kernel. */
static void print_header(struct sheet *sheet, const struct gpu_header *header)
{
    sheet_text(sheet, "\n  isa           %s, binary version %" PRIu32 ", %" PRIu32 " lanes\n",
               gpu_isa_name(header->isa), header->binary_version, header->warp_size);
    sheet_text(sheet, "  tracer        version %s, nvbit %s%s\n", header->tracer_version[0] != '\0'
               ? cli_shown(header->tracer_version) : "not said", cli_shown(header->nvbit_version),
               header->has_line_info ? ", with lines of the source" : "");
    sheet_text(sheet, "  registers     %" PRIu32 " a thread\n  shmem         %" PRIu64 " bytes a block\n",
               header->nregs, header->shmem_bytes);
    sheet_text(sheet, "  windows       shared 0x%" PRIx64 ", local 0x%" PRIx64 "\n", header->shmem_base,
               header->local_base);
    if (header->max_blocks > 0)
        sheet_text(sheet, "  occupancy     %" PRIu32 " blocks an SM at most\n", header->max_blocks);
    for (size_t i = 0; i < header->other_count; i++)
        sheet_text(sheet, "  %-13s %s\n", cli_shown(header->others[i].key), cli_shown(header->others[i].value));
}

static void print_classes(struct sheet *sheet, const struct gpu_counts *counts)
{
    sheet_object(sheet, "classes");
    for (int i = 0; i < GPU_CLASS_COUNT; i++)
        if (counts->classes[i] > 0)
            sheet_share(sheet, (struct sheet_share){4, 12, 10}, gpu_class_name((enum gpu_class)i), counts->classes[i],
                        counts->insts);
    sheet_close(sheet);
}

static void print_accesses(struct sheet *sheet, const struct gpu_counts *counts)
{
    if (accesses_of(counts) > 0)
        sheet_text(sheet, "\n  %-16s %10s %12s %12s  %s\n", "accesses", "insts", "lanes", "sectors",
                   "sectors an access");
    sheet_object(sheet, "accesses");
    for (int i = 0; i < GPU_SPACE_COUNT; i++) {
        const struct access_count *const count = &counts->spaces[i];

        if (count->insts == 0)
            continue;
        sheet_object(sheet, gpu_space_name((enum gpu_space)i));
        sheet_text(sheet, "    %-14s ", gpu_space_name((enum gpu_space)i));
        sheet_numbers(sheet, "{insts:10} {lanes:12} {sectors:12}", count->insts, count->lanes, count->sectors);
        sheet_text(sheet, "  %.2f\n", (double)count->sectors / (double)count->insts);
        sheet_close(sheet);
    }
    sheet_close(sheet);
}

/* Of one kernel, or of all. */
static void put_counts(struct sheet *sheet, const struct gpu_counts *counts)
{
    sheet_numbers(sheet, "{+blocks}{+warps}{+insts}{+thread_insts}{+masked_off}{+static_insts}", counts->blocks,
                  counts->warps, counts->insts, counts->thread_insts, counts->masked_off, counts->statics);
    print_classes(sheet, counts);
    print_accesses(sheet, counts);
    json_put_numbers(&sheet->json, "modes", counts->modes, MODES);
}

/* A row of the table; in JSON all of its header and counts. */
static void print_kernel(struct sheet *sheet, const struct kernel_info *kernel)
{
    const struct gpu_counts *const counts = &kernel->counts;
    char grid[48], block[48];

    print_three(grid, sizeof grid, kernel->header.grid);
    print_three(block, sizeof block, kernel->header.block);
    sheet_text(sheet, "  %-28s %6" PRIu64 " %-14s %-14s %8" PRIu64 " %10" PRIu64 " %9zu %9" PRIu64 "  %s\n",
               cli_shown(kernel->file), kernel->header.stream, grid, block, counts->blocks, counts->insts,
               counts->statics, accesses_of(counts), cli_shown(kernel->header.name));
    if (sheet->to)
        return;
    sheet_object(sheet, NULL);
    json_put_string(&sheet->json, "file", kernel->file);
    trace_gpu_put_header(&sheet->json, &kernel->header);
    put_counts(sheet, counts);
    sheet_close(sheet);
}

static struct reuse_curve curve_of(const struct info *info)
{
    return (struct reuse_curve){.name = "global accesses", .reuse = &info->reuse, .line_bytes = info->line_bytes,
                                .order = "a line once an instruction; blocks one after the other, the warps of a block "
                                         "in turns"};
}

static void print_totals_text(struct sheet *sheet, const struct gpu_counts *all)
{
    sheet_text(sheet, "\n  blocks        %" PRIu64 "\n  warps         %" PRIu64 " with instructions\n  instructions  %"
               PRIu64 " of warps, %" PRIu64 " of threads; %" PRIu64 " (%.1f %%) without an active lane\n", all->blocks,
               all->warps, all->insts, all->thread_insts, all->masked_off, percent(all->masked_off, all->insts));
    print_classes(sheet, all);
    if (accesses_of(all) == 0)
        return;
    print_accesses(sheet, all);
    sheet_text(sheet, "  addresses     list %" PRIu64 ", base and stride %" PRIu64 ", base and deltas %" PRIu64 "\n",
               all->modes[GPU_ADDRESS_LIST], all->modes[GPU_ADDRESS_STRIDE], all->modes[GPU_ADDRESS_DELTAS]);
}

static void print_totals(struct sheet *sheet, const struct info *info)
{
    struct reuse_curve const curve = curve_of(info);

    sheet_object(sheet, "all");
    if (sheet->to)
        print_totals_text(sheet, &info->all);
    else
        put_counts(sheet, &info->all);
    if (!sheet->to || accesses_of(&info->all) > 0)
        sheet_numbers(sheet, "  footprint     {footprint_lines} lines of {line_bytes} bytes of global memory\n",
                      info->lines.count, info->line_bytes);
    sheet_object(sheet, "unknown_opcodes");
    for (size_t i = 0; i < info->unknown_count; i++) {
        sheet_text(sheet, "  unknown       %s, %" PRIu64 " times\n", cli_shown(info->unknown[i].text),
                   info->unknown[i].count);
        if (!sheet->to)
            json_put_number(&sheet->json, info->unknown[i].text, info->unknown[i].count);
    }
    sheet_close(sheet);
    reuse_sheet(sheet, &curve);
    sheet_close(sheet);
}

static void print_all(struct sheet *sheet, const struct info *info)
{
    print_list(sheet, info);
    if (!sheet->to)
        json_put_array(&sheet->json, "kernels", JSON_LINES(2, -1));
    for (size_t i = 0; i < info->kernel_count; i++)
        print_kernel(sheet, &info->kernels[i]);
    sheet_close(sheet);
    if (info->kernel_count == 1)
        print_header(sheet, &info->kernels[0].header);
    print_totals(sheet, info);
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

static int read_kernel(struct info *info, const char *file)
{
    struct kernel_info *const kept = &info->kernels[info->kernel_count];
    struct gpu_kernel kernel;
    struct gpu_block *block;
    struct fault error;
    enum gpu_step step;

    if (FAILS(error, gpu_list_kernel(&kernel, &info->list, file)))
        return cli_fail_proto(&error);
    while ((step = gpu_kernel_next_block(&kernel, &block, &error)) == GPU_BLOCK) {
        count_block(info, &kept->counts, &kernel, block);
        gpu_block_free(block);
    }
    if (step == GPU_NO_BLOCK) {
        trace_gpu_warn(kernel.warnings, kernel.warning_count, 0);
        kept->file = file;
        kept->counts.statics = kernel.static_count;
        kept->header = kernel.header;
        kernel.header = (struct gpu_header){0};
        add_up(&info->all, &kept->counts);
        info->kernel_count++;
    }
    gpu_kernel_close(&kernel);
    return step == GPU_NO_BLOCK ? CLI_OK : cli_fail_proto(&error);
}

static int gpu_info_read_all(struct info *info)
{
    int code = CLI_OK;

    info->kernels = calloc(info->list.count + 1, sizeof *info->kernels);
    if (info->kernels == NULL)
        return cli_fail_text("out of memory");
    for (size_t i = 0; code == CLI_OK && i < info->list.count; i++) {
        const struct gpu_command *const command = &info->list.commands[i];

        if (command->kind == GPU_KERNEL) {
            code = read_kernel(info, command->file);
        } else if (command->kind == GPU_COPY_TO_HOST) {
            info->copies_back++;
            info->copy_back_bytes += command->bytes;
        } else {
            info->copies++;
            info->copy_bytes += command->bytes;
        }
    }
    return code == CLI_OK && info->lines.failed ? cli_fail_text("out of memory") : code;
}

int trace_gpu_info(const struct trace_request *request)
{
    struct info info = {.line_bytes = request->line_bytes != 0 ? request->line_bytes : LINE_BYTES};
    struct reuse_curve const curve = curve_of(&info);
    struct sheet sheet;
    struct fault error;
    int code;

    reuse_begin(&info.reuse, REUSE_USUAL_LINES);
    if (FAILS(error, gpu_list_open(&info.list, request->path)))
        return cli_fail_proto(&error);
    trace_gpu_warn(info.list.warnings, info.list.warning_count, 0);
    code = gpu_info_read_all(&info);
    if (code == CLI_OK && !sheet_begin(&sheet, request, true))
        code = CLI_BAD_INPUT;
    if (code == CLI_OK) {
        print_all(&sheet, &info);
        code = sheet_end(&sheet, CLI_OK);
    }
    if (code == CLI_OK)
        code = reuse_plot(request->svg, request->path, &curve, 1);
    reuse_free(&info.reuse);
    for (size_t i = 0; i < info.kernel_count; i++)
        gpu_header_free(&info.kernels[i].header);
    free(info.kernels);
    number_map_free(&info.lines);
    gpu_list_close(&info.list);
    return code;
}
