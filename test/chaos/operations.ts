import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ExecutionResult, LeasePayload, TaskManifest } from '../../src/contracts/index.ts';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { Effect } from './effect.ts';
import { baseOf, recoveryPath, type Stage } from './stage.ts';

/** Makes the files that an operation needs, and the task; `undefined` when a task before it did not succeed. */
export type Prepare = (stage: Stage, lease?: Partial<LeasePayload>) => Promise<Effect | undefined>;

type Sure = (stage: Stage, lease?: Partial<LeasePayload>) => Promise<Effect>;

const move: Sure = (stage, lease) => moveBetween(stage, path.join(stage.main, 'a'), path.join(inSubdirectory(stage), 'b'), lease);
const moveAcross: Sure = (stage, lease) => moveBetween(stage, path.join(stage.main, 'a'), path.join(stage.other, 'b'), lease);
const undoneDelete: Prepare = async (stage, lease) => undo(stage, await deleteFile(stage), lease);

/** Every operation of the chaos runs. */
export const OPERATIONS = {
  move,
  copy: (stage, lease) => copyTo(stage, path.join(stage.main, 'b'), lease),
  'copy across': (stage, lease) => copyTo(stage, path.join(stage.other, 'b'), lease),
  delete: deleteFile,
  'move across': moveAcross,
  'move back across': (stage, lease) => moveBetween(stage, path.join(stage.other, 'a'), path.join(stage.main, 'b'), lease),
  'undo move': async (stage, lease) => undo(stage, await move(stage), lease),
  'undo move across': async (stage, lease) => undo(stage, await moveAcross(stage), lease),
  'undo delete': undoneDelete,
  'undo undone delete': async (stage, lease) => undo(stage, await undoneDelete(stage), lease),
} as const satisfies Record<string, Prepare>;

export type OperationName = keyof typeof OPERATIONS;

/** Any of them, by name. */
export function prepare(operation: OperationName, stage: Stage, lease?: Partial<LeasePayload>): Promise<Effect | undefined> {
  const chosen: Prepare = OPERATIONS[operation];
  return chosen(stage, lease);
}

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

const LARGE_BYTES = 300_000;

/** One or two directories to make durable. */
function inSubdirectory({ main, field }: Stage): string {
  if (field.random.chance(0.5)) return main;
  const directory = path.join(main, 'sub');
  mkdirSync(directory);
  return directory;
}

async function moveBetween(stage: Stage, source: string, destination: string, lease?: Partial<LeasePayload>): Promise<Effect> {
  const across = baseOf(stage, source) !== baseOf(stage, destination);
  const content = write(stage, source, across);
  const manifest = stage.manifest('FILE_MOVE', source, destination);
  return effect(stage, manifest, { source, targets: [destination], content, passes: across ? 'move across' : 'rename' }, lease);
}

async function copyTo(stage: Stage, destination: string, lease?: Partial<LeasePayload>): Promise<Effect> {
  const source = path.join(stage.main, 'a');
  const content = write(stage, source, true);
  const manifest = stage.manifest('FILE_COPY', source, destination);
  return effect(stage, manifest, { source, targets: [destination], content, passes: 'copy', keepsSource: true }, lease);
}

async function deleteFile(stage: Stage, lease?: Partial<LeasePayload>): Promise<Effect> {
  const source = path.join(stage.main, 'a');
  const content = write(stage, source, false);
  const manifest = stage.manifest('FILE_DELETE', source);
  return effect(stage, manifest, { source, targets: vaultPlaces(stage, manifest.task_id), content, passes: 'rename', toVault: true }, lease);
}

/** Takes a finished effect back, as the kernel does (docs/protocol.md 8). */
export async function undo(stage: Stage, done: Effect | undefined, lease?: Partial<LeasePayload>, earlier = 0): Promise<Effect | undefined> {
  if (!done) return undefined;
  const { tickets } = stage.field;
  if (done.ticket.answer === undefined) await tickets.push(done.ticket);
  const result = await tickets.answer(done.ticket);
  if (result?.status !== 'SUCCESS') return undefined;
  const manifest = undoManifest(stage, done, result, earlier);
  const at = done.toVault ? (recoveryPath(result) ?? '') : (done.targets[0] ?? '');
  // The undo of an undone delete goes back to the place in the vault from which the undo took the file.
  const shape = { source: at, targets: [done.source], content: done.content, passes: done.passes, fromVault: done.toVault, toVault: done.fromVault };
  return effect(stage, manifest, shape, lease);
}

function undoManifest(stage: Stage, { ticket, source, targets, toVault, fromVault }: Effect, result: ExecutionResult, earlier: number): TaskManifest {
  const undone = ticket.manifest.task_id;
  const from = toVault ? (recoveryPath(result) ?? '') : (targets[0] ?? '');
  const changes = { task_id: `u-${sha256Hex(canonicalJson([undone, earlier]))}`, provenance: { undo_of: undone } };
  if (fromVault) return stage.manifest('FILE_DELETE', from, undefined, changes);
  return stage.manifest('FILE_MOVE', from, source, changes);
}

type Shape = Pick<Effect, 'source' | 'targets' | 'content' | 'passes'> & Partial<Effect>;

async function effect(stage: Stage, manifest: TaskManifest, shape: Shape, lease?: Partial<LeasePayload>): Promise<Effect> {
  const ticket = await stage.field.tickets.issue(manifest, lease);
  return { base: baseOf(stage, shape.source), keepsSource: false, fromVault: false, toVault: false, ...shape, ticket };
}

function write(stage: Stage, file: string, mayBeLarge: boolean): string {
  const content = stage.content(mayBeLarge && stage.field.random.chance(0.3) ? LARGE_BYTES : 0);
  writeFileSync(file, content, { flag: 'wx' });
  return content;
}

/** Each attempt of a delete has a place of its own. */
function vaultPlaces({ field }: Stage, taskId: string): readonly string[] {
  const places = [1, 2, 3, 4].map((n) => `d-${sha256Hex(taskId).slice(0, 40)}-${n}`);
  return places.map((name) => path.join(field.rig.base, '.writ-vault', name));
}
