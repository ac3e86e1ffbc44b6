# the models of models/ as text inside the program, for `tenon new`. included by CMakeLists.txt it defines tenon_examples(OUT), a
# rule that writes OUT when a model changes; the rule runs this file as a script with ROOT, FILES (separated by commas) and OUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(tenon_examples out)
    file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS models/*.json)
    list(JOIN files "," joined)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${joined} -DOUT=${out}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMENT "Copying the models into examples.c"
      VERBATIM)
  endfunction()
  return()
endif()

set(text "/* written by cmake/examples.cmake */\n#include \"cli.h\"\n\n")
set(members "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM name)
  file(READ "${ROOT}/${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}[] = {${bytes}};\n")
  string(APPEND members "    {\"${name}\", ${name}, sizeof ${name}},\n")
endforeach()
string(APPEND text "\nconst example tn_cli_examples[] = {\n${members}    {NULL, NULL, 0}};\n")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
