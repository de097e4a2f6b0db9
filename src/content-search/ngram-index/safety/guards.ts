import type { IndexSafety } from '../../../core/ports/index.ts';
import type { Trigger } from './triggers.ts';

/** Conditions of rows beside state and trigger (docs/index-safety.md 3). */
export const GUARDS = {
  pause_runs: (safety, trigger) => safety.disabledUntilMs !== null && nowOf(trigger) < safety.disabledUntilMs,
  pause_over: (safety, trigger) => safety.disabledUntilMs !== null && nowOf(trigger) >= safety.disabledUntilMs,
  below_threshold: (safety) => safety.reason === 'BELOW_THRESHOLD',
  watcher_lost: (safety) => safety.watcherLost,
  build_runs: (safety) => safety.building !== null,
  this_build,
  this_build_hid_files: (safety, trigger) => this_build(safety, trigger) && hidingErrorsOf(trigger) > 0,
  this_build_unwatched: (safety, trigger) => this_build(safety, trigger) && safety.watcherLost,
  pass_covers_all: (safety, trigger) => safety.building === null && covers(safety, trigger),
  drain_suffices: (safety, trigger) => safety.causes.every(({ reason }) => reason === 'DIRTY_BACKLOG') && covers(safety, trigger),
} satisfies Record<string, (safety: IndexSafety, trigger: Trigger) => boolean>;

export type Guard = keyof typeof GUARDS;

/** The end of a build that is not the one that runs means nothing: triggers travel on a queue and may come late or twice. */
function this_build(safety: IndexSafety, trigger: Trigger): boolean {
  return 'since' in trigger && trigger.since === safety.building;
}

/** Whether a pass began after everything that put the index in doubt, and what came since is still watched. */
function covers(safety: IndexSafety, trigger: Trigger): boolean {
  return 'since' in trigger && !safety.watcherLost && safety.causes.every(({ mark }) => mark <= trigger.since);
}

function hidingErrorsOf(trigger: Trigger): number {
  return 'hidingErrors' in trigger ? trigger.hidingErrors : 0;
}

function nowOf(trigger: Trigger): number {
  return 'nowMs' in trigger ? trigger.nowMs : 0;
}
