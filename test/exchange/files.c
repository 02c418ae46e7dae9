/* SPDX-License-Identifier: BSD-3-Clause */
#include "files.h"

#include <dirent.h>
#include <unistd.h>

static char files_home[] = "/tmp/twirl_exchange_XXXXXX";

int files_enter(void **state)
{
    (void)state;
    return mkdtemp(files_home) && chdir(files_home) == 0 ? 0 : -1;
}

size_t files_count(void)
{
    size_t count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

int files_leave(void **state)
{
    (void)state;
    DIR *directory = opendir(".");
    if (!directory) return -1;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        (void)unlink(entry->d_name);
    closedir(directory);
    return chdir("/") == 0 && rmdir(files_home) == 0 ? 0 : -1;
}

void files_write_bytes(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void files_write(const char *name, const char *text)
{
    files_write_bytes(name, text, strlen(text));
}

char *files_read(const char *name)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    (void)fclose(file);
    return text;
}

void check_bound(double value, double bound, const char *text, const char *file, int line)
{
    if (value <= bound) return;
    print_error("%s = %.17g exceeds %.17g\n", text, value, bound);
    _fail(file, line);
}

void check_text(const tw_error *error, const char *words)
{
    if (strstr(error->text, words)) return;
    print_error("'%s' is not in: %s\n", words, error->text);
    fail();
}

tw_sim_def check_def(void)
{
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1e4;
    def.law.mu = 0.5;
    return def;
}
