/*
 * status.c - lets make end with the launcher's exit status.
 *
 * make itself ends with 2 whatever status a recipe fails with, but a batch run's
 * status says how the kernel ended (batch.py).  GNU make can load this object: when
 * make fails, the handler below gives it the status that the recipe left in
 * build/status.PID, PID being make's, so that runs side by side cannot meet.  A failure
 * before any run (a compiler's, a refused option) is 5, as for the launcher.
 *
 * Where make cannot load objects, `make batch` ends with 2 for every failure, and
 * `monitor/machines/qemu.py batch` still tells them apart.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOTHING_WAS_RUN 5

int plugin_is_GPL_compatible; /* make asks for this word; the licence of this file allows it */

int status_gmk_setup(void);

static void end_as_the_recipe_did(int status, void *unused)
{
	char name[64];
	FILE *f;

	(void)unused;
	if (!status)
		return;
	status = NOTHING_WAS_RUN;
	snprintf(name, sizeof(name), "build/status.%ld", (long)getpid());
	f = fopen(name, "r");
	if (f) {
		if (fscanf(f, "%d", &status) != 1)
			status = NOTHING_WAS_RUN;
		fclose(f);
		unlink(name);
	}
	fflush(NULL);
	_exit(status);
}

/* Called by make when the object is loaded; not 0 is success. */
int status_gmk_setup(void)
{
	return !on_exit(end_as_the_recipe_did, NULL);
}
