/*
 * fds.c - descriptors: the lowest free number, duplicates that share one position,
 * what exec closes, how many there can be.
 */

#include <fcntl.h>

#include "guest.h"

static char *self;
static int fd, other;

/* After exec: says whether the two descriptors it is told of are still open. */
static int after_exec(char **argv)
{
	printf("kept: %s\n", fcntl(atoi(argv[2]), F_GETFD) >= 0 ? "open" : "closed");
	printf("close-on-exec: %s\n", fcntl(atoi(argv[3]), F_GETFD) >= 0 ? "open" : "closed");
	fflush(stdout);
	return 0;
}

static int exec_again(void)
{
	char a[12], b[12];
	char *args[] = { self, "after-exec", a, b, NULL };

	snprintf(a, sizeof(a), "%d", fd);
	snprintf(b, sizeof(b), "%d", other);
	execv(self, args);
	return 1;
}

/* A child that moves the position its parent sees. */
static int seeks(void)
{
	lseek(fd, 500, SEEK_SET);
	return 0;
}

int main(int argc, char **argv)
{
	int lowest, count = 0, fds[2];
	char c;

	if (argc > 3 && strcmp(argv[1], "after-exec") == 0)
		return after_exec(argv);
	self = argv[0];
	if (self[0] != '/')
		return 1;
	go_to_data(argc, argv);

	lowest = open("text", O_RDONLY);
	fd = open("text", O_RDONLY);
	yes("the next number", fd == lowest + 1);
	close(lowest);
	yes("the lowest free number", open("empty", O_RDONLY) == lowest);

	other = dup(fd);
	yes("dup takes the lowest too", other == fd + 1);
	lseek(fd, 100, SEEK_SET);
	answer("a duplicate has the same position", lseek(other, 0, SEEK_CUR));
	close(fd);
	answer("and outlives the first", read(other, &c, 1));
	fd = open("text", O_RDONLY);
	answer("another open has its own", lseek(fd, 0, SEEK_CUR));
	in_child(seeks);
	answer("a child shares the parent's", lseek(fd, 0, SEEK_CUR));

	yes("dup2", dup2(fd, 20) == 20);
	answer("it is the same", lseek(20, 0, SEEK_CUR));
	yes("dup2 onto an open one", dup2(other, 20) == 20);
	answer("that was closed first", lseek(20, 0, SEEK_CUR));
	yes("dup2 onto itself", dup2(20, 20) == 20);
	answer("dup2 of a closed one", dup2(99, 20));
	answer("dup2 onto a wrong number", dup2(fd, -1));
	answer("dup3 onto itself", dup3(20, 20, 0));
	yes("dup3", dup3(fd, 21, O_CLOEXEC) == 21);
	answer("its flag", fcntl(21, F_GETFD));
	answer("the flag of the other", fcntl(fd, F_GETFD));
	yes("F_DUPFD from 30", fcntl(fd, F_DUPFD, 30) == 30);
	yes("once more", fcntl(fd, F_DUPFD, 30) == 31);
	answer("how it was opened", fcntl(fd, F_GETFL) & O_ACCMODE);
	answer("fcntl of a closed one", fcntl(99, F_GETFD));
	answer("unknown fcntl", fcntl(fd, 9999));

	close(other);
	other = open("text", O_RDONLY | O_CLOEXEC);
	answer("opened close-on-exec", fcntl(other, F_GETFD));
	report_child("exec", exec_again);
	fcntl(other, F_SETFD, 0);
	report_child("exec, flag removed", exec_again);
	answer("a duplicate has not the flag",
	       (fcntl(other, F_SETFD, FD_CLOEXEC), fcntl(dup(other), F_GETFD)));

	pipe2(fds, O_CLOEXEC);
	printf("pipe2 close-on-exec: %d %d\n", fcntl(fds[0], F_GETFD), fcntl(fds[1], F_GETFD));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	answer("made non-blocking", read(fds[0], &c, 1));

	while (open("text", O_RDONLY) >= 0)
		count++;
	printf("no more: %s\n", strerror(errno));
	yes("after some", count > 8);
	answer("pipe then", pipe(fds));
	answer("dup then", dup(fd));
	close(fd);
	yes("one closed, one opened", open("text", O_RDONLY) == fd);
	return 0;
}
