/* One thread: it waits for words in the lanes, and for the end of the host.
 *
 * Order of reading. A lane's fill level is read before that of the statics: blocks are reported before their execution,
 * so each block that the lane names is known by then. Lanes do not wait for each other.
 * The host's death is detected before the last pass over the lanes, so that pass sees all of its words. */
#include "proto/capture/capture.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/count.h"
#include "proto/capture/captured_program.h"
#include "proto/insn/rbt/rbt_writer.h"

enum { PIECE_WORDS = 1 << 14, PIECES_A_STEP = 64, PAUSE_NS = 300000, PATIENT_STEPS = 2000 };

struct capture {
    struct capture_options options;
    struct program program;
    struct host_command command;
    struct isa_decoder *decoder;
    struct code code;
    struct assembler *assembler;
    struct rbt_writer *writer;
    struct capture_area *area;
    struct assemble_region region;
    struct capture_end end;
    struct child child;                  /* the host; shares the area */
    uint64_t written_bytes;              /* of the trace, once it is finished */
    uint32_t idle_steps;                 /* in a row, in which nothing was read: about a third of a millisecond each */
    bool is_resolved;                    /* addresses of the region are known */
    bool has_failed;
    char host_file[1024];                /* of the host's program, once something came from it; "" before */
};

/* --- sink --- */

static uint32_t sink_thread(void *of, uint64_t id, struct fault *error)
{
    return rbt_writer_thread(of, id, error);
}

static struct fault sink_put(void *of, uint32_t thread, const struct insn *insn)
{
    return rbt_writer_put(of, thread, insn, NULL);
}

static struct fault sink_mark(void *of, uint32_t thread, const struct insn_marker *marker)
{
    return rbt_writer_mark(of, thread, marker);
}

static uint32_t sink_run(void *of, uint32_t thread, unsigned count, unsigned accesses)
{
    return rbt_writer_run(of, thread, count, accesses);
}

static uint32_t sink_join(void *of, const uint32_t *runs, unsigned count)
{
    return rbt_writer_join(of, runs, count);
}

static bool sink_room(void *of, uint32_t thread, struct rbt_writer_room *room)
{
    return rbt_writer_room(of, thread, room);
}

static void sink_put_runs(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                          uint32_t followed, uint64_t target)
{
    rbt_writer_put_runs(of, thread, count, insns, accesses, followed, target);
}

/* --- region --- */

#define MOST_INSTRUCTIONS (UINT64_C(1) << 62)

/* A number, or an address. */
static bool is_number(const char *text, uint64_t *number)
{
    return *text >= '0' && *text <= '9' && !count_parse(text, number);
}

