/* rubato trace convert: makes elastic traces of the threads of a MacSim trace or an instruction trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "cli/common/cli.h"
#include "cli/common/cli_input.h"
#include "cli/common/shown.h"
#include "cli/options/shared_options.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"
#include "memsys/vm/vm_params.h"
#include "memsys/vm/vm_space.h"
#include "proto/elastic/trace_writer.h"
#include "proto/insn/insn_elastic.h"
#include "proto/macsim/macsim_elastic.h"
#include "proto/trace_formats.h"
#include "replay/config/units.h"

struct request {
    const char *set, *folder, *to;
    const char *format;                  /* of instruction traces; NULL: detected */
    struct macsim_elastic_options elastic;
    struct macsim_override override;
    struct latency_options latencies;
    struct accel_sim_form kernels;
    bool has_override, is_physical, is_virtual, is_quiet;    /* neither: by the format */
    uint64_t base, trace_clock_ps;       /* 0: not given */
};

/* Files and folders made so far, which go if a later one fails. */
struct made {
    char (*paths)[TRACE_PATH_MAX];
    size_t count, room;
};

static void trace_convert_warn(const char *text)
{
    cli_warn("%s", text);
}

/* ---- arguments */

static bool take_power(void *bytes, struct cli_parser *parser)
{
    uint64_t value;

    if (!cli_parse_bytes(parser, &value))
        return false;
    *(uint32_t *)bytes = (uint32_t)value;
    if (value >= 16 && value <= 256 && (value & (value - 1)) == 0)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a power of two from 16B to 256B", parser->option, parser->value);
    return false;
}

static bool trace_convert_take_number(struct cli_parser *parser, uint64_t highest, uint32_t *number)
{
    uint64_t value;

    if (!cli_parse_count(parser, &value))
        return false;
    *number = (uint32_t)value;
    if (value >= 1 && value <= highest)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a number from 1 to %" PRIu64, parser->option, parser->value,
                    highest);
    return false;
}

static bool take_addresses(void *field, struct cli_parser *parser)
{
    struct request *const request = field;

    request->is_physical = strcmp(parser->value, "physical") == 0;
    request->is_virtual = strcmp(parser->value, "virtual") == 0;
    if (request->is_physical || request->is_virtual || strcmp(parser->value, "format") == 0)
        return true;
    cli_usage_error(parser->usage, "--addresses %s: expected format, virtual or physical", parser->value);
    return false;
}

static bool take_base(void *field, struct cli_parser *parser)
{
    uint64_t *const base = field;
    char *end;

    errno = 0;
    *base = strtoull(parser->value, &end, 0);
    if (errno == 0 && end != parser->value && *end == '\0' && *base % MACSIM_PAGE_BYTES == 0
        && *base < UINT64_C(1) << 62)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a multiple of 4096 such as 0x80000000", parser->option,
                    parser->value);
    return false;
}

static bool take_width(void *width, struct cli_parser *parser)
{
    return trace_convert_take_number(parser, 64, width);
}

static bool take_window(void *window, struct cli_parser *parser)
{
    return trace_convert_take_number(parser, 1u << 20, window);
}

static bool take_version(void *version, struct cli_parser *parser)
{
    bool const is_six = strcmp(parser->value, "6") == 0;

    if (!is_six && strcmp(parser->value, "5") != 0)
        return cli_usage_error(parser->usage, "--version: \"%s\"; expected 5 or 6", parser->value), false;
    *(uint32_t *)version = is_six ? 6 : 5;
    return true;
}

static bool take_packing(void *packing, struct cli_parser *parser)
{
    static const char *const known[] = {"gz", "xz", "zst", "tracez"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(parser->value, known[i]) == 0)
            return *(const char **)packing = known[i], true;
    return cli_usage_error(parser->usage, "--pack: \"%s\"; expected gz, xz, zst or tracez", parser->value), false;
}

static bool take_format(void *field, struct cli_parser *parser)
{
    struct request *const request = field;

    if (!cli_take_format(parser, &request->override, &request->format))
        return false;
    request->has_override = request->format == NULL;
    return true;
}

static bool take_set(void *field, struct cli_parser *parser)
{
    struct request *const request = field;

    if (request->set)
        cli_usage_error(parser->usage, "%s: one set at a time", parser->value);
    else if ((request->set = cli_input_path(parser->value)) != NULL)
        return true;
    return false;
}

