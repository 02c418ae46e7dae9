/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool join(char *path, size_t size, const char *folder, const char *name)
{
    const int used = snprintf(path, size, "%s/%s", folder, name);
    return used >= 0 && (size_t)used < size;
}

static size_t read_all(int descriptor, char *text, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const ssize_t got = read(descriptor, text + used, size - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    return used;
}

/* As long as the file was when it was opened: it may grow. Only regular files: a pipe would wait.
 */
tw_report_file tw_report_file_read(const char *folder, const char *name)
{
    tw_report_file file = {NULL, 0};
    char path[PATH_MAX];
    struct stat about;
    if (!join(path, sizeof path, folder, name)) return file;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return file;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        file.text = malloc((size_t)about.st_size + 1);
        if (file.text) {
            file.length = read_all(descriptor, file.text, (size_t)about.st_size);
            file.text[file.length] = '\0';
        }
    }
    close(descriptor);
    return file;
}

bool tw_report_file_exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    return join(path, sizeof path, folder, name) && stat(path, &about) == 0;
}

void tw_report_file_cut(tw_report_file *file)
{
    while (file->length > 0 && file->text[file->length - 1] != '\n')
        file->length--;
    if (file->text) file->text[file->length] = '\0';
}

void tw_report_file_free(tw_report_file *file)
{
    free(file->text);
    *file = (tw_report_file){NULL, 0};
}
