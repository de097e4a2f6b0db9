import { exchanged } from './bases.ts';
import { type Effect, executionFailed, failed, incident, type Sealed, type Transfer } from './effect.ts';
import { sameInode } from './identity.ts';
import { checkEffect, type OpenedPath } from './opened-path.ts';
import { explain } from './refusals.ts';
import { retire } from './retire.ts';
import { mayHaveSecondName, moveWithoutReplacing, tookBack } from './without-replacing.ts';

/** C4: the sealed temporary file gets the destination's name; then as `afterPublish`. */
export async function publish(transfer: Transfer, sealed: Sealed): Promise<Effect> {
  const { destination, pass } = transfer;
  const temporary = temporaryPath(transfer);
  const gone = exchanged(transfer.source.base, destination.base);
  const moved = gone === undefined ? await moveWithoutReplacing(temporary, destination) : undefined;
  if (!moved?.ok) {
    const stands = moved !== undefined && ((await mayStand(destination, sealed)) || (await mayHaveSecondName(temporary)));
    await temporary.parent.unlink(temporary.name);
    if (stands) return incident(transfer, `the destination could not be written (${moved.errno}); it could not be taken back`);
    return moved === undefined ? executionFailed(gone ?? '') : failed(explain('the destination', moved));
  }
  pass('C4');
  return afterPublish(transfer, sealed, true);
}

/**
 * C5, and for a move the retirement of the source.
 *
 * @param record whether the journal has to learn that the copy is published
 */
export async function afterPublish(transfer: Transfer, sealed: Sealed, record: boolean): Promise<Effect> {
  const { source, destination, intent, n, journal, pass } = transfer;
  const check = await checkEffect({ destination, expected: sealed, paths: [source, destination], sync: [destination] });
  if (!check.ok) return takeBackCopy(transfer, sealed, check.doubt);
  pass('C5');
  const done: Effect = { kind: 'done', identity: check.identity, sha256: sealed.sha256 };
  if (intent.operation === 'copy') return done;
  if (record) await journal.publish(intent.taskId, n);
  pass('published');
  return retire(transfer, sealed, done);
}

/** The way back from C4: our own copy, and nothing else, loses the destination's name and is removed. */
async function takeBackCopy(transfer: Transfer, sealed: Sealed, doubt: string): Promise<Effect> {
  const { destination } = transfer;
  const temporary = temporaryPath(transfer);
  if (!(await isInode(destination, sealed))) return incident(transfer, `${doubt}; it could not be taken back`);
  const back = await moveWithoutReplacing(destination, temporary);
  if (!back.ok || !(await isInode(temporary, sealed))) return incident(transfer, `${doubt}; it could not be taken back`);
  const stands = await mayHaveSecondName(temporary);
  await temporary.parent.unlink(temporary.name);
  if (stands) return incident(transfer, `${doubt}; it could not be taken back`);
  return tookBack(transfer, [destination], doubt);
}

async function isInode(place: OpenedPath, sealed: Sealed): Promise<boolean> {
  const entry = await place.parent.entry(place.name);
  return entry.ok && sameInode(entry.value, sealed);
}

/** Whether a publish that was refused may have given the copy its name all the same: a link is made before the other name goes. */
async function mayStand(place: OpenedPath, sealed: Sealed): Promise<boolean> {
  const entry = await place.parent.entry(place.name);
  return entry.ok ? sameInode(entry.value, sealed) : entry.refusal !== 'missing';
}

function temporaryPath({ intent, destination }: Transfer): OpenedPath {
  if (intent.temporary === undefined) throw new Error('an intent of method copy names its temporary file');
  return { ...destination, name: intent.temporary };
}
