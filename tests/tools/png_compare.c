/* Compares two pictures: png_compare EXPECTED GOT MOST.
 *
 * Prints "DIFFERENT of PIXELS pixels differ, at most MOST may; the farthest by FARTHEST of 255 at X,Y". Exit code 0: at
 * most MOST pixels differ in any channel; 1: more do, or the sizes differ; 2: a file cannot be read. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RUBATO_SDL

#include <png.h>

struct picture {
    uint32_t width, height;
    unsigned char *pixels;               /* red, green, blue */
};

static struct picture read_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct picture picture = {0};

    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGB;
        picture = (struct picture){image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
        if (picture.pixels && png_image_finish_read(&image, NULL, picture.pixels, 0, NULL))
            return picture;
    }
    fprintf(stderr, "%s: %s\n", path, image.message[0] ? image.message : "out of memory");
    exit(2);
}

static unsigned distance(const unsigned char *one, const unsigned char *other)
{
    unsigned most = 0;

    for (int i = 0; i < 3; i++) {
        unsigned const by = (unsigned)abs(one[i] - other[i]);

        most = by > most ? by : most;
    }
    return most;
}

int main(int argc, char **argv)
{
    struct picture expected, got;
    unsigned long most, different = 0;
    unsigned farthest = 0;
    size_t place = 0, pixels;

    if (argc != 4) {
        fprintf(stderr, "usage: png_compare EXPECTED GOT MOST\n");
        return 2;
    }
    expected = read_picture(argv[1]);
    got = read_picture(argv[2]);
    most = strtoul(argv[3], NULL, 10);
    if (expected.width != got.width || expected.height != got.height) {
        printf("the size is %ux%u, expected %ux%u\n", got.width, got.height, expected.width, expected.height);
        return 1;
    }
    pixels = (size_t)expected.width * expected.height;
    for (size_t i = 0; i < pixels; i++) {
        unsigned const by = distance(expected.pixels + 3 * i, got.pixels + 3 * i);

        different += by > 0;
        if (by > farthest) {
            farthest = by;
            place = i;
        }
    }
    printf("%lu of %zu pixels differ, at most %lu may; the farthest by %u of 255 at %zu,%zu\n", different, pixels, most,
           farthest, place % expected.width, place / expected.width);
    free(expected.pixels);
    free(got.pixels);
    return different <= most ? 0 : 1;
}

#else

int main(void)
{
    fprintf(stderr, "png_compare: built without libpng\n");
    return 2;
}

#endif
