# Where Zig wants other words than CMake's own rules have (read by zig.cmake).
# The archiver is a word after the program's name, which CMAKE_AR cannot hold.
set(zig "\"${ASSAY_ZIG_PYTHON}\" -m ziglang")
set(CMAKE_CXX_ARCHIVE_CREATE "${zig} ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "${zig} ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "${zig} ranlib <TARGET>")
# Its linker does not read the list of Python's names that nanobind hands to Apple's: what is not here comes from Python.
if(ASSAY_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_CXX_CREATE_SHARED_MODULE
    "<CMAKE_CXX_COMPILER> -shared -undefined dynamic_lookup -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
endif()
