/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Words are published by advancing `told`, so that a reader sees only whole words, however this process ends. */
#include "lanes.h"

#include "core.h"

struct capture_area *area;
uint64_t lanes_moved_by;
bool lanes_are_unread;

static uint64_t static_at;

/* `base` of the first lane. Any number does, as only differences count; not 0, which is a lane without a ring. */
enum { FIRST_BASE = 4096, WAIT_MS = 1, SHM_REMAPS = 040000 };

/* Attaches a System V segment in place of memory that Valgrind gave away and so will not give again. */
static SysRes attach(int segment)
{
    void *const place = VG_(am_shadow_alloc)(capture_area_bytes());

    return VG_(do_syscall)(__NR_shmat, (UWord)segment, (UWord)place, SHM_REMAPS, 0, 0, 0, 0, 0);
}

static SysRes map_file(Int file)
{
    const SysRes mapped = VG_(am_shared_mmap_file_float_valgrind)(capture_area_bytes(), VKI_PROT_READ | VKI_PROT_WRITE,
                                                                  file, 0);

    VG_(close)(file);
    return mapped;
}

bool lanes_map(const char *path)
{
    const SizeT prefix = sizeof CAPTURE_SEGMENT - 1;
    const bool is_segment = VG_(strncmp)(path, CAPTURE_SEGMENT, prefix) == 0;
    const int segment = is_segment ? (int)VG_(strtoll10)(path + prefix, NULL) : -1;
    const Int file = segment >= 0 ? -1 : VG_(fd_open)(path, VKI_O_RDWR, 0);
    SysRes mapped;

    if (segment < 0 && file < 0)
        return false;
    mapped = segment >= 0 ? attach(segment) : map_file(file);
    if (sr_isError(mapped))
        return false;
    area = (struct capture_area *)sr_Res(mapped);
    lanes_moved_by = (uint64_t)capture_lane_words(area, 0) - FIRST_BASE;
    return area->magic == CAPTURE_MAGIC;
}

struct capture_lane *lane_of_thread(unsigned index)
{
    return index < CAPTURE_LANES && !(area->main_only && index > 0) ? &area->lanes[index] : NULL;
}

void lane_begin(struct capture_lane *lane, unsigned index)
{
    if (lane->base != 0)
        return;
    lane->told = lane->next = FIRST_BASE + 8ull * CAPTURE_LANE_WORDS * index;
    __atomic_store_n(&lane->base, lane->next, __ATOMIC_RELEASE);
    lane_look_for_room(lane);
}

static bool wait_a_little(void)
{
    if ((uint64_t)VG_(getppid)() != area->reader_pid || __atomic_load_n(&area->stopped, __ATOMIC_RELAXED) != 0)
        lanes_are_unread = true;
    else
        VG_(poll)(NULL, 0, WAIT_MS);
    return !lanes_are_unread;
}

bool lane_look_for_room(struct capture_lane *lane)
{
    const uint64_t mask = CAPTURE_LANE_WORDS - 1;
    const uint64_t at = (lane->next - lane->base) / 8 & mask;
    uint64_t room = (__atomic_load_n(&lane->read, __ATOMIC_ACQUIRE) - at - 1) & mask;

    /* Waking up costs more than many words: once the ring is full, waits until a good part of it is free. */
    for (const bool is_full = room == 0; is_full && room < CAPTURE_LANE_WORDS / 4;
         room = (__atomic_load_n(&lane->read, __ATOMIC_ACQUIRE) - at - 1) & mask)
        if (!wait_a_little()) {
            room = 1;                    /* overwrites one word, without a reader */
            break;
        }
    if (room > CAPTURE_LANE_WORDS - at)
        room = CAPTURE_LANE_WORDS - at;
    lane->limit = lane->base + 8 * (at + room);
    lane->next = lane->base + 8 * at;
    __atomic_store_n(&lane->told, lane->next, __ATOMIC_RELEASE);
    return !lanes_are_unread;
}

bool open_static(uint64_t words)
{
    static_at = area->statics.written;
    while (!lanes_are_unread && static_at + words > CAPTURE_STATICS_WORDS &&
           __atomic_load_n(&area->statics.read, __ATOMIC_ACQUIRE) < static_at + words - CAPTURE_STATICS_WORDS)
        wait_a_little();
    return !lanes_are_unread;
}

void put_static(uint64_t word)
{
    capture_statics_words(area)[static_at++ & (CAPTURE_STATICS_WORDS - 1)] = word;
}

void close_static(void)
{
    __atomic_store_n(&area->statics.written, static_at, __ATOMIC_RELEASE);
}
