/* Faults: what went wrong, as a value. Only cli/ prints one and turns it into an exit code.
 *
 * Use: a function that can fail returns a struct fault; FAULT_TRY forwards one to the caller. fault_none() is success.
 * The text is one line without newline: where, what, what was expected, how to mend it.
 * Ownership: a plain value, nothing to free. */
#ifndef MEMSYS_FAULT_H
#define MEMSYS_FAULT_H

enum fault_kind {
    FAULT_NONE = 0,
    FAULT_INPUT,    /* the user's input or files: exit code 2 */
    FAULT_STALL,    /* the run cannot go on: exit code 3 */
    FAULT_MEMORY    /* out of memory: exit code 2 */
};

struct fault {
    enum fault_kind kind;
    char text[508];
};

/* Inline, and without clearing the text: success is returned on hot paths. */
static inline struct fault fault_none(void)
{
    struct fault fault;

    fault.kind = FAULT_NONE;
    fault.text[0] = '\0';
    return fault;
}

struct fault fault_make(enum fault_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forwards a fault to the caller. */
#define FAULT_TRY(call)                                                                                               \
    do {                                                                                                              \
        struct fault fault_try_ = (call);                                                                             \
        if (fault_try_.kind != FAULT_NONE)                                                                            \
            return fault_try_;                                                                                        \
    } while (0)

#endif
