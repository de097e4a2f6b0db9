import { setTimeout as pause } from 'node:timers/promises';
import type { IndexAction, IndexStatus, IndexTaskEnd } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { IndexService, IndexTarget } from '../../../core/ports/index.ts';
import { activityText } from '../../shared/content-index/words.ts';
import type { Call } from '../command.ts';
import { printable } from '../text/values.ts';

export interface Awaited {
  readonly action: IndexAction;
  readonly job: string;
  readonly target: IndexTarget;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

const LOOK_MS = 250;
/** A host may be restarted meanwhile; its tasks then come again. */
const PATIENCE_MS = 30_000;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Looks until a task has ended, and shows how far it is.
 *
 * @throws WritError INDEX_UNAVAILABLE when no host runs any more; TIMEOUT when the person stops waiting: the task goes on
 */
export async function waitForIndex(call: Call, index: IndexService, awaited: Awaited): Promise<IndexTaskEnd> {
  const signal = call.interrupted();
  const show = createLine(call);
  let hostSeen = call.clock.monotonic();
  try {
    for (;;) {
      const all = await index.status();
      const end = endOf(all, awaited);
      if (end !== undefined) return end;
      if (all.some(({ host }) => host === 'running')) hostSeen = call.clock.monotonic();
      else if (call.clock.monotonic() - hostSeen > PATIENCE_MS)
        throw new WritError('INDEX_UNAVAILABLE', 'no index host runs any more; the task waits for the next one');
      show.seen(all);
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw new WritError('TIMEOUT', `you stopped waiting; ${awaited.action} goes on (\`npx writ index status\` shows it)`);
    }
  } finally {
    show.stop();
  }
}

/** Its own end, or that of a later task of its kind: the last one of each is kept, and equal tasks end in their order. */
function endOf(all: readonly IndexStatus[], { action, job, askedAt, target }: Awaited): IndexTaskEnd | undefined {
  const own = all.filter((one) => ('root' in target ? one.root === target.root : one.key_hash?.startsWith(target.keyHash) === true));
  const ends = own.flatMap(({ ended }) => ended).filter(({ kind }) => kind === action);
  return ends.find((end) => end.job === job) ?? ends.find((end) => end.job !== null && Date.parse(end.ended_at) - end.elapsed_ms > askedAt);
}

/** One line that changes on a terminal; a line for each phase elsewhere; nothing with --json. */
function createLine(call: Call) {
  const { stderr } = call.io;
  const live = stderr.isTTY === true && !call.output.json;
  let last = '';
  return {
    seen(all: readonly IndexStatus[]): void {
      const busy = all.flatMap(({ activity }) => activity ?? []);
      const phase = busy.map(({ kind, phase }) => `${kind} ${phase}`).join();
      const text = busy.map((one) => activityText(one, call.clock.now())).join('; ');
      if (live) stderr.write(`${CLEAR_LINE}${printable(text)}`);
      else if (phase !== last && phase !== '' && !call.output.json) call.output.note(text);
      last = phase;
    },
    stop(): void {
      if (live) stderr.write(CLEAR_LINE);
    },
  };
}
