/* divergent_branch N: odd work-items loop over their number modulo 8, even ones store; all write at the end. */
#include "opencl.h"

static const char source[] = SOURCE(
    kernel void divergent_branch(global uint *out, global uint *even)
    {
        uint i = (uint)get_global_id(0), value = i;
        if (i & 1) {
            for (uint j = 0; j < (i & 7); j++)
                value = value * 3 ^ j;
        } else {
            even[i >> 1] = i;
        }
        out[i] = value;
    }
);

int main(int argc, char **argv)
{
    size_t const count = size_of(argc, argv, 1024), group = 64;
    struct device device = open_device(source, "divergent_branch");
    cl_uint *const host = malloc(sizeof *host * count);
    cl_mem const out = make_buffer(&device, sizeof *host * count, NULL);
    cl_mem const even = make_buffer(&device, sizeof *host * (count + 1) / 2, NULL);
    size_t wrong = 0;

    set_argument(&device, 0, sizeof out, &out);
    set_argument(&device, 1, sizeof even, &even);
    run_kernel(&device, 1, &count, &group);
    take_buffer(&device, out, sizeof *host * count, host);
    for (size_t i = 0; i < count; i++) {
        cl_uint value = (cl_uint)i;

        for (cl_uint j = 0; (i & 1) && j < (i & 7); j++)
            value = value * 3 ^ j;
        wrong += host[i] != value;
    }
    clReleaseMemObject(even);
    free(host);
    close_device(&device);
    return judge(wrong);
}
