/* Formats with a magic number or a grammar are tried before Prospero's and ChampSim's binary records, which have
 * neither. */
#include "proto/insn/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/insn/insn_format.h"

static const struct insn_format *const formats[] = {
    &insn_drmemtrace, &insn_rbt, &insn_packets, &insn_spike, &insn_execlog, &insn_text, &insn_prospero_binary,
    &insn_champsim};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

/* NULL if absent. */
static const struct insn_format *format_named(const char *name)
{
    enum insn_format_number const number = insn_format_find(name, strlen(name));

    if (number == INSN_FORMAT_COUNT)
        return NULL;
    for (size_t f = 0; f < FORMAT_COUNT; f++)
        if (formats[f]->about == &insn_format_abouts[number])
            return formats[f];
    return &insn_text;
}

#define LACK_TEXT(suffix, text) text,

const char *insn_lack_text(enum insn_lack lack)
{
    static const char *const texts[] = {INSN_LACKS(LACK_TEXT)};

    return texts[lack];
}

#define MEANING_TEXT(suffix, text) text,

const char *insn_addresses_text(enum insn_addresses addresses)
{
    static const char *const texts[] = {INSN_ADDRESS_SPACES(MEANING_TEXT)};

    return texts[addresses];
}

const char *insn_clock_text(enum insn_clock clock)
{
    static const char *const texts[] = {INSN_CLOCKS(MEANING_TEXT)};

    return texts[clock];
}

const char *insn_origin_text(enum insn_origin origin)
{
    static const char *const texts[] = {INSN_ORIGINS(MEANING_TEXT)};

    return texts[origin];
}

unsigned insn_meaning_number(const struct insn_meaning *meaning)
{
    return (unsigned)meaning->addresses | (unsigned)meaning->since << 1 | (unsigned)meaning->clock << 2;
}

bool insn_meaning_of_number(uint64_t number, struct insn_meaning *meaning)
{
    *meaning = (struct insn_meaning){.addresses = number & 1 ? INSN_ADDRESSES_PHYSICAL : INSN_ADDRESSES_VIRTUAL,
                                     .since = number & 2 ? INSN_SINCE_ANSWER : INSN_SINCE_BEGINNING,
                                     .clock = (enum insn_clock)(number >> 2 & 15)};
    return number >> 2 < INSN_CLOCK_COUNT;
}

static const struct insn_format *format_of(struct trace_bytes *bytes)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->detect(bytes))
            return formats[i];
    return NULL;
}

/* NULL: error says why. */
static const struct insn_format *find_format(struct trace_bytes *bytes, const char *forced, struct fault *error)
{
    const struct insn_format *format;

    if (forced) {
        format = format_named(forced);
        if (!format)
            *error = fault_at(bytes->path, FAULT_NO_OFFSET, "there is no format \"%.40s\"; `rubato trace info --help` "
                              "lists them", forced);
        return format;
    }
    if (FAILS(*error, insn_refuse_foreign(bytes, true)))
        return NULL;
    format = format_of(bytes);
    if (!format)
        *error = insn_refuse(bytes, formats, FORMAT_COUNT);
    return format;
}

/* The mark that some editors put before text of UTF-8. */
static struct fault pass_mark(struct trace_bytes *bytes)
{
    struct fault fault = fault_none();
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};

    if (trace_bytes_need(bytes, sizeof mark, &fault) == STREAM_FAILED)
        return fault;
    if ((size_t)(bytes->end - bytes->next) < sizeof mark || memcmp(bytes->next, mark, sizeof mark) != 0)
        return fault_none();
    bytes->next += sizeof mark;
    if (!trace_bytes_are_text(bytes))
        bytes->next -= sizeof mark;
    return fault_none();
}

struct insn_reader *insn_reader_open_as(const char *path, const char *format, struct fault *error)
{
    struct insn_reader *const reader = calloc(1, sizeof *reader);

    if (!reader) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    if (FAILS(*error, trace_bytes_open(&reader->bytes, path))) {
        free(reader);
        return NULL;
    }
    reader->forced = format;
    if (WORKS(*error, pass_mark(&reader->bytes)))
        reader->format = find_format(&reader->bytes, format, error);
    if (reader->format && WORKS(*error, reader->format->open(reader)))
        return reader;
    insn_reader_close(reader);
    return NULL;
}

struct insn_reader *insn_reader_open(const char *path, struct fault *error)
{
    return insn_reader_open_as(path, NULL, error);
}

