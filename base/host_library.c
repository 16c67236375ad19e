/* C has no conversion from an object's address to a function's, which POSIX says dlsym gives: so it is copied. */
#include "base/host_library.h"

#include <dlfcn.h>
#include <string.h>

void *host_library_open(const char *file)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

bool host_library_find(void *library, const char *name, void *function)
{
    void *const address = dlsym(library, name);

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

void host_library_close(void *library)
{
    if (library)
        dlclose(library);
}
