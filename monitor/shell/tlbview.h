/*
 * tlbview.h - what the files of the tlb command share.
 *
 * The monitor is a program like others: to look is to replace half of what one looks for.  So
 * whenever it wakes, it first takes a copy of its CPU's model, and the views show that: what the
 * world left in the TLB.  The other CPUs go on meanwhile, and are copied when they are shown.
 */
#pragma once

#include "telemetry.h"

struct task;

/* Once, as the monitor begins: get memory for copies, if there is a model. */
void tlb_prepare(void);

/* The monitor slept, or the world was stopped: take the copy.  First of all, and cheap. */
void tlb_woke(void);

/* The model of `cpu` as we found it, valid until the next call for another; NULL: there is none. */
const struct telemetry_tlb *tlb_look(uint32_t cpu);

/* The model itself, which goes on changing; NULL: there is none. */
const struct telemetry_tlb *tlb_model(uint32_t cpu);

/* Complain that there is no model, and return 1. */
int tlb_no_model(void);

const char *tlb_part_name(const struct telemetry_tlb *t, uint32_t part);

/* "VDUWG": valid, dirty, user, writable as in a 386's TR6; global. */
#define TLB_FLAGS 6
const char *tlb_flags(uint32_t flags, char buf[TLB_FLAGS]);

/* Why the entry is not what the page tables say any more: a word; NULL: they agree. */
const char *tlb_stale(const struct telemetry_tlb_entry *e);

/* Whose page it is, in at most 18 characters: "sh/4 stack", "schedule..", "PDA of CPU 1". */
#define TLB_OWNER 24
const char *tlb_owner(uint32_t vpn, uint32_t generation, char buf[TLB_OWNER]);

/* The entry for `linear` with the rights of both levels; false: not present. */
bool tlb_translate(const pte_t *dir, uint32_t linear, pte_t *found);

/* A CPU that stands on the directory of `t`: where it last ran, or any; -1: there is none. */
int tlb_standing_cpu(const struct task *t);

/* A record for way `way` of a set. */
void tlb_out_record(uint32_t cpu, const struct telemetry_tlb *t, uint32_t part, uint32_t set,
		    uint32_t way);

/* Forget which entries were seen: what is there now is not marked as new. */
void tlb_forget_marks(void);

/* tlb [CPU], tlb stats, tlb clear, tlb explain [PID] ADDR, tlb probe PID [FIRST-LAST]. */
int tlb_grid(int argc, char **argv);
int tlb_stats(void);
int tlb_clear(void);
int tlb_explain(int argc, char **argv);
int tlb_probe(int argc, char **argv);
