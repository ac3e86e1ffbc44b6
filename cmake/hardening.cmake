# what an attacker who finds a mistake is not given: a stack that can be overwritten unseen, functions of the C library that do not know
# the size of their buffers, tables of addresses that can be changed. release builds only; what it costs: docs/performance.md
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(TENON_HARDENED 0)
if(NOT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" MATCHES "fsanitize|coverage" AND NOT type STREQUAL "DEBUG")
  check_c_compiler_flag(-fstack-protector-strong tenon_stack_protector)
  if(tenon_stack_protector)
    add_compile_options(-fstack-protector-strong)
    # two files of a right-hand side spend half of what all of this costs on arrays of 3 to 12 numbers, which loops of fixed length fill;
    # no text from outside comes near them
    set_source_files_properties(src/assemble/look.c src/assemble/forces.c PROPERTIES COMPILE_OPTIONS -fno-stack-protector)
  endif()
  # level 3 sees sizes that are known when the program runs; what is older has 2
  set(level 2)
  if((CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12) OR
     (CMAKE_C_COMPILER_ID MATCHES Clang AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12))
    set(level 3)
  endif()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
  check_linker_flag(C "LINKER:-z,relro,-z,now" tenon_relro_now)
  if(tenon_relro_now)
    add_link_options("LINKER:-z,relro,-z,now")
  endif()
  if(tenon_stack_protector AND tenon_relro_now)
    set(TENON_HARDENED 1)
  endif()
  check_pie_supported(LANGUAGES C OUTPUT_VARIABLE unused)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
