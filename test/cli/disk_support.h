/* the program with preload/disk.c before the C library: what it does to files is in .log, what it synced in .store. include after
 * cli_support.h */
#ifndef TN_TEST_DISK_SUPPORT_H
#define TN_TEST_DISK_SUPPORT_H

/* settings as `DISK_KILL=3`; the exit code, or 1000 + the signal that ended it. what it said is read */
static inline int disk(const char *settings, const char *format, ...) {
  char words[2000], command[7000];
  va_list args;
  enter();
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  snprintf(command, sizeof command,
           "rm -rf .store .log; mkdir .store; exec env LD_PRELOAD='%s' ASAN_OPTIONS=verify_asan_link_order=0 "
           "DISK_LOG=\"$PWD/.log\" DISK_STORE=\"$PWD/.store\" %s '%s' %s >.out 2>.err </dev/null",
           TN_DISK, settings, TN_BINARY, words);
  const int status = system(command);
  slurp(".out", out, sizeof out);
  slurp(".err", err, sizeof err);
  CHECK(!strstr(err, "Sanitizer") && !strstr(err, "runtime error:"));
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* started, and not waited for: its words go to .busy.out and .busy.err */
static inline pid_t start_disk(const char *setting, const char *const *words) {
  char *argv[64] = {strdup("tenon")}, value[100];
  int n = 1;
  enter();
  for (; words[n - 1] && n < 63; n++) argv[n] = strdup(words[n - 1]);
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    alarm(LONGEST);
    redirect(0, "/dev/null", O_RDONLY);
    redirect(1, ".busy.out", O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, ".busy.err", O_WRONLY | O_CREAT | O_TRUNC);
    snprintf(value, sizeof value, "%s", strchr(setting, '=') + 1);
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
    if (setenv("LD_PRELOAD", TN_DISK, 1) || setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1) ||
        setenv(name, value, 1))
      _exit(101);
    execv(TN_BINARY, argv);
    _exit(101);
  }
  for (int i = 0; i < n; i++) free(argv[i]);
  return child;
}

#endif
