# SPDX-License-Identifier: BSD-3-Clause
# Run at build time by TwirlWeb.cmake. What fails is an error if MUST is ON.
#
# STEP packages   copies web/ to FOLDER and fetches its packages there; those for development too if PACKAGES is packages_dev.
#                 PACKAGES.txt says whether that worked.
# STEP page       builds PAGE: an empty file if there are no packages.

set(log ${FOLDER}/npm.log)

function(tell_failure what)
    set(hint "see ${log}. To try again, remove ${FOLDER} and build again; -DTWIRL_WEB=OFF does without the page")
    if(MUST STREQUAL "AUTO")
        message("The program has no page for twirl report: ${what}; ${hint}")
    else()
        message(FATAL_ERROR "${what}; ${hint}")
    endif()
endfunction()

function(copy_sources)
    file(COPY ${SOURCE}/ DESTINATION ${FOLDER} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
endfunction()

# The result of a command, with its output in the log.
function(call result)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status
        OUTPUT_VARIABLE said ERROR_VARIABLE said)
    file(APPEND ${log} "${said}")
    set(${result} ${status} PARENT_SCOPE)
endfunction()

if(STEP STREQUAL "packages")
    file(MAKE_DIRECTORY ${FOLDER})
    file(WRITE ${log} "")
    file(REMOVE ${FOLDER}/packages.txt ${FOLDER}/packages_dev.txt) # only one of them is there
    copy_sources()
    set(omit --omit=dev)
    if(PACKAGES STREQUAL "packages_dev")
        set(omit "")
    endif()
    # No scripts of packages are run: esbuild works without its own.
    call(status ${NPM} ci ${omit} --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
        --fetch-timeout=30000)
    if(NOT status EQUAL 0)
        tell_failure("npm could not fetch its packages")
        file(WRITE ${FOLDER}/${PACKAGES}.txt "no\n")
    else()
        file(WRITE ${FOLDER}/${PACKAGES}.txt "yes\n")
    endif()
elseif(STEP STREQUAL "page")
    get_filename_component(dist ${PAGE} DIRECTORY)
    file(MAKE_DIRECTORY ${dist})
    file(READ ${FOLDER}/${PACKAGES}.txt fetched)
    set(status 1)
    if(fetched STREQUAL "yes\n")
        file(REMOVE_RECURSE ${FOLDER}/src) # files that are gone from web/
        copy_sources()
        call(status ${NODE} build.mjs --out ${dist})
        if(NOT status EQUAL 0)
            tell_failure("the page could not be built")
        endif()
    endif()
    if(NOT status EQUAL 0)
        file(WRITE ${PAGE} "")
    endif()
    file(TOUCH ${PAGE})
endif()
