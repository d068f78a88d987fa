/*
 * env.c - prints the environment.
 */

#include <stdio.h>
#include <unistd.h>

int main(void)
{
	for (char **e = environ; *e; e++)
		puts(*e);
	return 0;
}
