/* The shipped systems and DRAM devices as bytes of the program. Systems are taken from here where no folder configs
 * lies beside it, devices always.
 *
 * Files have names as below configs/, "laptop.yaml" or "core/zen4.yaml". Where a path is expected, such a file is
 * SHIPPED_FOLDER and its name; a real file of that path comes before it. Ownership: constant tables. */
#ifndef REPLAY_CONFIG_SHIPPED_H
#define REPLAY_CONFIG_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

#define SHIPPED_FOLDER "built-in/"

struct shipped_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/* In the order of their names; NULL past the last. */
const struct shipped_file *shipped_at(size_t index);
/* Names of the files of dram/, without folder and ending, in their order; NULL past the last. */
const char *shipped_device_at(size_t index);
/* NULL if no shipped system has that name. */
const struct shipped_file *shipped_find(const char *name);
/* Of a path that begins with SHIPPED_FOLDER, otherwise NULL; steps up (..) are followed. */
const struct shipped_file *shipped_of_path(const char *path);

#endif
