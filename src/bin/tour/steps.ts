import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TaskManifest } from '../../contracts/index.ts';
import type { FinishedTask } from '../../surfaces/shared/tasks/task-status.ts';
import type { Doors, Scene } from './scene.ts';

/** One line of the tour. */
export interface Line {
  readonly task: string;
  /** What came back. */
  readonly answer: string;
  /** What it shows, when it is as promised. */
  readonly proves: string;
  readonly asPromised: boolean;
}

/** What a step leaves for the next ones. */
interface Trail {
  copy?: { readonly manifest: TaskManifest; readonly lease: string; readonly result: string };
  deleted?: { readonly manifest: TaskManifest; readonly result: string };
}

type Step = (scene: Scene, trail: Trail, doors: Doors) => Promise<Line>;

/** The steps in their order; each is a table row and works on real files through the queue. */
const STEPS: readonly Step[] = [copy, move, remove, undo, replay, otherBytes, traversal, expired, regranted, early, pressedRetry, plan];

/** The steps for these doors: an installation from before searches has no scope, and no root, to search. */
export function stepsFor({ searchScope, searchesContents }: Doors): readonly Step[] {
  return [...STEPS, ...(searchScope === undefined ? [] : [search]), ...(searchesContents ? [searchContents] : [])];
}

async function copy(scene: Scene, trail: Trail): Promise<Line> {
  const [source, destination] = [scene.at('README.md'), scene.at('archive', 'README.md')];
  const manifest = scene.manifest('copy', 'FILE_COPY', { source_path: source, destination_path: destination });
  const lease = await scene.lease(manifest);
  await scene.push(manifest, lease);
  const done = await scene.answer(manifest);
  trail.copy = { manifest, lease, result: done.result };
  const asPromised = succeeded(done) && (await scene.same(source, destination));
  return { task: 'copy README.md to archive/', answer: said(done), proves: 'a leased task runs, and its result verifies', asPromised };
}

async function move(scene: Scene): Promise<Line> {
  const [source, destination] = [scene.at('letter.txt'), scene.at('archive', 'letter.txt')];
  const manifest = scene.manifest('move', 'FILE_MOVE', { source_path: source, destination_path: destination });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const asPromised = succeeded(done) && !(await scene.isThere(source)) && (await scene.isThere(destination));
  return { task: 'move letter.txt to archive/', answer: said(done), proves: 'one atomic rename that never replaces', asPromised };
}

async function remove(scene: Scene, trail: Trail): Promise<Line> {
  const source = scene.at('LICENSE');
  const manifest = scene.manifest('delete', 'FILE_DELETE', { source_path: source });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  trail.deleted = { manifest, result: done.result };
  const asPromised = succeeded(done) && !(await scene.isThere(source));
  return { task: 'delete LICENSE', answer: said(done), proves: 'a delete keeps the file in the vault', asPromised };
}

async function undo(scene: Scene, trail: Trail, doors: Doors): Promise<Line> {
  const { manifest, result } = given(trail.deleted);
  const job = await doors.kernel.undo({ manifest, success: result, earlierUndos: 0 });
  await doors.tasks.enqueue.push(job);
  const done = await scene.answer(job.manifest);
  const asPromised = succeeded(done) && (await scene.isThere(scene.at('LICENSE')));
  return { task: 'undo that delete', answer: said(done), proves: 'undo is a leased task of its own; the file is back', asPromised };
}

async function replay(scene: Scene, trail: Trail): Promise<Line> {
  const { manifest, lease, result } = given(trail.copy);
  const receipt = await scene.push(manifest, lease);
  const asPromised = receipt.kind === 'finished' && receipt.result === result;
  return { task: 'push the copy again', answer: receipt.kind, proves: 'same id, same bytes: same answer, nothing done again', asPromised };
}

async function otherBytes(scene: Scene, trail: Trail): Promise<Line> {
  const { manifest, lease } = given(trail.copy);
  const receipt = await scene.push({ ...manifest, inputs: { ...manifest.inputs, destination_path: scene.at('archive', 'other.md') } }, lease);
  const asPromised = receipt.kind === 'conflict' && !(await scene.isThere(scene.at('archive', 'other.md')));
  return { task: 'the same id with other bytes', answer: receipt.kind, proves: 'a lease is permission for exactly its bytes', asPromised };
}

async function traversal(scene: Scene): Promise<Line> {
  const manifest = scene.manifest('escape', 'FILE_COPY', {
    source_path: scene.at('..', '..', '..', 'etc', 'hostname'),
    destination_path: scene.at('loot.txt'),
  });
  const raw = { ...manifest, inputs: { ...manifest.inputs, source_path: `${scene.at()}/../../../../../../etc/hostname` } };
  await scene.push(raw, await scene.lease(raw));
  const done = await scene.answer(raw);
  const asPromised = failedWith(done, 'EXECUTION_FAILED') && !(await scene.isThere(scene.at('loot.txt')));
  return { task: 'copy ../../../etc/hostname', answer: said(done), proves: 'no path leaves its base directory', asPromised };
}

function late(scene: Scene): TaskManifest {
  return scene.manifest('late', 'FILE_MOVE', { source_path: scene.at('late.txt'), destination_path: scene.at('archive', 'late.txt') });
}

