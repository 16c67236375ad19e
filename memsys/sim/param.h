/* Parameters as data: one line defines field, key, unit, default, limits and help. The tables are with their owners, a
 * header <owner>_params.h each: memsys/cache/, memsys/policy/, memsys/prefetch/, memsys/noc/, memsys/dram/, memsys/vm/,
 * memsys/tlb/, memsys/gpu/, replay/config/. Other headers declare `struct <owner>_params;` and do not include them, so
 * that a changed line rebuilds only the sources that read the values (tests/rules.sh keeps the bound). The
 * configuration reader, `--help`, `config show` and the documentation come from these lines.
 *
 * Line: P(field, key, unit, default, lowest, highest, help). `field` is the C name and carries the unit; `key` is what
 * users write. All numbers are uint64_t (unit RATIO: double, limits ignored but > 0), so one reader serves all tables.
 *
 * Units: BYTES "32KiB" | CYCLES of the component's own clock | COUNT | PERIOD ps, written "2GHz" or "500ps" | TIME ps,
 * "13.75ns" | BANDWIDTH bytes/s, "12.8GiB/s" | PERCENT | BOOL | BYTES_OR_ROW bytes or the word row_buffer | VOLTAGE mV,
 * "1.2V" | CURRENT uA, "48mA" | POWER uW, "4.6mW" | RATIO | that of an enumeration: its names. The list of units:
 * replay/config/tables.h. */
#ifndef MEMSYS_SIM_PARAM_H
#define MEMSYS_SIM_PARAM_H

#include <stdint.h>

#define PARAM_MISSING UINT64_MAX         /* no default: the user must give it */
/* Highest values that many keys share. They keep the longest wait far below the limit of stall detection
 * (replay/system/system.c), and ticks within 64 bits. */
#define MOST_CYC 10000                   /* of one latency */
#define SLOWEST_CLOCK_PS 1000000         /* 1 MHz */
#define LONGEST_DRAM_PS 10000000         /* 10 us: of one distance between two commands */
#define LONGEST_WAY_PS 100000000         /* 100 us: latency of a controller, or of a memory without banks */
#define MOST_MEMORY_BYTES (UINT64_C(1) << 60)
#define CLOCK_INHERITED 0                /* clock: as the CPU's (caches, cache bus) or the system's (memory bus) */

/* An enumeration: V(value, name) for each of its values, in order; `name` is what users write. */
#define PARAM_ENUM_VALUE(value, name) value,
#define PARAM_ENUM(tag, LIST) enum tag { LIST(PARAM_ENUM_VALUE) }

/* Fields are uint64_t, of unit RATIO double: PARAM_OTHER_<unit> is defined for that one alone. */
#define PARAM_OTHER_RATIO ~, double
#define PARAM_SECOND(first, second, ...) second
#define PARAM_EXPANDED(...) PARAM_SECOND(__VA_ARGS__)
#define PARAM_FIELD(field, key, unit, fallback, lowest, highest, help)                                                \
    PARAM_EXPANDED(PARAM_OTHER_##unit, uint64_t, ~) field;

#endif
