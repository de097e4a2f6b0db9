import { WritError } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { exchanged } from './bases.ts';
import { type Attempt, type Effect, incident, type Sealed, type Transfer } from './effect.ts';
import { untouched } from './identity.ts';
import { checkEffect, type OpenedPath, openPath, syncAll } from './opened-path.ts';
import { explain, explainStaying } from './refusals.ts';
import { withdraw } from './withdraw.ts';
import { moveWithoutReplacing } from './without-replacing.ts';

/** X6 to X8 (docs/protocol.md §5): the copy stands, so the source moves into the vault of its own base. It is never unlinked. */
export async function retire(transfer: Transfer, sealed: Sealed, done: Effect): Promise<Effect> {
  const { source, intent, pass } = transfer;
  const now = await source.parent.entry(source.name);
  if (!now.ok && now.refusal === 'missing') return sourceLost(transfer);
  // Says nothing about the task: it is waited for, and recovery goes on from here.
  if (!now.ok) throw new WritError('STORAGE_UNAVAILABLE', `the source of ${intent.taskId} cannot be looked at: ${now.errno}`);
  if (!untouched(now.value, intent.sourceIdentity)) return withdraw(transfer, transfer, sealed, 'the source changed during the move');
  pass('X6');

  const gone = exchanged(source.base, transfer.destination.base);
  if (gone !== undefined) return withdraw(transfer, transfer, sealed, gone);
  const vault = await openRetired(transfer);
  if (!vault.ok) return withdraw(transfer, transfer, sealed, sentenceOf(explain("the source's vault", vault)));
  const moved = await moveWithoutReplacing(source, vault.value);
  if (!moved.ok) {
    const still = await source.parent.entry(source.name);
    return !still.ok && still.refusal === 'missing' ? sourceLost(transfer) : withdraw(transfer, transfer, sealed, sentenceOf(explainStaying(moved)));
  }
  pass('X7');
  return finishRetired(transfer, vault.value, source, done, async (doubt) => {
    const back = await moveWithoutReplacing(vault.value, source);
    if (!back.ok) return incident(transfer, `${doubt}; the source could not be put back`, { errno: back.errno });
    pass('taken-back');
    await syncAll([source, vault.value]);
    return withdraw(transfer, transfer, sealed, doubt);
  });
}

function sentenceOf({ error }: Outcome): string {
  return error?.message ?? '';
}

/** X8, and the look at what lies in the vault. `source` is absent when recovery could not open its directory. */
export async function finishRetired(
  attempt: Attempt,
  vault: OpenedPath,
  source: OpenedPath | undefined,
  done: Effect,
  doubtful: (doubt: string) => Promise<Effect>,
): Promise<Effect> {
  const paths = source ? [source, vault] : [vault];
  const check = await checkEffect({ destination: vault, expected: attempt.intent.sourceIdentity, paths, sync: paths });
  if (!check.ok) return doubtful(check.doubt);
  attempt.pass('X8');
  return done;
}

export function openRetired({ bases, intent, descriptors }: Attempt): ReturnType<typeof openPath> {
  if (intent.retired === undefined) throw new Error('a move of method copy names the retired place of its source');
  return openPath(bases, intent.retired, descriptors);
}

/** The copy is the only one left: it stays. */
export function sourceLost(attempt: Attempt): Effect {
  return incident(attempt, 'the source disappeared during the move; the copy stays');
}
