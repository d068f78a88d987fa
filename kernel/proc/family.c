/*
 * family.c - parents and children.
 *
 * The one idea: every process has somebody who will hear of its end: its parent, or init after the
 * parent's. Only when there is nobody may the kernel forget a dead process by itself.
 */

#include "proc/family.h"
#include "proc/proc.h"
#include "proc/signal.h"

void family_add(struct task *child, struct task *parent)
{
	child->parent = parent;
	list_add_tail(&child->sibling, &parent->children);
}

void family_remove(struct task *child)
{
	list_del(&child->sibling);
	child->parent = NULL;
}

void notify_parent(struct task *t, bool stopped)
{
	struct task *parent = t->parent;

	if (!parent)
		return;
	if (!stopped || !(signal_action(parent, SIGCHLD).flags & SA_NOCLDSTOP))
		signal_send(parent, SIGCHLD);
	wake_all(&parent->child_exit);
}

void family_orphan(struct task *t)
{
	struct task *init = task_find(PID_INIT);
	struct task *child, *next;

	if (init && (init == t || init->state == TASK_ZOMBIE || !init->space))
		init = NULL;
	list_for_each_entry_safe (child, next, &t->children, sibling) {
		bool dead = child->state == TASK_ZOMBIE;

		child->vforked = false; /* a parent that was killed waits no more */
		family_remove(child);
		if (init) {
			family_add(child, init);
			if (dead)
				notify_parent(child, false);
		} else if (dead) {
			task_free(child);
		}
	}
}

void family_vfork_end(struct task *t)
{
	if (!t->vforked)
		return;
	t->vforked = false;
	t->parent->vfork_waits = false;
	wake_all(&t->parent->vfork_done);
}
