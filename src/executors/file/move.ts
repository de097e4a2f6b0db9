import { exchanged } from './bases.ts';
import { type Effect, executionFailed, failed, incident, type Transfer } from './effect.ts';
import { sameInode } from './identity.ts';
import { checkEffect } from './opened-path.ts';
import { explain, type Refused } from './refusals.ts';
import { dropLinkedName, mayHaveSecondName, moveWithoutReplacing, tookBack } from './without-replacing.ts';

/** Method `rename`: M1, M2 (`docs/protocol.md` 5). For a delete the destination lies in the vault. */
export async function moveByRename(transfer: Transfer): Promise<Effect> {
  const { source, destination, pass } = transfer;
  const gone = exchanged(source.base, destination.base);
  if (gone !== undefined) return executionFailed(gone);
  const renamed = await source.parent.renameNoReplace(source.name, destination.parent, destination.name);
  if (!renamed.ok) return refusedMove(transfer, renamed);
  pass('M1');
  return makeMoveDurable(transfer);
}

/** Method `link`: L1, L2, M2; only where the kernel has no RENAME_NOREPLACE and the file has one name. */
export async function moveByLink(transfer: Transfer): Promise<Effect> {
  const { source, destination, intent, pass } = transfer;
  const gone = exchanged(source.base, destination.base);
  if (gone !== undefined) return executionFailed(gone);
  const linked = await source.parent.link(source.name, destination.parent, destination.name);
  if (!linked.ok) return refusedMove(transfer, linked);
  pass('L1');
  const entry = await destination.parent.entry(destination.name);
  if (!entry.ok || !sameInode(entry.value, intent.sourceIdentity)) return unlinkDestination(transfer, 'the file was exchanged during the operation');
  return dropSource(transfer);
}

/** L2 and on; also where recovery finds both names. */
export async function dropSource(transfer: Transfer): Promise<Effect> {
  const { source, destination, pass } = transfer;
  const dropped = await dropLinkedName(source, destination);
  if (!dropped.ok) return unlinkDestination(transfer, `the source's name could not be removed (${dropped.errno})`);
  pass('L2');
  return makeMoveDurable(transfer);
}

/** M2, and the look at what stands. */
async function makeMoveDurable(transfer: Transfer): Promise<Effect> {
  const { source, destination, intent, pass } = transfer;
  const check = await checkEffect({ destination, expected: intent.sourceIdentity, paths: [source, destination], sync: [source, destination] });
  if (!check.ok) return takeBack(transfer, check.doubt);
  pass('M2');
  return { kind: 'done', identity: check.identity, sha256: undefined };
}

/** The way back after a doubt: never replacing anything; when the way is taken, the file is kept where it is. */
async function takeBack(transfer: Transfer, doubt: string): Promise<Effect> {
  const { source, destination, intent } = transfer;
  const back = await moveWithoutReplacing(destination, source);
  if (!back.ok) return incident(transfer, `${doubt}; it could not be taken back`, { errno: back.errno });
  // Only a file with one name is moved by link.
  if (intent.method === 'link' && (await mayHaveSecondName(source))) return incident(transfer, `${doubt}; it could not be taken back`);
  return tookBack(transfer, [source, destination], doubt);
}

/** The way back from L1. */
async function unlinkDestination(transfer: Transfer, doubt: string): Promise<Effect> {
  const { source, destination } = transfer;
  const [first, second] = await Promise.all([source.parent.entry(source.name), destination.parent.entry(destination.name)]);
  const oneFile = first.ok && second.ok && sameInode(first.value, second.value);
  const dropped = oneFile && (await destination.parent.unlink(destination.name)).ok;
  return dropped ? tookBack(transfer, [destination], doubt) : incident(transfer, `${doubt}; it could not be taken back`);
}

function refusedMove({ intent }: Transfer, refused: Refused): Effect {
  const destination = intent.operation === 'delete' ? 'the place in the vault' : 'the destination';
  return failed(explain(refused.refusal === 'missing' || refused.refusal === 'permission' ? 'the source' : destination, refused));
}
