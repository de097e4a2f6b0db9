import type { ConfinedDirectory, DirectoryIdentity } from '../../core/ports/index.ts';
import { type Effect, incident, type Transfer } from './effect.ts';
import { identityOf, sameInode } from './identity.ts';
import { type OpenedPath, stillResolves } from './opened-path.ts';
import { moveWithoutReplacing } from './without-replacing.ts';

/** Whether what was just done stands: the identity under the destination's name, or why not. */
export type EffectCheck = { readonly ok: true; readonly effect: Extract<Effect, { kind: 'done' }> } | { readonly ok: false; readonly doubt: string };

interface Expectation {
  readonly destination: OpenedPath;
  readonly expected: DirectoryIdentity;
  /** Every place whose directory must still be where its path says. */
  readonly paths: readonly OpenedPath[];
  /** Every place whose directory is fsynced. */
  readonly sync: readonly OpenedPath[];
}

/**
 * After a rename: the destination must be the expected inode, and all directories must still resolve, from their bases,
 * to the same directories; and all of it must be on disk. Looking and syncing need no order between them.
 */
export async function checkEffect({ destination, expected, paths, sync }: Expectation): Promise<EffectCheck> {
  const [entry, resolved, synced] = await Promise.all([
    destination.parent.entry(destination.name),
    Promise.all(onePerDirectory(paths).map(stillResolves)),
    syncAll(sync),
  ]);
  if (!entry.ok || !sameInode(entry.value, expected)) return { ok: false, doubt: 'the file was exchanged during the operation' };
  if (resolved.includes(false)) return { ok: false, doubt: 'a directory was moved away during the operation' };
  if (synced !== undefined) return { ok: false, doubt: `the operation could not be made durable (${synced})` };
  return { ok: true, effect: { kind: 'done', identity: identityOf(entry.value), sha256: undefined } };
}

/** fsync of the directories of all paths; the errno of the first that fails. */
export async function syncAll(paths: readonly OpenedPath[]): Promise<string | undefined> {
  const results = await Promise.all(onePerDirectory(paths).map(({ parent }) => parent.sync()));
  return results.flatMap((result) => (result.ok ? [] : [result.errno]))[0];
}

function onePerDirectory(paths: readonly OpenedPath[]): readonly OpenedPath[] {
  const seen: ConfinedDirectory['identity'][] = [];
  return paths.filter(({ parent: { identity } }) => {
    if (seen.some((other) => sameInode(other, identity))) return false;
    seen.push(identity);
    return true;
  });
}

/** The way back after a doubt: never replacing anything; when the way is taken, the file is kept where it is. */
export async function takeBack(transfer: Transfer, doubt: string): Promise<Effect> {
  const { source, destination, pass } = transfer;
  const back = await moveWithoutReplacing(destination, source);
  if (!back.ok) return incident(transfer, `${doubt}; it could not be taken back`, { errno: back.errno });
  pass('taken-back');
  await syncAll([source, destination]);
  return {
    kind: 'failed',
    outcome: { status: 'FAILURE', output: null, error: { error_code: 'EXECUTION_FAILED', message: `${doubt}; it was taken back` } },
    incident: undefined,
  };
}
