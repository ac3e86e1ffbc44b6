# the models and studies, with the references of these, as text inside the program, for `tenon new` and `tenon reproduce`. included by
# CMakeLists.txt it defines tenon_examples(OUT), a rule that writes OUT when one of them changes; the rule runs this file as a script with ROOT, FILES (separated by commas) and OUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(tenon_examples out)
    file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
         models/*.json studies/*.json studies/reference/*.csv)
    list(JOIN files "," joined)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${joined} -DOUT=${out}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMENT "Copying models and studies into examples.c"
      VERBATIM)
  endfunction()
  return()
endif()

set(text "/* written by cmake/examples.cmake */\n#include \"cli.h\"\n\n")
set(examples "")
set(members "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  string(MAKE_C_IDENTIFIER "${file}" name)
  file(READ "${ROOT}/${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}[] = {${bytes}};\n")
  string(APPEND members "    {\"${file}\", ${name}, sizeof ${name}},\n")
  if(file MATCHES "^models/")
    cmake_path(GET file STEM example)
    string(APPEND examples "    {\"${example}\", ${name}, sizeof ${name}},\n")
  endif()
endforeach()
string(APPEND text "\nconst example tn_cli_examples[] = {\n${examples}    {NULL, NULL, 0}};\n")
string(APPEND text "\nconst example tn_cli_files[] = {\n${members}    {NULL, NULL, 0}};\n")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
