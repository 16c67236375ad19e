/* What a traced process's machine needs of its own: the program counter, an instruction that stops, and (x86-64)
 * patches that read the clock inside the program.
 *
 * Patches: code in a page of its own near the program, to which a jump at the begin of the region leads. It puts the
 * bytes of both places right (the region's end gets its jump), reads the counter, and goes on; the patch at the end
 * reads the counter and stops. So no kernel runs between the two readings, caches and predictors stay as they are,
 * and the cost is the reading itself, of which the patch takes the difference of two. Neither the program's file nor
 * its results change; 5 bytes of two functions do, while it runs, after which it is ended.
 * Source: Intel, "How to benchmark code execution times" (2010), for the order of fences and readings.
 *
 * Errors: false where the host or the program does not allow it; then traps do instead. */
#ifndef SWEEP_NATIVE_NATIVE_MACHINE_H
#define SWEEP_NATIVE_NATIVE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { NATIVE_TRAP_MOST = 4, NATIVE_JUMP_BYTES = 5 };

struct native_trap {
    uint64_t address;
    uint8_t before[NATIVE_TRAP_MOST];
};

/* Can this host's processes be stopped at an address? */
bool native_can_trap(void);
bool native_can_patch(void);

bool native_read_memory(pid_t process, uint64_t address, void *bytes, size_t count);
bool native_write_memory(pid_t process, uint64_t address, const void *bytes, size_t count);

bool native_trap_set(pid_t process, struct native_trap *trap, uint64_t address);
/* It stops there once more, at once. */
bool native_trap_again(pid_t process, const struct native_trap *trap);
/* Takes it out, and the process continues with the instruction that was there. */
bool native_trap_remove(pid_t process, const struct native_trap *trap);
/* The address of the trap at which the process has stopped; 0: not known. */
uint64_t native_trapped_at(pid_t process);

/* One page of the process. */
struct native_patches {
    uint64_t page, begin_trap, end_trap;     /* addresses at which it stops */
};

/* The process stands at its first instruction. `stops`: at the region's begin, too. */
bool native_patches_plant(pid_t process, uint64_t from, uint64_t to, bool stops, struct native_patches *patches);
/* At the end: ticks of the region, without those of a reading. */
bool native_patches_read(pid_t process, const struct native_patches *patches, uint64_t *ticks);

#endif
