/*
 * types.h - the words everything else is written in.
 *
 * Three kinds of address, never mixed: a pointer is an address the kernel can
 * use; paddr_t is physical; uaddr_t is what a user program wrote, relative to its
 * window, and only mm/usercopy.c turns one into something to dereference.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t paddr_t;
typedef uint32_t uaddr_t;

#ifndef KLAAVA_HOST /* the host's C library has its own */
typedef int32_t ssize_t;
#endif

#define ARRAY_SIZE(a)	      (sizeof(a) / sizeof((a)[0]))
#define ALIGN_DOWN(x, a)      ((x) & ~((typeof(x))(a)-1))
#define ALIGN_UP(x, a)	      ALIGN_DOWN((x) + (typeof(x))(a)-1, a)
#define MIN(a, b)	      ((a) < (b) ? (a) : (b))
#define MAX(a, b)	      ((a) > (b) ? (a) : (b))
#define container_of(p, T, m) ((T *)((char *)(p)-offsetof(T, m)))
#define likely(x)	      __builtin_expect(!!(x), 1)
#define unlikely(x)	      __builtin_expect(!!(x), 0)
#define printf_like(f, a)     __attribute__((format(printf, f, a)))
#define noinline	      __attribute__((noinline)) /* keeps rare cases out of hot functions */
#define always_inline	      inline __attribute__((always_inline)) /* the same in every build */
#define noreturn	      __attribute__((noreturn))
