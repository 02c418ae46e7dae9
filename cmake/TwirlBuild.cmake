# SPDX-License-Identifier: BSD-3-Clause
# How every target of the project is compiled: tw_set_build(target...).

option(TWIRL_WERROR "Treat compiler warnings as errors" OFF)
option(TWIRL_NATIVE "Use every instruction of this machine; the result may not run elsewhere" OFF)
option(TWIRL_FUZZ "Build the fuzzers of test/fuzz; needs clang" OFF)
set(TWIRL_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address,undefined")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# Never -ffast-math: results would depend on the compiler's mood. Two of its parts are harmless here:
# nobody reads errno after a math call, and nobody traps floating-point exceptions.
# No contraction to fused multiply-add: which pairs of operations are fused is up to the compiler, and not
# every processor can. Spelled out because clang contracts unless it is told not to. tools/check_fused looks.
set(tw_compile_options -fno-math-errno -fno-trapping-math -ffp-contract=off)

# Calls between our own functions need not go through the symbol table of a shared library.
list(APPEND tw_compile_options -fno-semantic-interposition)

set(tw_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
if(TWIRL_WERROR)
    list(APPEND tw_warnings -Werror)
endif()
list(APPEND tw_compile_options ${tw_warnings})

if(TWIRL_NATIVE)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm)")
        list(APPEND tw_compile_options -mcpu=native)
    else()
        list(APPEND tw_compile_options -march=native)
    endif()
endif()

set(tw_link_options "")
if(TWIRL_SANITIZE)
    set(tw_sanitize_flags -fsanitize=${TWIRL_SANITIZE} -fno-sanitize-recover=all)
    list(APPEND tw_compile_options ${tw_sanitize_flags} -fno-omit-frame-pointer)
    list(APPEND tw_link_options ${tw_sanitize_flags})
endif()

if(TWIRL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "TWIRL_FUZZ needs clang, for libFuzzer: use the preset fuzz.")
    endif()
    # Every library tells where it has been; the fuzzers alone get a main.
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
