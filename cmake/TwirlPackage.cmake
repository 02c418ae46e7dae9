# SPDX-License-Identifier: BSD-3-Clause
# Manual pages, shell completion, scenarios, and Debian packages by cpack: twirl, and twirl-lammps with the plugin.
# scripts/package builds them as they should be.

set(TWIRL_PACKAGE_CONTACT "The twirl authors <twirl-authors@example.org>" CACHE STRING
    "Maintainer of the packages, as in a Debian control file")

# The pages come from the program, so it must run on this machine.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(tw_manual_dir ${PROJECT_BINARY_DIR}/manual)
    add_custom_command(OUTPUT ${tw_manual_dir}/twirl.1.gz
        COMMAND ${CMAKE_COMMAND} -E make_directory ${tw_manual_dir}
        COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/manual.sh ${tw_manual_dir} $<TARGET_FILE:twirl>
        DEPENDS twirl ${CMAKE_CURRENT_LIST_DIR}/manual.sh
        COMMENT "Manual pages"
        VERBATIM)
    add_custom_target(manual ALL DEPENDS ${tw_manual_dir}/twirl.1.gz)
    install(DIRECTORY ${tw_manual_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1.gz")
    if(TARGET twirl_lmp)
        set(tw_manual_lmp ${PROJECT_BINARY_DIR}/plugins/lammps/twirl-lmp.1.gz)
        add_custom_command(OUTPUT ${tw_manual_lmp}
            COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/manual_lmp.sh ${tw_manual_lmp} ${PROJECT_VERSION} $<TARGET_FILE:twirl_lmp>
            DEPENDS twirl_lmp ${CMAKE_CURRENT_LIST_DIR}/manual_lmp.sh
            COMMENT "Manual page of twirl-lmp"
            VERBATIM)
        add_custom_target(manual_lmp ALL DEPENDS ${tw_manual_lmp})
        install(FILES ${tw_manual_lmp} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT lammps OPTIONAL)
    endif()
endif()

set(tw_completion_dir ${PROJECT_SOURCE_DIR}/apps/twirl/completion)
install(FILES ${tw_completion_dir}/twirl.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME twirl)
install(FILES ${tw_completion_dir}/_twirl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/twirl)
# What messages and pages refer to, with their links to each other.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/guide ${PROJECT_SOURCE_DIR}/docs/theory
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/twirl/docs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/twirl PATTERN "CMakeLists.txt" EXCLUDE PATTERN ".gitignore" EXCLUDE)

# ---- Debian packages ----

set(tw_package_files ${PROJECT_BINARY_DIR}/package)
string(TIMESTAMP tw_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(package IN ITEMS twirl twirl-lammps)
    set(tw_package ${package})
    configure_file(${CMAKE_CURRENT_LIST_DIR}/package_changelog.in ${tw_package_files}/${package}/changelog.Debian @ONLY)
    execute_process(COMMAND gzip -9nf ${tw_package_files}/${package}/changelog.Debian)
    if(package STREQUAL twirl)
        set(tw_license_name BSD-3-Clause)
        file(READ ${PROJECT_SOURCE_DIR}/LICENSE tw_license)
        string(REGEX REPLACE "\n\n" "\n.\n" tw_license "${tw_license}")
        string(REGEX REPLACE "\n([^\n])" "\n \\1" tw_license " ${tw_license}")
    else()
        set(tw_license_name GPL-2)
        set(tw_license " The licence is in /usr/share/common-licenses/GPL-2 on Debian systems.\n The contact kernel in it has the licence of the package twirl.")
    endif()
    configure_file(${CMAKE_CURRENT_LIST_DIR}/package_copyright.in ${tw_package_files}/${package}/copyright @ONLY)
    string(REPLACE "twirl-" "" component ${package})
    install(FILES ${tw_package_files}/${package}/copyright ${tw_package_files}/${package}/changelog.Debian.gz
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${TWIRL_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL twirl)
if(TARGET twirl_lmp OR TARGET twirl_lammps)
    list(APPEND CPACK_COMPONENTS_ALL lammps)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For other packages, which libraries are in this one; and ldconfig by a trigger, as Debian wants it.
file(WRITE ${tw_package_files}/shlibs "")
foreach(library IN ITEMS libtwirl_contact libtwirl)
    file(APPEND ${tw_package_files}/shlibs "${library} ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} twirl (>= ${PROJECT_VERSION})\n")
endforeach()
file(WRITE ${tw_package_files}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_TWIRL_PACKAGE_CONTROL_EXTRA ${tw_package_files}/shlibs ${tw_package_files}/triggers)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_TWIRL_PACKAGE_NAME twirl)
set(CPACK_DEBIAN_TWIRL_DESCRIPTION "Element tests of soil mechanics and granular physics (isotropic compression,
triaxial and simple shear, undrained loading, stress probes) on spheres and
rigid sphere clusters in periodic cells, with frictional contacts that are
advanced exactly within a time step. Results are the same, bit for bit, on
every machine and for any number of threads.
.
This package has the program, the libraries and headers of the contact kernel
and of the engine, the Python package, and scenarios to start from.")
set(CPACK_DEBIAN_TWIRL_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot, ffmpeg, fonts-liberation, fonts-dejavu-core, python3, python3-cffi-backend, python3-numpy, python3-h5py, python3-matplotlib, python3-pandas, libmumps-seq-dev, libopenblas0-serial")
set(CPACK_DEBIAN_LAMMPS_PACKAGE_NAME twirl-lammps)
set(CPACK_DEBIAN_LAMMPS_DESCRIPTION "The contact law of twirl as a pair style and a wall style of LAMMPS, as a
plugin and as a program with the styles built in.")
set(CPACK_DEBIAN_LAMMPS_PACKAGE_DEPENDS "twirl (= ${PROJECT_VERSION}-1)")
include(CPack)
