#define _POSIX_C_SOURCE 200809L
/* Runs reference cases of command-level DRAM and compares everything with what the reference did.
 *
 *     command_dram [--plain] [--system FILE] DIR [CASE...]
 *
 * --system: each case on device and controller of that system. A line a case; last line "N passed, N failed"; exit
 * code 1 if one failed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/command/fast/cmd_fast.h"
#include "tests/support/command_case.h"

static int by_name(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static char **all_cases(const char *folder, size_t *count)
{
    char **names = NULL;
    size_t room = 0;
    DIR *const dir = opendir(folder);
    struct dirent *entry;

    *count = 0;
    while (dir && (entry = readdir(dir))) {
        char path[4096];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s/case.json", folder, entry->d_name);
        file = fopen(path, "r");
        if (!file)
            continue;
        fclose(file);
        if (list_fit(&names, *count + 1, &room, sizeof *names))
            names[(*count)++] = strdup(entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (names)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

int main(int argc, char **argv)
{
    const struct cmd_engine *engine = &cmd_fast_engine;
    const char *system = NULL;
    unsigned passed = 0, failed = 0;
    char **names;
    size_t count;

    if (argc > 1 && strcmp(argv[1], "--plain") == 0) {
        engine = NULL;
        argc--;
        argv++;
    }
    if (argc > 2 && strcmp(argv[1], "--system") == 0) {
        system = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc < 2 || *argv[1] == '-') {
        fprintf(stderr, "usage: command_dram [--plain] [--system FILE] DIR [CASE...]\n");
        return 2;
    }
    names = argc > 2 ? argv + 2 : all_cases(argv[1], &count);
    if (argc > 2)
        count = (size_t)argc - 2;
    for (size_t i = 0; i < count; i++) {
        struct text verdict = {0};
        char path[4096];
        bool is_same;

        snprintf(path, sizeof path, "%s/%s", argv[1], names[i]);
        is_same = command_case_check_system(path, system, engine, &verdict);
        printf("%s: %.*s\n", names[i], (int)verdict.length, verdict.at ? verdict.at : "");
        fflush(stdout);
        *(is_same ? &passed : &failed) += 1;
        free(verdict.at);
    }
    printf("%u passed, %u failed\n", passed, failed);
    for (size_t i = 0; argc == 2 && i < count; i++)
        free(names[i]);
    if (argc == 2)
        free(names);
    return failed > 0 || count == 0;
}
