/* Faults: an error, as a value. Only cli/ prints one and turns it into an exit code.
 *
 * Use: a function that can fail returns a struct fault; fault_none() is success, FORWARD passes a fault on to the
 * caller, WORKS and FAILS store the result of a call and tell how it ended. A function with more outcomes than two (the
 * next record, or the end) returns an enum and stores the fault. The text is one line without newline: where (file,
 * byte offset of the decompressed stream, or line of a text file), the value found, the value expected, the remedy.
 * Ownership: 16 bytes, copied freely, nothing to free. The texts of the newest FAULT_TEXTS faults of the process are
 * kept; any thread may make faults. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
    FAULT_NONE = 0,
    FAULT_INPUT,    /* the user's input or files: exit code 2 */
    FAULT_STALL,    /* the run cannot continue: exit code 3 */
    FAULT_MEMORY    /* out of memory: exit code 2 */
};

struct fault {
    enum fault_kind kind;
    uint64_t number;    /* of the process' faults, from 1: finds the text; 0 for success */
};

/* Longest text, with its end; longer ones are cut. */
#define FAULT_TEXT 604
#define FAULT_TEXTS 4096

#define FAULT_NO_OFFSET UINT64_MAX

/* Inline: success is returned on hot paths. */
static inline struct fault fault_none(void)
{
    return (struct fault){.kind = FAULT_NONE};
}

struct fault fault_make(enum fault_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A FAULT_INPUT: "file: byte N: text" (without offset: "file: text"). A long path keeps its end. */
struct fault fault_at(const char *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a line of a text file: "file: line N: text". */
struct fault fault_at_line(const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A FAULT_MEMORY: "file: out of memory", or "file: out of memory for WHAT" unless `what` is NULL. */
struct fault fault_memory(const char *file, const char *what);

/* The fault with a text put before its own. Success stays success. */
struct fault fault_within(struct fault fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of a fault; "" for success. It is valid until FAULT_TEXTS further faults were made. */
const char *fault_text(struct fault fault);

/* Stores the result of a call: is it a fault, is it success? For conditions of several calls, and where something is
 * freed before the fault is returned. */
#define FAILS(fault, call) (((fault) = (call)).kind != FAULT_NONE)
#define WORKS(fault, call) (((fault) = (call)).kind == FAULT_NONE)

/* Returns the fault of a call to the caller; continues after success. */
#define FORWARD(call)                                                                                                 \
    do {                                                                                                              \
        struct fault forwarded_ = (call);                                                                             \
        if (forwarded_.kind != FAULT_NONE)                                                                            \
            return forwarded_;                                                                                        \
    } while (0)

#endif