static bool is_address(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* Symbols are checked before the program begins, though where it lies is known only then. */
static struct fault read_bound(struct capture *capture, const char *text, bool *is_pc, uint64_t *count)
{
    uint64_t number;

    if (text == NULL)
        return fault_none();
    if (!is_number(text, &number)) {
        *is_pc = true;
        return program_symbol(&capture->program, text, &number);
    }
    if (is_address(text))
        *is_pc = true;
    else if (number > MOST_INSTRUCTIONS)
        return fault_at(text, FAULT_NO_OFFSET, "is a place behind more instructions than can be counted; expected at "
                        "most %" PRIu64, MOST_INSTRUCTIONS);
    else
        *count = number;
    return fault_none();
}

static uint64_t bound_address(const struct capture *capture, const char *text, uint64_t moved_by)
{
    uint64_t address;

    if (text == NULL || (is_number(text, &address) && !is_address(text)))
        return UINT64_MAX;
    if (is_address(text))
        return address;
    return program_symbol(&capture->program, text, &address).kind == FAULT_NONE ? address + moved_by : UINT64_MAX;
}

/* By how much the program was moved from the addresses of its file. */
static uint64_t moved_by(const struct capture *capture)
{
    const uint64_t mask = CAPTURE_PAGE_BYTES - 1;

    return capture->program.is_fixed || capture->area->start_code == 0 ? 0
        : (capture->area->start_code & ~mask) - (capture->program.first_code & ~mask);
}

/* --- start --- */

/* Where the program's memory is to be reported, so that a replay can execute it: where the file does not say what it
 * is. */
static void ask_for_memory(const struct capture *capture)
{
    const struct assemble_region *const region = &capture->region;
    struct capture_area *const area = capture->area;
    uint64_t address;

    area->start_file_code = UINT64_MAX;
    area->keeps_memory = capture->program.isa == ISA_RV64 && !capture->options.without_program;
    if (area->keeps_memory == 0)
        return;
    if (region->from_pc) {
        area->start_place = CAPTURE_START_PC;
        if (!is_address(capture->options.from)) {
            if (program_symbol(&capture->program, capture->options.from, &address).kind == FAULT_NONE)
                area->start_at = address;
            if (!capture->program.is_fixed)
                area->start_file_code = capture->program.first_code & ~(uint64_t)(CAPTURE_PAGE_BYTES - 1);
        } else if (is_number(capture->options.from, &address)) {
            area->start_at = address;
        }
    } else if (region->from_count > 0) {
        area->start_place = CAPTURE_START_COUNT;
        area->start_at = region->from_count;
    } else if (capture->program.loader != NULL) {
        area->start_place = CAPTURE_START_FIRST;
    }
}

static struct fault make_area(struct capture *capture)
{
    FORWARD(child_share(&capture->child, capture_area_bytes()));
    capture->area = capture->child.shared;
    capture->area->magic = CAPTURE_MAGIC;
    capture->area->reader_pid = (uint64_t)getpid();
    capture->area->main_only = capture->options.host.main_only;
    capture->area->all_told = capture->options.all_told;
    ask_for_memory(capture);
    return fault_none();
}

static char *joined_command(char *const *argv)
{
    size_t length = 1;
    char *text;

    for (size_t i = 0; argv[i] != NULL; i++)
        length += strlen(argv[i]) + 1;
    text = calloc(1, length);
    for (size_t i = 0; text != NULL && argv[i] != NULL; i++) {
        if (i > 0)
            strcat(text, " ");
        strcat(text, argv[i]);
    }
    return text;
}

static struct fault open_writer(struct capture *capture)
{
    struct fault fault = fault_none();
    char *const text = joined_command(capture->options.argv);
    const struct rbt_description description = {
        .isa = capture->program.isa, .lacks = 0, .source = capture->command.source, .command = text,
        .is_quick = true
    };

    if (text == NULL)
        return fault_memory("capture", NULL);
    capture->writer = rbt_writer_create(capture->options.output, &description, &fault);
    free(text);
    return capture->writer != NULL ? fault_none() : fault;
}

static struct fault capture_prepare(struct capture *capture)
{
    struct fault fault = fault_none();
    struct assemble_sink sink = {
        .thread = sink_thread, .put = sink_put, .mark = sink_mark, .run = sink_run, .join = sink_join,
        .room = sink_room, .put_runs = sink_put_runs
    };
    char area_path[CHILD_PATH_ROOM];

    FORWARD(program_find(&capture->program, capture->options.argv, capture->options.host.search));
    FORWARD(read_bound(capture, capture->options.from, &capture->region.from_pc, &capture->region.from_count));
    FORWARD(read_bound(capture, capture->options.to, &capture->region.to_pc, &capture->region.to_count));
    FORWARD(make_area(capture));
    child_shared_path(&capture->child, area_path);
    FORWARD(host_command(&capture->command, &capture->program, &capture->options.host, area_path));
    capture->decoder = isa_decoder_open(capture->program.isa, &fault);
    if (capture->decoder == NULL || FAILS(fault, open_writer(capture)))
        return fault;
    code_begin(&capture->code, capture->decoder);
    capture->code.zeroed_bytes = host_zeroed_bytes(&capture->options.host);
    sink.of = capture->writer;
    capture->assembler = assemble_begin(&capture->code, &sink, &capture->region, &fault);
    if (capture->assembler != NULL && capture->options.bind != NULL)
        capture->options.bind(capture->assembler);
    return (capture->assembler != NULL
            && WORKS(fault, child_start(&capture->child, capture->command.argv, capture->command.variable)))
               ? fault_none()
               : fault;
}

struct capture *capture_start(const struct capture_options *options, struct fault *error)
{
    struct capture *const capture = calloc(1, sizeof *capture);

    if (capture == NULL) {
        *error = fault_memory("capture", NULL);
        return NULL;
    }
    capture->options = *options;
    capture->child = CHILD_NONE;
    capture->region = (struct assemble_region){.to_count = UINT64_MAX, .at_most = options->instructions};
    if (WORKS(*error, capture_prepare(capture)))
        return capture;
    capture_free(capture);
    return NULL;
}

/* --- while it runs --- */

static struct fault read_statics(struct capture *capture)
{
    struct fault fault = fault_none();
    struct capture_area *const area = capture->area;
    const uint64_t written = __atomic_load_n(&area->statics.written, __ATOMIC_ACQUIRE), at = area->statics.read;
    uint64_t done;

    if (written == at)
        return fault_none();
    if (written - at > CAPTURE_STATICS_WORDS)
        return fault_at("capture", FAULT_NO_OFFSET, "the plugin reports %" PRIu64 " words of code, and "
                        "there is room for %d; plugin and command must be of one build", written - at,
                        CAPTURE_STATICS_WORDS);
    /* The program's load address arrived with its first block. */
    if (!capture->is_resolved) {
        capture->code.from_pc = bound_address(capture, capture->options.from, moved_by(capture));
        capture->code.to_pc = bound_address(capture, capture->options.to, moved_by(capture));
        capture->is_resolved = true;
    }
    fault.kind = FAULT_NONE;
    done = code_read(&capture->code, capture_statics_words(area), at, written - at, &fault);
    __atomic_store_n(&area->statics.read, at + done, __ATOMIC_RELEASE);
    return fault;
}

/* The words of a program of one thread are read in pieces with fixed ends, since the joining of blocks depends on the
 * ends of pieces: so the same words become the same file. If a region may end within an unfilled piece, as when the
 * program sleeps, the partial piece is read too. */
static bool reads_pieces(const struct capture *capture)
{
    const struct assemble_region *const region = &capture->region;
    const bool may_end = region->to_pc || region->to_count != UINT64_MAX || region->at_most != UINT64_MAX;

    return capture->child.pid != 0 && __atomic_load_n(&capture->area->threads, __ATOMIC_ACQUIRE) <= 1
        && !(may_end && capture->idle_steps >= PATIENT_STEPS);
}

/* Words up to the end of the piece; one that ends at once has no room for an event. */
static uint64_t to_end_of_piece(uint64_t at)
{
    const uint64_t words = PIECE_WORDS - (at & (PIECE_WORDS - 1));

    return words >= PIECE_WORDS / 2 ? words : words + PIECE_WORDS;
}

/* *done: words read. */
static struct fault read_lane(struct capture *capture, unsigned i, uint64_t *done)
{
    struct fault fault = fault_none();
    struct capture_lane *const lane = &capture->area->lanes[i];
    const uint64_t *const ring = capture_lane_words(capture->area, i);

    fault.kind = FAULT_NONE;
    for (unsigned piece = 0; piece < PIECES_A_STEP && fault.kind == FAULT_NONE; piece++) {
        const bool by_pieces = reads_pieces(capture);
        const uint64_t filled = capture_lane_filled(lane, capture->child.pid == 0), at = lane->read;
        uint64_t words = to_end_of_piece(at);

        if (filled == 0 || (by_pieces && filled < words))
            return fault_none();
        FORWARD(read_statics(capture));
        words = assemble_read(capture->assembler, i, ring, at, min_u64(filled, words), &fault);
        __atomic_store_n(&lane->read, at + words, __ATOMIC_RELEASE);
        *done += words;
        if (words == 0)
            break;
    }
    return fault;
}

static struct fault read_lanes(struct capture *capture, uint64_t *done)
{
    const uint64_t threads = __atomic_load_n(&capture->area->threads, __ATOMIC_ACQUIRE);

    for (unsigned i = 0; i < CAPTURE_LANES && i < threads; i++)
        FORWARD(read_lane(capture, i, done));
    return read_statics(capture);
}

void capture_stop(struct capture *capture)
{
    __atomic_store_n(&capture->area->stopped, 1, __ATOMIC_RELAXED);
    capture->end.was_stopped = true;
    child_kill(&capture->child);
}

static enum capture_state capture_failed(struct capture *capture, struct fault *error)
{
    capture->has_failed = true;
    capture_stop(capture);
    child_reap(&capture->child, true);
    error->kind = FAULT_STALL;
    return CAPTURE_FAILED;
}

static void note_reason(struct capture *capture)
{
    const struct code_insn *const last = assemble_last(capture->assembler, 0);
    const bool is_evex = last != NULL && capture->program.isa == ISA_X86_64 && last->bytes[0] == 0x62;

    if (capture->child.end.signal == SIGILL && last != NULL)
        snprintf(capture->end.reason, sizeof capture->end.reason, "it executed an instruction at 0x%" PRIx64 " that %s"
                 "%s%s", last->pc, is_evex ? "is of AVX-512, which " : "the CPU of ", capture->command.name, is_evex
                 ? " does not have; build it without (-mno-avx512f), or have its library choose by the CPU"
                 : " does not have; --cpu takes another");
}

/* The host ended without having loaded the plugin, or before the program's first block. */
static struct fault began(struct capture *capture)
{
    const char *const host = capture->command.argv[0];

    if (capture->area->attached == 2)
        return fault_at(host, FAULT_NO_OFFSET, "%.*s", CAPTURE_REFUSAL_BYTES, capture->area->refusal);
    if (capture->area->statics.written != 0)
        return fault_none();
    if (capture->area->attached == 1)
        return fault_at(host, FAULT_NO_OFFSET, "it ended (exit code %d) before the program's first instruction; its "
                        "own messages are above", capture->child.end.exit_code);
    return fault_at(host, FAULT_NO_OFFSET, "it ended (exit code %d) without loading the plugin; %s, "
                    "and its own messages are above", capture->child.end.exit_code, capture->command.needs);
}

/* QEMU is one executable, known before it runs: a short program may have replaced itself before its first report is
 * read. False: a script starts it, or the host is another. */
static bool knows_host(const struct capture *capture, char *path, size_t size)
{
    char *const file = capture->options.host.kind == HOST_QEMU ? realpath(capture->command.argv[0], NULL) : NULL;
    FILE *const opened = file ? fopen(file, "rb") : NULL;
    char magic[4];
    bool const is_known = opened && fread(magic, 1, sizeof magic, opened) == sizeof magic
        && memcmp(magic, "\177ELF", sizeof magic) == 0 && strlen(file) < size;

    if (is_known)
        memcpy(path, file, strlen(file) + 1);
    if (opened)
        fclose(opened);
    free(file);
    return is_known;
}

/* Looks at the executable of the child's process: a file other than the host's is a program by which the
 * captured one has replaced itself (exec). It may do so again, so the last one counts. */
static void look_at_successor(struct capture *capture)
{
    char link[64], path[sizeof capture->end.successor];
    ssize_t length;

    if (capture->child.pid == 0)
        return;
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)capture->child.pid);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    if (capture->host_file[0] == '\0' && !knows_host(capture, capture->host_file, sizeof capture->host_file))
        snprintf(capture->host_file, sizeof capture->host_file, "%s", path);
    if (strcmp(path, capture->host_file) != 0)
        memcpy(capture->end.successor, path, (size_t)length + 1);
}

