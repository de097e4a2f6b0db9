import type { ProcessIdentity } from './journal.ts';

/** The worker processes of this host, fenced by lock files that the kernel releases when a process ends. */
export interface InstanceRegistry {
  /** This process; its lock is held from creation to exit. */
  readonly self: ProcessIdentity;
  /**
   * Makes sure that the process behind an intent can do nothing any more: true when its lock is free, or when it was
   * killed (same pid and start time, through a pidfd) and its lock became free within 5 s. False: do not touch the intent.
   */
  ensureDead(other: ProcessIdentity): Promise<boolean>;
}
