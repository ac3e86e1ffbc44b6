# each test/**/*.c is a program, each TEST in it a CTest test `path/of/file.name` run as `program name` in a folder of its
# own. labels: TEST fast, TEST_FULL full, TEST_LONG long; quick: the fast ones, and the full ones of folders that have no other.
# test/support/*.c is linked into every program; test/preload/*.c are libraries that tests of the program put before the C library.

file(GLOB support CONFIGURE_DEPENDS test/support/*.c)
file(GLOB_RECURSE programs RELATIVE ${PROJECT_SOURCE_DIR}/test CONFIGURE_DEPENDS test/*.c)
list(FILTER programs EXCLUDE REGEX "^(support|preload)/")

add_library(tenon-test INTERFACE)
target_include_directories(tenon-test INTERFACE src test)
target_compile_definitions(tenon-test INTERFACE
  _XOPEN_SOURCE=700
  TN_HARDENED=${TENON_HARDENED}
  TN_PROGRAM=$<BOOL:${TENON_PROGRAM}>
  "TN_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\""
  "TN_BINARY=\"${PROJECT_BINARY_DIR}/tenon${CMAKE_EXECUTABLE_SUFFIX}\"")
target_link_libraries(tenon-test INTERFACE tenon-lib)
target_compile_options(tenon-test INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-string-concatenation>) # lines of models in lists of models
if(support)
  add_library(tenon-test-support OBJECT ${support})
  target_link_libraries(tenon-test-support PRIVATE tenon-test)
endif()

add_library(tenon-disk MODULE test/preload/disk.c)
set_target_properties(tenon-disk PROPERTIES OUTPUT_NAME disk PREFIX lib
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/preload)
target_compile_options(tenon-disk PRIVATE -fno-sanitize=all -fno-builtin -Wno-pedantic) # a symbol is a function
target_link_options(tenon-disk PRIVATE -fno-sanitize=all)
target_link_libraries(tenon-disk PRIVATE ${CMAKE_DL_LIBS})

# independent libraries that answers are compared with
if(NOT TENON_MINIMAL)
  find_path(JANSSON_INCLUDE jansson.h)
  find_library(JANSSON_LIBRARY jansson)
  find_path(LAPACKE_INCLUDE lapacke.h)
  find_library(LAPACKE_LIBRARY lapacke)
  find_library(OPENBLAS_LIBRARY openblas)
  mark_as_advanced(JANSSON_INCLUDE JANSSON_LIBRARY LAPACKE_INCLUDE LAPACKE_LIBRARY OPENBLAS_LIBRARY)
endif()

math(EXPR fast_limit "60 * ${TENON_TIMEOUT_FACTOR}")
math(EXPR full_limit "240 * ${TENON_TIMEOUT_FACTOR}")
math(EXPR long_limit "3600 * ${TENON_TIMEOUT_FACTOR}")

set(folders_with_fast "")
foreach(program IN LISTS programs)
  file(STRINGS ${PROJECT_SOURCE_DIR}/test/${program} found REGEX "^TEST\\(")
  if(found)
    cmake_path(GET program PARENT_PATH folder)
    list(APPEND folders_with_fast ${folder})
  endif()
endforeach()

foreach(program IN LISTS programs)
  set(source ${PROJECT_SOURCE_DIR}/test/${program})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)

  set(libraries "")
  set(includes "")
  set(missing "")
  if(text MATCHES "#include [<\"]jansson\\.h[>\"]")
    if(JANSSON_INCLUDE AND JANSSON_LIBRARY)
      list(APPEND libraries ${JANSSON_LIBRARY})
      list(APPEND includes ${JANSSON_INCLUDE})
    else()
      list(APPEND missing jansson)
    endif()
  endif()
  if(text MATCHES "#include [<\"]lapacke\\.h[>\"]")
    if(LAPACKE_INCLUDE AND LAPACKE_LIBRARY AND OPENBLAS_LIBRARY)
      list(APPEND libraries ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY})
      list(APPEND includes ${LAPACKE_INCLUDE})
    else()
      list(APPEND missing lapacke openblas)
    endif()
  endif()
  if(program MATCHES "^mpi/" AND NOT (TARGET tenon-mpi AND MPIEXEC_EXECUTABLE))
    list(APPEND missing MPI)
  endif()
  if(program STREQUAL "fuzz/test_soak.c" AND NOT TENON_SOAK)
    list(APPEND missing "faults for ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  # those of processes: where there is no program, the platform has none
  if(NOT TENON_PROGRAM AND (program MATCHES "^(cli|mpi|docs|install|bench)/" OR text MATCHES "sys/wait\\.h|[^a-z_](popen|dup2|fork)\\("))
    continue()
  endif()
  if(missing)
    if(NOT TENON_MINIMAL)
      message(STATUS "test/${program} is left out: no ${missing}")
    endif()
    continue()
  endif()

  cmake_path(REMOVE_EXTENSION program LAST_ONLY OUTPUT_VARIABLE path)
  cmake_path(GET path FILENAME stem)
  cmake_path(GET path PARENT_PATH folder)
  string(REPLACE "/" "." target "test.${path}")
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${stem} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/${folder})
  target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>) # they are compiled more often than they run
  target_include_directories(${target} SYSTEM PRIVATE ${includes})
  target_link_libraries(${target} PRIVATE tenon-test ${libraries})
  if(support)
    target_link_libraries(${target} PRIVATE tenon-test-support)
  endif()
  if(TARGET tenon)
    add_dependencies(${target} tenon)
  endif()

  if(folder STREQUAL "fuzz")
    target_link_libraries(${target} PRIVATE tenon-mechanism)
  endif()
  if(stem STREQUAL "test_soak")
    add_dependencies(${target} tenon-soak)
  endif()
  if(folder STREQUAL "cli") # a variable has this name, too
    target_compile_definitions(${target} PRIVATE "TN_DISK=\"$<TARGET_FILE:tenon-disk>\"")
    add_dependencies(${target} tenon-disk)
  endif()
  if(folder STREQUAL mpi)
    target_compile_definitions(${target} PRIVATE "TN_MPIRUN=\"${MPIEXEC_EXECUTABLE}\"")
    add_dependencies(${target} tenon-mpi)
  endif()
  if(folder STREQUAL bench AND TARGET tenon-bench)
    add_dependencies(${target} tenon-bench)
  endif()

  string(REGEX MATCHALL "\n(TEST|TEST_FULL|TEST_LONG)\\([A-Za-z0-9_]+\\)" lines "\n${text}")
  if(NOT lines)
    message(WARNING "test/${program} holds no TEST")
  endif()
  foreach(line IN LISTS lines)
    string(REGEX MATCH "(TEST[A-Z_]*)\\(([A-Za-z0-9_]+)\\)" line "${line}")
    set(name ${CMAKE_MATCH_2})
    set(cost 1) # the dear ones first, so that none is left alone at the end
    if(CMAKE_MATCH_1 STREQUAL TEST_FULL)
      set(label full)
      set(cost 10)
    elseif(CMAKE_MATCH_1 STREQUAL TEST_LONG)
      set(label long)
    else()
      set(label fast)
    endif()
    set(labels ${label})
    if(label STREQUAL fast OR (label STREQUAL full AND NOT folder IN_LIST folders_with_fast))
      list(APPEND labels quick)
    endif()
    set(scratch ${PROJECT_BINARY_DIR}/run/${path}.${name})
    file(MAKE_DIRECTORY ${scratch})
    add_test(NAME ${path}.${name} COMMAND ${target} ${name} WORKING_DIRECTORY ${scratch})
    set_tests_properties(${path}.${name} PROPERTIES
      LABELS "${labels}" COST ${cost} TIMEOUT ${${label}_limit}
      ENVIRONMENT "OPENBLAS_NUM_THREADS=1;UBSAN_OPTIONS=print_stacktrace=1")
  endforeach()
endforeach()

# test/install installs this build and compiles against what it finds there, with the flags of this build: sanitized libraries
# want sanitized programs
if(TARGET test.install.test_install)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  target_compile_definitions(test.install.test_install PRIVATE
    "TN_CMAKE=\"${CMAKE_COMMAND}\""
    "TN_GENERATOR=\"${CMAKE_GENERATOR}\""
    "TN_CC=\"${CMAKE_C_COMPILER}\""
    "TN_C_FLAGS=\"${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}\""
    "TN_LIBDIR=\"${CMAKE_INSTALL_LIBDIR}\""
    TN_MINIMAL=$<BOOL:${TENON_MINIMAL}>
    TN_SHARED=$<BOOL:${TENON_SHARED}>)
  add_dependencies(test.install.test_install tenon-examples ${tenon_libraries})
  foreach(installed tenon-share tenon-mpi)
    if(TARGET ${installed})
      add_dependencies(test.install.test_install ${installed})
    endif()
  endforeach()
endif()