enum capture_state capture_step(struct capture *capture, struct fault *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const bool has_ended = child_reap(&capture->child, false);
    uint64_t done = 0;

    if (FAILS(*error, read_lanes(capture, &done)))
        return capture_failed(capture, error);
    if (assemble_is_done(capture->assembler) && !capture->end.was_stopped) {
        capture_stop(capture);
        child_reap(&capture->child, true);
        return CAPTURE_ENDED;
    }
    capture->idle_steps = done > 0 ? 0 : capture->idle_steps + 1;
    if (done > 0) {
        look_at_successor(capture);
        return CAPTURE_RUNS;
    }
    if (!has_ended) {
        if (capture->host_file[0] != '\0')
            look_at_successor(capture);
        nanosleep(&pause, NULL);
        return CAPTURE_RUNS;
    }
    return WORKS(*error, began(capture)) ? CAPTURE_ENDED : capture_failed(capture, error);
}

/* --- the end --- */

/* Pages of the program's own executable segments that were never executed. */
static struct fault add_program_pages(struct capture *capture)
{
    const uint64_t sorted = capture->code.page_count, mask = CAPTURE_PAGE_BYTES - 1;
    const uint8_t *bytes;
    uint64_t address;
    size_t count;

    for (unsigned place = 0; program_code(&capture->program, &place, &address, &bytes, &count);) {
        const uint64_t begin = address + moved_by(capture);

        /* The load address is in memory that the guest may overwrite, so it may be wrong. */
        if (begin > UINT64_MAX - CAPTURE_PAGE_BYTES - count)
            continue;
        for (uint64_t page = begin & ~mask; page < begin + count; page += CAPTURE_PAGE_BYTES) {
            const uint64_t first = max_u64(page, begin), end = min_u64(page + CAPTURE_PAGE_BYTES, begin + count);
            uint8_t whole[CAPTURE_PAGE_BYTES] = {0};

            memcpy(whole + (first - page), bytes + (first - begin), end - first);
            if (code_find_page(&capture->code, sorted, page) == NULL && !code_add_page(&capture->code, page, whole))
                return fault_memory("capture", "the program's code");
        }
    }
    return fault_none();
}

