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
