/* `rubato config list`: the shipped systems, a line each: name, cores, caches, memory, and what it is, which is the
 * first sentence of its file. */
#ifndef CLI_CONFIG_LIST_H
#define CLI_CONFIG_LIST_H

/* Prints them; an exit code. */
int config_list_print(void);

#endif
