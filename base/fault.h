/* Faults: what went wrong, as a value. Only cli/ prints one and turns it into an exit code.
 *
 * Use: a function that can fail returns a struct fault, which FAULT_TRY forwards to the caller; or, where it answers
 * something else as well, it returns bool and fills the fault that the caller gave (fault_at, fault_at_line).
 * fault_none() is success. The text is one line without newline: where (file, byte offset of the decompressed stream,
 * or line of a text file), what, what was expected, how to mend it.
 * Ownership: a plain value, nothing to free. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
    FAULT_NONE = 0,
    FAULT_INPUT,    /* the user's input or files: exit code 2 */
    FAULT_STALL,    /* the run cannot go on: exit code 3 */
    FAULT_MEMORY    /* out of memory: exit code 2 */
};

struct fault {
    enum fault_kind kind;
    char text[604];
};

/* Inline, and without clearing the text: success is returned on hot paths. */
static inline struct fault fault_none(void)
{
    struct fault fault;

    fault.kind = FAULT_NONE;
    fault.text[0] = '\0';
    return fault;
}

/* Texts longer than the field are cut, never overrun. */
struct fault fault_make(enum fault_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define FAULT_NO_OFFSET UINT64_MAX

/* Fills a FAULT_INPUT: "file: byte N: text" (without offset: "file: text"). A long path keeps its end. Returns false,
 * so that callers can return it. */
bool fault_at(struct fault *fault, const char *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a line of a text file: "file: line N: text". */
bool fault_at_line(struct fault *fault, const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fills a FAULT_MEMORY: "file: out of memory", or "file: out of memory for WHAT" unless `what` is NULL. Answers
 * false. */
bool fault_memory(struct fault *fault, const char *file, const char *what);

/* Forwards a fault to the caller. */
#define FAULT_TRY(call)                                                                                               \
    do {                                                                                                              \
        struct fault fault_try_ = (call);                                                                             \
        if (fault_try_.kind != FAULT_NONE)                                                                            \
            return fault_try_;                                                                                        \
    } while (0)

#endif
