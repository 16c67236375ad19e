/* strided_copy N [STRIDE]: out[i] = in[i * STRIDE] for N floats, a work-item each, groups of 128; STRIDE 32 unless
 * given.
 * A work-item executes 8 instructions: get_global_id, widening and multiplication of the index, two addresses, load,
 * store, return.
 * With stride 32 a warp of 32 reads 32 sectors, each in a line of its own, and writes 4 sectors of one line. */
#include "opencl.h"

static const char source[] = SOURCE(
    kernel void strided_copy(global const float *in, global float *out, uint stride)
    {
        size_t i = get_global_id(0);
        out[i] = in[i * stride];
    }
);

int main(int argc, char **argv)
{
    size_t const count = size_of(argc, argv, 1024), group = 128;
    cl_uint const stride = argc > 2 ? (cl_uint)strtoul(argv[2], NULL, 10) : 32;
    struct device device = open_device(source, "strided_copy");
    float *const host = malloc(sizeof *host * count * stride);
    size_t wrong = 0;
    cl_mem in, out;

    for (size_t i = 0; i < count * stride; i++)
        host[i] = (float)(i % 1000003);
    in = make_buffer(&device, sizeof *host * count * stride, host);
    out = make_buffer(&device, sizeof *host * count, NULL);
    set_argument(&device, 0, sizeof in, &in);
    set_argument(&device, 1, sizeof out, &out);
    set_argument(&device, 2, sizeof stride, &stride);
    run_kernel(&device, 1, &count, &group);
    take_buffer(&device, out, sizeof *host * count, host);
    for (size_t i = 0; i < count; i++)
        wrong += host[i] != (float)(i * stride % 1000003);
    clReleaseMemObject(in);
    free(host);
    close_device(&device);
    return judge(wrong);
}
