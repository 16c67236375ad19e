/* An event is kept (`held`) until all its output was returned, since the end of a string instruction is known only
 * when the next event is read. */
#include "proto/insn/insn_elastic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_LATENCY_CYC 10000
#define MOST_RUNS 2                      /* accesses of an iteration; those with more are not folded */
#define MOST_TIME_PS (UINT64_C(1) << 61)
#define MOST_ACCESS_BYTES 65536u         /* the largest of known ones save all registers */

/* Accesses of a string instruction that follow each other, at one place of its iterations. */
struct run {
    uint64_t start, end;                 /* bytes [start, end); equal: none */
    bool is_write;
};

struct insn_elastic {
    const struct insn_trace *trace;
    struct insn_elastic_options options;
    struct insn_uops uops;
    struct insn_cursor *cursor;
    struct depend *depend;
    uint64_t events, until;              /* taken of the cursor; where the piece ends */
    uint64_t time_ps;                    /* sum of the times taken */
    struct insn_lost lost;

    struct insn_event event;
    bool is_held;
    bool is_absorbed;                    /* it is part of the current string instruction */

    /* the current string instruction */
    bool is_open, is_first;              /* is_first: it was not counted yet */
    uint64_t pc;
    uint32_t size_bytes;
    struct isa_insn what_copy;
    const struct isa_insn *what;         /* NULL: not known */
    struct run runs[MOST_RUNS];
    size_t run_count;
    uint64_t gap, gap_ps;

    uint64_t last_pc, next_pc;           /* of the instruction before, and behind it; 0: not known */
};

/* ---- latencies */

struct insn_latencies insn_latencies_usual(void)
{
    return (struct insn_latencies){.cyc = {
#define LATENCY(suffix, name, cycles, help) [ISA_CLASS_##suffix] = cycles,
        ISA_CLASSES(LATENCY)
#undef LATENCY
    }};
}

static bool parse_one(struct insn_latencies *latencies, const char *text, size_t length, char *problem, size_t room)
{
    const char *const equals = memchr(text, '=', length);
    uint32_t cycles = 0;
    bool is_number = equals && equals + 1 < text + length && length - (size_t)(equals - text) <= 6;

    for (const char *c = equals ? equals + 1 : text; is_number && c < text + length; c++) {
        is_number = *c >= '0' && *c <= '9';
        cycles = 10 * cycles + (uint32_t)(*c - '0');
    }
    if (!is_number || cycles > MOST_LATENCY_CYC) {
        snprintf(problem, room, "%.*s: expected CLASS=CYCLES with 0 to %d cycles, such as IntMult=3",
                 (int)(length < 60 ? length : 60), text, MOST_LATENCY_CYC);
        return false;
    }
    for (int class = 0; class < ISA_CLASS_COUNT; class++) {
        const char *const name = isa_class_name((enum isa_class)class);

        if (strlen(name) != (size_t)(equals - text) || strncasecmp(name, text, (size_t)(equals - text)) != 0)
            continue;
        latencies->cyc[class] = cycles;
        return true;
    }
    snprintf(problem, room, "%.*s is no class; the classes are IntAlu, IntMult, IntDiv, FloatAdd and the others of "
             "docs/instructions.md", (int)(equals - text < 60 ? equals - text : 60), text);
    return false;
}

