// What Python's headers ask of a 64-bit system, for a build that is looked at and never run (scripts/cross.py): they are the
// same everywhere but for this file, of which another system's Python has its own.
#pragma once

#define SIZEOF_INT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_PID_T 4
#define ALIGNOF_LONG __SIZEOF_LONG__
#define ALIGNOF_SIZE_T 8
#define HAVE_STDDEF_H 1
#define HAVE_WCHAR_H 1
#define WITH_THREAD 1

#if defined(_WIN32)
#include <basetsd.h>
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define NT_THREADS 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
typedef __int64 Py_ssize_t;
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX 9223372036854775807LL
#define PLATLIBDIR "DLLs"
#else
#define HAVE_SSIZE_T 1
#define HAVE_PTHREAD_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_UNISTD_H 1
#endif
