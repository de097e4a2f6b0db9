import { VAULT_DIRECTORY } from '../../src/contracts/index.ts';
import type { BasePath, FileIdentity, FileIntent, FileJournal } from '../../src/core/ports/journal.ts';

/** A journal for one test; `reopen` hands out the same records after a restart. */
export interface JournalUnderTest extends AsyncDisposable {
  readonly journal: FileJournal;
  reopen(): Promise<FileJournal>;
}

/** One property of a journal, over a fresh one. */
export type CheckJournal = (title: string, body: (journal: FileJournal, under: JournalUnderTest) => Promise<void>) => void;

export const place = (base: string, ...segments: string[]): BasePath => ({ base, segments });
export const inVault = (base: string, name: string): BasePath => place(base, VAULT_DIRECTORY, name);

/** Numbers beyond 2^53 must survive. */
export const identity = (ino: number | string = '18446744073709551615'): FileIdentity => ({
  dev: '64768',
  ino: String(ino),
  size: '9007199254740993',
  mtimeNs: '1763689123123456789',
  ctimeNs: '1763689123123456790',
});

export function moveIntent(taskId: string, changes: Partial<FileIntent> = {}): FileIntent {
  return {
    taskId,
    manifestSha256: 'ab'.repeat(32),
    authority: { jti: `jti-${taskId}`, exp: 1_800_000_000, kid: 'kernel-1' },
    process: { instance: 'instance-1', pid: 4711, startTime: '123456789012345' },
    operation: 'move',
    method: 'rename',
    source: place('data', 'in', `${taskId}.txt`),
    destination: place('data', 'out', `${taskId}.txt`),
    sourceIdentity: identity(),
    temporary: undefined,
    retired: undefined,
    undoOf: undefined,
    ...changes,
  };
}
export const deleteIntent = (taskId: string, changes: Partial<FileIntent> = {}): FileIntent =>
  moveIntent(taskId, { operation: 'delete', destination: inVault('data', taskId), ...changes });
export const copyIntent = (taskId: string, changes: Partial<FileIntent> = {}): FileIntent =>
  moveIntent(taskId, { operation: 'copy', method: 'copy', temporary: `.writ-tmp-${taskId}`, ...changes });
export const crossIntent = (taskId: string, changes: Partial<FileIntent> = {}): FileIntent =>
  copyIntent(taskId, { operation: 'move', destination: place('other', `${taskId}.txt`), retired: inVault('data', taskId), ...changes });

export const succeeded = (result = '{"status":"SUCCESS","signature":"é"}', outcome = identity(7)) =>
  ({ state: 'success', result, outcomeIdentity: outcome }) as const;
export const failed = (result = '{"status":"FAILURE"}') => ({ state: 'failure', result, doubtful: false }) as const;
export const sealed = { ...identity(9), sha256: 'cd'.repeat(32) };
