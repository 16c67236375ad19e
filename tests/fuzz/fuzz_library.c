/* Fuzz target: a careless program that uses include/rubato.h. The input is a program of calls, a byte for which and
 * bytes for arguments: handles that are there and NULL, texts of the input and NULL, numbers at their bounds, calls by
 * callbacks. Nothing may crash or fail to return; what fails fills its error, and success leaves it empty. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "include/rubato.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CALLS = 64, MOST_SENDS = 4096, TEXT_BYTES = 64 };

struct caller {
    const uint8_t *next, *end;
    rubato_system *system;
    rubato_memory *memory;
    rubato_error error;
    unsigned sends, depth;
};

static uint8_t byte(struct caller *caller)
{
    return caller->next < caller->end ? *caller->next++ : 0;
}

static uint64_t number(struct caller *caller)
{
    static const uint64_t bounds[] = {0, 1, 63, 64, 65, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX / 2 - 1,
                                      UINT64_MAX / 2, UINT64_MAX - 63, UINT64_MAX - 1, UINT64_MAX};
    uint8_t const which = byte(caller);

    return which < sizeof bounds / sizeof *bounds ? bounds[which] : (uint64_t)which << byte(caller) % 24;
}

/* Of the input, with its length; NULL now and then. */
static const char *text(struct caller *caller, char room[TEXT_BYTES])
{
    static const char *const known[] = {NULL, "", "laptop", "DDR4_2400_8x8", "l2.size=1MiB", "l2.size",
                                        "memory.channels=2", "system.mem_ctrls.readReqs"};
    uint8_t const which = byte(caller);
    size_t length = which % TEXT_BYTES;

    if (which < sizeof known / sizeof *known)
        return known[which];
    if (length > (size_t)(caller->end - caller->next))
        length = (size_t)(caller->end - caller->next);
    memcpy(room, caller->next, length);
    room[length] = '\0';
    caller->next += length;
    return room;
}

static void must_say(const struct caller *caller, bool is_good)
{
    if (is_good != (caller->error.kind == RUBATO_OK) || is_good != (caller->error.message[0] == '\0'))
        abort();
}

static void send(struct caller *caller)
{
    enum rubato_sent sent;

    if (caller->sends++ >= MOST_SENDS)
        return;
    caller->error = (rubato_error){RUBATO_OK, ""};
    {
        uint64_t const address = number(caller);
        uint32_t const bytes = (uint32_t)number(caller);
        unsigned const access = byte(caller);

        sent = rubato_memory_send(access == 200 ? NULL : caller->memory, address, bytes, (enum rubato_access)access,
                                  NULL, &caller->error);
    }
    must_say(caller, sent != RUBATO_WRONG);
}

static void see(void *context, const rubato_statistic *statistic)
{
    (void)context;
    if (!statistic->name || !statistic->unit || !statistic->help)
        abort();
}

/* What a callback does, too. */
static void call(struct caller *caller);

static void answered(void *context, const rubato_answer *answer)
{
    struct caller *const caller = context;
    rubato_error const kept = caller->error;

    (void)answer;
    if (caller->depth < 2) {
        caller->depth++;
        call(caller);
        caller->depth--;
    }
    caller->error = kept;
}

static void open_memory(struct caller *caller)
{
    rubato_memory_callbacks const callbacks = {.answered = byte(caller) % 2 ? answered : NULL, .context = caller};
    rubato_system *const system = byte(caller) == 7 ? NULL : caller->system;
    rubato_memory *const made = rubato_memory_open(system, &callbacks, &caller->error);

    must_say(caller, made != NULL);
    if (!made)
        return;
    rubato_memory_close(caller->memory);
    caller->memory = made;
}

static void open_system(struct caller *caller)
{
    char room[TEXT_BYTES], other[TEXT_BYTES];
    const char *const name = text(caller, room), *const yaml = text(caller, other);
    rubato_system *made;

    switch (byte(caller) % 3) {
    case 0: made = rubato_system_of_device(name, &caller->error); break;
    case 1: made = rubato_system_parse(name, yaml, yaml ? strlen(yaml) : byte(caller), &caller->error); break;
    default: made = rubato_system_parse("fuzz", "memory: {device: DDR4_2400_8x8}\n", 32, &caller->error); break;
    }
    must_say(caller, made != NULL);
    if (!made)
        return;
    rubato_system_close(caller->system);
    caller->system = made;
}

