/* Instruction traces of other tools, instruction by instruction: drmemtrace, ChampSim, and text formats.
 *
 * Use: insn_reader_open, insn_reader_next until it returns INSN_END, insn_reader_close. The format is detected from
 * the content. A reader reads one file; insn_files lists those of a drmemtrace folder, one for each thread.
 * Ownership: an instruction and its accesses stay valid until the next call; format and warnings are the reader's.
 * Errors: one line with file, byte offset of the decompressed text or line, the value found and the value expected. */
#ifndef PROTO_INSN_READER_H
#define PROTO_INSN_READER_H

#include "base/fault.h"
#include "proto/insn/formats.h"
#include "proto/insn/insn.h"
#include "proto/io/bytes.h"

/* Information missing in a format or a file: suffix, text. Files hold their numbers: new ones go to the end. */
#define INSN_LACKS(L)                                                                                                 \
    L(DEPENDENCES, "dependences between instructions") L(PCS, "pcs") L(INSTRUCTIONS, "instructions without accesses") \
    L(INSN_SIZES, "sizes of instructions") L(ACCESS_SIZES, "sizes of accesses")                                       \
    L(BRANCHES, "kinds and outcomes of branches") L(TARGETS, "targets of indirect branches")                          \
    L(OUTCOMES, "outcomes of conditional branches") L(THREADS, "which thread executed what")                          \
    L(HIGH_ADDRESSES, "the upper 32 bits of data addresses") L(HITS, "accesses that hit in the tracer's filter")      \
    L(PARTS_OF_LINES, "which part of its line an access is of")

#define INSN_LACKS_ENUM(suffix, text) INSN_LACKS_##suffix,
enum insn_lack { INSN_LACKS(INSN_LACKS_ENUM) INSN_LACK_COUNT };

const char *insn_lack_text(enum insn_lack lack);

/* The address spaces of traces: name, text. Files hold their numbers: new ones go to the end. */
#define INSN_ADDRESS_SPACES(A) A(VIRTUAL, "virtual") A(PHYSICAL, "physical")
/* In which clock the times of a format count: its cycles, of the core or of the memory, or picoseconds. */
#define INSN_CLOCKS(C) C(NONE, "none") C(CORE, "core") C(MEMORY, "memory") C(PS, "picoseconds")
/* From where a time counts: from the beginning of the trace, or from the answer to the access before. */
#define INSN_ORIGINS(O) O(BEGINNING, "beginning") O(ANSWER, "answer to the access before")

#define INSN_SPACE_ENUM(suffix, text) INSN_ADDRESSES_##suffix,
enum insn_addresses { INSN_ADDRESS_SPACES(INSN_SPACE_ENUM) INSN_ADDRESSES_COUNT };
#define INSN_CLOCK_ENUM(suffix, text) INSN_CLOCK_##suffix,
enum insn_clock { INSN_CLOCKS(INSN_CLOCK_ENUM) INSN_CLOCK_COUNT };
#define INSN_ORIGIN_ENUM(suffix, text) INSN_SINCE_##suffix,
enum insn_origin { INSN_ORIGINS(INSN_ORIGIN_ENUM) INSN_ORIGIN_COUNT };

/* Of a format, as its row says; all 0 is that of most: virtual addresses, no times. */
struct insn_meaning {
    enum insn_addresses addresses;
    enum insn_clock clock;               /* of insn.gap_time */
    enum insn_origin since;
};

const char *insn_addresses_text(enum insn_addresses addresses);
const char *insn_clock_text(enum insn_clock clock);
const char *insn_origin_text(enum insn_origin origin);
/* As one number, and back; false: it is none. */
unsigned insn_meaning_number(const struct insn_meaning *meaning);
bool insn_meaning_of_number(uint64_t number, struct insn_meaning *meaning);

/* Of formats that have accesses and nothing else. */
#define INSN_LACKS_ALL_BUT_ADDRESSES                                                                                  \
    (1u << INSN_LACKS_DEPENDENCES | 1u << INSN_LACKS_BRANCHES | 1u << INSN_LACKS_THREADS | 1u << INSN_LACKS_PCS       \
     | 1u << INSN_LACKS_INSTRUCTIONS | 1u << INSN_LACKS_INSN_SIZES)

struct insn_reader;

enum insn_step { INSN_RECORD, INSN_END, INSN_FAILED, INSN_MARKED };

struct insn_reader *insn_reader_open(const char *path, struct fault *error);
/* The same with the format of this name, without detection; NULL: detected from the content. */
struct insn_reader *insn_reader_open_as(const char *path, const char *format, struct fault *error);
void insn_reader_close(struct insn_reader *reader);
enum insn_step insn_reader_next(struct insn_reader *reader, struct insn *insn, struct fault *error);
/* From this call on insn_reader_next also returns INSN_MARKED for a marker: then only insn->thread is set, and
 * insn_reader_marker returns the marker. Otherwise markers are only counted. */
void insn_reader_want_markers(struct insn_reader *reader);
const struct insn_marker *insn_reader_marker(const struct insn_reader *reader);
const char *insn_marker_name(enum insn_marker_kind kind);

/* "drmemtrace version 7, x86-64", "ChampSim, 64-byte records", "Valgrind lackey" ... */
const char *insn_reader_format(const struct insn_reader *reader);
/* The name of the format alone, in one word: drmemtrace, champsim, lackey ... */
const char *insn_reader_name(const struct insn_reader *reader);
/* The architecture named by the file; ISA_UNKNOWN: none, or the format has no bytes. */
enum isa insn_reader_isa(const struct insn_reader *reader);
/* Counts of the part read so far. */
const struct insn_counts *insn_reader_counts(const struct insn_reader *reader);
/* Bit 1 << enum insn_lack; final at the end. */
uint32_t insn_reader_lacks(const struct insn_reader *reader);
struct insn_meaning insn_reader_meaning(const struct insn_reader *reader);
/* Warning about the file (truncated, records with impossible fields): one line, or NULL. Final at the end. */
const char *insn_reader_warning(const struct insn_reader *reader);

/* Is a file that begins so of one of the formats, even if it cannot be read (it is of a newer version, say)? */
bool insn_is(struct trace_bytes *head);
/* Does the folder have the files of an instruction trace, such as one of drmemtrace? */
bool insn_is_in(const char *folder);

/* The trace files of a path: itself, or those of a drmemtrace folder (its own, or of `trace/` in it), in the order of
 * their names. NULL-terminated, to be freed by insn_files_free. NULL: error is set. */
char **insn_files(const char *path, struct fault *error);
void insn_files_free(char **files);
/* Is it of a folder window.0000, ...? Such files of one thread follow each other. */
bool insn_file_is_of_window(const char *path);

#endif