bool insn_latencies_parse(struct insn_latencies *latencies, const char *text, char *problem, size_t room)
{
    for (;;) {
        size_t const length = strcspn(text, ",");

        if (!parse_one(latencies, text, length, problem, room))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

struct insn_elastic_options insn_elastic_defaults(void)
{
    return (struct insn_elastic_options){
        .latencies = insn_latencies_usual(),
        .depend = {.period_ps = 250, .width = INSN_ELASTIC_WIDTH, .window = INSN_ELASTIC_WINDOW, .line_bytes = 64,
                   .fetch_bytes = 64, .first_seq = 1}};
}

/* ---- instructions */

static enum insn_step insn_elastic_give(struct insn_elastic *elastic, const struct depend_instruction *instruction,
                                        struct depend_output *output, struct fault *error)
{
    const char *const path = insn_trace_thread(elastic->trace, 0)->path;

    switch (depend_put(elastic->depend, instruction, output)) {
    case DEPEND_GOOD:
        return INSN_RECORD;
    case DEPEND_LACKS_MEMORY:
        *error = fault_memory(path, "dependences");
        break;
    case DEPEND_LACKS_PAGE:
        *error = fault_at(path, FAULT_NO_OFFSET, "event %" PRIu64 ": an address that has no place in memory; the file "
                          "changed while it was read, or there are more pages than memory", elastic->events);
        break;
    }
    return INSN_FAILED;
}

static bool has_pc(const struct insn_elastic *elastic, const struct insn *insn)
{
    return !(insn_trace_lacks(elastic->trace) & 1u << INSN_LACKS_PCS) && (insn->form != INSN_ACCESS_ONLY || insn->pc);
}

static uint32_t insn_elastic_size_of(const struct insn *insn, const struct isa_insn *what)
{
    return insn->size_bytes ? insn->size_bytes : what ? what->size_bytes : 0;
}

/* An instruction whose micro-ops are made. */
static enum insn_step give_made(struct insn_elastic *elastic, struct depend_instruction *instruction,
                                struct depend_output *output, struct fault *error)
{
    instruction->is_target = elastic->next_pc != 0 && instruction->pc != elastic->next_pc
                             && instruction->pc != elastic->last_pc;
    elastic->last_pc = instruction->pc;
    instruction->uops = elastic->uops.list;
    instruction->uop_count = elastic->uops.count;
    elastic->next_pc = instruction->size_bytes ? instruction->pc + instruction->size_bytes : 0;
    return insn_elastic_give(elastic, instruction, output, error);
}

/* Refuses instructions that no program has, as they would fill memory with records. */
static struct fault is_possible(struct insn_elastic *elastic, const struct insn *insn)
{
    const char *const path = insn_trace_thread(elastic->trace, 0)->path;

    for (size_t i = 0; i < insn->access_count; i++)
        if (insn->accesses[i].size_bytes > MOST_ACCESS_BYTES)
            return fault_at(path, FAULT_NO_OFFSET, "event %" PRIu64 ": an access of %" PRIu32 " bytes; expected at "
                            "most %u", elastic->events, insn->accesses[i].size_bytes, MOST_ACCESS_BYTES);
    if (insn->gap > UINT32_MAX)
        return fault_at(path, FAULT_NO_OFFSET, "event %" PRIu64 ": %" PRIu64 " instructions after the one before; "
                        "expected less than 2^32", elastic->events, insn->gap);
    if (insn->gap_time >= (MOST_TIME_PS - elastic->time_ps) / elastic->options.time_ps)
        return fault_at(path, FAULT_NO_OFFSET, "event %" PRIu64 ": the time leads beyond 2^61 ps, the longest that "
                        "can be simulated", elastic->events);
    elastic->time_ps += insn->gap_time * elastic->options.time_ps;
    return fault_none();
}

static enum insn_step give_plain(struct insn_elastic *elastic, struct depend_output *output, struct fault *error)
{
    const struct insn *const insn = &elastic->event.insn;
    bool const has_instructions = !(insn_trace_lacks(elastic->trace) & 1u << INSN_LACKS_INSTRUCTIONS);
    struct depend_instruction instruction = {
        .has_pc = has_pc(elastic, insn), .is_taken = isa_kind_is_branch(insn->kind) && insn->branch == INSN_TAKEN,
        .pc = insn->pc, .size_bytes = insn_elastic_size_of(insn, elastic->event.what), .gap = insn->gap,
        .gap_ps = insn->gap_time * elastic->options.time_ps,
        .is_alone = insn->form == INSN_ACCESS_ONLY && has_instructions, .is_part = insn->form == INSN_REPEAT};

    elastic->is_held = false;
    if (!insn_uops_make(&elastic->uops, elastic->event.what, insn->kind, insn->accesses, insn->access_count, true)) {
        *error = fault_memory(insn_trace_thread(elastic->trace, 0)->path, "micro-ops");
        return INSN_FAILED;
    }
    return give_made(elastic, &instruction, output, error);
}

/* ---- string instructions */

static bool is_string(const struct insn_event *event)
{
    return event->insn.access_count <= MOST_RUNS
        && (event->insn.form == INSN_REPEAT || (event->what && event->what->is_string));
}

static void open_string(struct insn_elastic *elastic)
{
    const struct insn *const insn = &elastic->event.insn;

    elastic->is_open = true;
    elastic->is_first = insn->form != INSN_REPEAT;
    elastic->pc = insn->pc;
    elastic->size_bytes = insn_elastic_size_of(insn, elastic->event.what);
    elastic->what = NULL;
    if (elastic->event.what) {
        elastic->what_copy = *elastic->event.what;
        elastic->what = &elastic->what_copy;
    }
    elastic->gap = insn->gap;
    elastic->gap_ps = insn->gap_time * elastic->options.time_ps;
}

static bool continues(const struct insn_elastic *elastic)
{
    return elastic->event.insn.form == INSN_REPEAT && elastic->event.insn.pc == elastic->pc
        && elastic->event.insn.access_count <= MOST_RUNS;
}

/* Whether the access extends the run within its line. */
static bool follows(const struct run *run, const struct insn_access *access, uint32_t bytes, uint32_t line_bytes)
{
    if (access->is_write != run->is_write)
        return false;
    return (access->address == run->end && access->address % line_bytes != 0)
        || (access->address + bytes == run->start && run->start % line_bytes != 0);
}

static uint32_t insn_elastic_bytes_of(const struct insn_elastic *elastic, const struct insn_access *access)
{
    return (uint32_t)insn_span(&elastic->uops.spans, access).size_bytes;
}

/* Takes the current event; false: the pending output must be returned first. */
static bool absorb(struct insn_elastic *elastic)
{
    const struct insn *const insn = &elastic->event.insn;
    uint32_t const line_bytes = elastic->options.depend.line_bytes;

    elastic->is_absorbed = true;
    if (elastic->run_count > 0) {
        if (insn->access_count != elastic->run_count)
            return false;
        for (size_t i = 0; i < insn->access_count; i++)
            if (!follows(&elastic->runs[i], &insn->accesses[i], insn_elastic_bytes_of(elastic, &insn->accesses[i]),
                         line_bytes)) return false;
    }
    for (size_t i = 0; i < insn->access_count; i++) {
        uint64_t const start = insn->accesses[i].address, end = start + insn_elastic_bytes_of(elastic,
                                                                                              &insn->accesses[i]);
        struct run *const run = &elastic->runs[i];

        if (elastic->run_count == 0)
            *run = (struct run){start, end, insn->accesses[i].is_write};
        else if (start == run->end)
            run->end = end;
        else
            run->start = start;
    }
    elastic->run_count = insn->access_count;
    elastic->is_held = false;
    return true;
}

static enum insn_step give_string(struct insn_elastic *elastic, bool is_last, struct depend_output *output,
                                  struct fault *error)
{
    struct depend_instruction instruction = {
        .has_pc = !(insn_trace_lacks(elastic->trace) & 1u << INSN_LACKS_PCS), .is_part = !elastic->is_first,
        .pc = elastic->pc, .size_bytes = elastic->size_bytes, .gap = elastic->gap, .gap_ps = elastic->gap_ps};
    struct insn_access accesses[MOST_RUNS];

    for (size_t i = 0; i < elastic->run_count; i++)
        accesses[i] = (struct insn_access){.address = elastic->runs[i].start, .is_write = elastic->runs[i].is_write,
                                           .size_bytes = (uint32_t)(elastic->runs[i].end - elastic->runs[i].start)};
    if (!insn_uops_make(&elastic->uops, elastic->what, ISA_OTHER, accesses, elastic->run_count, is_last)) {
        *error = fault_memory(insn_trace_thread(elastic->trace, 0)->path, "micro-ops");
        return INSN_FAILED;
    }
    elastic->run_count = 0;
    elastic->is_first = false;
    elastic->is_open = !is_last;
    elastic->gap = elastic->gap_ps = 0;
    return give_made(elastic, &instruction, output, error);
}

/* ---- the interface */

struct insn_elastic *insn_elastic_open(const struct insn_trace *trace, size_t thread,
                                       const struct insn_elastic_options *options, const struct depend_space *space,
                                       struct fault *error)
{
    struct insn_elastic *const elastic = calloc(1, sizeof *elastic);
    struct insn_meaning const meaning = insn_trace_meaning(trace);
    const char *const path = insn_trace_thread(trace, thread)->path;

    if (!elastic) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    elastic->trace = trace;
    elastic->options = *options;
    elastic->options.depend.registers = INSN_REGISTER_SPACE;
    elastic->options.depend.is_in_order = (insn_trace_lacks(trace) & 1u << INSN_LACKS_DEPENDENCES) != 0;
    elastic->options.depend.keeps_times = meaning.clock != INSN_CLOCK_NONE && meaning.since == INSN_SINCE_BEGINNING
        && !options->writes_files;
    elastic->options.depend.waits_for_answers = meaning.clock != INSN_CLOCK_NONE && meaning.since == INSN_SINCE_ANSWER;
    elastic->options.depend.are_lines = (insn_trace_lacks(trace) & 1u << INSN_LACKS_PARTS_OF_LINES) != 0;
    if (meaning.clock == INSN_CLOCK_PS || options->time_ps == 0)
        elastic->options.time_ps = meaning.clock == INSN_CLOCK_PS ? 1 : options->depend.period_ps;
    elastic->uops.latencies = options->latencies;
    elastic->uops.spans = insn_trace_spans(trace, options->depend.line_bytes);
    elastic->until = UINT64_MAX;
    elastic->cursor = insn_cursor_open(trace, thread, error);
    if (elastic->cursor) {
        elastic->depend = depend_open(&elastic->options.depend, space);
        if (elastic->depend)
            return elastic;
        *error = fault_memory(path, "a window of records");
    }
    insn_elastic_close(elastic);
    return NULL;
}

void insn_elastic_close(struct insn_elastic *elastic)
{
    if (!elastic)
        return;
    insn_cursor_close(elastic->cursor);
    insn_uops_free(&elastic->uops);
    depend_close(elastic->depend);
    free(elastic);
}

void insn_elastic_until(struct insn_elastic *elastic, uint64_t event, uint64_t first_seq)
{
    elastic->until = event;
    elastic->next_pc = 0;
    depend_restart(elastic->depend, first_seq);
}

/* Returns the remaining output of depend once, then the end of the piece. */
static enum insn_step insn_elastic_finish(struct insn_elastic *elastic, struct depend_output *output,
                                          struct fault *error)
{
    if (depend_end(elastic->depend, output) != DEPEND_GOOD) {
        *error = fault_memory(insn_trace_thread(elastic->trace, 0)->path, "records");
        return INSN_FAILED;
    }
    return output->record_count > 0 ? INSN_RECORD : INSN_END;
}

/* The current event is an instruction. */
static enum insn_step insn_elastic_hold(struct insn_elastic *elastic, struct fault *error)
{
    while (!elastic->is_held) {
        enum insn_step step = INSN_END;

        if (elastic->events < elastic->until)
            step = insn_cursor_next(elastic->cursor, &elastic->event, error);
        if (step != INSN_RECORD)
            return step;
        elastic->events++;
        if (!elastic->event.is_marker && FAILS(*error, is_possible(elastic, &elastic->event.insn)))
            return INSN_FAILED;
        elastic->is_held = !elastic->event.is_marker;
        if (elastic->event.is_marker && elastic->event.marker.kind == INSN_MARKER_LOST) {
            elastic->lost.places++;
            elastic->lost.insns += elastic->event.marker.value;
        }
        elastic->is_absorbed = false;
    }
    return INSN_RECORD;
}

enum insn_step insn_elastic_next(struct insn_elastic *elastic, struct depend_output *output, struct fault *error)
{
    for (;;) {
        enum insn_step const step = insn_elastic_hold(elastic, error);
        bool const goes_on = step == INSN_RECORD && (elastic->is_absorbed || continues(elastic));

        if (step == INSN_FAILED)
            return step;
        if (elastic->is_open && !goes_on)
            return give_string(elastic, true, output, error);
        if (step == INSN_END)
            return insn_elastic_finish(elastic, output, error);
        if (!elastic->is_open && !is_string(&elastic->event))
            return give_plain(elastic, output, error);
        if (!elastic->is_open)
            open_string(elastic);
        if (!absorb(elastic))
            return give_string(elastic, false, output, error);
    }
}

const struct depend_counts *insn_elastic_counted(const struct insn_elastic *elastic)
{
    return depend_counted(elastic->depend);
}

struct insn_lost insn_elastic_lost(const struct insn_elastic *elastic)
{
    return elastic->lost;
}

const struct insn_cursor *insn_elastic_cursor(const struct insn_elastic *elastic)
{
    return elastic->cursor;
}
