# cmake --install build/cpu --prefix /opt/build-first: the course for a class, in a folder that nobody needs to
# write to again. bin/build-first there is ./tutor, which keeps a learner's files and builds in ~/build-first, or
# where BUILD_FIRST_HOME says. Before: cmake --build build/cpu --target tutor_whole
set(course share/build-first)
install(TARGETS tutor tutor_whole tutor_fence RUNTIME DESTINATION ${course}/bin)
install(PROGRAMS tools/installed_tutor.sh DESTINATION ${course} RENAME tutor)
install(FILES CMakeLists.txt CMakePresets.json README.md LICENSE DESTINATION ${course})
install(
  DIRECTORY chapters cmake common course docs emulator exercises solutions tests tools
  DESTINATION ${course}
  USE_SOURCE_PERMISSIONS)
install(CODE [[
  file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin")
  file(CREATE_LINK ../share/build-first/tutor "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/build-first" SYMBOLIC)
]])
