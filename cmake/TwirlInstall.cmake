# SPDX-License-Identifier: BSD-3-Clause
# What is installed: the kernel (headers, both libraries, CMake package, pkg-config) and the program.
# Nothing installed names the prefix, so the tree can be moved.

include(CMakePackageConfigHelpers)

# The kernel's headers alone: the engine, to which the others belong, is not installed yet.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/twirl
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "contact*.h" PATTERN "vec3*.h")

install(TARGETS twirl_contact_shared twirl_contact_static EXPORT twirlTargets)
install(TARGETS twirl)

set(tw_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/twirl)
install(EXPORT twirlTargets NAMESPACE twirl:: DESTINATION ${tw_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/twirlConfig.cmake.in
    ${PROJECT_BINARY_DIR}/twirlConfig.cmake
    INSTALL_DESTINATION ${tw_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/twirlConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/twirlConfig.cmake
    ${PROJECT_BINARY_DIR}/twirlConfigVersion.cmake
    DESTINATION ${tw_package_dir})

# The .pc file finds its prefix from its own place, unless the directories were given as absolute.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(tw_pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(tw_pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(tw_pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH tw_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" tw_up ${tw_up})
    set(tw_pc_prefix "\${pcfiledir}/${tw_up}")
    set(tw_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(tw_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/twirl_contact.pc.in
    ${PROJECT_BINARY_DIR}/twirl_contact.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/twirl_contact.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
