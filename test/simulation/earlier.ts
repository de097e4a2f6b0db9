import type { JournalView, ToolJournalView } from '../../src/core/ports/index.ts';
import { effectsOf } from './effects.ts';
import type { Ticket } from './tasks.ts';
import type { Disk } from './twins/disk.ts';
import type { StoreTwin } from './twins/stores.ts';

/** How far a task had come when everything was pushed again after the retention. */
export interface Earlier {
  /** Its own manifest had succeeded. */
  readonly succeeded: boolean;
  /**
   * Effects that stand, or requests that were sent, though it had not succeeded: a file of which nobody can tell, a call that failed.
   * The new lease is somebody's decision to try once more (docs/protocol.md 6, a doubtful end).
   */
  readonly effects: number;
}

/** Whose end this is. */
interface Ended {
  readonly manifestSha256: string;
}

/**
 * Journals are asked too: an end that Redis lost is told from there, and nobody records it again. Only a file whose last end is
 * doubtful may have an effect already: one that stands behind a certain failure stays the first of two.
 *
 * @param recorded the successes that the ledger took, of any manifest
 */
export function earlierOf(
  ticket: Ticket,
  recorded: readonly Ended[],
  at: { readonly disk: Disk; readonly file: StoreTwin; readonly tool: StoreTwin; readonly requests: number },
): Earlier {
  const view = (ticket.source === undefined ? at.tool : at.file).look('view', ticket.id) as ToolJournalView | JournalView;
  const successes = view.success === undefined ? recorded : [...recorded, view.success];
  const succeeded = successes.some(({ manifestSha256 }) => manifestSha256 === ticket.lease.manifest_sha256);
  if (successes.length > 0) return { succeeded, effects: 0 };
  if (ticket.source === undefined) return { succeeded, effects: at.requests };
  return { succeeded, effects: 'doubtful' in view && view.doubtful !== undefined ? effectsOf(ticket, at.disk).standing : 0 };
}
