# SPDX-License-Identifier: BSD-3-Clause
# The page of `twirl report` and `twirl watch`: tw_add_page(target) puts it into a program. TWIRL_HAVE_WEB is true if it is
# built, in TWIRL_WEB_FOLDER, a copy of web/ with its node_modules, which tests may use too.
#
# npm fetches packages when twirl is built. If it cannot, with AUTO, the program is built without the page and says so.

set(TWIRL_WEB AUTO CACHE STRING "Build the page of reports: AUTO (if npm is there and works), ON or OFF")
set_property(CACHE TWIRL_WEB PROPERTY STRINGS AUTO ON OFF)
set(TWIRL_WEB_PAGE "" CACHE FILEPATH "With TWIRL_WEB=OFF: the page of another build, web/dist/page.html in its folder")

set(TWIRL_HAVE_WEB OFF)
set(TWIRL_WEB_FOLDER ${PROJECT_BINARY_DIR}/web)
set(tw_web_source ${PROJECT_SOURCE_DIR}/web)

if(TWIRL_WEB STREQUAL "AUTO" OR TWIRL_WEB)
    find_program(TWIRL_NODE node)
    find_program(TWIRL_NPM npm)
    mark_as_advanced(TWIRL_NODE TWIRL_NPM)
    set(tw_web_problem "")
    if(NOT EXISTS ${tw_web_source}/package-lock.json)
        set(tw_web_problem "web/package-lock.json is not there")
    elseif(NOT TWIRL_NODE OR NOT TWIRL_NPM)
        set(tw_web_problem "node and npm not found; scripts/setup web installs them")
    else()
        execute_process(COMMAND ${TWIRL_NODE} --version OUTPUT_VARIABLE tw_node_version ERROR_QUIET)
        string(REGEX MATCH "[0-9.]+" tw_node_version "${tw_node_version}")
        if(NOT tw_node_version OR tw_node_version VERSION_LESS 18)
            set(tw_web_problem "node 18 or newer is needed; ${TWIRL_NODE} is ${tw_node_version}")
        endif()
    endif()
    if(NOT tw_web_problem)
        set(TWIRL_HAVE_WEB ON)
    elseif(TWIRL_WEB STREQUAL "AUTO")
        message(STATUS "No page for twirl report: ${tw_web_problem}")
    else()
        message(FATAL_ERROR "TWIRL_WEB is ${TWIRL_WEB}, but ${tw_web_problem}")
    endif()
endif()

set(tw_page ${TWIRL_WEB_FOLDER}/dist/page.html)
if(TWIRL_HAVE_WEB)
    # Tests need the packages for development too.
    set(tw_web_packages packages)
    if(BUILD_TESTING)
        set(tw_web_packages packages_dev)
    endif()
    set(tw_web_lists ${tw_web_source}/package.json ${tw_web_source}/package-lock.json)
    file(GLOB_RECURSE tw_web_files CONFIGURE_DEPENDS ${tw_web_source}/src/* ${tw_web_source}/build.mjs ${tw_web_source}/test/*
        ${tw_web_source}/tsconfig.json ${tw_web_source}/.npmrc)
    set(tw_web_call ${CMAKE_COMMAND} -DSOURCE=${tw_web_source} -DFOLDER=${TWIRL_WEB_FOLDER} -DPAGE=${tw_page}
        -DNODE=${TWIRL_NODE} -DNPM=${TWIRL_NPM} -DPACKAGES=${tw_web_packages} -DMUST=${TWIRL_WEB})
    set(tw_web_build ${PROJECT_SOURCE_DIR}/cmake/TwirlWebBuild.cmake)
    add_custom_command(OUTPUT ${TWIRL_WEB_FOLDER}/${tw_web_packages}.txt
        COMMAND ${tw_web_call} -DSTEP=packages -P ${tw_web_build}
        DEPENDS ${tw_web_lists} ${tw_web_build}
        COMMENT "Fetching the packages of the page with npm" VERBATIM)
    add_custom_command(OUTPUT ${tw_page}
        COMMAND ${tw_web_call} -DSTEP=page -P ${tw_web_build}
        DEPENDS ${TWIRL_WEB_FOLDER}/${tw_web_packages}.txt ${tw_web_files} ${tw_web_build}
        COMMENT "Building the page of reports" VERBATIM)
    add_custom_target(twirl_page DEPENDS ${tw_page})
endif()

# The page becomes part of the program by .incbin: fast to compile, and there is no file to be found at run time.
function(tw_add_page target)
    if(TWIRL_WEB_PAGE AND NOT TWIRL_HAVE_WEB)
        set(tw_page ${TWIRL_WEB_PAGE})
    elseif(NOT TWIRL_HAVE_WEB)
        file(MAKE_DIRECTORY ${TWIRL_WEB_FOLDER}/dist)
        file(WRITE ${tw_page} "")
    else()
        add_dependencies(${target} twirl_page)
    endif()
    set_property(SOURCE report/report_page.c APPEND PROPERTY OBJECT_DEPENDS ${tw_page})
    set_property(SOURCE report/report_page.c APPEND PROPERTY COMPILE_DEFINITIONS TWIRL_PAGE_FILE="${tw_page}")
endfunction()
