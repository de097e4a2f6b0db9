import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Effect } from '../effect.ts';
import { idOf } from '../effect.ts';
import { finale } from '../finale.ts';
import type { Stage } from '../stage.ts';
import { blow } from '../strikes.ts';

const FILE_BYTES = 200_000;
let turn: Promise<unknown> = Promise.resolve();

/** The destination's file system fills up in the midst of a copy onto it, with or without a kill right after. One at a time. */
export function noSpace(stage: Stage): Promise<void> {
  const mine = turn.then(() => fillUp(stage));
  turn = mine.catch(() => undefined);
  return mine;
}

async function fillUp(stage: Stage): Promise<void> {
  const { plans, counts, random, tickets } = stage.field;
  mkdirSync(stage.tiny);
  const filler = path.join(stage.tiny, 'filler');
  const [source, target] = [path.join(stage.main, 'a'), path.join(stage.tiny, 'b')];
  const content = stage.content(FILE_BYTES);
  writeFileSync(source, content);
  const capability = random.pick(['FILE_COPY', 'FILE_MOVE'] as const);
  const ticket = await tickets.issue(stage.manifest(capability, source, target));
  const keepsSource = capability === 'FILE_COPY';
  const effect: Effect = {
    ticket,
    base: stage.field.rig.base,
    source,
    targets: [target],
    content,
    keepsSource,
    fromVault: false,
    toVault: false,
    passes: 'copy',
  };
  const plan = plans.arm(idOf(effect), 'C1', random.chance(0.5) ? [{ do: 'fill', file: filler }] : [{ do: 'fill', file: filler }, { do: 'kill' }]);
  await tickets.push(ticket);
  const strike = await blow(stage, effect, plan);
  if (strike) counts.round('no space left in the midst of a copy');
  await finale(stage, effect, {}, { success: !strike, failure: { code: 'RESOURCE_EXHAUSTED', says: /room|space/ } });
  // Room for the next one.
  for (const file of [filler, `${target}.taken`, target]) {
    rmSync(file, { force: true });
    stage.field.expectations.forget(file);
  }
}
