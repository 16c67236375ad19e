/* vector_add N: c[i] = a[i] + b[i] for N vectors of four floats, a work-item each, groups of 256.
 * A work-item executes 9 instructions: get_global_id, three addresses, two loads, addition, store, return.
 * A warp of 32 reads 16 sectors of 32 bytes of a and of b, and writes 16. */
#include "opencl.h"

static const char source[] = SOURCE(
    kernel void vector_add(global const float4 *a, global const float4 *b, global float4 *c)
    {
        size_t i = get_global_id(0);
        c[i] = a[i] + b[i];
    }
);

int main(int argc, char **argv)
{
    size_t const count = size_of(argc, argv, 1024), group = 256, bytes = 16 * count;
    struct device device = open_device(source, "vector_add");
    float *const host = malloc(bytes);
    size_t wrong = 0;
    cl_mem a, b, c;

    for (size_t i = 0; i < 4 * count; i++)
        host[i] = (float)(i % 1000);
    a = make_buffer(&device, bytes, host);
    b = make_buffer(&device, bytes, host);
    c = make_buffer(&device, bytes, NULL);
    set_argument(&device, 0, sizeof a, &a);
    set_argument(&device, 1, sizeof b, &b);
    set_argument(&device, 2, sizeof c, &c);
    run_kernel(&device, 1, &count, &group);
    take_buffer(&device, c, bytes, host);
    for (size_t i = 0; i < 4 * count; i++)
        wrong += host[i] != (float)(2 * (i % 1000));
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    free(host);
    close_device(&device);
    return judge(wrong);
}
