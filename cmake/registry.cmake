# the registry of types: adding a file to a folder of parts adds its types. a type is a line
#   const tn_joint_type tn_joint_revolute = {
# included by CMakeLists.txt it defines tenon_registry(OUT), a rule that writes OUT when a part changes; the rule runs
# this file as a script with ROOT, FILES (relative to ROOT, separated by commas) and OUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(tenon_registry out)
    set(folders body force formulate integrate joint stabilize)
    list(TRANSFORM folders REPLACE "(.+)" "src/\\1/*.c")
    file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folders})
    list(JOIN files "," joined)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${joined} -DOUT=${out}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMENT "Listing the types in registry.c"
      VERBATIM)
  endfunction()
  return()
endif()

set(kinds body force formulation integrator joint stabilizer)
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" text)
  foreach(kind IN LISTS kinds)
    string(REGEX MATCHALL "\nconst tn_${kind}_type tn_[a-z0-9_]+ =" lines "\n${text}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".* (tn_[a-z0-9_]+) =" "\\1" name "${line}")
      list(APPEND ${kind}_names ${name})
    endforeach()
  endforeach()
endforeach()

set(text "/* written by cmake/registry.cmake */\n#include <stddef.h>\n\n#include \"model/model.h\"\n")
foreach(kind IN LISTS kinds)
  list(SORT ${kind}_names)
  list(LENGTH ${kind}_names count)
  set(members "")
  string(APPEND text "\n")
  foreach(name IN LISTS ${kind}_names)
    string(APPEND text "extern const tn_${kind}_type ${name};\n")
    string(APPEND members "&${name}, ")
  endforeach()
  string(APPEND text "const tn_${kind}_type *const tn_${kind}_types[] = {${members}NULL};\n"
                     "const int tn_${kind}_type_count = ${count};\n")
endforeach()

# the same text is not written again, so that nothing is compiled for it
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
