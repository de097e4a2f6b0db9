import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { insist } from '../insist.ts';
import type { FileDeed, TaskAsk } from '../model.ts';
import type { Stage } from '../stage.ts';
import { finishTask, manifestOf } from './push-task.ts';

const DEEDS = ['move', 'copy', 'delete'] as const satisfies readonly FileDeed['does'][];
const MANY = 8;
const LATER_MS = { least: 1000, most: 4000 };

/** A task of one file, pushed once, or by several at the same time. */
export async function fileTask(stage: Stage): Promise<void> {
  const { ask, webhook } = asked(stage, stage.deed(stage.random.pick(DEEDS)));
  const pushers = stage.random.chance(0.3) ? 3 : 1;
  await Promise.all(Array.from({ length: pushers }, () => finishTask(stage, ask, webhook)));
}

/** A move whose result is taken away, and whose source is made anew, before it is pushed again. */
export async function baitedMove(stage: Stage): Promise<void> {
  const { ask, webhook } = asked(stage, stage.deed('move'));
  const view = await finishTask(stage, ask, webhook);
  const landed = ask.destination ?? '';
  if (view?.state !== 'success' || !existsSync(landed)) return;
  const bait = { taken: `${landed}.taken`, content: `bait for ${ask.id}` };
  renameSync(landed, bait.taken);
  writeFileSync(ask.source, bait.content, { flag: 'wx' });
  ask.bait = bait;
  await finishTask(stage, ask, webhook);
}

/** Several tasks that want the same file; one of them has it. */
export async function rivals(stage: Stage): Promise<void> {
  const deed = stage.deed('move');
  const all = [0, 1, 2].map((at) => asked(stage, { ...deed, destination: `${deed.destination}-${at}` }, { rival: true }));
  await Promise.all(all.map(({ ask, webhook }) => finishTask(stage, ask, webhook)));
}

/** A task whose destination is somebody's file. */
export async function occupied(stage: Stage): Promise<void> {
  const { ask, webhook } = asked(stage, stage.deed(stage.random.pick(['move', 'copy'] as const)));
  const destination = ask.destination ?? '';
  const content = `bystander of ${ask.id}`;
  writeFileSync(destination, content, { flag: 'wx' });
  stage.model.bystanders.set(destination, content);
  await finishTask(stage, ask, webhook);
}

/** A task that fails, and succeeds when its file has come: two ends, told in their order. */
export async function mended(stage: Stage): Promise<void> {
  const { ask, webhook } = asked(stage, stage.deed('move', { made: false }));
  await finishTask(stage, ask, webhook);
  writeFileSync(ask.source, ask.content, { flag: 'wx' });
  while (!stage.over.aborted && (await finishTask(stage, ask, webhook))?.state !== 'success');
}

/** A task that may not begin before its time. */
export async function laterTask(stage: Stage): Promise<void> {
  const { least, most } = LATER_MS;
  // Leases count whole seconds.
  const notBefore = Math.ceil((Date.now() + least + stage.random.integer(most - least)) / 1000) * 1000;
  const { ask, webhook } = asked(stage, stage.deed('move'), { notBefore });
  await finishTask(stage, ask, { ...webhook, notBefore: new Date(notBefore) });
}

/** Many copies in one request. */
export async function manyTasks(stage: Stage): Promise<void> {
  const all = Array.from({ length: MANY }, () => asked(stage, stage.deed('copy'), { mayHear: ['named'] }));
  const push = async (): Promise<void> => {
    for await (const _ of stage.site.client.tasks.submitMany(
      all.map(({ ask }) => ({ manifest: manifestOf(ask) })),
      { sign: true, webhook: 'named' },
    ));
  };
  await insist(push, stage.over);
  await Promise.all(all.map(({ ask, webhook }) => finishTask(stage, ask, webhook)));
}

/** Writes the task into the model before anybody hears of it. */
function asked(stage: Stage, deed: FileDeed, more: Pick<TaskAsk, 'rival' | 'notBefore' | 'mayHear'> = {}): { readonly ask: TaskAsk; readonly webhook: object } {
  const { told, webhook } = stage.told();
  const ask: TaskAsk = { id: `task-${path.basename(deed.destination ?? deed.source)}`, ...deed, told, ...more };
  stage.model.tasks.push(ask);
  return { ask, webhook };
}
