# SPDX-License-Identifier: BSD-3-Clause
# Installs the kernel and the engine (both as static and shared libraries), headers, the CMake package,
# pkg-config files and the program. No installed file contains the prefix, so the tree can be moved.

include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/twirl
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.def")

# Each layer is a library in the build; they are installed as one library, including the kernel.
find_package(HDF5 REQUIRED COMPONENTS C)
set(tw_objects $<TARGET_OBJECTS:twirl_contact_objects>)
set_target_properties(twirl_contact_objects PROPERTIES C_VISIBILITY_PRESET hidden)
foreach(layer IN ITEMS base shape world search step control device sim probe statics exchange scenario run figure)
    set_target_properties(twirl_${layer} PROPERTIES C_VISIBILITY_PRESET hidden)
    list(APPEND tw_objects $<TARGET_OBJECTS:twirl_${layer}>)
endforeach()
add_library(twirl_engine STATIC ${tw_objects} ${TWIRL_CUDA_OBJECT})
add_library(twirl_engine_shared SHARED ${tw_objects} ${TWIRL_CUDA_OBJECT})
add_library(twirl::sim ALIAS twirl_engine)
add_library(twirl::sim_shared ALIAS twirl_engine_shared)
foreach(library IN ITEMS twirl_engine twirl_engine_shared)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # Private: users link these libraries, but do not get their include paths and compile options.
    target_link_libraries(${library} PRIVATE hdf5::hdf5 yaml Threads::Threads ${CMAKE_DL_LIBS})
    # Interface, because the inline headers call libm from the user's own objects.
    target_link_libraries(${library} PUBLIC m)
    if(TWIRL_HAVE_CUDA)
        add_dependencies(${library} twirl_device_cuda)
        target_link_libraries(${library} PRIVATE ${tw_cuda_libs})
    endif()
    set_target_properties(${library} PROPERTIES OUTPUT_NAME twirl LINKER_LANGUAGE C)
endforeach()
set_target_properties(twirl_engine PROPERTIES EXPORT_NAME sim)

# The shared library exports what public headers declare with TW_API; its other functions are hidden, and nothing of
# CUDA's library and the templates of C++ is visible.
set(tw_map ${PROJECT_BINARY_DIR}/twirl.map)
file(CONFIGURE OUTPUT ${tw_map} CONTENT "{ global: tw_*; local: *; };\n")
tw_set_build(twirl_engine_shared)
target_link_options(twirl_engine_shared PRIVATE -Wl,--version-script=${tw_map})
# As for the kernel: before 1.0 any minor version may change the interface.
set_target_properties(twirl_engine_shared PROPERTIES
    EXPORT_NAME sim_shared
    LINK_DEPENDS ${tw_map}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS twirl_contact_shared twirl_contact_static EXPORT twirlTargets)
install(TARGETS twirl_engine twirl_engine_shared EXPORT twirlSimTargets)
install(TARGETS twirl)

set(tw_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/twirl)
install(EXPORT twirlTargets NAMESPACE twirl:: DESTINATION ${tw_package_dir})
install(EXPORT twirlSimTargets NAMESPACE twirl:: DESTINATION ${tw_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/twirlConfig.cmake.in
    ${PROJECT_BINARY_DIR}/twirlConfig.cmake
    INSTALL_DESTINATION ${tw_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/twirlConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/twirlConfig.cmake
    ${PROJECT_BINARY_DIR}/twirlConfigVersion.cmake
    DESTINATION ${tw_package_dir})

# The .pc file derives the prefix from its own location, unless the install directories are absolute.
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

# HDF5 by its .pc file if it has one, otherwise by the library files found; libyaml always has one.
find_package(PkgConfig QUIET)
set(tw_pc_requires "")
set(tw_pc_libs "")
if(PkgConfig_FOUND)
    pkg_search_module(TW_HDF5 QUIET hdf5-serial hdf5)
    set(tw_pc_requires "${TW_HDF5_MODULE_NAME}")
endif()
if(NOT tw_pc_requires)
    list(JOIN HDF5_C_LIBRARIES " " tw_pc_libs)
endif()
string(STRIP "${tw_pc_requires} yaml-0.1" tw_pc_requires)
if(TWIRL_HAVE_CUDA)
    string(APPEND tw_pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lstdc++")
endif()
string(APPEND tw_pc_libs " -pthread -lm")
string(STRIP "${tw_pc_libs}" tw_pc_libs)

foreach(name IN ITEMS twirl_contact twirl)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/twirl_contact.pc ${PROJECT_BINARY_DIR}/twirl.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
