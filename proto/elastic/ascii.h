/* Traces as text. Three forms of both kinds; every function appends whole lines to a text that grows.
 *
 * ASCII_GEM5 exactly the output of gem5's decode scripts (elastic-trace 1.7). Loses the header, v_addr and asid, and
 *              prints an absent weight as 1. One line a record:
 *                  seq_num,pc,weight,TYPE[,p_addr][,size][,flags],comp_delay:[,rob_dep]*:[,reg_dep]*
 *                  [pkt_id,]c,addr,size[,flags],tick[,pc]        c: r = cmd 1, w = cmd 4, u = any other
 * ASCII_FULL   a superset of it that loses nothing; proto/elastic/ascii.h reads both. First the header:
 *                  # rubato dependency trace          or: # rubato packet trace
 *                  # obj_id "system.cpu"              \\ \" and \xNN as in C
 *                  # ver 2                            only if present
 *                  # tick_freq 1000000000000
 *                  # window_size 576                  dependency traces
 *                  # id_string 7 "cpu.data"           packet traces, one line an entry; a missing key or text is -
 *              then records with the same columns, "-" for an absent field; p_addr, size and flags end with the last
 *              present one:
 *                  seq_num,pc,weight,TYPE[,p_addr[,size[,flags]]],comp_delay:[,rob_dep]*:[,reg_dep]*[:v_addr,asid]
 *                  pkt_id,c,addr,size,flags,tick,pc                c: r, w, or u and the number: u23
 * ASCII_JSON   a line for the header and one for each record; fields under their names, absent ones left out; rob_dep
 *              and reg_dep are arrays. Bytes of texts above 127 become \u0080 to \u00ff. Numbers are exact; some
 *              readers round above 2^53.
 * Numbers are decimal in all forms. */
#ifndef PROTO_ELASTIC_ASCII_H
#define PROTO_ELASTIC_ASCII_H

#include "base/fault.h"
#include "base/text.h"
#include "proto/elastic/dep_trace.h"
#include "proto/elastic/elastic_input.h"
#include "proto/elastic/packet_trace.h"

enum ascii_form { ASCII_FULL, ASCII_GEM5, ASCII_JSON };

/* Whole lines are appended to a text (base/text.h). */
void ascii_dep_header(struct text *text, const struct dep_header *header, enum ascii_form form);
void ascii_dep_record(struct text *text, const struct dep_record *record, enum ascii_form form);
void ascii_packet_header(struct text *text, const struct packet_header *header, enum ascii_form form);
void ascii_packet_record(struct text *text, const struct packet_record *record, enum ascii_form form);

/* First lines of the full form. */
#define ASCII_DEP_TITLE "# rubato dependency trace"
#define ASCII_PACKET_TITLE "# rubato packet trace"

/* Reads the text forms of proto/elastic/ascii.h back: the full form and gem5's (also gzip-compressed). The first line
 * identifies the kind; gem5's lines of a dependency trace have colons.
 *
 * Use: ascii_reader_open; kind and header; ascii_next_dep or ascii_next_packet until ASCII_END; ascii_reader_close.
 * gem5's form has no header: it is filled with obj_id "", tick_freq 10^12 and window_size ASCII_GEM5_WINDOW; the caller
 * may write others. Its ambiguous lines: of p_addr, size and flags
 * the first ones are taken to be there; a packet line with one column more than addr, size and tick has flags, not pc;
 * a command "u" is refused. Empty lines and lines that begin with # are skipped. The rules that readers check hold here
 * too; errors name the line. */

#define ASCII_GEM5_WINDOW 120         /* the value that gem5's own encoder writes (elastic-trace 1.7) */

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
