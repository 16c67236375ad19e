/* Which bytes of a text may go to a terminal unchanged.
 *
 * Use: harmless_bytes, write these, write the byte behind them in another way, continue. Harmful are characters that
 * steer a terminal (C0, DEL, C1; also as UTF-8), that change the direction of writing or begin a line, and all that
 * is no UTF-8. No allocation. */
#ifndef BASE_HARMLESS_H
#define BASE_HARMLESS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes from `at` on, of which `left` are there, before the first that may do harm. */
size_t harmless_bytes(const char *at, size_t left);
/* Bytes of the character at `text`, harmful or not, of which `left` are there; 0: it is no UTF-8. */
size_t harmless_character(const char *text, size_t left, uint32_t *character);

#endif
