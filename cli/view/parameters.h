/* The parameters that the view's panel offers: those of caches, cores, memories and GPUs that architects vary, with
 * values to step through, if any.
 *
 * Use: view_parameters_make with an effective system; view->parameters and parameter_count are set, previous ones are
 * replaced; view_parameters_free. Ownership: choices are of the struct, keys too. Errors: FAULT_MEMORY. */
#ifndef CLI_VIEW_PARAMETERS_H
#define CLI_VIEW_PARAMETERS_H

#include "viz/view/view.h"

struct system_config;

struct view_parameters {
    char **texts;                        /* keys and values of choices */
    size_t text_count, text_room;
    const char ***lists;
    size_t list_count;
    bool lacks_memory;
};

struct fault view_parameters_make(struct view_parameters *parameters, struct view *view,
                                  const struct system_config *config);
void view_parameters_free(struct view_parameters *parameters);

#endif
