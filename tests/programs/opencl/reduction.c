/* reduction N: sums of 8192 numbers each, by groups of 128: a work-item adds up 16 vectors of four numbers, as far from
 * each other as there are work-items; then the group adds by halves in local memory, with a barrier before each of the
 * seven steps. */
#include "opencl.h"

enum { GROUP = 128, VALUES = 64 * GROUP };

static const char source[] = SOURCE(
    kernel void reduction(global const uint4 *in, global uint *out, local uint *part)
    {
        size_t l = get_local_id(0);
        uint4 sum = 0;
        for (uint i = 0; i < 16; i++)
            sum += in[i * get_global_size(0) + get_global_id(0)];
        part[l] = sum.x + sum.y + sum.z + sum.w;
        for (uint half_size = 64; half_size > 0; half_size >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < half_size)
                part[l] += part[l + half_size];
        }
        if (l == 0)
            out[get_group_id(0)] = part[0];
    }
);

int main(int argc, char **argv)
{
    size_t const count = size_of(argc, argv, 16384), group = GROUP, groups = count / VALUES;
    size_t const items = groups * GROUP;
    struct device device = open_device(source, "reduction");
    cl_uint *const host = malloc(sizeof *host * count);
    size_t wrong = 0;
    cl_mem in, out;

    for (size_t i = 0; i < count; i++)
        host[i] = (cl_uint)(i % 7);
    in = make_buffer(&device, sizeof *host * count, host);
    out = make_buffer(&device, sizeof *host * groups, NULL);
    set_argument(&device, 0, sizeof in, &in);
    set_argument(&device, 1, sizeof out, &out);
    set_argument(&device, 2, sizeof *host * GROUP, NULL);
    run_kernel(&device, 1, &items, &group);
    take_buffer(&device, out, sizeof *host * groups, host);
    for (size_t i = 0; i < groups; i++) {
        cl_uint sum = 0;

        for (size_t j = 0; j < VALUES; j++)          /* 4 * GROUP that follow each other, 16 times */
            sum += (cl_uint)((j / (4 * GROUP) * 4 * items + i * 4 * GROUP + j % (4 * GROUP)) % 7);
        wrong += host[i] != sum;
    }
    clReleaseMemObject(in);
    free(host);
    close_device(&device);
    return judge(wrong);
}
