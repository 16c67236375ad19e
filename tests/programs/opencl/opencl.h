/* What the programs here share: one device, one queue, one kernel from its source; anything that fails ends the program
 * with exit code 1 and a line that names it. */
#ifndef TESTS_OPENCL_H
#define TESTS_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define SOURCE(...) #__VA_ARGS__

struct device {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
};

static void need(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL's error %d\n", what, code);
        exit(1);
    }
}

static struct device open_device(const char *source, const char *kernel)
{
    struct device device;
    cl_platform_id platform;
    cl_device_id id;
    cl_int code;

    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL), "device");
    device.context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    need(code, "context");
    device.queue = clCreateCommandQueue(device.context, id, 0, &code);
    need(code, "queue");
    device.program = clCreateProgramWithSource(device.context, 1, &source, NULL, &code);
    need(code, "program");
    need(clBuildProgram(device.program, 0, NULL, "", NULL, NULL), "build");
    device.kernel = clCreateKernel(device.program, kernel, &code);
    need(code, "kernel");
    return device;
}

static void close_device(struct device *device)
{
    clReleaseKernel(device->kernel);
    clReleaseProgram(device->program);
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

/* host: the initial content, or NULL. */
static cl_mem make_buffer(const struct device *device, size_t bytes, const void *host)
{
    cl_int code;
    cl_mem const buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);

    need(code, "buffer");
    if (host != NULL)
        need(clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "copy to the device");
    return buffer;
}

static void take_buffer(const struct device *device, cl_mem buffer, size_t bytes, void *host)
{
    need(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "copy to the host");
    clReleaseMemObject(buffer);
}

static void set_argument(const struct device *device, unsigned number, size_t bytes, const void *value)
{
    need(clSetKernelArg(device->kernel, number, bytes, value), "argument");
}

static void run_kernel(const struct device *device, unsigned dimensions, const size_t *items, const size_t *group)
{
    need(clEnqueueNDRangeKernel(device->queue, device->kernel, dimensions, NULL, items, group, 0, NULL, NULL), "run");
    need(clFinish(device->queue), "finish");
}

static size_t size_of(int argc, char **argv, size_t usual)
{
    return argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : usual;
}

/* Exit code 0 if `wrong` is 0. */
static int judge(size_t wrong)
{
    if (wrong > 0)
        fprintf(stderr, "%zu results are wrong\n", wrong);
    return wrong > 0;
}

#endif
