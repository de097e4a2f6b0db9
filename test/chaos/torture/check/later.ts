import type { FileDeed, Model } from '../model.ts';
import type { World } from '../world.ts';

/** The clock of a file system stands a tick behind. */
const TICK_MS = 20;

/** Nothing of what may not begin before its time was done before it: no file of it changed earlier. */
export function judgeLater({ tasks, plans }: Model, { changed }: World): readonly string[] {
  const deeds = [
    ...tasks.map((ask) => ({ who: ask.id, deed: ask as FileDeed, notBefore: ask.notBefore })),
    ...plans.flatMap(({ name, steps, notBefore }) =>
      steps.flatMap((step) => (step.kind === 'file' ? [{ who: `${name} step ${step.path}`, deed: step as FileDeed, notBefore }] : [])),
    ),
  ];
  return deeds.flatMap(({ who, deed, notBefore }) => {
    const at = deed.destination === undefined ? undefined : changed.get(deed.destination);
    if (notBefore === undefined || at === undefined || at >= notBefore - TICK_MS) return [];
    return [`${who} was done at ${new Date(at).toISOString()}, before ${new Date(notBefore).toISOString()}`];
  });
}
