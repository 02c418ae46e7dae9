# SPDX-License-Identifier: BSD-3-Clause
# Compiler and linker options of all targets: tw_set_build(target...).

option(TWIRL_WERROR "Treat compiler warnings as errors" OFF)
option(TWIRL_FUZZ "Build the fuzzers of test/fuzz; needs clang" OFF)
set(TWIRL_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address,undefined,float-cast-overflow")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# The same arithmetic on every machine: plain IEEE operations in source order. So no -ffast-math, and no
# fused multiply-add, which only some processors have; tools/check_fused checks the object code. Two parts
# of -ffast-math are harmless: errno is not read after math calls, and floating-point exceptions are not
# trapped.
set(tw_compile_options -fno-math-errno -fno-trapping-math -ffp-contract=off)

# Calls within a shared library need not go through its symbol table.
list(APPEND tw_compile_options -fno-semantic-interposition)

set(tw_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
if(TWIRL_WERROR)
    list(APPEND tw_warnings -Werror)
endif()
list(APPEND tw_compile_options ${tw_warnings})

set(tw_link_options "")
if(TWIRL_SANITIZE)
    set(tw_sanitize_flags -fsanitize=${TWIRL_SANITIZE} -fno-sanitize-recover=all)
    list(APPEND tw_compile_options ${tw_sanitize_flags} -fno-omit-frame-pointer)
    list(APPEND tw_link_options ${tw_sanitize_flags})
    # The checks make long functions, in which gcc takes most of its time for a better choice of registers.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND tw_compile_options -fira-region=one)
    endif()
endif()

if(TWIRL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "TWIRL_FUZZ needs clang, for libFuzzer: use the preset fuzz.")
    endif()
    # All libraries are instrumented for coverage; only the fuzzers get libFuzzer's main.
    list(APPEND tw_compile_options -fsanitize=fuzzer-no-link)
    list(APPEND tw_link_options -fsanitize=fuzzer-no-link)
endif()

function(tw_set_build)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${tw_compile_options})
        target_link_options(${target} PRIVATE ${tw_link_options})
        set_target_properties(${target} PROPERTIES
            C_STANDARD 11
            C_STANDARD_REQUIRED ON
            C_EXTENSIONS OFF
            CXX_STANDARD 17
            CXX_STANDARD_REQUIRED ON
            CXX_EXTENSIONS OFF)
    endforeach()
endfunction()

# tw_add_simd_sources(target file...) compiles each file once per level of src/base/simd.h, with the options
# in tw_simd_options.
# They are vectorised by hand. Auto-vectorisation is off because gcc 12 turns scalar code with alternating
# signs into fused operations even with contraction off.
set(tw_simd_levels narrow)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND tw_simd_levels avx2 avx512)
endif()
set(tw_simd_narrow "")
set(tw_simd_avx2 -mavx2)
set(tw_simd_avx512 -mavx512f -mavx512dq -mavx512vl)

function(tw_add_simd_sources target)
    foreach(file IN LISTS ARGN)
        foreach(level IN LISTS tw_simd_levels)
            get_filename_component(name ${file} NAME_WE)
            set(copy ${CMAKE_CURRENT_BINARY_DIR}/${name}_${level}.c)
            file(GENERATE OUTPUT ${copy} CONTENT
                "#define TW_SIMD_LEVEL ${level}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${file}\"\n")
            set_source_files_properties(${copy} PROPERTIES
                COMPILE_OPTIONS "-fno-tree-vectorize;${tw_simd_options};${tw_simd_${level}}"
                OBJECT_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
            target_sources(${target} PRIVATE ${copy})
        endforeach()
    endforeach()
endfunction()
