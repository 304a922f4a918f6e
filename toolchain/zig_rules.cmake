# Command lines of Zig that differ from CMake's own rules (read by zig.cmake).
# The archiver is an argument after the program's name, which CMAKE_AR cannot express.
set(zig "\"${ASSAY_ZIG_PYTHON}\" -m ziglang")
set(CMAKE_CXX_ARCHIVE_CREATE "${zig} ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "${zig} ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "${zig} ranlib <TARGET>")
# Zig's linker does not read the list of Python symbols that nanobind passes to Apple's; undefined symbols come from Python.
if(ASSAY_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_CXX_CREATE_SHARED_MODULE
    "<CMAKE_CXX_COMPILER> -shared -undefined dynamic_lookup -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
endif()