static void ask_system(struct caller *caller)
{
    char room[TEXT_BYTES], got[TEXT_BYTES];
    const char *const key = text(caller, room);
    uint8_t const how = byte(caller);

    if (how % 2)
        must_say(caller, rubato_system_set(how == 9 ? NULL : caller->system, key, &caller->error));
    else
        must_say(caller, rubato_system_get(how == 8 ? NULL : caller->system, key, how == 10 ? NULL : got,
                                           how == 12 ? 0 : sizeof got, &caller->error));
}

static void ask_memory(struct caller *caller)
{
    char room[TEXT_BYTES];
    const char *const name = text(caller, room);
    uint8_t const how = byte(caller);
    rubato_memory *const memory = how > 250 ? NULL : caller->memory;
    double value;

    switch (how % 6) {
    case 0: must_say(caller, rubato_memory_value(memory, name, how == 18 ? NULL : &value, &caller->error)); break;
    case 1: must_say(caller, rubato_memory_visit(memory, how == 19 ? NULL : see, NULL, &caller->error)); break;
    case 2: rubato_memory_reset_statistics(memory); break;
    case 3: rubato_memory_pause(memory); break;
    case 4: rubato_memory_address(memory, number(caller)); break;
    default:
        if (rubato_memory_next_ps(memory) < rubato_memory_now_ps(memory))
            abort();
        rubato_memory_under_way(memory);
        rubato_memory_line_bytes(memory);
        rubato_memory_peak_bytes_per_s(memory);
    }
}

static void ask_run(struct caller *caller)
{
    static const char *const traces[] = {NULL, "", "/dev/null", "/"};
    static const rubato_run_options options[] = {{0}, {.engine = ""}, {.engine = "x"}, {.reserved = {1}}};
    const char *const one[] = {traces[byte(caller) % 4]};
    double value;

    must_say(caller, rubato_run_open(byte(caller) % 2 ? NULL : caller->system, byte(caller) % 4 ? one : NULL,
                                     byte(caller) % 2 ? 1 : number(caller) > 1 ? SIZE_MAX : 0,
                                     &options[byte(caller) % 4], &caller->error) != NULL);
    must_say(caller, rubato_run_execute(NULL, &caller->error));
    must_say(caller, rubato_run_value(NULL, "ipc", &value, &caller->error));
    must_say(caller, rubato_run_visit(NULL, see, NULL, &caller->error));
}

static void call(struct caller *caller)
{
    uint8_t const which = byte(caller) % 12;

    /* A callback may not close what calls it, which is ignored, nor open another in its place. */
    if (caller->depth > 0 && which < 2) {
        rubato_memory_close(caller->memory);
        return;
    }
    switch (which) {
    case 0: open_system(caller); break;
    case 1: open_memory(caller); break;
    case 2: ask_system(caller); break;
    case 3: ask_memory(caller); break;
    case 4: must_say(caller, rubato_memory_advance(caller->memory, number(caller), &caller->error)); break;
    case 5: must_say(caller, rubato_memory_drain(byte(caller) == 3 ? NULL : caller->memory, &caller->error)); break;
    case 6: must_say(caller, rubato_memory_wait(caller->memory, &caller->error)); break;
    case 7: ask_run(caller); break;
    default: send(caller); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct caller caller = {.next = data, .end = data + size};
    rubato_memory_callbacks const callbacks = {.answered = answered, .context = &caller};

    caller.system = rubato_system_of_device("DDR4_2400_8x8", NULL);
    caller.memory = rubato_memory_open(caller.system, &callbacks, NULL);
    for (unsigned i = 0; i < MOST_CALLS && caller.next < caller.end; i++)
        call(&caller);
    rubato_memory_close(caller.memory);
    rubato_system_close(caller.system);
    return 0;
}
