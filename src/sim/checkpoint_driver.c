/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* ftruncate */
#include "sim/checkpoint_driver.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static void keep_reason(tw_checkpoint_driver *driver)
{
    if (driver->number == 0) driver->number = errno ? errno : EIO;
}

/* HDF5 gives back what it was given: the address of the driver in a list of properties. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)flags, (void)most;
    tw_checkpoint_driver *const *driver = H5Pget_driver_info(access);
    return driver ? &(*driver)->base : NULL;
}

static herr_t driver_close(H5FD_t *file)
{
    (void)file; /* the descriptor is the caller's */
    return 0;
}

/* What HDF5's own driver for files has: files get the same bytes. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tw_checkpoint_driver *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    ((tw_checkpoint_driver *)file)->eoa = at;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const tw_checkpoint_driver *)file)->eof;
}

/* Beyond the end of the file there are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                          void *bytes)
{
    (void)type, (void)transfer;
    tw_checkpoint_driver *driver = (tw_checkpoint_driver *)file;
    const size_t got = tw_read_file_at(driver->descriptor, bytes, count, at);
    memset((char *)bytes + got, 0, count - got);
    if (got == count || errno == 0) return 0;
    keep_reason(driver);
    return -1;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                           const void *bytes)
{
    (void)type, (void)transfer;
    tw_checkpoint_driver *driver = (tw_checkpoint_driver *)file;
    if (driver->number == 0 && tw_write_all_at(driver->descriptor, bytes, count, at) < count)
        keep_reason(driver);
    if (driver->eof < at + count) driver->eof = at + count;
    return 0;
}

static const H5FD_class_t driver_class = {
#if defined(H5FD_CLASS_VERSION) /* HDF5 1.14 and later */
    .version = H5FD_CLASS_VERSION,
    .value = 0x7477, /* any from 256 to 65535 */
#endif
    .name = "twirl_checkpoint",
    .maxaddr = (haddr_t)1 << 62, /* below the largest off_t */
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(tw_checkpoint_driver *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

void tw_checkpoint_driver_start(tw_checkpoint_driver *driver, int descriptor, uint64_t bytes)
{
    memset(driver, 0, sizeof *driver);
    driver->descriptor = descriptor;
    driver->eof = bytes;
    driver->registered = H5FDregister(&driver_class);
}

hid_t tw_checkpoint_driver_access(tw_checkpoint_driver *driver)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_driver(access, driver->registered, &driver) >= 0) return access;
    H5Pclose(access);
    return H5I_INVALID_HID;
}

void tw_checkpoint_driver_complete(tw_checkpoint_driver *driver)
{
    while (driver->number == 0 && ftruncate(driver->descriptor, (off_t)driver->eoa) != 0)
        if (errno != EINTR) keep_reason(driver);
}

void tw_checkpoint_driver_end(tw_checkpoint_driver *driver)
{
    if (driver->registered >= 0) H5FDunregister(driver->registered);
    driver->registered = H5I_INVALID_HID;
}
