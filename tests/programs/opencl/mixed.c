/* mixed: what the other programs have not: functions, a switch, constant and private memory, structures by value, wide
 * vectors, doubles, an image, asynchronous copies, atomics that exchange, an offset, groups of one, a mapped buffer. It
 * checks nothing; the counts are Oclgrind's. */
#include "opencl.h"

static const char source[] = SOURCE(
    constant int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    struct record {
        int number;
        float part;
        char letters[24];
    };

    int helper(int x, local int *l)
    {
        if (x & 1)
            return l[x & 7] + 1;
        return x * table[x & 7];
    }

    kernel void mixed(global float8 *wide, constant int *k, local int *l, struct record value, global double *d,
                      read_only image2d_t image, global struct record *out)
    {
        size_t i = get_global_id(0);
        const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        int own[16];
        int t = 0;
        for (int j = 0; j < 16; j++)
            own[j] = k[(i + j) & 7];
        event_t event = async_work_group_copy(l, (global int *)wide, 8, 0);
        wait_group_events(1, &event);
        for (int j = 0; j < 16; j++)
            t += own[(j * i) & 15];
        switch ((int)(i % 5)) {
        case 0: t = helper(t, l); break;
        case 1: t += helper(t + 1, l);
        case 2: t ^= 5; break;
        default: return;
        }
        float8 x = wide[i];
        x.s3 += t + value.part;
        d[i] = sqrt(d[i]) + (double)t / 3;
        x.lo += read_imagef(image, s, (int2)(i & 3, 1));
        wide[i] = x;
        out[i] = value;
        out[i].letters[t & 7] = 3;
        vstore3(x.s012, i, (global float *)wide);
        atomic_cmpxchg((global int *)wide, 1, t);
        atomic_xchg(l, 3);
    }
);

int main(void)
{
    struct device device = open_device(source, "mixed");
    size_t const count = 200, offset = 8, group = 40, items = 256;
    struct { int number; float part; char letters[24]; } const value = {1, 2, ""};
    cl_mem const wide = make_buffer(&device, 32 * items, NULL), k = make_buffer(&device, 64, NULL);
    cl_mem const d = make_buffer(&device, 8 * items, NULL), out = make_buffer(&device, 32 * items, NULL);
    cl_image_format const format = {CL_RGBA, CL_FLOAT};
    cl_image_desc const form = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int code;
    cl_mem const image = clCreateImage(device.context, CL_MEM_READ_ONLY, &format, &form, NULL, &code);
    int *mapped;

    need(code, "image");
    set_argument(&device, 0, sizeof wide, &wide);
    set_argument(&device, 1, sizeof k, &k);
    set_argument(&device, 2, 64, NULL);
    set_argument(&device, 3, sizeof value, &value);
    set_argument(&device, 4, sizeof d, &d);
    set_argument(&device, 5, sizeof image, &image);
    set_argument(&device, 6, sizeof out, &out);
    need(clEnqueueNDRangeKernel(device.queue, device.kernel, 1, &offset, &count, &group, 0, NULL, NULL), "run");
    mapped = clEnqueueMapBuffer(device.queue, k, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &code);
    need(code, "map");
    mapped[0] = 1;
    need(clEnqueueUnmapMemObject(device.queue, k, mapped, 0, NULL, NULL), "unmap");
    run_kernel(&device, 1, &count, &(size_t){1});
    close_device(&device);
    return 0;
}
