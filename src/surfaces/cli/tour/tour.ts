import { randomBytes } from 'node:crypto';
import { isWritError, messageOf } from '../../../core/errors.ts';
import { table } from '../text/table.ts';
import { setScene, type TourServices } from './scene.ts';
import { type Line, stepsFor } from './steps.ts';

const COLUMNS = [{ title: '' }, { title: 'task' }, { title: 'answer' }, { title: 'what it shows' }] as const;

/**
 * The first minutes with Writ: real files, real leases, the real queue.
 *
 * @param say prints text for a person
 * @returns whether every line was as promised
 */
export async function giveTour(workspace: string, services: TourServices, say: (text: string) => void): Promise<boolean> {
  const scene = await setScene(workspace, randomBytes(4).toString('hex'), services);
  say(`A short tour, with real files in ${scene.at()}\n`);
  const earlier = {};
  const lines: Line[] = [];
  for (const step of stepsFor(services)) lines.push(await step(scene, earlier, services).catch((error: unknown) => broken(step.name, error)));
  say(
    table(
      COLUMNS,
      lines.map(({ task, answer, proves, passed }) => [passed ? 'ok' : 'NO', task, answer, passed ? proves : `expected: ${proves}`]),
    ),
  );
  const good = lines.filter(({ passed }) => passed).length;
  say(`\n${good} of ${lines.length} as promised.`);
  return good === lines.length;
}

function broken(name: string, error: unknown): Line {
  return { task: name, answer: isWritError(error) ? error.code : 'error', proves: messageOf(error), passed: false };
}