bool insn_is(struct trace_bytes *head)
{
    struct fault ignored;

    return WORKS(ignored, pass_mark(head)) && WORKS(ignored, insn_refuse_foreign(head, true)) && format_of(head);
}

void insn_reader_close(struct insn_reader *reader)
{
    if (!reader)
        return;
    if (reader->format && reader->state)
        reader->format->close(reader);
    trace_bytes_close(&reader->bytes);
    free(reader->accesses);
    free(reader->markers);
    free(reader->pages);
    free(reader);
}

enum insn_step insn_reader_next(struct insn_reader *reader, struct insn *insn, struct fault *error)
{
    reader->access_count = 0;
    return reader->format->next(reader, insn, error);
}

const char *insn_reader_format(const struct insn_reader *reader)
{
    return reader->about;
}

enum isa insn_reader_isa(const struct insn_reader *reader)
{
    return reader->isa;
}

const char *insn_reader_name(const struct insn_reader *reader)
{
    return reader->name ? reader->name : reader->format->about->name;
}

const struct insn_counts *insn_reader_counts(const struct insn_reader *reader)
{
    return &reader->counts;
}

uint32_t insn_reader_lacks(const struct insn_reader *reader)
{
    return reader->lacks;
}

struct insn_meaning insn_reader_meaning(const struct insn_reader *reader)
{
    return reader->meaning;
}

const char *insn_reader_warning(const struct insn_reader *reader)
{
    return reader->warning[0] ? reader->warning : NULL;
}

struct fault insn_add_access(struct insn_reader *reader, const struct insn_access *access)
{
    if (!list_fit(&reader->accesses, reader->access_count + 1, &reader->access_room, sizeof *reader->accesses))
        return fault_memory(reader->bytes.path, "the accesses of one instruction");
    reader->accesses[reader->access_count++] = *access;
    reader->counts.loads += !access->is_write;
    reader->counts.stores += access->is_write;
    reader->counts.high += access->address >> 32 != 0;
    return fault_none();
}

void insn_count(struct insn_counts *counts, const struct insn *insn)
{
    counts->instructions += insn->gap + (insn->form == INSN_EXECUTED);
    counts->repeats += insn->form == INSN_REPEAT;
    if (insn->form != INSN_EXECUTED)
        return;
    counts->kinds[insn->kind]++;
    counts->high_pcs += insn->pc >> 32 != 0;
    if (insn->kind == ISA_CONDITIONAL) {
        counts->branches_taken += insn->branch == INSN_TAKEN;
        counts->branches_untaken += insn->branch == INSN_NOT_TAKEN;
    }
}

void insn_count_accesses(struct insn_counts *counts, const struct insn *insn)
{
    for (size_t i = 0; i < insn->access_count; i++) {
        counts->loads += !insn->accesses[i].is_write;
        counts->stores += insn->accesses[i].is_write;
        counts->high += insn->accesses[i].address >> 32 != 0;
    }
}

void insn_give(struct insn_reader *reader, struct insn *insn)
{
    insn->accesses = reader->accesses;
    insn->access_count = reader->access_count;
    insn_count(&reader->counts, insn);
}

/* ---- markers */

#define MARKER_NAME(suffix, name, help) name,

const char *insn_marker_name(enum insn_marker_kind kind)
{
    static const char *const names[] = {INSN_MARKERS(MARKER_NAME)};

    return names[kind];
}

void insn_reader_want_markers(struct insn_reader *reader)
{
    reader->gives_markers = true;
}

const struct insn_marker *insn_reader_marker(const struct insn_reader *reader)
{
    return &reader->markers[reader->marker_at - 1];
}

struct fault insn_add_page(struct insn_reader *reader, const struct insn_page *page)
{
    if (!list_fit_next(&reader->pages, reader->page_count, sizeof *reader->pages))
        return fault_memory(reader->bytes.path, "pages");
    reader->pages[reader->page_count++] = *page;
    return fault_none();
}

struct fault insn_add_marker(struct insn_reader *reader, const struct insn_marker *marker)
{
    if (!reader->gives_markers)
        return fault_none();
    if (reader->marker_at == reader->marker_count)
        reader->marker_at = reader->marker_count = 0;
    if (!list_fit(&reader->markers, reader->marker_count + 1, &reader->marker_room, sizeof *reader->markers))
        return fault_memory(reader->bytes.path, "markers behind one instruction");
    reader->markers[reader->marker_count++] = *marker;
    return fault_none();
}

enum insn_step insn_give_marker(struct insn_reader *reader, struct insn *insn, uint64_t thread)
{
    reader->marker_at++;
    insn->thread = thread;
    return INSN_MARKED;
}
