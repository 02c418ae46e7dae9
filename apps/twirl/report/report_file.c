/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* As long as the file was when it was opened: it may grow. */
tw_report_file tw_report_file_read(const char *folder, const char *name)
{
    tw_report_file file = {NULL, 0};
    uint64_t bytes;
    const int descriptor = tw_read_file_open(tw_folder_path_join(folder, name).text, &bytes);
    if (descriptor < 0) return file;
    file.text = malloc((size_t)bytes + 1);
    if (file.text) {
        file.length = tw_read_file_next(descriptor, file.text, (size_t)bytes);
        file.text[file.length] = '\0';
    }
    close(descriptor);
    return file;
}

bool tw_report_file_exists(const char *folder, const char *name)
{
    struct stat about;
    return stat(tw_folder_path_join(folder, name).text, &about) == 0;
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
