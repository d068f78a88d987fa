/*
 * image.c - making images; see image.h.
 */
#include "host/image.h"

#include <fcntl.h>
#include <unistd.h>

static char folders[32][32];
static uint32_t folder_count;

static __attribute__((destructor)) void remove_folders(void)
{
	for (uint32_t i = 0; i < folder_count; i++) {
		char command[64];

		snprintf(command, sizeof(command), "rm -rf %s", folders[i]);
		if (system(command))
			perror(command);
	}
}

const char *folder_new(void)
{
	char *path = folders[folder_count];

	assert_true(folder_count < ARRAY_SIZE(folders));
	strcpy(path, "/tmp/klaava-unit-XXXXXX");
	assert_non_null(mkdtemp(path));
	folder_count++;
	return path;
}

uint8_t pattern(uint32_t seed, uint64_t at)
{
	return (uint8_t)((at * 31 + (at >> 9) * 7 + seed * 131) >> 1);
}

void file_put(const char *folder, const char *name, uint64_t at, uint32_t n, uint32_t seed)
{
	char path[512];
	uint8_t *data = malloc(n);
	int fd;

	for (uint32_t i = 0; i < n; i++)
		data[i] = pattern(seed, at + i);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, n, at), n);
	close(fd);
	free(data);
}

void run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	if (system(command))
		fail_msg("failed: %s", command);
}

struct disk *image_make(const char *folder, const char *options, const char *blocks)
{
	const char *work = folder_new();
	struct disk *d;
	char path[64];

	snprintf(path, sizeof(path), "%s/image", work);
	run("PATH=$PATH:/sbin:/usr/sbin mke2fs -q -F -t ext2 -d %s %s %s %s >%s/log 2>&1 || "
	    "{ cat %s/log; false; }",
	    folder, options, path, blocks, work, work);
	d = disk_open(path);
	run("rm -rf %s", work);
	folder_count--;
	return d;
}

void image_save(const struct disk *d, const char *path)
{
	static const uint8_t nothing[65536];
	size_t size = (size_t)d->dev.sectors * SECTOR_SIZE;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	for (size_t at = 0, n; at < size; at += n) {
		n = MIN(size - at, sizeof(nothing));
		if (memcmp(d->image + at, nothing, n))
			assert_int_equal(pwrite(fd, d->image + at, n, at), n);
	}
	close(fd);
}

void image_check(const struct disk *d)
{
	const char *work = folder_new();
	char path[64];

	snprintf(path, sizeof(path), "%s/image", work);
	image_save(d, path);
	run("PATH=$PATH:/sbin:/usr/sbin e2fsck -fn %s >%s/log 2>&1 || { cat %s/log; false; }", path,
	    work, work);
	run("rm -rf %s", work);
	folder_count--;
}

void image_unmount(struct disk *d)
{
	struct disk *empty = disk_new(65536);

	assert_true(host_no_buffer_in_use());
	assert_int_equal(ext2_mount(&empty->dev), -EINVAL);
	assert_null(root_inode);
	assert_int_equal(inodes_cached, 0);
	buffer_drop();
	assert_int_equal(host_objects, 0);
	disk_free(empty);
	disk_free(d);
}
