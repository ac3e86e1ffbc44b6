# 32 bits on an x86-64 machine: `long`, `size_t` and pointers have 4 bytes. Debian: gcc-multilib. numbers are computed by SSE2, as in
# 64 bits: the x87 would round twice.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_C_FLAGS_INIT "-m32 -msse2 -mfpmath=sse")
set(CMAKE_SYSTEM_LIBRARY_PATH /usr/lib32)
