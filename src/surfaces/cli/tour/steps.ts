import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TaskManifest } from '../../../contracts/index.ts';
import type { FinishedTask } from '../../shared/tasks/stored-outcome.ts';
import type { Scene, TourServices } from './scene.ts';

/** One line of the tour. */
export interface Line {
  readonly task: string;
  /** What came back. */
  readonly answer: string;
  /** What it shows, when it is as promised. */
  readonly proves: string;
  readonly passed: boolean;
}

/** What earlier steps leave for the next ones. */
interface Earlier {
  copy?: { readonly manifest: TaskManifest; readonly lease: string; readonly result: string };
  deleted?: { readonly manifest: TaskManifest; readonly result: string };
}

type Step = (scene: Scene, earlier: Earlier, services: TourServices) => Promise<Line>;

/** The steps in their order; each is a table row and works on real files through the queue. */
const STEPS: readonly Step[] = [copy, move, remove, undo, replay, otherBytes, traversal, expired, regranted, early, pressedRetry, plan];

/** The steps for these services: an installation from before searches has no scope, and no root, to search. */
export function stepsFor({ searchScope, searchesContents }: TourServices): readonly Step[] {
  return [...STEPS, ...(searchScope === undefined ? [] : [search]), ...(searchesContents ? [searchContents] : [])];
}

async function copy(scene: Scene, earlier: Earlier): Promise<Line> {
  const [source, destination] = [scene.at('README.md'), scene.at('archive', 'README.md')];
  const manifest = scene.manifest('copy', 'FILE_COPY', { source_path: source, destination_path: destination });
  const lease = await scene.lease(manifest);
  await scene.push(manifest, lease);
  const done = await scene.answer(manifest);
  earlier.copy = { manifest, lease, result: done.result };
  const passed = succeeded(done) && (await scene.same(source, destination));
  return { task: 'copy README.md to archive/', answer: codeOf(done), proves: 'a leased task runs, and its result verifies', passed };
}

async function move(scene: Scene): Promise<Line> {
  const [source, destination] = [scene.at('letter.txt'), scene.at('archive', 'letter.txt')];
  const manifest = scene.manifest('move', 'FILE_MOVE', { source_path: source, destination_path: destination });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const passed = succeeded(done) && !(await scene.isThere(source)) && (await scene.isThere(destination));
  return { task: 'move letter.txt to archive/', answer: codeOf(done), proves: 'one atomic rename that never replaces', passed };
}

async function remove(scene: Scene, earlier: Earlier): Promise<Line> {
  const source = scene.at('LICENSE');
  const manifest = scene.manifest('delete', 'FILE_DELETE', { source_path: source });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  earlier.deleted = { manifest, result: done.result };
  const passed = succeeded(done) && !(await scene.isThere(source));
  return { task: 'delete LICENSE', answer: codeOf(done), proves: 'a delete keeps the file in the vault', passed };
}

async function undo(scene: Scene, earlier: Earlier, services: TourServices): Promise<Line> {
  const { manifest, result } = given(earlier.deleted);
  const job = await services.kernel.undo({ manifest, success: result, earlierUndos: 0 });
  await services.tasks.enqueue.push(job);
  const done = await scene.answer(job.manifest);
  const passed = succeeded(done) && (await scene.isThere(scene.at('LICENSE')));
  return { task: 'undo that delete', answer: codeOf(done), proves: 'undo is a leased task of its own; the file is back', passed };
}

async function replay(scene: Scene, earlier: Earlier): Promise<Line> {
  const { manifest, lease, result } = given(earlier.copy);
  const receipt = await scene.push(manifest, lease);
  const passed = receipt.kind === 'finished' && receipt.result === result;
  return { task: 'push the copy again', answer: receipt.kind, proves: 'same id, same bytes: same answer, nothing done again', passed };
}

async function otherBytes(scene: Scene, earlier: Earlier): Promise<Line> {
  const { manifest, lease } = given(earlier.copy);
  const receipt = await scene.push({ ...manifest, inputs: { ...manifest.inputs, destination_path: scene.at('archive', 'other.md') } }, lease);
  const passed = receipt.kind === 'conflict' && !(await scene.isThere(scene.at('archive', 'other.md')));
  return { task: 'the same id with other bytes', answer: receipt.kind, proves: 'a lease is permission for exactly its bytes', passed };
}

async function traversal(scene: Scene): Promise<Line> {
  const manifest = scene.manifest('escape', 'FILE_COPY', {
    source_path: scene.at('..', '..', '..', 'etc', 'hostname'),
    destination_path: scene.at('loot.txt'),
  });
  const raw = { ...manifest, inputs: { ...manifest.inputs, source_path: `${scene.at()}/../../../../../../etc/hostname` } };
  await scene.push(raw, await scene.lease(raw));
  const done = await scene.answer(raw);
  const passed = failedWith(done, 'EXECUTION_FAILED') && !(await scene.isThere(scene.at('loot.txt')));
  return { task: 'copy ../../../etc/hostname', answer: codeOf(done), proves: 'no path leaves its base directory', passed };
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
  const passed = failedWith(done, 'LEASE_EXPIRED') && (await scene.isThere(scene.at('late.txt')));
  return { task: 'move late.txt, lease expired', answer: codeOf(done), proves: 'nothing starts after the lease has ended', passed };
}

