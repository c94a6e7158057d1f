# The names under which others look for what the emulator has.
set(there "${CMAKE_INSTALL_PREFIX}/${toolkit}")
set(written "$ENV{DESTDIR}${there}")
foreach(name IN LISTS names)
  file(WRITE "${written}/lib64/${name}"
       "GROUP ( \"${there}/lib64/libemulator.a\" \"${there}/lib64/libemulator_observe.a\" AS_NEEDED ( ${libdw} ) )\n")
endforeach()
file(WRITE "${written}/lib64/libnccl.so" "GROUP ( \"${there}/lib64/libemulator_nccl.a\" )\n")
foreach(name IN ITEMS nvcc nvlink fatbinary)
  file(CREATE_LINK emu-nvcc "${written}/bin/${name}" SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin")
file(CREATE_LINK "../${toolkit}/bin/emu-nvcc" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/emu-nvcc" SYMBOLIC)
