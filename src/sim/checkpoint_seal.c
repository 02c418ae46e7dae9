/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "sim/checkpoint.h"

static const char seal_magic[] = "twirl checkpoint ";

typedef struct seal {
    char text[TW_CHECKPOINT_SEAL_BYTES];
} seal;

/* The seal follows from version, length and hash alone: a reader makes it anew and compares all of
 * it. */
static seal seal_make(int version, uint64_t bytes, uint64_t hash)
{
    seal made;
    memset(&made, 0, sizeof made);
    snprintf(made.text, sizeof made.text,
             "%s%d\nbytes %020" PRIu64 "\nhash %016" PRIx64
             "\nAn HDF5 file follows this 512-byte header; the hash is that of the HDF5 part.\n",
             seal_magic, version, bytes, hash);
    return made;
}

/* Fewer bytes than there were: the file has shrunk meanwhile. */
static tw_status refuse_short(const char *path, tw_error *error)
{
    if (errno == 0) errno = EIO;
    return tw_error_set_system(error, "read", path);
}

static tw_status hash_rest(int file, const char *path, int version, uint64_t bytes, uint64_t *value,
                           tw_error *error)
{
    const uint64_t begin = TW_CHECKPOINT_SEAL_BYTES;
    tw_hash hash = tw_hash_start((uint64_t)version);
    if (bytes > begin && tw_read_file_hash(file, begin, bytes, &hash) < bytes - begin)
        return refuse_short(path, error);
    *value = tw_hash_value(&hash);
    return TW_STATUS_OK;
}

tw_status tw_checkpoint_seal_write(int file, const char *path, tw_error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0) return tw_error_set_system(error, "read", path);
    uint64_t hash = 0;
    const uint64_t bytes = (uint64_t)about.st_size;
    const tw_status status = hash_rest(file, path, TW_CHECKPOINT_VERSION, bytes, &hash, error);
    if (status != TW_STATUS_OK) return status;
    const seal made = seal_make(TW_CHECKPOINT_VERSION, bytes, hash);
    if (tw_write_all_at(file, made.text, sizeof made.text, 0) < sizeof made.text)
        return tw_error_set_system(error, "write", path);
    return TW_STATUS_OK;
}

static tw_status refuse_foreign(const char *path, const seal *found, tw_error *error)
{
    const tw_error_path name = tw_error_shorten_path(path);
    if (memcmp(found->text, "\x89HDF\r\n\x1a\n", 8) == 0)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: an HDF5 file, but not a checkpoint of twirl", name.text);
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: not a checkpoint of twirl: a file that begins with \"%s\" is expected",
                        name.text, seal_magic);
}

/* Explains what is wrong with a seal, as far as its text shows it. */
static tw_status seal_parse(const char *path, const seal *found, uint64_t bytes, int *version,
                            tw_error *error)
{
    char text[TW_CHECKPOINT_SEAL_BYTES + 1];
    memcpy(text, found->text, sizeof found->text);
    text[TW_CHECKPOINT_SEAL_BYTES] = '\0';
    const tw_error_path name = tw_error_shorten_path(path);
    const size_t magic = sizeof seal_magic - 1;
    if (strncmp(text, seal_magic, magic) != 0) return refuse_foreign(path, found, error);
    char *end;
    const unsigned long number = strtoul(text + magic, &end, 10);
    const bool later = number > TW_CHECKPOINT_VERSION, earlier = number < TW_CHECKPOINT_OLDEST;
    *version = later ? 0 : (int)number;
    if (*end == '\n' && (later || earlier))
        return tw_error_set(
            error, TW_STATUS_VERSION,
            "%s: written by %s version of twirl: format %lu, this one reads formats %d to %d. %s",
            name.text, later ? "a later" : "an earlier", number, TW_CHECKPOINT_OLDEST,
            TW_CHECKPOINT_VERSION,
            later ? "Use that version"
                  : "Run the scenario again; or write the grains with the earlier version ('twirl "
                    "export csv') and read them with 'twirl import'");
    uint64_t stated = 0;
    if (strncmp(end, "\nbytes ", 7) == 0) stated = strtoull(end + 7, NULL, 10);
    if (stated > bytes)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: truncated: %" PRIu64 " of %" PRIu64 " bytes", name.text, bytes,
                            stated);
    return TW_STATUS_OK;
}

tw_status tw_checkpoint_seal_check(int file, const char *path, uint64_t bytes, tw_error *error)
{
    seal found;
    memset(&found, 0, sizeof found);
    const size_t there = bytes < sizeof found ? (size_t)bytes : sizeof found;
    if (tw_read_file_at(file, found.text, there, 0) < there) return refuse_short(path, error);
    int version = 0;
    tw_status status = seal_parse(path, &found, bytes, &version, error);
    if (status != TW_STATUS_OK) return status;
    uint64_t hash = 0;
    status = hash_rest(file, path, version, bytes, &hash, error);
    if (status != TW_STATUS_OK) return status;
    const seal made = seal_make(version, bytes, hash);
    if (there < sizeof found || memcmp(made.text, found.text, sizeof made.text) != 0)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: damaged, or changed by another program: the hash of its content "
                            "is not the one it was written with",
                            tw_error_shorten_path(path).text);
    return TW_STATUS_OK;
}
