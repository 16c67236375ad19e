#define _POSIX_C_SOURCE 200809L
#include "base/file_mark.h"

#include <sys/stat.h>

struct file_mark file_mark_look(const char *path)
{
    struct stat file;

    if (stat(path, &file) != 0)
        return (struct file_mark){.size_bytes = UINT64_MAX};
    return (struct file_mark){
        .device = (uint64_t)file.st_dev, .inode = (uint64_t)file.st_ino, .size_bytes = (uint64_t)file.st_size,
        .modified_s = file.st_mtim.tv_sec, .modified_ns = file.st_mtim.tv_nsec,
        .changed_s = file.st_ctim.tv_sec, .changed_ns = file.st_ctim.tv_nsec
    };
}

bool file_mark_is_same(const struct file_mark *one, const struct file_mark *other)
{
    return one->device == other->device && one->inode == other->inode && one->size_bytes == other->size_bytes
        && one->modified_s == other->modified_s && one->modified_ns == other->modified_ns
        && one->changed_s == other->changed_s && one->changed_ns == other->changed_ns;
}
