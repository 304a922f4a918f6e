# Build the kernels with Zig's clang (pip install ziglang), for this machine or another one:
#   cmake -DCMAKE_TOOLCHAIN_FILE=toolchain/zig.cmake -DASSAY_ZIG_TARGET=aarch64-macos …
# Windows builds use this file: Microsoft's compiler does not support GCC's vector types.
# scripts/cross.py builds for other systems as a test.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSAY_ZIG_TARGET ASSAY_ZIG_PYTHON)

if(NOT ASSAY_ZIG_PYTHON)
  if(Python_EXECUTABLE)
    set(ASSAY_ZIG_PYTHON ${Python_EXECUTABLE})
  else()
    find_program(ASSAY_ZIG_PYTHON NAMES python3 python REQUIRED)
  endif()
endif()
# Always name a target: without one, Zig builds for the processor it runs on.
string(TOLOWER "${CMAKE_HOST_SYSTEM_PROCESSOR}" processor)
string(REPLACE amd64 x86_64 processor "${processor}")
string(REPLACE arm64 aarch64 processor "${processor}")
set(systems_Windows windows-gnu)
set(systems_Darwin macos)
set(systems_Linux linux-gnu)
set(here ${processor}-${systems_${CMAKE_HOST_SYSTEM_NAME}})
if(NOT ASSAY_ZIG_TARGET)
  set(ASSAY_ZIG_TARGET ${here})
endif()
set(CMAKE_CXX_COMPILER ${ASSAY_ZIG_PYTHON} -m ziglang c++ -target ${ASSAY_ZIG_TARGET})
if(NOT ASSAY_ZIG_TARGET STREQUAL here)
  string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${ASSAY_ZIG_TARGET}")
  foreach(system Windows Darwin Linux)
    if(ASSAY_ZIG_TARGET MATCHES "-${systems_${system}}")
      set(CMAKE_SYSTEM_NAME ${system})
    endif()
  endforeach()
endif()
set(CMAKE_USER_MAKE_RULES_OVERRIDE ${CMAKE_CURRENT_LIST_DIR}/zig_rules.cmake)
