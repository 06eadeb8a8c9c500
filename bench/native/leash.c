/* Becomes another program that is told to end (SIGTERM) when the program that started us is gone: leash PROGRAM ARGUMENTS */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **args) {
  if (count < 2) return 2;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  execvp(args[1], args + 1);
  perror(args[1]);
  return 127;
}
