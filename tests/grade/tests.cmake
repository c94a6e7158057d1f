# Grading: its parts, the walls around submissions, and submissions that try to get over them.

add_tutor_test(grade.class grade/class_test.cpp grading)
target_sources(grade_class_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/grade/resume_test.cpp
                                         ${CMAKE_CURRENT_SOURCE_DIR}/grade/credit_test.cpp)
add_tutor_test(grade.formats grade/formats_test.cpp grading)

# What submissions run behind, with a program that tries everything; then the real checker. (Sanitizers
# need what the walls forbid.)
if(BF_BACKEND STREQUAL "cpu" AND NOT BF_SANITIZE)
  add_executable(grade_probe grade/probe.cpp)
  target_link_libraries(grade_probe PRIVATE Threads::Threads)
  add_tutor_test(grade.isolation grade/isolation_test.cpp grading)
  target_compile_definitions(
    grade_isolation_tests PRIVATE PROBE_PROGRAM="$<TARGET_FILE:grade_probe>"
                                  FENCE_PROGRAM="$<TARGET_FILE:tutor_fence>")
  add_dependencies(grade_isolation_tests grade_probe)

  add_tutor_test(grade.hostile grade/hostile_test.cpp grading)
  target_compile_definitions(
    grade_hostile_tests PRIVATE BUILD_FOLDER="${PROJECT_BINARY_DIR}"
                                FENCE_PROGRAM="$<TARGET_FILE:tutor_fence>")
  add_tutor_test(grade.command grade/command_test.cpp)
  target_compile_definitions(grade_command_tests PRIVATE BUILD_FOLDER="${PROJECT_BINARY_DIR}")
  foreach(test IN ITEMS grade_hostile_tests grade_command_tests)
    add_dependencies(${test} exercise.05_reduction.block_sum)
  endforeach()

  # Cases that need a wall which not every machine has: skipped there, by name, and not passed.
  function(add_wall_test test program)
    add_test(NAME ${test} COMMAND ${program} --no-intro --no-skip ${ARGN})
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION
                                            "test cases:[ ]*0 ")
  endfunction()
  foreach(wall IN ITEMS seccomp bubblewrap landlock)
    add_wall_test(grade.isolation.${wall} grade_isolation_tests --test-suite=${wall})
  endforeach()
  add_wall_test(grade.isolation.user grade_isolation_tests "--test-suite=ordinary user")
  add_wall_test(grade.hostile.landlock grade_hostile_tests "--test-case=without bubblewrap*")
  set_tests_properties(grade.hostile grade.hostile.landlock grade.command PROPERTIES COST 400)
endif()
