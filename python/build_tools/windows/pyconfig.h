/* What the headers of CPython need to know of 64-bit Windows, for a module of the limited API that is compiled elsewhere.
 * The headers themselves are the same everywhere but for this file. */
#ifndef TENON_WINDOWS_PYCONFIG_H
#define TENON_WINDOWS_PYCONFIG_H

#include <io.h>

#define MS_WIN64
#define MS_WIN32
#define MS_WINDOWS
#define NT_THREADS
#define WITH_THREAD 1
#define Py_ENABLE_SHARED 1 /* functions come from python3.dll */
#define HAVE_DECLSPEC_DLL
#define PLATFORM "win32"
#define SIZEOF_VOID_P 8
#define SIZEOF_TIME_T 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_WCHAR_T 2
#define SIZEOF_OFF_T 4
#define SIZEOF_FPOS_T 8
#define SIZEOF_HKEY SIZEOF_VOID_P
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 8
#define HAVE_LONG_LONG 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_WCHAR_H 1
#define HAVE_ERRNO_H 1
#define STDC_HEADERS 1
#define HAVE_UINTPTR_T 1
#define HAVE_INTPTR_T 1
#define HAVE_SSIZE_T 1
#include <sys/types.h>

#endif
