/* Cases (case.json: every parameter of a reference run) as systems that rubato reads.
 *
 * Use: case_load, then case_write_yaml; case_free. What a case holds and rubato does not know is written as the case
 * says it, so that the configuration refuses it by name.
 * Ownership: texts of a case live until case_free. */
#ifndef TESTS_SUPPORT_CASE_YAML_H
#define TESTS_SUPPORT_CASE_YAML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CASE_MAX_CORES = 64 };

struct replay_case {
    json_t *json;
    unsigned core_count;
    const char *traces[CASE_MAX_CORES];      /* names of the folders of the cores' traces */
    const char *trace;               /* of the first core */
    bool has_final_tick;
    int64_t final_tick;              /* of the reference */
};

/* False: `problem` says why. */
bool case_load(struct replay_case *made, const char *path, char *problem, size_t size);
void case_free(struct replay_case *made);

void case_write_yaml(const struct replay_case *of, FILE *file);

#endif
