/* Inflating gzip members, by ISA-L where the build (RUBATO_ISAL) and the run find it, else by zlib.
 *
 * Use: inflater_new; inflater_run as long as there is input; after INFLATE_END, inflater_reset before the next member.
 * ISA-L is several times faster, but its error reports are less precise: on INFLATE_DAMAGED with inflater_is_fast the
 * caller should inflate again by zlib, from the file's beginning. */
#ifndef PROTO_IO_INFLATE_H
#define PROTO_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inflate_status { INFLATE_OK, INFLATE_END, INFLATE_DAMAGED, INFLATE_NO_MEMORY };

struct inflater;

/* NULL: out of memory. fast: ISA-L, if there is one. */
struct inflater *inflater_new(bool fast);
void inflater_free(struct inflater *inflater);
bool inflater_is_fast(const struct inflater *inflater);
/* False: out of memory. */
bool inflater_reset(struct inflater *inflater);

struct inflate_job {
    const uint8_t *from;             /* moves on */
    size_t from_left;
    uint8_t *to;
    size_t room, made;
    const char *problem;             /* of INFLATE_DAMAGED */
};

/* Inflates as much as fits; sets `made`. */
enum inflate_status inflater_run(struct inflater *inflater, struct inflate_job *job);

#endif
