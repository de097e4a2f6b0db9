import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Effect, existsSomewhere, idOf } from '../effect.ts';
import { finale } from '../finale.ts';
import { OPERATIONS } from '../operations.ts';
import type { Deed } from '../setup.ts';
import type { Stage } from '../stage.ts';
import { blow } from '../strikes.ts';

/** The destination's directory is moved away in the midst of the effect; the worker dies on the way back, or does not. */
export async function takenBack(stage: Stage, linked: boolean): Promise<void> {
  const { random } = stage.field;
  const directory = path.join(stage.main, 'd');
  const movedTo = path.join(stage.main, 'e');
  mkdirSync(directory);
  stage.field.movedDirectories.add(movedTo);
  const kind = random.pick(['FILE_MOVE', 'FILE_COPY'] as const);
  const plain = kind === 'FILE_MOVE' ? await OPERATIONS.move(stage) : await OPERATIONS.copy(stage, undefined);
  const manifest = stage.manifest(kind, plain.source, path.join(directory, 'b'));
  const effect: Effect = { ...plain, ticket: await stage.field.tickets.issue(manifest), targets: [path.join(directory, 'b'), path.join(movedTo, 'b')] };
  const first = kind === 'FILE_COPY' ? 'C4' : linked ? 'L1' : 'M1';
  await disturb(
    stage,
    effect,
    first,
    { do: 'rename', from: directory, to: movedTo },
    'taken-back',
    /taken back|source changed|disappear|destination|does not exist/,
  );
}

/** The source is written to after its copy on the other file system was published. */
export async function withdrawn(stage: Stage): Promise<void> {
  const effect = await OPERATIONS['move across'](stage);
  await disturb(stage, effect, 'published', { do: 'append', file: effect.source, text: '+' }, 'withdrawn', /changed during the move/, `${effect.content}+`);
}

async function disturb(
  stage: Stage,
  effect: Effect,
  at: 'C4' | 'L1' | 'M1' | 'published',
  deed: Deed,
  back: 'taken-back' | 'withdrawn',
  says: RegExp,
  changed?: string,
): Promise<void> {
  const { plans, counts, random, tickets } = stage.field;
  const before = tickets.losses;
  const plan = plans.arm(idOf(effect), at, [deed]);
  const kill = random.chance(0.7) ? plans.arm(idOf(effect), back, [{ do: 'kill' }]) : undefined;
  await tickets.push(effect.ticket);
  const strike = await blow(stage, effect, plan);
  if (strike) counts.round(`disturbed at ${at}`);
  // A FAILURE that Redis lost may be tried again, and then nothing disturbs it.
  const result = await tickets.answer(effect.ticket);
  if (!result || tickets.losses > before) return;
  if (strike && result.status === 'FAILURE' && /unknown/.test(result.error.message)) {
    // The worker died before it could take the effect back, and the file went away with its directory.
    counts.event('unknown');
    if (!existsSomewhere(effect)) counts.violation('vanished', `${idOf(effect)}: nobody knows where`);
    return;
  }
  // A FAILURE that a killed worker never told is no end either.
  const triedAgain = { ...effect, content: changed ?? effect.content };
  if (!strike || result.status === 'SUCCESS') await finale(stage, strike ? triedAgain : effect, {}, { success: true });
  else await finale(stage, effect, changed === undefined ? {} : { changed }, { success: false, failure: { code: 'EXECUTION_FAILED', says } });
  if (kill && !kill.disarm()) counts.round(`kill -9 at ${back}`);
}