async function regranted(scene: Scene, _earlier: Earlier, services: TourServices): Promise<Line> {
  const manifest = late(scene);
  const failed = await scene.answer(manifest);
  const [grant] = await services.kernel.regrant([{ manifest, failure: failed.result }], {});
  await services.tasks.enqueue.retry(manifest.task_id, grant?.kind === 'granted' ? { lease: grant.lease } : {});
  const done = await scene.answer(manifest);
  const passed = succeeded(done) && (await scene.isThere(scene.at('archive', 'late.txt')));
  return { task: 'retry it with a regranted lease', answer: codeOf(done), proves: 'a recorded failure can be leased and run again', passed };
}

function report(scene: Scene): TaskManifest {
  return scene.manifest('report', 'FILE_COPY', { source_path: scene.at('report.txt'), destination_path: scene.at('archive', 'report.txt') });
}

async function early(scene: Scene): Promise<Line> {
  const manifest = report(scene);
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const passed = failedWith(done, 'EXECUTION_FAILED');
  return { task: 'copy report.txt, not there yet', answer: codeOf(done), proves: 'a failure has a code, and the job waits on the board', passed };
}

async function pressedRetry(scene: Scene, _earlier: Earlier, services: TourServices): Promise<Line> {
  const manifest = report(scene);
  await writeFile(scene.at('report.txt'), 'now it is there\n');
  const failed = await scene.answer(manifest);
  await (await services.board()).retry(failed.job?.queue ?? '', manifest.task_id);
  const done = await scene.answer(manifest);
  const passed = succeeded(done) && (await scene.isThere(scene.at('archive', 'report.txt')));
  return { task: 'write it, press Retry on the board', answer: codeOf(done), proves: "the board's retry is Writ's own, and audited", passed };
}

async function plan(scene: Scene, _earlier: Earlier, services: TourServices): Promise<Line> {
  const [original, archived] = [scene.at('CHANGELOG.md'), scene.at('archive', 'CHANGELOG.md')];
  const step = (action: string, params: object, changes: object = {}) => ({ type: 'tool', ref: 'writ.file', params: { action, ...params }, ...changes });
  const steps = [
    step('FILE_COPY', { source_path: original, destination_path: archived }, { save: { to: { copied: '$.data.result_summary.bytes' } } }),
    step('FILE_COPY', { source_path: scene.at('nothing'), destination_path: scene.at('x') }, { on_error: { mode: 'continue' } }),
    step('FILE_DELETE', { source_path: original, constraints: { reversible: true } }, { when: 'memory.state.copied > 0' }),
  ];
  const name = path.basename(scene.at());
  const header = { id: name, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'tour', destination: 'executor', type: 'execution' };
  const { state, stepsDone, error } = await services.runPlan({ header, payload: { steps, memory: { session_id: name, state: {} } } });
  const passed = state === 'success' && stepsDone === 3 && (await scene.isThere(archived)) && !(await scene.isThere(original));
  return {
    task: 'a plan: copy, a step that fails, delete',
    answer: error?.code ?? 'SUCCESS',
    proves: 'a plan runs each step once, under one lease',
    passed,
  };
}

async function search(scene: Scene, _earlier: Earlier, services: TourServices): Promise<Line> {
  const folder = path.basename(scene.at());
  // The workspace may hold the folders of earlier tours: this name is only here.
  await writeFile(scene.at(`${folder}.txt`), 'find me\n');
  const manifest = scene.manifest('search', 'SEARCH_FILES', { query: `${folder}.`, target_scope: services.searchScope, max_results: 10 });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const expected = [{ id: `${folder}/${folder}.txt`, match_field: 'filename', match_snippet: `${folder}.txt` }];
  const passed = succeeded(done) && isDeepStrictEqual(done.outcome.output?.['results'], expected);
  return { task: 'search for a file by its name', answer: codeOf(done), proves: 'a search reads only, and its result is signed too', passed };
}

async function searchContents(scene: Scene): Promise<Line> {
  const folder = path.basename(scene.at());
  await writeFile(scene.at('note.txt'), `first\na line of ${folder}\n`);
  const manifest = scene.manifest('contents', 'CONTENT_SEARCH', { pattern: `line of ${folder}`, fixed_strings: true, path: folder });
  await scene.push(manifest, await scene.lease(manifest));
  const done = await scene.answer(manifest);
  const expected = [{ type: 'match', data: { path: { text: `${folder}/note.txt` }, line_number: 2, lines: { text: `a line of ${folder}` } } }];
  const passed = succeeded(done) && isDeepStrictEqual(done.outcome.output?.['matches'], expected);
  return { task: 'search for a line in files', answer: codeOf(done), proves: 'what a file says is found by path and line', passed };
}

function codeOf({ outcome }: FinishedTask): string {
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
