/* Reads the text forms of proto/elastic/ascii.h back: the full form and gem5's (also gzip-compressed). The first line
 * identifies the kind; gem5's lines of a dependency trace have colons.
 *
 * Use: ascii_reader_open; kind and header; ascii_next_dep or ascii_next_packet until ASCII_END; ascii_reader_close.
 * gem5's form has no header: it is filled with obj_id "", tick_freq 10^12 and window_size ASCII_GEM5_WINDOW; the caller
 * may write others. Its ambiguous lines: of p_addr, size and flags
 * the first ones are taken to be there; a packet line with one column more than addr, size and tick has flags, not pc;
 * a command "u" is refused. Empty lines and lines that begin with # are skipped. The rules that readers check hold here
 * too; errors name the line. */
#ifndef PROTO_ELASTIC_ASCII_PARSE_H
#define PROTO_ELASTIC_ASCII_PARSE_H

#include "base/fault.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/input.h"
#include "proto/elastic/packet_trace.h"

#define ASCII_GEM5_WINDOW 120         /* what gem5's own encoder writes (elastic-trace 1.7) */

enum ascii_step { ASCII_RECORD, ASCII_END, ASCII_ERROR };

struct ascii_reader;

/* NULL on failure. */
struct ascii_reader *ascii_reader_open(const char *path, struct fault *error);
void ascii_reader_close(struct ascii_reader *reader);
enum input_kind ascii_reader_kind(const struct ascii_reader *reader);
/* The file has header lines. */
bool ascii_reader_is_full(const struct ascii_reader *reader);
const struct dep_header *ascii_reader_dep_header(const struct ascii_reader *reader);
const struct packet_header *ascii_reader_packet_header(const struct ascii_reader *reader);

/* Lists are the reader's, valid until the next call. */
enum ascii_step ascii_next_dep(struct ascii_reader *reader, struct dep_record *record, struct fault *error);
enum ascii_step ascii_next_packet(struct ascii_reader *reader, struct packet_record *record, struct fault *error);

#endif
