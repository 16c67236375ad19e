/* faults WHAT: programs that go wrong. bounds: work-items write behind the end of a buffer; abort: the program ends
 * itself after its kernel; crash: a signal ends it while a work-item of the third group runs; none: no kernel is
 * run. */
#define _DEFAULT_SOURCE
#include <string.h>
#include <sys/time.h>

#include "opencl.h"

static const char source[] = SOURCE(
    kernel void faults(global volatile int *out, int endless)
    {
        size_t i = get_global_id(0);
        out[i] = (int)i;
        while (i == 150 && endless)
            out[0]++;
    }
);

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    size_t const count = 256, group = 64;
    struct device device = open_device(source, "faults");
    cl_int const endless = strcmp(what, "crash") == 0;
    cl_mem const out = make_buffer(&device, sizeof(cl_int) * (strcmp(what, "bounds") == 0 ? count - 3 : count), NULL);

    set_argument(&device, 0, sizeof out, &out);
    set_argument(&device, 1, sizeof endless, &endless);
    if (endless)
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 300000}}, NULL);
    if (strcmp(what, "none") != 0)
        run_kernel(&device, 1, &count, &group);
    if (strcmp(what, "abort") == 0)
        abort();
    clReleaseMemObject(out);
    close_device(&device);
    return 0;
}
