# the registry of types: adding a file to a folder of parts adds its types. a type is a line
#   const tn_joint_type tn_joint_revolute = {
# included by CMakeLists.txt it defines tenon_registry(OUT LIBRARY LEFT_OUT..), a rule that writes OUT when a part changes; files
# left out because LIBRARY is not there give their names only. the rule runs this file as a script with ROOT, FILES, LEFT_OUT
# (relative to ROOT, separated by commas), LIBRARY and OUT.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(tenon_registry out library)
    set(folders body force formulate integrate joint stabilize)
    list(TRANSFORM folders REPLACE "(.+)" "src/\\1/*.c")
    file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folders})
    set(there ${files})
    list(REMOVE_ITEM there "" ${ARGN})
    list(JOIN there "," joined)
    list(JOIN ARGN "," left_out)
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${joined} -DLEFT_OUT=${left_out} -DLIBRARY=${library}
              -DOUT=${out} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
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

# names without a type
string(REPLACE "," ";" LEFT_OUT "${LEFT_OUT}")
set(members "")
foreach(file IN LISTS LEFT_OUT)
  file(READ "${ROOT}/${file}" part)
  foreach(kind IN LISTS kinds)
    string(REGEX MATCHALL "\nconst tn_${kind}_type [^;]*\\.name = \"[^\"]+\"" tables "${part}")
    foreach(table IN LISTS tables)
      string(REGEX REPLACE ".*\"([^\"]+)\"" "\\1" name "${table}")
      string(APPEND members "{\"${kind}\", \"${name}\", \"${LIBRARY}\"}, ")
    endforeach()
  endforeach()
endforeach()
string(APPEND text "\nconst tn_left_out tn_types_left_out[] = {${members}{NULL, NULL, NULL}};\n")

# the same text is not written again, so that nothing is compiled for it
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
