import { leavesTask } from '../../contracts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { checkedResult, KEEP_MS, type LedgerSettings, rowExpiry } from '../../core/ledger-life.ts';
import type { ClaimAnswer, ClaimRequest, Ledger, TaskRow } from '../../core/ports/index.ts';
import type { MemoryChannels } from './signals.ts';

const PARKED_PAGE = 100;

/** A row and when it goes, milliseconds since 1970. */
interface Kept {
  readonly row: TaskRow;
  readonly until: number;
  /** The asks for which a FAILURE was recorded, the youngest first. */
  readonly wishes: readonly string[];
}

/** Asks that a row remembers. */
export const MAX_WISHES = 8;

export interface MemoryLedger extends Ledger {
  /** When the row goes, milliseconds since 1970. */
  expiresAt(taskId: string): number | undefined;
  /** Like FLUSHALL. */
  lose(): void;
  /** Like a dump: answers how all of it is put back as it is now. */
  save(): () => void;
}

/** The ledger's twin in memory, for tests and for runs without Redis; same answers as the Lua scripts, by one conformance suite. */
export function createMemoryLedger(settings: LedgerSettings & { clock: Clock; channels: MemoryChannels }): MemoryLedger {
  const { clock, channels, refusedMs = KEEP_MS } = settings;
  const rows = new Map<string, Kept>();
  const refusals = new Map<string, { result: string; until: number }>();
  /** By task or plan: job key, and how often the job was started. */
  const parked = new Map<string, Map<string, number>>();
  let generation: string | undefined;

  const find = (taskId: string): TaskRow | undefined => {
    const kept = rows.get(taskId);
    return kept && kept.until > clock.now() ? kept.row : undefined;
  };
  const wishesOf = (taskId: string): readonly string[] => (find(taskId) && rows.get(taskId)?.wishes) ?? [];
  const write = (taskId: string, row: TaskRow, wishes = wishesOf(taskId)): void =>
    void rows.set(taskId, { row, until: rowExpiry(row.exp, row.updated, settings), wishes });

  return {
    async claim(request) {
      if (generation === undefined) return { kind: 'lost' };
      const isAnswer = request.wish !== undefined && request.wish !== '' && wishesOf(request.taskId).includes(request.wish);
      const { answer, row } = decideClaim(find(request.taskId), request, isAnswer);
      if (row && !(request.look && 'epoch' in answer)) write(request.taskId, row);
      return request.look && 'epoch' in answer ? { kind: 'busy', owner: request.instance } : answer;
    },
    async record({ taskId, epoch, owner, status, errorCode, result, now, wish = '', goesOn = false }) {
      const row = find(taskId);
      checkedResult(result);
      if (generation === undefined || !row) return 'lost';
      if (row.epoch !== epoch || row.state !== 'running' || isAnother(row, owner)) return 'stale';
      const state = status === 'SUCCESS' ? 'success' : 'failure';
      const wishes = state === 'failure' && wish !== '' ? [wish, ...wishesOf(taskId)].slice(0, MAX_WISHES) : wishesOf(taskId);
      const ended = { state, errorCode: errorCode || undefined, result, updated: now } as const;
      write(taskId, { ...row, owner: '', takeovers: 0, crashes: 0, cancelRequested: goesOn && row.cancelRequested, ...ended }, wishes);
      channels.recorded(taskId);
      return (parked.get(taskId)?.size ?? 0) > 0 ? 'awaited' : 'recorded';
    },
    async release(taskId, epoch, why, owner) {
      const kept = rows.get(taskId);
      const row = find(taskId);
      if (kept && row?.epoch === epoch && row.state === 'running' && !isAnother(row, owner)) {
        rows.set(taskId, { ...kept, row: { ...row, owner: '', crashes: row.crashes + (why === 'crashed' ? 1 : 0) } });
      }
    },
    async refuse(taskId, jobKey, result) {
      checkedResult(result);
      refusals.set(JSON.stringify([taskId, jobKey]), { result, until: clock.now() + refusedMs });
      channels.recorded(taskId);
    },
    async refusal(taskId, jobKey) {
      const refusal = refusals.get(JSON.stringify([taskId, jobKey]));
      // An empty text is none, as in Redis.
      return refusal && refusal.until > clock.now() ? refusal.result || undefined : undefined;
    },
    async cancel(taskId, now) {
      const row = find(taskId);
      if (row?.state === 'success') return 'done';
      write(taskId, { ...(row ?? EMPTY), cancelRequested: true, updated: now });
      if (row?.state === 'running') channels.cancelRequested(taskId);
      return 'requested';
    },
    async clearCancel(taskId, now) {
      const kept = rows.get(taskId);
      const row = find(taskId);
      if (!kept || !row?.cancelRequested || row.owner !== '') return;
      if (row.state === 'waiting') rows.delete(taskId);
      else rows.set(taskId, { ...kept, row: { ...row, cancelRequested: false, updated: now } });
    },
    row: async (taskId) => find(taskId),
    knowsAny: async (taskIds) => taskIds.some((taskId) => find(taskId) !== undefined),
    async discard(taskId, result) {
      const row = find(taskId);
      if (row && row.state !== 'waiting' && row.state !== 'running' && (row.result ?? '') === result) rows.delete(taskId);
    },
    async restore(finished, now) {
      for (const { taskId, manifestSha256, result, exp } of finished) {
        checkedResult(result);
        const row = find(taskId) ?? EMPTY;
        if (row.state === 'success') continue;
        const latest = Math.max(exp, row.exp);
        const { epoch, jobKey } = row;
        write(taskId, { ...EMPTY, state: 'success', manifestSha256, epoch, jobKey, exp: latest, cancelRequested: false, result, updated: now });
      }
    },
    async park(id, jobKey, started) {
      const jobs = parked.get(id) ?? new Map<string, number>();
      parked.set(id, jobs.set(jobKey, started));
      return jobs.size;
    },
    async unpark(id, jobKey, started) {
      const jobs = parked.get(id);
      const noted = jobs?.get(jobKey);
      jobs?.delete(jobKey);
      return noted !== undefined && noted < started;
    },
    async *parked(id) {
      const jobs = [...(parked.get(id)?.keys() ?? [])];
      for (let at = 0; at < jobs.length; at += PARKED_PAGE) yield jobs.slice(at, at + PARKED_PAGE);
    },
    async markGeneration(marker) {
      generation ??= marker;
    },
    expiresAt: (taskId) => (find(taskId) ? rows.get(taskId)?.until : undefined),
    lose() {
      rows.clear();
      refusals.clear();
      parked.clear();
      generation = undefined;
    },
    save() {
      const saved = { rows: [...rows], refusals: [...refusals], parked: [...parked].map(([id, jobs]) => [id, [...jobs]] as const), generation };
      return () => {
        rows.clear();
        refusals.clear();
        parked.clear();
        for (const [taskId, kept] of saved.rows) rows.set(taskId, kept);
        for (const [key, refusal] of saved.refusals) refusals.set(key, refusal);
        for (const [id, jobs] of saved.parked) parked.set(id, new Map(jobs));
        generation = saved.generation;
      };
    },
  };
}

