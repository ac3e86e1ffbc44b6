# what `cmake --install` puts where: both libraries, headers, program, the packages for CMake and pkg-config, and what the
# program says of itself: manual page, completions, schema.

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)

install(TARGETS ${tenon_libraries} EXPORT tenon-targets)
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c")
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon FILES_MATCHING PATTERN "*.json")
install(DIRECTORY studies DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon)
install(DIRECTORY sweeps DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon FILES_MATCHING PATTERN "*.json")

# ---- CMake: find_package(tenon 0.2), tenon::tenon or tenon::static ------------------------------------------------------

install(EXPORT tenon-targets NAMESPACE tenon:: DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tenonConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
configure_file(cmake/tenonConfig.cmake.in "${PROJECT_BINARY_DIR}/tenonConfig.cmake" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tenonConfig.cmake" "${PROJECT_BINARY_DIR}/tenonConfigVersion.cmake"
        DESTINATION ${package})

# ---- pkg-config ---------------------------------------------------------------------------------------------------------

# the prefix is where the file lies, so that the tree can be moved; unless the folders were named with their whole path
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR whole)
if(whole)
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pkgconfig} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
set(pc_libdir "\${prefix}")
cmake_path(APPEND pc_libdir ${CMAKE_INSTALL_LIBDIR}) # a whole path replaces what was there
set(pc_includedir "\${prefix}")
cmake_path(APPEND pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
# without the shared library every program is linked with the static one
set(pc_libs "-L\${libdir} -ltenon")
set(pc_private "-lm")
if(TENON_SUNDIALS)
  set(pc_private "-lsundials_arkode -lsundials_cvode -lsundials_ida -lm")
endif()
if(NOT TENON_SHARED)
  set(pc_libs "${pc_libs} ${pc_private}")
  set(pc_private "")
endif()
configure_file(cmake/tenon.pc.in "${PROJECT_BINARY_DIR}/tenon.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tenon.pc" DESTINATION ${pkgconfig})

# ---- program, and what it says of itself --------------------------------------------------------------------------------

if(TARGET tenon)
  install(TARGETS tenon)
endif()
if(TARGET tenon-mpi)
  install(TARGETS tenon-mpi)
endif()
if(TARGET tenon AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  # tenon_print(FILE FOLDER WORDS..): FILE holds what `tenon WORDS` prints
  function(tenon_print file folder)
    set(out "${PROJECT_BINARY_DIR}/share/${file}")
    add_custom_command(
      OUTPUT "${out}" COMMAND tenon ${ARGN} > "${out}" DEPENDS tenon COMMENT "Printing share/${file}" VERBATIM)
    set(printed ${printed} "${out}" PARENT_SCOPE)
    install(FILES "${out}" DESTINATION ${folder})
  endfunction()

  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/bash" "${PROJECT_BINARY_DIR}/share/zsh")
  tenon_print(tenon.1 ${CMAKE_INSTALL_MANDIR}/man1 --manual)
  tenon_print(bash/tenon ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
  tenon_print(zsh/_tenon ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
  tenon_print(tenon.schema.json ${CMAKE_INSTALL_DATADIR}/tenon schema)
  add_custom_target(tenon-share ALL DEPENDS ${printed})
endif()
