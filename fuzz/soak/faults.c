/* faults on request, as a library for LD_PRELOAD: the n-th allocation or system call of a kind fails, or the program is killed there. It is
 * for Linux on x86-64 and 64-bit ARM.
 *
 *   TENON_FAULT=KIND:N:ACTION    KIND    memory write read sync rename open truncate unlink, or files: any of the last seven
 *                                N       which call, from 1 on; 0: none, they are counted only
 *                                ACTION  the number of an error (28: ENOSPC), with a + behind it from there on; kill; term; torn: half of
 *                                        the bytes are written, then it is killed
 *   TENON_FAULT_COUNT=FILE       how many calls of KIND there were is written there where the program ends
 *
 * System calls are caught by a filter that raises SIGSYS, so that those which the C library makes itself, below fwrite and fclose, fail as
 * well. The handler makes them at one address that the filter lets pass. Calls on standard error are left alone.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* the one place that the filter lets pass */
long tn_faults_call(long number, long a, long b, long c, long d, long e, long f);
extern char tn_faults_passed[];
#if defined __x86_64__
enum { NUMBER = REG_RAX, RESULT = REG_RAX };
static const int arguments[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
#define REGISTERS(context) ((context)->uc_mcontext.gregs)
__asm__(".text\n.globl tn_faults_call\n.hidden tn_faults_call\n.globl tn_faults_passed\n.hidden tn_faults_passed\n"
        ".type tn_faults_call, @function\n"
        "tn_faults_call:\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n mov %r8, %r10\n"
        " mov %r9, %r8\n mov 8(%rsp), %r9\n syscall\ntn_faults_passed:\n ret\n");
#elif defined __aarch64__
enum { NUMBER = 8, RESULT = 0 };
static const int arguments[6] = {0, 1, 2, 3, 4, 5};
#define REGISTERS(context) ((context)->uc_mcontext.regs)
__asm__(".text\n.globl tn_faults_call\n.hidden tn_faults_call\n.globl tn_faults_passed\n.hidden tn_faults_passed\n"
        ".type tn_faults_call, %function\n"
        "tn_faults_call:\n mov x8, x0\n mov x0, x1\n mov x1, x2\n mov x2, x3\n mov x3, x4\n mov x4, x5\n mov x5, x6\n "
        "svc #0\n"
        "tn_faults_passed:\n ret\n");
#else
#error "faults are injected on x86-64 and 64-bit ARM"
#endif

static const struct {
  const char *kind;
  int number;
} calls[] = {
    {"write", SYS_write},     {"write", SYS_pwrite64}, {"write", SYS_writev},       {"read", SYS_read},
    {"read", SYS_pread64},    {"sync", SYS_fsync},     {"sync", SYS_fdatasync},     {"rename", SYS_renameat2},
    {"rename", SYS_renameat}, {"open", SYS_openat},    {"truncate", SYS_ftruncate}, {"unlink", SYS_unlinkat},
    {"rename", SYS_linkat},
#ifdef SYS_open
    {"open", SYS_open},       {"unlink", SYS_unlink},  {"rename", SYS_rename},      {"rename", SYS_link},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

static struct {
  bool memory, onward, kill, term, torn;
  long n;
  int error;
  atomic_long count;
  const char *report;
} fault;

/* one more call: whether it is the one */
static bool is_due(void) {
  const long k = atomic_fetch_add(&fault.count, 1) + 1;
  return fault.n > 0 && (k == fault.n || (fault.onward && k > fault.n));
}

static void end(int signal) {
  tn_faults_call(SYS_kill, tn_faults_call(SYS_getpid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0, 0);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static bool has_memory(void) {
  if (!fault.memory || !is_due()) return true;
  if (fault.kill) end(SIGKILL);
  errno = ENOMEM;
  return false;
}

void *malloc(size_t size) { return has_memory() ? __libc_malloc(size) : NULL; }
void *calloc(size_t n, size_t size) { return has_memory() ? __libc_calloc(n, size) : NULL; }
void *realloc(void *block, size_t size) { return has_memory() ? __libc_realloc(block, size) : NULL; }

/* ---- system calls ---------------------------------------------------------------------------------------------------------- */

static long called(long number, const long a[6]) {
  const bool writes = number == SYS_write || number == SYS_pwrite64 || number == SYS_writev,
             on_file = writes || number == SYS_read || number == SYS_pread64;
  if ((on_file && a[0] == (writes ? 2 : 0)) || !is_due())
    return tn_faults_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (fault.torn && (number == SYS_write || number == SYS_pwrite64))
    tn_faults_call(number, a[0], a[1], a[2] / 2, a[3], a[4], a[5]);
  if (fault.torn || fault.kill) end(SIGKILL);
  if (!fault.term) return -fault.error;
  end(SIGTERM);
  return tn_faults_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void caught(int signal, siginfo_t *info, void *user) {
  ucontext_t *context = user;
  long a[6];
  (void)signal, (void)info;
  for (int i = 0; i < 6; i++) a[i] = (long)REGISTERS(context)[arguments[i]];
  const int before = errno;
  const long result = called((long)REGISTERS(context)[NUMBER], a);
  REGISTERS(context)[RESULT] = (__typeof__(REGISTERS(context)[0]))result;
  errno = before;
}

/* a mask of the program never has SIGSYS in it: a blocked one ends it */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t mine;
  if (set) {
    mine = *set;
    if (how != SIG_UNBLOCK) sigdelset(&mine, SIGSYS);
  }
  return sigprocmask(how, set ? &mine : NULL, old) == 0 ? 0 : errno;
}

static bool filtered(const char *kind) {
  const uint64_t passed = (uint64_t)(uintptr_t)tn_faults_passed;
  struct sock_filter filter[CALLS + 8];
  unsigned short n = 0;
  filter[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
  filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)passed, 0, 3);
  filter[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
  filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(passed >> 32), 0, 1);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  uint8_t left = 0; /* jumps to the end of the list */
  for (int i = 0; i < CALLS; i++)
    if (strcmp(kind, "files") == 0 || strcmp(kind, calls[i].kind) == 0) left++;
  if (!left) return false;
  for (int i = 0; i < CALLS; i++)
    if (strcmp(kind, "files") == 0 || strcmp(kind, calls[i].kind) == 0)
      filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, left--, 0);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
  const struct sock_fprog program = {n, filter};
  return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void refuse(const char *why) {
  const char *parts[] = {"faults: ", why, "\n"};
  for (int i = 0; i < 3; i++)
    if (write(2, parts[i], strlen(parts[i])) < 0) break;
  _exit(99);
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("TENON_FAULT");
  char kind[16], action[16];
  if (!text) return;
  if (sscanf(text, "%15[a-z]:%ld:%15s", kind, &fault.n, action) != 3) refuse("TENON_FAULT is KIND:N:ACTION");
  fault.report = getenv("TENON_FAULT_COUNT");
  fault.kill = strcmp(action, "kill") == 0;
  fault.term = strcmp(action, "term") == 0;
  fault.torn = strcmp(action, "torn") == 0;
  fault.error = atoi(action);
  fault.onward = strchr(action, '+') != NULL;
  if (strcmp(kind, "memory") != 0) {
    if (!filtered(kind)) refuse("system calls cannot be caught here");
  } else {
    fault.count = 0;
    fault.memory = true;
  }
}

__attribute__((destructor)) static void report(void) {
  char text[32];
  if (!fault.report) return;
  const long n = fault.count, size = snprintf(text, sizeof text, "%ld\n", n);
  const long to = tn_faults_call(SYS_openat, AT_FDCWD, (long)fault.report, O_WRONLY | O_CREAT | O_TRUNC, 0644, 0, 0);
  if (to >= 0) tn_faults_call(SYS_write, to, (long)text, size, 0, 0, 0);
}