async function expired(scene: Scene): Promise<Line> {
  await writeFile(scene.at('late.txt'), 'this task comes too late, at first\n');
  const manifest = late(scene);
  const lease = await scene.lease(manifest, 1);
  // The lease of one second really runs out; nothing is faked.
  await delay(1_100);
  await scene.push(manifest, lease);
  const done = await scene.answer(manifest);
  const asPromised = failedWith(done, 'LEASE_EXPIRED') && (await scene.isThere(scene.at('late.txt')));
  return { task: 'move late.txt, lease expired', answer: said(done), proves: 'nothing starts after the lease has ended', asPromised };
}

async function regranted(scene: Scene, _trail: Trail, doors: Doors): Promise<Line> {
  const manifest = late(scene);
  const failed = await scene.answer(manifest);
  const lease = await doors.kernel.regrant(manifest, failed.result, {});
  await doors.tasks.enqueue.retry(manifest.task_id, { lease });
  const done = await scene.answer(manifest);
  const asPromised = succeeded(done) && (await scene.isThere(scene.at('archive', 'late.txt')));
  return { task: 'retry it with a regranted lease', answer: said(done), proves: 'a recorded failure can be leased and run again', asPromised };
}

function report(scene: Scene): TaskManifest {
  return scene.manifest('report', 'FILE_COPY', { source_path: scene.at('report.txt'), destination_path: scene.at('archive', 'report.txt') });
}

async function early(scene: Scene): Promise<Line> {
  const manifest = report(scene);
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const asPromised = failedWith(done, 'EXECUTION_FAILED');
  return { task: 'copy report.txt, not there yet', answer: said(done), proves: 'a failure has a code, and the job waits on the board', asPromised };
}

async function pressedRetry(scene: Scene, _trail: Trail, doors: Doors): Promise<Line> {
  const manifest = report(scene);
  await writeFile(scene.at('report.txt'), 'now it is there\n');
  const failed = await scene.answer(manifest);
  await (await doors.board()).retry(failed.job?.queue ?? '', manifest.task_id);
  const done = await scene.answer(manifest);
  const asPromised = succeeded(done) && (await scene.isThere(scene.at('archive', 'report.txt')));
  return { task: 'write it, press Retry on the board', answer: said(done), proves: "the board's retry is Writ's own, and audited", asPromised };
}

async function plan(scene: Scene, _trail: Trail, doors: Doors): Promise<Line> {
  const [original, archived] = [scene.at('CHANGELOG.md'), scene.at('archive', 'CHANGELOG.md')];
  const step = (action: string, params: object, changes: object = {}) => ({ type: 'tool', ref: 'writ.file', params: { action, ...params }, ...changes });
  const steps = [
    step('FILE_COPY', { source_path: original, destination_path: archived }, { save: { to: { copied: '$.data.result_summary.bytes' } } }),
    step('FILE_COPY', { source_path: scene.at('nothing'), destination_path: scene.at('x') }, { on_error: { mode: 'continue' } }),
    step('FILE_DELETE', { source_path: original, constraints: { reversible: true } }, { when: 'memory.state.copied > 0' }),
  ];
  const name = path.basename(scene.at());
  const header = { id: name, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'tour', destination: 'executor', type: 'execution' };
  const { state, stepsDone, error } = await doors.runPlan({ header, payload: { steps, memory: { session_id: name, state: {} } } });
  const asPromised = state === 'success' && stepsDone === 3 && (await scene.isThere(archived)) && !(await scene.isThere(original));
  return {
    task: 'a plan: copy, a step that fails, delete',
    answer: error?.code ?? 'SUCCESS',
    proves: 'a plan runs each step once, under one lease',
    asPromised,
  };
}

async function search(scene: Scene, _trail: Trail, doors: Doors): Promise<Line> {
  const folder = path.basename(scene.at());
  // The workspace may hold the folders of earlier tours: this name is only here.
  await writeFile(scene.at(`${folder}.txt`), 'find me\n');
  const manifest = scene.manifest('search', 'SEARCH_FILES', { query: `${folder}.`, target_scope: doors.searchScope, max_results: 10 });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const expected = [{ id: `${folder}/${folder}.txt`, match_field: 'filename', match_snippet: `${folder}.txt` }];
  const asPromised = succeeded(done) && isDeepStrictEqual(done.outcome.output?.['results'], expected);
  return { task: 'search for a file by its name', answer: said(done), proves: 'a search reads only, and its result is signed too', asPromised };
}

async function searchContents(scene: Scene): Promise<Line> {
  const folder = path.basename(scene.at());
  await writeFile(scene.at('note.txt'), `first\na line of ${folder}\n`);
  const manifest = scene.manifest('contents', 'CONTENT_SEARCH', { pattern: `line of ${folder}`, fixed_strings: true, path: folder });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const expected = [{ type: 'match', data: { path: { text: `${folder}/note.txt` }, line_number: 2, lines: { text: `a line of ${folder}` } } }];
  const asPromised = succeeded(done) && isDeepStrictEqual(done.outcome.output?.['matches'], expected);
  return { task: 'search for a line in files', answer: said(done), proves: 'what a file says is found by path and line', asPromised };
}

function said({ outcome }: FinishedTask): string {
  return outcome.error === null ? outcome.status : outcome.error.error_code;
}

function succeeded({ outcome }: FinishedTask): boolean {
  return outcome.status === 'SUCCESS';
}

function failedWith({ outcome }: FinishedTask, code: string): boolean {
  return outcome.error?.error_code === code;
}

function given<T>(left: T | undefined): T {
  if (left === undefined) throw new Error('an earlier step of the tour did not end');
  return left;
}
