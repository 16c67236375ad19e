/* HTTP/1.1 as far as a browser needs it (RFC 9112): a request line, headers of which Host counts, a response with its
 * length, and the end of the connection. */
#include "cli/sweep/report_serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"

enum { MOST_REQUEST = 8192, MOST_REST = 1 << 16, MOST_WAITING = 16, PATIENCE_S = 5, MOST_PORT = 65535 };
enum { PATH_TEXT = 4096 };

struct serving {
    const struct report_server *server;
    unsigned port;
    char stamp[SERVE_STAMP];             /* of the page that is kept */
    char *page;
    size_t length;
};

/* ---- the stamp */
static void put_stamp(const char *results, char stamp[SERVE_STAMP])
{
    static const char *const endings[] = {"", "-wal"};
    int used = 0;

    stamp[0] = '\0';
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[PATH_TEXT];
        struct stat found;

        snprintf(path, sizeof path, "%s%s", results, endings[i]);
        if (stat(path, &found) == 0)
            used += snprintf(stamp + used, SERVE_STAMP - (size_t)used, "%s%lld.%09ld-%lld", i ? "_" : "",
                             (long long)found.st_mtim.tv_sec, found.st_mtim.tv_nsec, (long long)found.st_size);
    }
}

/* ---- answers */
static void send_all(int client, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t const sent = send(client, bytes, count, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return;                      /* the browser has gone */
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void answer(int client, const char *status, const char *type, const char *body, size_t length)
{
    char head[256];
    int const count = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\n"
                               "Content-Length: %zu\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                               "Connection: close\r\n\r\n", status, type, length);

    send_all(client, head, (size_t)count);
    send_all(client, body, length);
}

static void answer_text(int client, const char *status, const char *text)
{
    answer(client, status, "text/plain", text, strlen(text));
}

static void answer_page(struct serving *serving, int client)
{
    char stamp[SERVE_STAMP];

    put_stamp(serving->server->results, stamp);
    if (!serving->page || strcmp(stamp, serving->stamp) != 0) {
        free(serving->page);
        serving->page = serving->server->page(serving->server->self, stamp, &serving->length);
        memcpy(serving->stamp, stamp, sizeof stamp);
    }
    if (serving->page)
        answer(client, "200 OK", "text/html", serving->page, serving->length);
    else
        answer_text(client, "500 Internal Server Error", "out of memory\n");
}

/* ---- requests */
/* All of the head, or false: it is too long, does not end, or does not come. */
static bool read_head(int client, char head[MOST_REQUEST])
{
    size_t length = 0;

    head[0] = '\0';
    while (!strstr(head, "\r\n\r\n")) {
        ssize_t const count = length + 1 < MOST_REQUEST ? recv(client, head + length, MOST_REQUEST - 1 - length, 0) : 0;

        if (count < 0 && errno == EINTR && !interrupt_came())
            continue;
        if (count <= 0)
            return false;
        length += (size_t)count;
        head[length] = '\0';
    }
    return true;
}

/* Is it for this server by its own name? A page of another site, by a name of its own for this host, is not. */
static bool is_for_us(const struct serving *serving, const char *head)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    const char *line = head;

    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, "Host:", 5) != 0)
            continue;
        line += 5 + strspn(line + 5, " \t");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char own[64];
            size_t const length = (size_t)snprintf(own, sizeof own, "%s:%u\r\n", names[i], serving->port);

            if (strncasecmp(line, own, length) == 0)
                return true;
        }
        return false;
    }
    return false;
}

static void handle(struct serving *serving, int client)
{
    struct timeval const patience = {.tv_sec = PATIENCE_S};
    char head[MOST_REQUEST], stamp[SERVE_STAMP];

    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!read_head(client, head)) {
        answer_text(client, "400 Bad Request", "the request does not end, or is too long\n");
    } else if (!is_for_us(serving, head)) {
        answer_text(client, "403 Forbidden", "ask for 127.0.0.1 or localhost\n");
    } else if (strncmp(head, "GET ", 4) != 0) {
        answer_text(client, "405 Method Not Allowed", "only GET\n");
    } else if (strncmp(head + 4, "/stamp ", 7) == 0) {
        put_stamp(serving->server->results, stamp);
        answer_text(client, "200 OK", stamp);
    } else if (strncmp(head + 4, "/ ", 2) == 0) {
        answer_page(serving, client);
    } else {
        answer_text(client, "404 Not Found", "there is / and /stamp\n");
    }
}

/* What is still under way is taken first, since closing a connection with unread bytes would take the answer back. */
static void hang_up(int client)
{
    char rest[MOST_REQUEST];
    size_t taken = 0;
    ssize_t count;

    shutdown(client, SHUT_WR);
    while (taken < MOST_REST && (count = recv(client, rest, sizeof rest, 0)) > 0)
        taken += (size_t)count;
    close(client);
}

/* ---- the socket */
/* -1: it has said why. */
static int listen_to_host(struct serving *serving)
{
    int const listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)serving->server->port)};
    socklen_t length = sizeof address;

    if (listener >= 0)
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0
        || listen(listener, MOST_WAITING) < 0 || getsockname(listener, (struct sockaddr *)&address, &length) < 0) {
        cli_fail_text("--serve %" PRIu64 ": cannot listen there: %s; 0 takes a free port", serving->server->port,
                      strerror(errno));
        if (listener >= 0)
            close(listener);
        return -1;
    }
    serving->port = ntohs(address.sin_port);
    return listener;
}

int report_serve(const struct report_server *server)
{
    struct serving serving = {.server = server};
    struct pollfd waiting = {.events = POLLIN};

    if (server->port > MOST_PORT)
        return cli_fail_text("--serve %" PRIu64 ": a port is at most %d", server->port, MOST_PORT);
    waiting.fd = listen_to_host(&serving);
    if (waiting.fd < 0)
        return CLI_BAD_INPUT;
    interrupt_listen();
    printf("http://127.0.0.1:%u/ until Ctrl-C\n", serving.port);
    fflush(stdout);
    while (!interrupt_came()) {
        int const client = poll(&waiting, 1, -1) == 1 ? accept4(waiting.fd, NULL, NULL, SOCK_CLOEXEC) : -1;

        if (client < 0)
            continue;
        handle(&serving, client);
        hang_up(client);
    }
    close(waiting.fd);
    free(serving.page);
    return CLI_OK;
}
