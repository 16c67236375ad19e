/* Write combining: non-temporal stores gather in buffers of a line.
 *
 * Use: combining_line for each store; if it is of another line (combining_is_taken), send that first and clear it;
 * combining_write; a full line is to be sent, too. What is sent reaches from the first written byte to the last.
 * Ownership: the lines are the caller's. Units: bytes.
 * Source: AMD64 Architecture Programmer's Manual, volume 2 (24593),
 * 7.4.1 "Write combining": streaming stores are buffered and combined, whole lines are written as one. */
#ifndef REPLAY_DETAILED_WRITE_COMBINING_H
#define REPLAY_DETAILED_WRITE_COMBINING_H

#include <stdbool.h>
#include <stdint.h>

struct combined_line {
    uint64_t address;                    /* physical, of its begin */
    uint64_t written;                    /* bits: its 64th parts, or bytes of smaller lines; 0: free */
    uint64_t last_use;
};

struct write_combining {
    struct combined_line *lines;
    uint64_t count;                      /* 0: stores are not combined */
    uint64_t line_bytes;                 /* a power of two */
    uint64_t uses;
};

struct combined_span { uint64_t address, size_bytes; };

/* The buffer of that line; else a free one, else that used least recently. */
struct combined_line *combining_line(struct write_combining *combining, uint64_t line_address);

/* Has it another line's bytes? */
static inline bool combining_is_taken(const struct combined_line *line, uint64_t line_address)
{
    return line->written != 0 && line->address != line_address;
}

/* A store that stays in its line. */
void combining_write(struct write_combining *combining, struct combined_line *line, uint64_t address,
                     uint64_t size_bytes);
bool combining_is_full(const struct write_combining *combining, const struct combined_line *line);
struct combined_span combining_span(const struct write_combining *combining, const struct combined_line *line);

#endif
