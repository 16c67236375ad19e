/* matrix_product N: c = a b for matrices of N x N floats, in tiles of 16 x 16 that a group keeps in local memory. */
#include "opencl.h"

enum { TILE = 16 };

static const char source[] = SOURCE(
    kernel void matrix_product(global const float *a, global const float *b, global float *c, uint n)
    {
        local float left[16][16];
        local float right[16][16];
        uint x = get_local_id(0), y = get_local_id(1);
        uint column = get_global_id(0), row = get_global_id(1);
        float sum = 0;
        for (uint k = 0; k < n; k += 16) {
            left[y][x] = a[row * n + k + x];
            right[y][x] = b[(k + y) * n + column];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < 16; i++)
                sum = mad(left[y][i], right[i][x], sum);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        c[row * n + column] = sum;
    }
);

int main(int argc, char **argv)
{
    cl_uint const n = (cl_uint)size_of(argc, argv, 32);
    size_t const items[2] = {n, n}, group[2] = {TILE, TILE}, bytes = sizeof(float) * n * n;
    struct device device = open_device(source, "matrix_product");
    float *const a = malloc(bytes), *const b = malloc(bytes), *const c = malloc(bytes);
    size_t wrong = 0;
    cl_mem left, right, product;

    for (cl_uint i = 0; i < n * n; i++) {
        a[i] = (float)(i % 5);
        b[i] = (float)(i % 3);
    }
    left = make_buffer(&device, bytes, a);
    right = make_buffer(&device, bytes, b);
    product = make_buffer(&device, bytes, NULL);
    set_argument(&device, 0, sizeof left, &left);
    set_argument(&device, 1, sizeof right, &right);
    set_argument(&device, 2, sizeof product, &product);
    set_argument(&device, 3, sizeof n, &n);
    run_kernel(&device, 2, items, group);
    take_buffer(&device, product, bytes, c);
    for (cl_uint i = 0; i < n * n; i++) {
        float sum = 0;

        for (cl_uint k = 0; k < n; k++)
            sum += a[i / n * n + k] * b[k * n + i % n];
        wrong += c[i] != sum;
    }
    clReleaseMemObject(left);
    clReleaseMemObject(right);
    free(a);
    free(b);
    free(c);
    close_device(&device);
    return judge(wrong);
}
