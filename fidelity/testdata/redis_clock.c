// A wall clock that stands still unless a test moves it. Preloaded into a
// server, it makes every way of asking for the time of day answer what the file
// named by SIMRUN_CLOCK says: a 64-bit count of nanoseconds since the Unix epoch.
// Monotonic clocks stay as they are.
//
// Whenever a file whose name ends in .aof has been forced to the disk, its
// length is noted behind the time: a test that lets the power fail takes from the
// file what lies beyond it.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

struct page {
	_Atomic int64_t now;
	_Atomic int64_t synced;
};

static struct page *page;

__attribute__((constructor)) static void begin(void) {
	const char *name = getenv("SIMRUN_CLOCK");
	int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
	void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (at == MAP_FAILED) {
		fprintf(stderr, "SIMRUN_CLOCK: want the name of a file of %zu bytes\n", sizeof *page);
		_exit(2);
	}
	close(file);
	page = at;
}

// The kernel is asked directly: an allocator that is not yet set up asks for the
// time too, and finding the C library's own function would allocate.
int clock_gettime(clockid_t clock, struct timespec *t) {
	if (page && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		int64_t now = page->now;
		t->tv_sec = now / SECOND;
		t->tv_nsec = now % SECOND;
		return 0;
	}
	return syscall(SYS_clock_gettime, clock, t);
}

int gettimeofday(struct timeval *t, void *zone) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}

static int is_append_only_file(int file) {
	char link[64], name[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t n = readlink(link, name, sizeof name);
	return n > 4 && memcmp(name + n - 4, ".aof", 4) == 0;
}

int fdatasync(int file) {
	struct stat before;
	int failed = fstat(file, &before) || syscall(SYS_fdatasync, file);
	if (!failed && is_append_only_file(file))
		page->synced = before.st_size;
	return failed ? -1 : 0;
}
