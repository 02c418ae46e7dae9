/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One word of a command, quoted for a shell. */
static void print_word(const char *word)
{
    const char *plain = word;
    while (isalnum((unsigned char)*plain) || (*plain && strchr("_-+=./,:@%", *plain)))
        plain++;
    if (*word && !*plain) {
        fprintf(stderr, " %s", word);
        return;
    }
    fputs(" '", stderr);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*word, stderr);
    }
    fputc('\'', stderr);
}

/* Words of the command line that belong to the option `name`, of which `word` is the first; 0: it
 * is another. */
static int words_of(const char *name, const char *word)
{
    const size_t length = strcspn(name, "=");
    if (strncmp(word, name, length) != 0) return 0;
    if (word[length] == '=') return 1;
    if (word[length] != '\0') return 0;
    return name[length] == '=' ? 2 : 1;
}

void tw_command_line_print(const char *command, const char *const *extra,
                           const char *const *without, int argc, char **argv)
{
    fputs("   ", stderr);
    print_word(program_invocation_name);
    print_word(command);
    for (; *extra; extra++)
        print_word(*extra);
    for (int i = 1; i < argc;) {
        int skip = 0;
        for (const char *const *name = without; *name && skip == 0; name++)
            skip = words_of(*name, argv[i]);
        if (skip == 0) print_word(argv[i]);
        i += skip > 0 ? skip : 1;
    }
    fputc('\n', stderr);
}
