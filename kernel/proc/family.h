/*
 * family.h - parents and children.
 */
#pragma once

#include "sched/task.h"

void family_add(struct task *child, struct task *parent);
void family_remove(struct task *child);

/* Give the children of a dying task to init; without one, nobody will wait for them. */
void family_orphan(struct task *t);

/* `t`, which may have borrowed its parent's space, no longer needs it. */
void family_vfork_end(struct task *t);

/* What waits for the end of an out-of-memory victim. */
extern struct waitq oom_wait;
