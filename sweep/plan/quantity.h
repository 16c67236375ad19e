/* Quantity: the numeric meaning of a value of a configuration or a statistic in comparisons and arithmetic: 512KiB,
 * 2GHz, 12.8GB/s, 13.75ns, 0.25, stride.
 *
 * Use: quantity_of a text, quantity_number of a figure; quantity_compare; quantity_text back. Two quantities compare if
 * they are of one kind, or one is a plain number, or one is a clock and the other its period. Units: bytes, ps, Hz,
 * bytes a second. Ownership: plain values. */
#ifndef SWEEP_PLAN_QUANTITY_H
#define SWEEP_PLAN_QUANTITY_H

#include <stddef.h>

enum { QUANTITY_TEXT = 64 };

enum quantity_kind { QUANTITY_WORD, QUANTITY_NUMBER, QUANTITY_BYTES, QUANTITY_PS, QUANTITY_HERTZ, QUANTITY_RATE };

struct quantity {
    enum quantity_kind kind;
    double number;                       /* of all kinds but QUANTITY_WORD; exact below 2^53 */
    char word[QUANTITY_TEXT];            /* as written, cut; true and on are yes, false and off are no */
};

struct quantity quantity_of(const char *text);
struct quantity quantity_number(double number);
/* As a configuration takes it; size >= QUANTITY_TEXT. */
void quantity_text(const struct quantity *quantity, char *text, size_t size);

enum quantity_order { QUANTITY_LESS, QUANTITY_EQUAL, QUANTITY_GREATER, QUANTITY_OTHER };

/* QUANTITY_OTHER: they do not compare (a word and a number, bytes and a clock, not a number). */
enum quantity_order quantity_compare(const struct quantity *one, const struct quantity *other);
/* "a capacity", "a clock", ... */
const char *quantity_name(enum quantity_kind kind);

#endif
