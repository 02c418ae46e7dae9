# SPDX-License-Identifier: BSD-3-Clause
# The CUDA device: tw_add_cuda_source(target file), and TWIRL_HAVE_CUDA, true if it is built.
#
# nvcc is called by a custom command, not as a language of CMake: old versions of CMake reject new ones of
# nvcc, and a language cannot be optional once it has been enabled.

set(TWIRL_CUDA AUTO CACHE STRING "Build the CUDA device: AUTO (if nvcc is found and works), ON or OFF")
set_property(CACHE TWIRL_CUDA PROPERTY STRINGS AUTO ON OFF)
set(TWIRL_CUDA_ARCHS 80 86 89 90 CACHE STRING
    "CUDA architectures, ascending; newer devices use the PTX of the last")

set(TWIRL_NVCC_FLAGS "" CACHE STRING "More options of nvcc, for example -Xptxas;-v")

set(TWIRL_HAVE_CUDA OFF)
if(TWIRL_CUDA STREQUAL "AUTO" OR TWIRL_CUDA)
    find_program(TWIRL_NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin
        PATHS /usr/local/cuda /opt/cuda)
    mark_as_advanced(TWIRL_NVCC)

    set(tw_nvcc_archs "")
    foreach(arch IN LISTS TWIRL_CUDA_ARCHS)
        list(APPEND tw_nvcc_archs -gencode arch=compute_${arch},code=sm_${arch})
    endforeach()
    list(GET TWIRL_CUDA_ARCHS -1 arch)
    list(APPEND tw_nvcc_archs -gencode arch=compute_${arch},code=compute_${arch})
    set(tw_nvcc ${TWIRL_NVCC})
    if(DEFINED ENV{CUDAHOSTCXX})
        list(APPEND tw_nvcc -ccbin $ENV{CUDAHOSTCXX})
    endif()

    # Whether nvcc, its host compiler, the runtime library and the architectures work together.
    set(tw_cuda_problem "")
    if(CMAKE_CROSSCOMPILING)
        set(tw_cuda_problem "cross-compiling")
    elseif(NOT TWIRL_NVCC)
        set(tw_cuda_problem "nvcc not found")
    elseif(NOT TWIRL_CUDA_TRIED STREQUAL "${tw_nvcc};${tw_nvcc_archs}")
        set(tw_try ${PROJECT_BINARY_DIR}/try_cuda)
        file(WRITE ${tw_try}.cu "__global__ void nothing() {}\nvoid call() { nothing<<<1, 1>>>(); }\n")
        execute_process(COMMAND ${tw_nvcc} ${tw_nvcc_archs} -std=c++17 -c ${tw_try}.cu -o ${tw_try}.o
            RESULT_VARIABLE tw_try_result OUTPUT_VARIABLE tw_try_said ERROR_VARIABLE tw_try_said)
        if(NOT tw_try_result EQUAL 0)
            set(tw_cuda_problem "${TWIRL_NVCC} cannot compile for ${TWIRL_CUDA_ARCHS}:\n${tw_try_said}")
        endif()
    endif()
    if(NOT tw_cuda_problem)
        get_filename_component(tw_cuda_root ${TWIRL_NVCC} REALPATH)
        get_filename_component(tw_cuda_root ${tw_cuda_root}/../.. ABSOLUTE)
        if(NOT CUDAToolkit_ROOT)
            set(CUDAToolkit_ROOT ${tw_cuda_root})
        endif()
        find_package(CUDAToolkit QUIET)
        if(TARGET CUDA::cudart_static)
            set(TWIRL_HAVE_CUDA ON)
            set(TWIRL_CUDA_TRIED "${tw_nvcc};${tw_nvcc_archs}" CACHE INTERNAL "")
        else()
            set(tw_cuda_problem "libcudart_static.a not found beside ${TWIRL_NVCC}")
        endif()
    endif()
    if(TWIRL_HAVE_CUDA)
        message(STATUS "CUDA: ${TWIRL_NVCC}, architectures ${TWIRL_CUDA_ARCHS}")
    elseif(TWIRL_CUDA STREQUAL "AUTO")
        message(STATUS "CUDA: not built: ${tw_cuda_problem}")
    else()
        message(FATAL_ERROR "TWIRL_CUDA=${TWIRL_CUDA}: ${tw_cuda_problem}")
    endif()
endif()

# Compiles a .cu file and adds the object to a library. -fmad=false is the -ffp-contract=off of nvcc. Sorts and
# scans of the toolkit's headers need the C++ library. A call of a function of the host in device code is only a
# warning by default, and fails when it is reached.
set(tw_cuda_libs CUDA::cudart_static stdc++)
function(tw_add_cuda_source target file)
    get_filename_component(name ${file} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${tw_nvcc} -O3 -std=c++17 -fmad=false ${tw_nvcc_archs} --threads 0
            -Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off,-fno-math-errno
            -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
            $<$<NOT:$<CONFIG:Debug>>:-DNDEBUG> -DNVTX_DISABLE ${TWIRL_NVCC_FLAGS}
            -Werror cross-execution-space-call,reorder
            -MD -MF ${object}.d -MT ${object} -c ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${object}
        DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file}
        DEPFILE ${object}.d
        COMMENT "Building CUDA object ${name}.o"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${target}_cuda DEPENDS ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${object})
    set(TWIRL_CUDA_OBJECT ${object} PARENT_SCOPE)
endfunction()
