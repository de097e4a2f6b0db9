import { randomBytes } from 'node:crypto';
import { isWritError, messageOf } from '../../../core/errors.ts';
import { table } from '../text/table.ts';
import { type Doors, setScene } from './scene.ts';
import { type Line, stepsFor } from './steps.ts';

const COLUMNS = [{ title: '' }, { title: 'task' }, { title: 'answer' }, { title: 'what it shows' }] as const;

/**
 * The first minutes with Writ: real files, real leases, the real queue.
 *
 * @param say prints text for a person
 * @returns whether every line was as promised
 */
export async function giveTour(workspace: string, doors: Doors, say: (text: string) => void): Promise<boolean> {
  const scene = await setScene(workspace, randomBytes(4).toString('hex'), doors);
  say(`A short tour, with real files in ${scene.at()}\n`);
  const trail = {};
  const lines: Line[] = [];
  for (const step of stepsFor(doors)) lines.push(await step(scene, trail, doors).catch((error: unknown) => broken(step.name, error)));
  say(
    table(
      COLUMNS,
      lines.map(({ task, answer, proves, asPromised }) => [asPromised ? 'ok' : 'NO', task, answer, asPromised ? proves : `expected: ${proves}`]),
    ),
  );
  const kept = lines.filter(({ asPromised }) => asPromised).length;
  say(`\n${kept} of ${lines.length} as promised.`);
  return kept === lines.length;
}

function broken(name: string, error: unknown): Line {
  return { task: name, answer: isWritError(error) ? error.code : 'error', proves: messageOf(error), asPromised: false };
}
