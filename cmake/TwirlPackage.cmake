# SPDX-License-Identifier: BSD-3-Clause
# Manual pages, shell completion, scenarios, the guide: what a package has beside the program. debian/ makes the packages.

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
        install(FILES ${tw_manual_lmp} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
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
