/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_server.h"

#include "base/error.h"

#if !TWIRL_HAVE_MICROHTTPD

tw_report_server *tw_report_server_start(const tw_report_server_plan *plan, char address[96],
                                         tw_error *error)
{
    (void)plan, (void)address;
    tw_error_set(error, TW_STATUS_FILE,
                 "this program was built without libmicrohttpd, which 'twirl watch' "
                 "needs. 'scripts/setup build' installs it; then build again. "
                 "'twirl report' shows what a run has written so far");
    return NULL;
}

void tw_report_server_stop(tw_report_server *server)
{
    (void)server;
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/output.h"
#include "report/report_document.h"
#include "report/report_page.h"

/* Anyone on this machine may connect, and a request may be sent a byte at a time: many may wait,
 * not for long. */
static const unsigned CONNECTIONS = 500, SECONDS = 30;

/* Other users of the machine, and other pages in the same browser, cannot guess it. */
enum { TOKEN_LENGTH = 32 }; /* 128 random bits in hexadecimal digits */

struct tw_report_server {
    tw_report_server_plan plan;
    char token[TOKEN_LENGTH + 1];
    struct MHD_Daemon *daemon;
    char host[2][40]; /* the two values of the header Host that mean this server */
};

/* ---- The secret part of the address ---- */

/* False: the system has no random numbers. */
static bool make_token(char token[TOKEN_LENGTH + 1])
{
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t k = 0; k < sizeof bytes; k++)
        snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

/* Whether the text begins with the token. Takes equally long wherever they differ. */
static bool begins_with_token(const char *token, const char *text)
{
    unsigned difference = 0;
    bool ended = false; /* the text is shorter: what follows is not read */
    for (size_t k = 0; k < TOKEN_LENGTH; k++) {
        ended = ended || text[k] == '\0';
        difference |= (unsigned char)token[k] ^ (unsigned char)(ended ? 0 : text[k]);
    }
    return difference == 0;
}

/* ---- Answers ---- */

/* Nothing but the page itself may be loaded or run, and no other page may use the answers. */
static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
     "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Cache-Control", "no-store"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
};

/* Frees the text. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              tw_text_buffer *text)
{
    const size_t length = text->length;
    char *body = tw_text_buffer_take(text);
    if (!body) return MHD_NO;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(body);
        return MHD_NO;
    }
    (void)MHD_add_response_header(response, "Content-Type", type);
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        (void)MHD_add_response_header(response, headers[k][0], headers[k][1]);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(response, "Allow", "GET");
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "%s\n", why);
    return answer(connection, status, "text/plain; charset=utf-8", &text);
}

static const char json[] = "application/json";

/* ---- Requests ---- */

static enum MHD_Result send_page(const tw_report_server *server, struct MHD_Connection *connection)
{
    tw_text_buffer text = {0};
    tw_error error;
    const char *slash = strrchr(server->plan.folder, '/');
    char title[200];
    snprintf(title, sizeof title, "%s - twirl watch",
             slash && slash[1] ? slash + 1 : server->plan.folder);
    if (tw_report_page_add_live(&text, title, server->plan.interval, &error) == TW_STATUS_OK)
        return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", &text);
    tw_text_buffer_free(&text);
    return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.text);
}

/* Digits alone; false: it is not a number, or too large to be one of ours. */
static bool read_number(const char *text, size_t *number)
{
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 12 || text[length]) return false;
    *number = strtoul(text, NULL, 10);
    return true;
}

static enum MHD_Result send_data(const tw_report_server *server, struct MHD_Connection *connection)
{
    const char *id = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "id");
    const char *row = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "from");
    tw_text_buffer text = {0};
    tw_report_run run;
    tw_error error;
    size_t from = 0;
    if (row && !read_number(row, &from))
        return refuse(connection, MHD_HTTP_BAD_REQUEST, "'from' must be the number of a row");
    tw_status status = tw_report_run_open(&run, server->plan.folder, &error);
    const bool there = status == TW_STATUS_OK;
    if (there || status == TW_STATUS_INPUT)
        status =
            tw_report_document_add_live(&text, there ? &run : NULL, from, id ? id : "", &error);
    tw_report_run_free(&run);
    if (status == TW_STATUS_OK) return answer(connection, MHD_HTTP_OK, json, &text);
    tw_text_buffer_free(&text);
    return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.text);
}

