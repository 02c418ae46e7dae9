/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <twirl/simd.h>
#include <twirl/twirl.h>

/* cdef */
/* end of cdef */
