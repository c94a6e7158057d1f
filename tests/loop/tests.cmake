# The learner's side of the tutor: texts, workspace, screens, commands, and the loop on a terminal.
add_tutor_test(loop.text loop/text_test.cpp fmt::fmt)
add_tutor_test(loop.workspace loop/workspace_test.cpp fmt::fmt)
add_tutor_test(loop.screens loop/screens_test.cpp fmt::fmt)
add_tutor_test(loop.commands loop/commands_test.cpp fmt::fmt)
target_compile_definitions(loop_screens_tests PRIVATE SCREENS_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/loop/screens")

# The loop on a pseudo-terminal, with a real exercise. (The sanitizers' builds cannot observe one.)
if(BF_BACKEND STREQUAL "cpu" AND NOT BF_SANITIZE)
  add_tutor_test(loop.terminal loop/terminal_test.cpp util)
  target_compile_definitions(loop_terminal_tests PRIVATE BUILD_FOLDER="${PROJECT_BINARY_DIR}")
  add_dependencies(loop_terminal_tests exercise.05_reduction.block_sum)
endif()

# What editors are told, as far as there is a clangd to ask.
find_program(BF_CLANGD NAMES clangd clangd-19 clangd-18 clangd-17 clangd-16 clangd-15 clangd-14)
mark_as_advanced(BF_CLANGD)
if(BF_CLANGD AND BF_BACKEND STREQUAL "cpu" AND NOT BF_SANITIZE)
  add_tutor_test(loop.editor loop/editor_test.cpp)
  target_compile_definitions(loop_editor_tests PRIVATE CLANGD_PROGRAM="${BF_CLANGD}")
elseif(NOT BF_CLANGD)
  message(STATUS "clangd is not here: the test loop.editor is left out")
endif()