static tw_status write_snapshot(tw_text_buffer *out, const tw_report_server *server, size_t number,
                                tw_error *error)
{
    tw_report_run run;
    tw_report_snapshots list = {0};
    tw_status status = tw_report_run_open(&run, server->plan.folder, error);
    if (status == TW_STATUS_OK && !tw_report_snapshots_find(&list, &run))
        status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK && number >= list.count)
        status = tw_error_set(error, TW_STATUS_INPUT, "there is no such snapshot");
    if (status == TW_STATUS_OK)
        status = tw_report_snapshots_add_one(out, &run, &list.of[number], server->plan.grains, NULL,
                                             error);
    tw_report_snapshots_free(&list);
    tw_report_run_free(&run);
    return status;
}

static enum MHD_Result send_snapshot(const tw_report_server *server,
                                     struct MHD_Connection *connection, size_t number)
{
    tw_text_buffer text = {0};
    tw_error error;
    const tw_status status = write_snapshot(&text, server, number, &error);
    if (status == TW_STATUS_OK) return answer(connection, MHD_HTTP_OK, json, &text);
    tw_text_buffer_free(&text);
    return refuse(connection,
                  status == TW_STATUS_MEMORY ? MHD_HTTP_INTERNAL_SERVER_ERROR : MHD_HTTP_NOT_FOUND,
                  error.text);
}

/* A foreign page could have made the browser believe that its own name has this address: its
 * requests would have that name in the header Host. */
static bool is_for_us(const tw_report_server *server, struct MHD_Connection *connection)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    return host && (strcmp(host, server->host[0]) == 0 || strcmp(host, server->host[1]) == 0);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    static const char snapshot[] = "snapshot/";
    const tw_report_server *server = context;
    size_t number;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)request;
    if (!is_for_us(server, connection)) return refuse(connection, MHD_HTTP_FORBIDDEN, "wrong Host");
    if (strcmp(method, "GET") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET");
    if (url[0] == '/' && begins_with_token(server->token, url + 1) &&
        url[1 + TOKEN_LENGTH] == '/') {
        const char *rest = url + TOKEN_LENGTH + 2;
        if (!*rest) return send_page(server, connection);
        if (strcmp(rest, "data") == 0) return send_data(server, connection);
        if (strncmp(rest, snapshot, sizeof snapshot - 1) == 0 &&
            read_number(rest + sizeof snapshot - 1, &number))
            return send_snapshot(server, connection, number);
    }
    return refuse(connection, MHD_HTTP_NOT_FOUND, "not found");
}

/* ---- The server ---- */

/* A socket on the loopback address, and the port that the system has chosen. */
static tw_status listen_locally(tw_report_server *server, int *descriptor, tw_error *error)
{
    const int yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(server->plan.port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    *descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = *descriptor >= 0 &&
                setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                bind(*descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
                listen(*descriptor, SOMAXCONN) == 0 &&
                getsockname(*descriptor, (struct sockaddr *)&address, &size) == 0;
    if (!good)
        return tw_error_set(error, TW_STATUS_FILE, "cannot listen on port %u of 127.0.0.1: %s",
                            (unsigned)server->plan.port, tw_error_reason_of(errno).text);
    server->plan.port = ntohs(address.sin_port);
    snprintf(server->host[0], sizeof server->host[0], "127.0.0.1:%u", (unsigned)server->plan.port);
    snprintf(server->host[1], sizeof server->host[1], "localhost:%u", (unsigned)server->plan.port);
    return TW_STATUS_OK;
}

static tw_status start(tw_report_server *server, tw_error *error)
{
    int descriptor = -1;
    tw_status status = tw_report_page_check(error);
    if (status != TW_STATUS_OK) return status;
    if (!make_token(server->token))
        return tw_error_set(error, TW_STATUS_FILE, "the system has no random numbers");
    status = listen_locally(server, &descriptor, error);
    if (status == TW_STATUS_OK)
        server->daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, server->plan.port, NULL,
                                          NULL, handle, server, MHD_OPTION_LISTEN_SOCKET,
                                          descriptor, MHD_OPTION_CONNECTION_TIMEOUT, SECONDS,
                                          MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_END);
    if (server->daemon) return TW_STATUS_OK; /* it closes the socket */
    if (descriptor >= 0) close(descriptor);
    return status != TW_STATUS_OK
               ? status
               : tw_error_set(error, TW_STATUS_FILE, "the server could not be started");
}

tw_report_server *tw_report_server_start(const tw_report_server_plan *plan, char address[96],
                                         tw_error *error)
{
    tw_report_server *server = tw_exit_unless(calloc(1, sizeof *server));
    server->plan = *plan;
    if (start(server, error) != TW_STATUS_OK) {
        free(server);
        return NULL;
    }
    snprintf(address, 96, "http://%s/%s/", server->host[0], server->token);
    return server;
}

void tw_report_server_stop(tw_report_server *server)
{
    MHD_stop_daemon(server->daemon);
    free(server);
}

#endif