static struct fault write_images(struct capture *capture)
{
    struct fault fault = fault_none();
    struct code *const code = &capture->code;

    code_sort_pages(code);
    FORWARD(add_program_pages(capture));
    code_sort_pages(code);
    for (uint64_t i = 0, count; i < code->page_count; i += count) {
        uint8_t *image;
        bool done;

        for (count = 1; i + count < code->page_count &&
             code->pages[i + count].address == code->pages[i].address + count * CAPTURE_PAGE_BYTES; count++)
            continue;
        image = malloc(count * CAPTURE_PAGE_BYTES);
        if (image == NULL)
            return fault_memory("capture", "the program's code");
        for (uint64_t j = 0; j < count; j++)
            memcpy(image + j * CAPTURE_PAGE_BYTES, code->pages[i + j].bytes, CAPTURE_PAGE_BYTES);
        done = WORKS(fault, rbt_writer_image(capture->writer, code->pages[i].address, image,
                                             count * CAPTURE_PAGE_BYTES));
        free(image);
        if (!done)
            return fault;
        capture->end.code_bytes += count * CAPTURE_PAGE_BYTES;
    }
    return fault_none();
}

/* What the replay executes beside the trace: programs of riscv64 alone. */
static struct fault write_program(struct capture *capture)
{
    struct fault fault = fault_none();
    const bool begins_first = !capture->region.from_pc && capture->region.from_count == 0;
    const struct captured_program of = {
        .program = &capture->program, .area = capture->area, .code = &capture->code, .moved_by = moved_by(capture),
        .lead = assemble_start_lead(capture->assembler), .begins_first = begins_first,
        .begins_at_entry = begins_first && capture->program.loader == NULL,
        .is_left_out = capture->options.without_program
    };
    struct insn_kept kept = {0};

