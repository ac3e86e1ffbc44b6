# find_package(tenon): tenon::tenon, shared where it was built, and tenon::static
include("${CMAKE_CURRENT_LIST_DIR}/tenon-targets.cmake")
if(NOT TARGET tenon::tenon)
  add_library(tenon::tenon INTERFACE IMPORTED)
  set_target_properties(tenon::tenon PROPERTIES INTERFACE_LINK_LIBRARIES tenon::static)
endif()
