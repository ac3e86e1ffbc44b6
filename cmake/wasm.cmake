# WebAssembly with its system interface: `long`, `size_t` and pointers have 4 bytes, there are no processes, threads and file locks.
# Debian: clang, lld, wasi-libc, libclang-rt-14-dev-wasm32; node runs the programs.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-warnings;${CMAKE_CURRENT_LIST_DIR}/wasi.mjs")
set(CMAKE_C_FLAGS_INIT "-D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID") # clock() and getpid(), for tests
# all memory at once: node:wasi goes on using memory that was freed when it grew (nodejs/node 51303). pages cost nothing until used
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-z,stack-size=1048576,--initial-memory=2147483648 -lwasi-emulated-process-clocks -lwasi-emulated-getpid")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
