/* Regions of a list of GPU kernels: launches that stand for all of them. */
#ifndef CLI_REGIONS_KERNEL_REGIONS_H
#define CLI_REGIONS_KERNEL_REGIONS_H

#include "replay/regions/choose.h"

/* choice: its warm-up is in launches; simpoint or stratified. set: to be freed, after a fault, too. */
struct fault kernel_regions_find(struct region_set *set, const char *path, const struct choice *choice, bool is_quiet);
void kernel_regions_print(const struct region_set *set, const char *output);

#endif
