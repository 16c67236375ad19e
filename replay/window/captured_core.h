/* The core that a trace was captured on, as far as the rules of the reconstruction need it. A trace's header has
 * window_size alone, so the core is the reference's unless the configuration says that it was the system's own
 * (cpu.capture).
 *
 * Use: captured_core_of the parameters of a core, captured_core_reference for the reference's. Times are its cycles. */
#ifndef REPLAY_WINDOW_CAPTURED_CORE_H
#define REPLAY_WINDOW_CAPTURED_CORE_H

#include <stdbool.h>
#include <stdint.h>

struct detailed_params;

/* field, the reference's value, help */
#define CAPTURED_CORE_FIELDS(C)                                                                                       \
    C(resolve_cyc, 9, "from a result, over a branch that it resolves, to the next result")                            \
    C(serial_cyc, 6, "from the last older result to that of one that waited for it in rename, of latency 1")          \
    C(squash_width, 8, "entries that a squash walks over in a cycle")                                                 \
    C(front_ops, 64, "of a wrong path, those that never came to the ROB, at most")                                    \
    C(gap_execute, 8, "missing numbers that may mean a misprediction found by execution")                             \
    C(gap_decode, 32, "missing numbers that may mean one corrected by decode")                                        \
    C(int_units, 6, "integer operations that may begin in a cycle")                                                   \
    C(long_cyc, 12, "least latency of an operation that holds its unit")

#define CAPTURED_CORE_FIELD(field, value, help) uint32_t field;

/* Op classes that a latency can tell, and of these the ones that hold their unit. */
enum { CAPTURED_CLASSES = 19, CAPTURED_LONG_CLASSES = 3 };

struct captured_class { uint8_t op; uint32_t latency_cyc; };     /* op: enum detailed_op */

struct captured_core {
    CAPTURED_CORE_FIELDS(CAPTURED_CORE_FIELD)
    struct captured_class classes[CAPTURED_CLASSES];             /* of one latency the first one counts */
    struct captured_class long_classes[CAPTURED_LONG_CLASSES];   /* latency 0: it does not hold its unit */
};

struct captured_core captured_core_of(const struct detailed_params *params);
struct captured_core captured_core_reference(void);
bool captured_core_is_equal(const struct captured_core *one, const struct captured_core *other);

/* The op class of a latency; DETAILED_OP_COUNT: none. */
unsigned captured_core_class(const struct captured_core *core, uint64_t latency_cyc);
/* The same among those that compute integers of integers: multiplication and division. */
unsigned captured_core_integer_class(const struct captured_core *core, uint64_t latency_cyc);

#endif
