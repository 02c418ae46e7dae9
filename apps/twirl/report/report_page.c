/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_page.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* ---- The built page, part of the program; empty if it was not built ---- */

/* An array of a million numbers would take the compiler longer than all the rest. */
__asm__(".pushsection .rodata\n"
        ".global tw_report_page_begin, tw_report_page_end\n"
        "tw_report_page_begin:\n"
        ".incbin \"" TWIRL_PAGE_FILE "\"\n"
        "tw_report_page_end:\n"
        ".byte 0\n"
        ".popsection\n");

__attribute__((visibility("hidden"))) extern const char tw_report_page_begin[],
    tw_report_page_end[];

static size_t page_length(void)
{
    return (size_t)(tw_report_page_end - tw_report_page_begin);
}

static const char place[] = "<!--TWIRL-DATA-->", title_begin[] = "<title>",
                  title_end[] = "</title>";

tw_status tw_report_page_check(tw_error *error)
{
    if (page_length() > 0) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE,
                        "this program was built without the page that shows runs: that needs node "
                        "18 or newer and npm, with access to its packages. 'scripts/setup web' "
                        "installs them; then build again, with -DTWIRL_WEB=ON");
}

/* ---- Compression ---- */

/* As of zlib: the same data give the same bytes. Memory to be freed, or NULL. */
static unsigned char *compress_bytes(const char *bytes, size_t length, size_t *packed)
{
    uLongf room = compressBound(length);
    unsigned char *memory = malloc(room);
    const bool good = memory && compress(memory, &room, (const Bytef *)bytes, length) == Z_OK;
    *packed = room;
    if (good) return memory;
    free(memory);
    return NULL;
}

/* ---- The page ---- */

/* Text of the page: characters that mean something there, or nothing anywhere, are replaced. */
static void add_escaped(tw_text_buffer *out, const char *text)
{
    enum { LONGEST = 200 };
    const size_t length = strlen(text), most = length < LONGEST ? length : LONGEST;
    for (size_t k = 0; k < most;) {
        const size_t width = tw_text_utf8_length(text + k, length - k);
        if (width == 0)
            tw_text_buffer_add(out, "&#xfffd;");
        else if (width > 1)
            tw_text_buffer_add_bytes(out, text + k, width);
        else if (text[k] < ' ' || text[k] == 0x7F)
            tw_text_buffer_add(out, " ");
        else if (strchr("&<>\"'", text[k]))
            tw_text_buffer_add(out, "&#%d;", text[k]);
        else
            tw_text_buffer_add_bytes(out, text + k, 1);
        k += width > 0 ? width : 1;
    }
    if (most < length) tw_text_buffer_add(out, "...");
}

/* The page up to the place of the data, with its title; then the caller adds an element and the
 * rest. */
static tw_status add_head(tw_text_buffer *out, const char *title, const char **rest,
                          size_t *rest_length, tw_error *error)
{
    const size_t length = page_length();
    const char *page = tw_report_page_begin;
    const char *begin = memmem(page, length, title_begin, sizeof title_begin - 1);
    const char *end = memmem(page, length, title_end, sizeof title_end - 1);
    const char *data = memmem(page, length, place, sizeof place - 1);
    const tw_status status = tw_report_page_check(error);
    if (status != TW_STATUS_OK) return status;
    if (!begin || !end || !data || end < begin || data < end)
        return tw_error_set(error, TW_STATUS_FILE,
                            "the page in this program is damaged: it has no place for data");
    begin += sizeof title_begin - 1;
    tw_text_buffer_add_bytes(out, page, (size_t)(begin - page));
    add_escaped(out, title);
    tw_text_buffer_add_bytes(out, end, (size_t)(data - end));
    *rest = data + sizeof place - 1;
    *rest_length = length - (size_t)(*rest - page);
    return TW_STATUS_OK;
}

static tw_status finish(tw_text_buffer *out, const char *rest, size_t length, tw_error *error)
{
    tw_text_buffer_add(out, "</script>");
    tw_text_buffer_add_bytes(out, rest, length);
    return out->failed ? tw_error_set_memory(error) : TW_STATUS_OK;
}

tw_status tw_report_page_add(tw_text_buffer *out, const char *title, const char *document,
                             size_t length, tw_error *error)
{
    const char *rest;
    size_t rest_length, packed;
    const tw_status status = add_head(out, title, &rest, &rest_length, error);
    if (status != TW_STATUS_OK) return status;
    unsigned char *bytes = compress_bytes(document, length, &packed);
    if (!bytes) return tw_error_set_memory(error);
    tw_text_buffer_add(out, "<script type=\"application/octet-stream\" id=\"twirl-data\">");
    tw_json_add_base64(out, bytes, packed);
    free(bytes);
    return finish(out, rest, rest_length, error);
}

tw_status tw_report_page_add_live(tw_text_buffer *out, const char *title, double interval,
                                  tw_error *error)
{
    const char *rest;
    size_t rest_length;
    const tw_status status = add_head(out, title, &rest, &rest_length, error);
    if (status != TW_STATUS_OK) return status;
    tw_text_buffer_add(
        out, "<script type=\"application/json\" id=\"twirl-live\">{\"interval\": %g}", interval);
    return finish(out, rest, rest_length, error);
}
