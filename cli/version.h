/* What `rubato --version` says: version, commit, compiler, engine, libraries. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

void version_print(FILE *to);

#endif
