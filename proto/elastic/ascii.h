/* Traces as text. Three forms of both kinds; every function appends whole lines to a text that grows.
 *
 * ASCII_GEM5   what gem5's decode scripts print, exactly (elastic-trace 1.7). Loses the header, v_addr and asid, and
 *              prints an absent weight as 1. One line a record:
 *                  seq_num,pc,weight,TYPE[,p_addr][,size][,flags],comp_delay:[,rob_dep]*:[,reg_dep]*
 *                  [pkt_id,]c,addr,size[,flags],tick[,pc]        c: r = cmd 1, w = cmd 4, u = any other
 * ASCII_FULL   a superset of it that loses nothing; proto/elastic/ascii_parse.h reads both. First the header:
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

#include "base/text.h"
#include "proto/elastic/dep_trace.h"
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

#endif
