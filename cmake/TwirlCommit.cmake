# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=DIR -DVERSION=X.Y.Z -DOUT=FILE -P TwirlCommit.cmake
#
# Writes a header with the version of the program: X.Y.Z if the sources are those of the tag vX.Y.Z, otherwise with the commit,
# X.Y.Z+g0123456789ab, and .modified where files differ from it. In a checkout git knows; in an archive `git archive` has
# written the commit and its tag into commit.txt. A copy of the files without either has +unknown.
cmake_minimum_required(VERSION 3.22)
get_filename_component(SOURCE ${SOURCE} REALPATH)
file(READ ${SOURCE}/cmake/commit.txt stamp)
string(STRIP "${stamp}" stamp)
set(suffix "+unknown")
if(stamp MATCHES "^([0-9a-f]+)( .*)?$")
    string(SUBSTRING ${CMAKE_MATCH_1} 0 12 commit)
    set(suffix "+g${commit}")
    if(stamp MATCHES " v${VERSION}$")
        set(suffix "")
    endif()
else()
    find_program(GIT git)
    # Sources may lie in the repository of another project.
    if(GIT)
        execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel --verify HEAD
            OUTPUT_VARIABLE said RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REPLACE "\n" ";" said "${said}")
        list(POP_FRONT said top)
    endif()
    if(GIT AND NOT failed AND top STREQUAL SOURCE)
        string(SUBSTRING ${said} 0 12 commit)
        set(suffix "+g${commit}")
        execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
            OUTPUT_VARIABLE changes ERROR_QUIET)
        execute_process(COMMAND ${GIT} -C ${SOURCE} tag --points-at HEAD OUTPUT_VARIABLE tags ERROR_QUIET)
        if(changes)
            string(APPEND suffix ".modified")
        elseif("\n${tags}" MATCHES "\nv${VERSION}\n")
            set(suffix "")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define TW_BUILD_VERSION \"@VERSION@@suffix@\"\n" @ONLY)
