/* rubato report --serve: the page over HTTP, to this host alone, made anew when the results have changed.
 *
 * It answers GET of / with the page and of /stamp with a text that changes with the result file; the page asks for
 * that, and loads itself again. One request a connection, one connection at a time. Requests that name another host are
 * refused, so that no other page of a browser can read it.
 *
 * Use: report_serve; it returns after Ctrl-C or SIGTERM, or with the exit code of what it has printed. */
#ifndef CLI_SWEEP_REPORT_SERVE_H
#define CLI_SWEEP_REPORT_SERVE_H

#include <stddef.h>
#include <stdint.h>

enum { SERVE_STAMP = 80 };

struct report_server {
    const char *results;                 /* its time and size, and those of its log, are the stamp */
    uint64_t port;                       /* 0: a free one */
    /* Malloc'ed HTML for that stamp; NULL: out of memory. */
    char *(*page)(const void *self, const char *stamp, size_t *length);
    const void *self;
};

int report_serve(const struct report_server *server);

#endif