/** Whether the claim is not the one of this owner. */
function isAnother(row: TaskRow, owner = ''): boolean {
  return owner !== '' && row.owner !== owner;
}

/** What a cancel makes when nothing else is known. */
const EMPTY: TaskRow = {
  owner: '',
  jobKey: '',
  state: 'waiting',
  manifestSha256: '',
  epoch: 0,
  takeovers: 0,
  crashes: 0,
  exp: 0,
  cancelRequested: false,
  errorCode: undefined,
  result: undefined,
  updated: 0,
};

/**
 * The claim table of `docs/protocol.md` section 2, below the marker: the answer, and the row to write.
 *
 * @param isAnswered a FAILURE was recorded for this very ask
 */
function decideClaim(row: TaskRow | undefined, request: ClaimRequest, isAnswered: boolean): { answer: ClaimAnswer; row?: TaskRow } {
  const before = row ?? EMPTY;
  const exp = Math.max(before.exp, request.exp);
  const epoch = before.epoch + 1;
  const granted = (takeovers: number): TaskRow => ({
    ...before,
    state: 'running',
    manifestSha256: request.manifestSha256,
    epoch,
    owner: request.instance,
    jobKey: request.jobKey,
    takeovers,
    exp,
    updated: request.now,
  });
  const refused = (answer: ClaimAnswer) => (exp > before.exp ? { answer, row: { ...before, exp, updated: request.now } } : { answer });

  const crashes = before.crashes === 0 ? {} : { crashes: before.crashes };

  if (!row) return { answer: { kind: 'new', epoch }, row: granted(0) };
  if (row.state === 'waiting') return { answer: { kind: 'cancelled', epoch }, row: granted(row.takeovers) };
  if (row.manifestSha256 !== request.manifestSha256) return { answer: { kind: 'conflict' } };
  if (row.state === 'success') return refused({ kind: 'finished', result: row.result ?? '' });
  // Of a claim the row still has the FAILURE before it: who has told that claims nothing for another ask.
  const { waited, isStep = false } = request;
  const takesFailure = isAnswered || (row.state === 'failure' && (waited || isStep));
  if (takesFailure && !leavesTask(row.errorCode ?? '', isStep)) return refused({ kind: 'failed', result: row.result ?? '' });
  if (row.owner !== '') {
    const ours = row.jobKey === request.jobKey || row.owner === request.deadInstance;
    if (!ours) return refused({ kind: 'busy', owner: row.owner });
    const takeovers = row.takeovers + (row.owner === request.instance ? 0 : 1);
    return { answer: { kind: 'takeover', epoch, takeovers, ...crashes }, row: granted(takeovers) };
  }
  const answer: ClaimAnswer = row.cancelRequested ? { kind: 'cancelled', epoch } : { kind: 'new', epoch, ...crashes };
  return { answer, row: granted(row.takeovers) };
}
