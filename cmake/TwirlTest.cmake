# SPDX-License-Identifier: BSD-3-Clause
# tw_add_test(name SOURCES file... [LIBS target...] [TIMEOUT seconds] [LABELS label...])
# adds a cmocka test program and registers it with ctest under its name.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
    message(FATAL_ERROR
        "The tests need cmocka: run scripts/setup quick, or configure with -DBUILD_TESTING=OFF.")
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# On aarch64 the leak checker takes four seconds at the exit of every process, because it walks a table of
# the whole address space. There it is off, except for the golden scenes, the corpora of the fuzzers, which make readers
# fail everywhere, and these test programs, which together allocate all that the libraries do. determinism_out_of_memory
# counts blocks itself.
set(tw_leaks_checked "^(base_(buffer|read_file|replace_file|team)|run_(history|leftovers|state)|scenario_(errors|memory|round_trip)|\
checkpoint_(damage|round_trip)|exchange_(lammps_io|remember)|determinism_environment|device_sim)$")
if(TWIRL_SANITIZE MATCHES "address" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(tw_leaks ${PROJECT_BINARY_DIR}/leaks.cmake)
    file(WRITE ${tw_leaks}
        "if(NOT DEFINED ENV{ASAN_OPTIONS})\n    set(ENV{ASAN_OPTIONS} detect_leaks=0)\nendif()\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES ${tw_leaks})
endif()

# Two labels are choices that scripts/test makes: `quick` are the tests that it runs without options, with costs in
# test/quick.txt, `slow` those that it runs with --slow alone.
#
# The target `tests` builds what the tests need, except those with a label that is left out, and `quick` what the quick ones
# need: scripts/test builds only what it runs.
set(TWIRL_LEFT_OUT "" CACHE STRING "Labels of tests for which the target tests builds nothing")
add_custom_target(tests)
add_custom_target(quick)

# tw_tests_need(LABELS label... TARGETS target...)
function(tw_tests_need)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "LABELS;TARGETS")
    if(quick IN_LIST arg_LABELS)
        add_dependencies(quick ${arg_TARGETS})
    endif()
    foreach(label IN LISTS arg_LABELS)
        if(label IN_LIST TWIRL_LEFT_OUT)
            return()
        endif()
    endforeach()
    add_dependencies(tests ${arg_TARGETS})
endfunction()

function(tw_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS;LABELS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
        message(FATAL_ERROR "tw_add_test(${name}): SOURCES missing, or unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_executable(${name} ${arg_SOURCES})
    tw_set_build(${name})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} PkgConfig::CMOCKA m)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
    tw_tests_need(LABELS ${arg_LABELS} TARGETS ${name})
    if(TWIRL_SANITIZE MATCHES "address" AND name MATCHES "${tw_leaks_checked}")
        set_tests_properties(${name} PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=1)
    endif()
endfunction()
