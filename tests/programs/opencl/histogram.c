/* histogram N: how often each of 64 values occurs: by atomics in local memory for a group of 256, whose first 64
 * work-items add to global memory by atomics. */
#include "opencl.h"

enum { BINS = 64, GROUP = 256 };

static const char source[] = SOURCE(
    kernel void histogram(global const uint *in, global uint *bins)
    {
        local uint own[64];
        size_t l = get_local_id(0);
        if (l < 64)
            own[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&own[in[get_global_id(0)]]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 64)
            atomic_add(&bins[l], own[l]);
    }
);

int main(int argc, char **argv)
{
    size_t const count = size_of(argc, argv, 1024), group = GROUP;
    struct device device = open_device(source, "histogram");
    cl_uint *const host = malloc(sizeof *host * count);
    cl_uint bins[BINS] = {0}, expected[BINS] = {0};
    size_t wrong = 0;
    cl_mem in, out;

    for (size_t i = 0; i < count; i++) {
        host[i] = (cl_uint)(i / 4 * 5 % BINS);           /* four lanes of a warp have one value */
        expected[host[i]]++;
    }
    in = make_buffer(&device, sizeof *host * count, host);
    out = make_buffer(&device, sizeof bins, bins);
    set_argument(&device, 0, sizeof in, &in);
    set_argument(&device, 1, sizeof out, &out);
    run_kernel(&device, 1, &count, &group);
    take_buffer(&device, out, sizeof bins, bins);
    for (size_t i = 0; i < BINS; i++)
        wrong += bins[i] != expected[i];
    clReleaseMemObject(in);
    free(host);
    close_device(&device);
    return judge(wrong);
}
