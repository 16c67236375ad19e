/* Requests followed from the core to DRAM and back, with the time at each stop on their way.
 *
 * replay/record/request_follow.h chooses and follows them; recordings, Perfetto traces and the view show them.
 * A leg is the time between two stops: the request's place meanwhile, and the reason for its wait. Legs follow each
 * other without gaps, from start to end.
 * Units: ticks are picoseconds. Ownership: plain values; components are places in the layout. */
#ifndef MEMSYS_TELEMETRY_TELEMETRY_REQUESTS_H
#define MEMSYS_TELEMETRY_TELEMETRY_REQUESTS_H

#include "memsys/telemetry/telemetry.h"

enum { TELEMETRY_MOST_STOPS = 32, TELEMETRY_LEG_TEXT = 80 };

/* S(value, name): an event at a component */
#define TELEMETRY_STOPS(S)                                                                                            \
    S(SEND, "sent")              /* the component below accepted it */                                                \
    S(MISS, "missed")            /* its line was not there */                                                         \
    S(MERGE, "merged")           /* its line was on its way already */                                                \
    S(ACCESS, "accepted")        /* a memory took it */                                                               \
    S(COMMAND, "command")        /* the memory's data command of its burst */                                         \
    S(READY, "data")             /* the memory has the data */                                                        \
    S(RECEIVE, "answered")       /* the answer came */

#define TELEMETRY_STOP_VALUE(value, name) TELEMETRY_STOP_##value,
enum telemetry_stop_kind { TELEMETRY_STOPS(TELEMETRY_STOP_VALUE) TELEMETRY_STOP_COUNT };
#undef TELEMETRY_STOP_VALUE

const char *telemetry_stop_name(enum telemetry_stop_kind kind);

struct telemetry_stop {
    uint32_t component;
    enum telemetry_stop_kind kind;
    uint64_t time_ps;
};

struct telemetry_request {
    uint64_t address;
    uint32_t core;                       /* the component that sent it */
    bool is_write;
    bool is_slow;                        /* it was one of the slowest of its sample; else it was drawn among all */
    bool has_burst, is_row_hit;          /* has_burst: rank, bank and row are known */
    uint32_t rank, bank;
    uint64_t row;
    uint32_t stop_count;                 /* at least 2: the core's SEND first, its RECEIVE last */
    struct telemetry_stop stops[TELEMETRY_MOST_STOPS];   /* times do not fall */
};

struct telemetry_leg {
    uint64_t from_ps, to_ps;
    uint32_t component;                  /* where it was */
    char text[TELEMETRY_LEG_TEXT];       /* "tol2bus0, l20: miss", "rank 0 bank 12, row 10: opened" */
};

static inline uint64_t telemetry_request_start_ps(const struct telemetry_request *request)
{
    return request->stops[0].time_ps;
}

static inline uint64_t telemetry_request_end_ps(const struct telemetry_request *request)
{
    return request->stops[request->stop_count - 1].time_ps;
}

static inline uint64_t telemetry_request_latency_ps(const struct telemetry_request *request)
{
    return telemetry_request_end_ps(request) - telemetry_request_start_ps(request);
}

/* Do components, kinds and times obey the contract above, in that layout? For requests read from a file. */
bool telemetry_request_is_sound(const struct telemetry_request *request, const struct telemetry *layout);

/* The legs that take time; at most TELEMETRY_MOST_STOPS. The answer is how many. */
unsigned telemetry_request_legs(const struct telemetry_request *request, const struct telemetry *layout,
                                struct telemetry_leg *legs);

/* Where its data came from, in a word: "L1 hit", "l2 hit", "mem_ctrls, row miss". */
void telemetry_request_source(const struct telemetry_request *request, const struct telemetry *layout, char *text,
                              size_t room);

/* A bus through which requests come to a component; TELEMETRY_NONE without one. */
uint32_t telemetry_bus_above(const struct telemetry *layout, uint32_t component);

#endif
