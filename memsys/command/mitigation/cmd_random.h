/* Draws of RowHammer defences, as libstdc++ makes them: MT19937 with one word as seed (docs/spec/command-dram.md 13).
 *
 * Use: cmd_random_init, then draws. A plain value, nothing to free. */
#ifndef MEMSYS_COMMAND_MITIGATION_CMD_RANDOM_H
#define MEMSYS_COMMAND_MITIGATION_CMD_RANDOM_H

#include <stdint.h>

enum { CMD_RANDOM_WORDS = 624 };

struct cmd_random {
    uint32_t words[CMD_RANDOM_WORDS];
    unsigned position;
};

void cmd_random_init(struct cmd_random *random, uint32_t seed);
/* In [0, 1), single precision. */
float cmd_random_unit(struct cmd_random *random);
/* Uniform in 0 .. count - 1; count > 0. */
uint32_t cmd_random_below(struct cmd_random *random, uint32_t count);

#endif