    if (capture->program.isa != ISA_RV64)
        return fault_none();
    fault = captured_program_take(&of, &kept, &capture->end.program_out, &capture->end.is_program_large);
    capture->end.has_identity = kept.name != NULL;
    capture->end.writes_out = capture->area->writes_dropped;
    if (fault.kind == FAULT_NONE && kept.name != NULL)
        fault = rbt_writer_program(capture->writer, &kept);
    if (fault.kind == FAULT_NONE && capture->end.program_out == NULL)
        capture->end.program_bytes = kept.bytes != NULL ? kept.byte_count + kept.memory.byte_count
            : kept.memory.byte_count;
    insn_kept_free(&kept);
    return fault;
}

static struct fault write_notes(struct capture *capture)
{
    const struct capture_counts *const counts = assemble_counts(capture->assembler);

#define CAPTURE_NOTE(field, name, what)                                                                               \
    FORWARD(rbt_writer_note(capture->writer, name, counts->field));
    CAPTURE_COUNTS(CAPTURE_NOTE)
#undef CAPTURE_NOTE
    FORWARD(rbt_writer_note(capture->writer, "threads not recorded", capture->end.threads_unrecorded));
    return rbt_writer_note(capture->writer, "forked processes", capture->end.children);
}

/* The block in which the program was killed, if that had no word yet. */
static struct fault read_pending(struct capture *capture)
{
    struct fault fault = fault_none();
    const uint64_t number = capture->area->lanes[0].pending;
    const uint64_t word = capture_word(CAPTURE_BLOCK, 0, number & CAPTURE_VALUE_MASK);

