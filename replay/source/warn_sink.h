/* Warnings: lines for the user that stop nothing, ready to print. Only cli/ prints them.
 *
 * Use: the caller fills a sink; warn_of_line and warn_of give it lines. Without a sink, or a
 * function in it, they are dropped. */
#ifndef REPLAY_SOURCE_WARN_SINK_H
#define REPLAY_SOURCE_WARN_SINK_H

struct warn_sink {
    void (*line)(void *context, const char *text);
    void *context;
};

static inline void warn_of_line(const struct warn_sink *sink, const char *text)
{
    if (sink && sink->line)
        sink->line(sink->context, text);
}

/* A line of at most 600 characters. */
void warn_of(const struct warn_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