static const struct cli_option options[] = {
    {"output", "DIR", "folder to write to, also -o; made if missing", CLI_INTO(TEXT, request, folder)},
    {"clock", "CLOCK", "the core's clock, of which delays are multiples (default 4GHz)",
     CLI_CALL(request, elastic.period_ps, cli_take_clock)},
    {TRACE_CLOCK_CLI_OPTION, CLI_CALL(request, trace_clock_ps, cli_take_clock)},
    {MACSIM_COMPAT_OPTION, CLI_INTO(SWITCH, request, elastic.uops.compat)},
    {LATENCY_CLI_OPTION, CLI_CALL(request, latencies, macsim_cli_take_latency)},
    {MACSIM_FORMAT_OPTION, CLI_WHOLE(take_format)},
    {"width", "N", "micro-ops a cycle through the front end (default 4)",
     CLI_CALL(request, elastic.width, take_width)},
    {"window", "N", "header's window_size: no dependence is longer (default 768)",
     CLI_CALL(request, elastic.window, take_window)},
    {"line", "BYTES", "accesses are cut where lines end (default 64B)",
     CLI_CALL(request, elastic.line_bytes, take_power)},
    {"fetch", "BYTES", "size of a fetch (default 64B)", CLI_CALL(request, elastic.fetch_bytes, take_power)},
    {"addresses", "format|virtual|physical", "kind of the trace's addresses (default: that of its format)",
     CLI_WHOLE(take_addresses)},
    {"base", "ADDRESS", "first physical address to use (default 0)", CLI_CALL(request, base, take_base)},
    {"to", "elastic|champsim|drmemtrace|lackey|accel-sim", "of an instruction trace (default elastic); of "
     "GPU kernels: accel-sim", CLI_INTO(TEXT, request, to)},
    {"version", "5|6", "of Accel-Sim's tracer whose format GPU kernels get (default: that of each)",
     CLI_CALL(request, kernels.version, take_version)},
    {"pack", "gz|xz|zst|tracez", "how files of GPU kernels are packed (default: not); tracez is of version 6",
     CLI_CALL(request, kernels.packed, take_packing)},
    {"quiet", NULL, "say nothing when all went well", CLI_INTO(SWITCH, request, is_quiet)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato trace convert TRACE -o DIR [options]\n"
        "rubato trace convert INSTRUCTION_TRACE --to FORMAT -o FILE|DIR\n"
        "rubato trace convert GPU_TRACE --to accel-sim [--version N] [--pack FORM] -o DIR",
    .about = "Writes deptrace.proto.gz and fetchtrace.proto.gz, which gem5's TraceCPU and `rubato replay` read, of "
        "the threads\nof an instruction trace (docs/instructions.md), or the x86 or a64 threads of a MacSim trace: "
        "of a header, a\ntrace_file_list, a raw stream, or a folder.\n"
        "Or an instruction trace in another tool's format, a file for one thread, else a folder with a file each;\n"
        "names that end in .gz or .xz are compressed. What the format has no place for is counted.\n"
        "Or the kernels of a GPU trace or store as Accel-Sim's simulator reads them: kernelslist.g and grouped "
        "kernel-N.traceg.",
    .options = options, .take_operand = take_set,
    .notes = "Several threads become folders thread0, thread1, ... by their numbers, and several applications app0, "
        "app1, ...\nabove these. Such files do not hold when a thread starts, and for whom it waits; `rubato replay "
        "SYSTEM TRACE` does.\n"
        "Records depend on each other by registers, by memory order, and by the order of fetching; delays are the "
        "latencies of\nthe opcodes' classes. The trace's addresses are virtual: pages get frames in the order of their "
        "first use.\n" FORMAT_LIST_NOTE
};

static bool trace_convert_parse(struct request *request, int argc, char **argv, int *code)
{
    struct cli_parser parser;

    *request = (struct request){.elastic = macsim_elastic_defaults(), .latencies = {.insn = insn_latencies_usual()}};
    *code = CLI_BAD_INPUT;
    if (!cli_parse(&parser, &usage, request, argc, argv)) {
        *code = parser.exit_code;
        return false;
    }
    request->elastic.uops.table = request->latencies.has_table ? request->latencies.table : request->elastic.uops.table;
    if (request->set == NULL)
        *code = cli_usage_error(&usage, "no set was given; name a header, a raw stream or a folder");
    else if (request->folder == NULL)
        *code = cli_usage_error(&usage, "no output was given; add -o DIR");
    else if (request->is_physical && request->base != 0)
        *code = cli_usage_error(&usage, "--base moves pages, and --addresses physical leaves them; leave one out");
    else if ((request->kernels.version != 0 || request->kernels.packed != NULL)
             && (request->to == NULL || strcmp(request->to, "accel-sim") != 0))
        *code = cli_usage_error(&usage, "--%s is for kernels of GPUs; add --to accel-sim, or leave it out",
                                request->kernels.version != 0 ? "version" : "pack");
    else
        return true;
    return false;
}

/* ---- output */

static bool note_made(struct made *made, const char *path)
{
    if (!list_fit(&made->paths, made->count + 1, &made->room, sizeof *made->paths))
        return cli_fail_text("out of memory"), false;
    snprintf(made->paths[made->count++], TRACE_PATH_MAX, "%s", path);
    return true;
}

/* Removes them in reverse order: files before their folders. */
static void remove_made(struct made *made)
{
    while (made->count > 0)
        if (unlink(made->paths[--made->count]) != 0)
            rmdir(made->paths[made->count]);
}

static bool make_folder(struct made *made, const char *path)
{
    if (mkdir(path, 0777) == 0)
        return note_made(made, path);
    if (errno == EEXIST)
        return true;
    cli_fail_text("%s: cannot be created: %s", path, strerror(errno));
    return false;
}

/* `folder` with one more part, which is made. */
static bool trace_convert_enter(struct made *made, char folder[TRACE_PATH_MAX], const char *what, uint64_t number)
{
    size_t const length = strlen(folder);

    if (snprintf(folder + length, TRACE_PATH_MAX - length, "/%s%" PRIu64, what, number)
        >= (int)(TRACE_PATH_MAX - length)) {
        cli_fail_text("%s: the path is longer than %d bytes", folder, TRACE_PATH_MAX);
        return false;
    }
    return make_folder(made, folder);
}

static void print_records(const struct depend_counts *counts)
{
    uint64_t const records = counts->records[DEP_LOAD] + counts->records[DEP_STORE] + counts->records[DEP_COMP];

    printf("  micro-ops     ");
    for (int kind = 0; kind < DEPEND_KIND_COUNT; kind++)
        printf("%s%" PRIu64 " %s", kind ? ", " : "", counts->uops[kind], depend_kind_name((enum depend_kind)kind));
    printf("\n  records       %" PRIu64 ": %" PRIu64 " LOAD, %" PRIu64 " STORE, %" PRIu64 " COMP (%" PRIu64
           " of them front end); %" PRIu64 " are further lines of an access\n", records, counts->records[DEP_LOAD],
           counts->records[DEP_STORE], counts->records[DEP_COMP], counts->front_ends, counts->pieces);
    printf("  dependences   %" PRIu64 " register, %" PRIu64 " memory order, %" PRIu64 " fetch order\n",
           counts->register_deps, counts->memory_deps, counts->fetch_deps);
    printf("  fetches       %" PRIu64 "\n", counts->fetches);
}

static void print_bytes(const char *dep, const char *fetch)
{
    struct stat one, other;

    if (stat(dep, &one) == 0 && stat(fetch, &other) == 0)
        printf("  bytes         %" PRIu64 "\n", (uint64_t)one.st_size + (uint64_t)other.st_size);
}

static void print_counts(const struct macsim_part *part, size_t thread, const struct depend_counts *counts,
                         const char *folder)
{
    printf("%s: thread %" PRIu64 ", %" PRIu64 " instructions\n", cli_shown(folder), part->header.threads[thread].id,
           counts->instructions);
    print_records(counts);
}

static bool name_files(const char *folder, char dep[TRACE_PATH_MAX], char fetch[TRACE_PATH_MAX])
{
    if (snprintf(dep, TRACE_PATH_MAX, "%s/deptrace.proto.gz", folder) < TRACE_PATH_MAX
        && snprintf(fetch, TRACE_PATH_MAX, "%s/fetchtrace.proto.gz", folder) < TRACE_PATH_MAX)
        return true;
    return cli_fail_text("%s: the path is longer than %d bytes", folder, TRACE_PATH_MAX), false;
}

static void warn_of_window(const struct request *request, const struct depend_counts *counts, const char *dep)
{
    uint64_t const records = counts->records[DEP_LOAD] + counts->records[DEP_STORE] + counts->records[DEP_COMP];

    if (records < 2 * (uint64_t)request->elastic.window)
        cli_warn("%s: %" PRIu64 " records are fewer than two windows (%" PRIu64 "); gem5 refuses that; give --window "
                 "%" PRIu64 " or less", dep, records, 2 * (uint64_t)request->elastic.window,
                 records > 1 ? records / 2 : 1);
}

static bool convert_thread(const struct request *request, struct made *made, const struct macsim_part *part,
                           size_t thread, struct macsim_pages *pages, const char *folder)
{
    struct macsim_convert_request conversion = {.part = part, .thread = thread, .options = request->elastic,
                                                .pages = pages};
    struct depend_counts counts;
    char dep[TRACE_PATH_MAX], fetch[TRACE_PATH_MAX];
    struct fault error;

    if (!name_files(folder, dep, fetch))
        return false;
    conversion.dep_out = dep;
    conversion.fetch_out = fetch;
    if (FAILS(error, macsim_convert(&conversion, &counts, trace_convert_warn)))
        return cli_fail_proto(&error), false;
    if (!note_made(made, dep) || !note_made(made, fetch))
        return false;
    warn_of_window(request, &counts, dep);
    if (!request->is_quiet) {
        print_counts(part, thread, &counts, folder);
        print_bytes(dep, fetch);
    }
    return true;
}

/* ---- instruction traces */

/* Places for its pages, in the order in which they are touched. */
struct process {
    struct vm_memory *memory;
    struct space *space;
    struct fault fault;
};

static uint64_t trace_convert_place(void *self, uint64_t address)
{
    struct process *const process = self;

    return space_touch_and_place(process->space, address, &process->fault);
}

static struct fault make_space(const struct request *request, struct process *process)
{
    struct vm_range const all = {request->base, (UINT64_C(1) << 62) - request->base};
    struct pages_params const params = {.policy = PLACEMENT_FIRST_TOUCH, .huge = HUGE_NEVER, .threshold = 1,
                                        .colours = 1};
    struct fault fault = fault_none();

    *process = (struct process){.fault = fault_none()};
    process->memory = vm_memory_make(&params, &all, 1, &fault);
    if (process->memory)
        process->space = vm_memory_add_space(process->memory, request->set, request->is_physical, &fault);
    return process->space ? space_settle(process->space) : fault;
}

static void print_insn_counts(const struct insn_trace *trace, size_t thread, const struct insn_converted *converted,
                              const char *folder)
{
    printf("%s: thread %" PRIu64 ", %" PRIu64 " instructions\n", cli_shown(folder),
           insn_trace_thread(trace, thread)->id, converted->counts.instructions);
    print_records(&converted->counts);
    if (insn_trace_lacks(trace) & 1u << INSN_LACKS_DEPENDENCES)
        printf("  the trace lacks dependences: accesses are in program order\n");
    else if (converted->undecoded > 0)
        printf("  not decoded   %" PRIu64 " instructions: they read and write no registers\n",
               converted->undecoded);
}

static bool convert_insn_thread(const struct request *request, struct made *made, const struct insn_trace *trace,
                                size_t thread, struct process *process, const char *folder)
{
    struct insn_convert_request conversion = {
        .trace = trace, .thread = thread, .options = insn_elastic_defaults(),
        .space = {trace_convert_place, process, request->is_physical}};
    struct insn_converted converted;
    char dep[TRACE_PATH_MAX], fetch[TRACE_PATH_MAX];
    struct fault error;

    conversion.options.writes_files = true;
    conversion.options.latencies = request->latencies.insn;
    conversion.options.time_ps = request->trace_clock_ps;
    conversion.options.depend.period_ps = request->elastic.period_ps;
    conversion.options.depend.width = request->elastic.width;
    conversion.options.depend.window = request->elastic.window;
    conversion.options.depend.line_bytes = request->elastic.line_bytes;
    conversion.options.depend.fetch_bytes = request->elastic.fetch_bytes;
    if (!name_files(folder, dep, fetch))
        return false;
    conversion.dep_out = dep;
    conversion.fetch_out = fetch;
    if (FAILS(error, insn_convert(&conversion, &converted, trace_convert_warn)))
        return cli_fail_proto(process->fault.kind != FAULT_NONE ? &process->fault : &error), false;
    if (!note_made(made, dep) || !note_made(made, fetch))
        return false;
    if (insn_trace_lacks(trace) & 1u << INSN_LACKS_PCS)
        cli_warn("%s: the trace has no pcs, so there are no fetches; gem5 expects at least one", fetch);
    warn_of_window(request, &converted.counts, dep);
    if (!request->is_quiet) {
        print_insn_counts(trace, thread, &converted, folder);
        print_bytes(dep, fetch);
    }
    return true;
}

static bool convert_insn_threads(const struct request *request, struct made *made, const struct insn_trace *trace,
                                 struct process *process)
{
    size_t const count = insn_trace_threads(trace);

    for (size_t i = 0; i < count; i++) {
        char folder[TRACE_PATH_MAX];

        snprintf(folder, sizeof folder, "%s", request->folder);
        if ((count > 1 && !trace_convert_enter(made, folder, "thread", insn_trace_thread(trace, i)->id))
            || !convert_insn_thread(request, made, trace, i, process, folder))
            return false;
    }
    if (!request->is_quiet && !request->is_physical)
        printf("%" PRIu64 " pages of 4 KiB from physical address 0x%" PRIx64 " on\n",
               space_counts(process->space).small_pages, request->base);
    return true;
}

/* Physical addresses stay as they are unless --base moves them. */
static bool convert_insn(const struct request *given, struct made *made)
{
    struct request request = *given;
    struct process process = {.memory = NULL};
    struct fault error;
    struct insn_trace *const trace = insn_trace_open_as(given->set, given->format, INSN_OPEN_DECODED, &error);
    bool good = trace != NULL;

    if (good && given->base == 0)
        request.is_physical |= !request.is_virtual
            && insn_trace_meaning(trace).addresses == INSN_ADDRESSES_PHYSICAL;
    if (good)
        error = make_space(&request, &process);
    if (!good || error.kind != FAULT_NONE)
        good = cli_fail_proto(&error) == CLI_OK;
    else
        good = make_folder(made, request.folder) && convert_insn_threads(&request, made, trace, &process);
    insn_trace_close(trace);
    vm_memory_free(process.memory);
    return good;
}

/* ---- sets of MacSim */

static bool convert_part(const struct request *request, struct made *made, const struct macsim_part *part,
                         struct macsim_pages *pages, const char *folder)
{
    struct fault error;

    for (size_t i = 0; i < part->header.thread_count; i++) {
        struct depend_counts unused;

        if (FAILS(error, macsim_elastic_survey(part, i, &request->elastic, pages, &unused)))
            return cli_fail_proto(&error), false;
    }
    for (size_t i = 0; i < part->header.thread_count; i++) {
        char own[TRACE_PATH_MAX];

        snprintf(own, sizeof own, "%s", folder);
        if (part->header.thread_count > 1 && !trace_convert_enter(made, own, "thread", part->header.threads[i].id))
            return false;
        if (!convert_thread(request, made, part, i, pages, own))
            return false;
    }
    return true;
}

/* Parts of CPUs, which are those that can be converted. */
static size_t count_parts(const struct macsim_set *set)
{
    size_t count = 0;

    for (size_t a = 0; a < set->application_count; a++)
        for (size_t p = 0; p < set->applications[a].part_count; p++)
            count += !set->applications[a].parts[p].is_gpu;
    return count;
}

static bool convert_set(const struct request *request, const struct macsim_set *set, struct made *made)
{
    size_t const count = count_parts(set);
    struct macsim_pages pages;
    size_t number = 0;
    bool good = true;

    if (count == 0)
        return cli_fail_text("%s: no thread of a CPU; x86 and a64 can be converted, GPU traces replay as they are",
                             set->path), false;
    macsim_pages_init(&pages, request->base, request->is_physical);
    for (size_t a = 0; good && a < set->application_count; a++)
        for (size_t p = 0; good && p < set->applications[a].part_count; p++) {
            const struct macsim_part *const part = &set->applications[a].parts[p];
            struct macsim_pages next;
            char folder[TRACE_PATH_MAX];

            if (part->is_gpu)
                continue;
            snprintf(folder, sizeof folder, "%s", request->folder);
            good = (count == 1 || trace_convert_enter(made, folder, "app", number))
                && convert_part(request, made, part, &pages, folder);
            number++;
            macsim_pages_next(&next, &pages);
            macsim_pages_free(&pages);
            pages = next;
        }
    if (good && !request->is_quiet && !request->is_physical)
        printf("physical addresses end at 0x%" PRIx64 "\n", macsim_pages_end(&pages));
    macsim_pages_free(&pages);
    return good;
}

static bool convert_macsim(const struct request *request, struct made *made)
{
    struct macsim_set set;
    struct fault error;
    bool good;

    if (FAILS(error, macsim_set_open(&set, request->set, request->has_override ? &request->override : NULL)))
        return cli_fail_proto(&error), false;
    for (size_t i = 0; i < set.warning_count; i++)
        trace_convert_warn(set.warnings[i]);
    good = make_folder(made, request->folder) && convert_set(request, &set, made);
    macsim_set_close(&set);
    return good;
}

/* Refuses options that do not apply to the kind of trace. */
static int check_options(const struct request *request, bool is_insn)
{
    if (is_insn && (request->latencies.has_table || request->has_override || request->elastic.uops.compat))
        return cli_fail_text("--%s is for traces of MacSim; leave it out", request->has_override ? "format"
                             : request->elastic.uops.compat ? "macsim-compat" : "latency with a table");
    if (!is_insn && request->to)
        return cli_usage_error(&usage, "--to is for instruction traces, and %s is not one", request->set);
    if (!is_insn && request->latencies.has_insn)
        return cli_fail_text("--latency CLASS=CYCLES is for instruction traces; leave it out");
    return CLI_OK;
}

int cli_trace_convert(int argc, char **argv)
{
    struct request request;
    struct made made = {0};
    const struct trace_kind *kind;
    struct fault error;
    bool is_insn, good;
    int code;

    if (!trace_convert_parse(&request, argc, argv, &code))
        return code;
    if (strlen(request.folder) >= TRACE_PATH_MAX)
        return cli_fail_text("%s: the path is longer than %d bytes", request.folder, TRACE_PATH_MAX);
    if (request.to && strcmp(request.to, "accel-sim") == 0) {
        if (!(trace_conversions(trace_kind_of(request.set)) & TRACE_CONVERTS_KERNELS)
            || !trace_has_kernels(request.set))
            return cli_fail_text("%s: is no trace of GPU kernels, which --to accel-sim needs; expected a list, a "
                                 "kernel, a store of them, or a MacSim set that has kernels", request.set);
        return trace_accel_sim_convert(request.set, request.folder, &request.kernels, request.is_quiet);
    }
    kind = trace_kind_of_as(request.set, request.format);
    if (!request.has_override && FAILS(error, trace_check_known(request.set, kind)))
        return cli_fail_proto(&error);
    is_insn = !request.has_override && trace_conversions(kind) & TRACE_CONVERTS_INSNS;
    if (!is_insn && !request.has_override && !(trace_conversions(kind) & TRACE_CONVERTS_MACSIM))
        return cli_fail_text("%s: is a %s; elastic traces are made of instruction traces and of MacSim's threads%s",
                             request.set, kind->name, trace_conversions(kind) & TRACE_CONVERTS_KERNELS
                             ? "; give --to accel-sim, or an instruction trace" : "; give one of these");
    code = check_options(&request, is_insn);
    if (code != CLI_OK)
        return code;
    if (request.to && strcmp(request.to, "elastic") != 0)
        return trace_insn_convert(request.set, request.format, request.to, request.folder, request.is_quiet);
    good = is_insn ? convert_insn(&request, &made) : convert_macsim(&request, &made);
    if (!good)
        remove_made(&made);
    free(made.paths);
    return good ? CLI_OK : CLI_BAD_INPUT;
}