    fault.kind = FAULT_NONE;
    if (number != 0)
        assemble_read(capture->assembler, 0, &word, 0, 1, &fault);
    return fault;
}

/* Finishes the file with the records written so far, even after an error. */
struct fault capture_finish(struct capture *capture)
{
    struct fault fault = fault_none();
    struct rbt_writer *const writer = capture->writer;
    struct fault last = fault_none();
    bool done = true;

    child_reap(&capture->child, true);
    capture->end.child = capture->child.end;
    if (!capture->has_failed)
        done = WORKS(fault, read_pending(capture));
    for (unsigned i = 0; i < CAPTURE_LANES && done && !capture->has_failed; i++)
        done = WORKS(fault, assemble_close(capture->assembler, i));
    note_reason(capture);
    capture->end.region_ended = assemble_is_done(capture->assembler);
    capture->end.region_began = assemble_counts(capture->assembler)->instructions > 0;
    capture->end.before = assemble_before(capture->assembler);
    capture->end.threads = capture->area->threads;
    capture->end.threads_unrecorded = capture->area->threads_unrecorded;
    capture->end.children = capture->area->children;
    capture->end.static_insns = capture->code.insn_count;
    capture->end.static_undecoded = capture->code.undecoded;
    done = done && WORKS(fault, write_images(capture)) && WORKS(fault, write_program(capture))
        && WORKS(fault, write_notes(capture));
    capture->written_bytes = rbt_writer_bytes(writer);
    capture->writer = NULL;
    if (FAILS(last, rbt_writer_finish(writer))) {
        if (done)
            fault = last;
        done = false;
    }
    if (!done && fault.kind != FAULT_MEMORY)
        fault.kind = FAULT_STALL;
    return done ? fault_none() : fault;
}

void capture_free(struct capture *capture)
{
    if (capture == NULL)
        return;
    child_free(&capture->child);
    if (capture->writer != NULL)
        rbt_writer_abandon(capture->writer);
    assemble_end(capture->assembler);
    code_end(&capture->code);
    if (capture->decoder != NULL)
        isa_decoder_close(capture->decoder);
    host_command_free(&capture->command);
    program_free(&capture->program);
    free(capture);
}

const struct capture_counts *capture_counts(const struct capture *capture)
{
    return assemble_counts(capture->assembler);
}

const struct capture_end *capture_end(const struct capture *capture)
{
    return &capture->end;
}

uint64_t capture_bytes(const struct capture *capture)
{
    return capture->writer != NULL ? rbt_writer_bytes(capture->writer) : capture->written_bytes;
}

const char *capture_source(const struct capture *capture)
{
    return capture->command.source;
}

const char *capture_host(const struct capture *capture)
{
    return capture->command.name;
}
