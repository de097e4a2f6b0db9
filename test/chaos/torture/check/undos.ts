import type { Model } from '../model.ts';
import type { World } from '../world.ts';

/** An undo is one plan, takes back every step down to one that cannot be, and tells truthfully which stand. Where the files are is judged with the files. */
export function judgeUndos({ undos, plans }: Model, world: World): readonly string[] {
  return undos.flatMap(({ plan, stopsAt }) => {
    const name = plans.find(({ id }) => id === plan)?.name ?? plan;
    const end = world.undos.get(plan);
    if (end === undefined) return [`${name} was to be taken back, and nobody knows of it`];
    const { answer, ids } = end;
    const faults = new Set(ids).size === 1 ? [] : [`${name} has the undos ${ids.join(' and ')}`];
    if (answer.state !== 'success' && answer.state !== 'failure') faults.push(`the undo of ${name} has not ended: ${answer.state}`);
    if (answer.whole !== (stopsAt === undefined)) faults.push(`the undo of ${name} says that it is ${answer.whole ? '' : 'not '}whole`);
    const said = answer.steps.map(({ path, undo, result }) => `${path} ${result ?? undo}`).sort();
    const expected = expectedOf(world.plans.get(plan)?.steps.map(({ path }) => path) ?? [], stopsAt);
    if (answer.state === 'success' && said.join() !== expected.join())
      faults.push(`the undo of ${name} says ${said.join(', ')} instead of ${expected.join(', ')}`);
    return faults;
  });
}

function expectedOf(paths: readonly string[], stopsAt: string | undefined): readonly string[] {
  const what = (path: string): string => {
    if (stopsAt === undefined || path > stopsAt) return 'undone';
    return path === stopsAt ? 'impossible' : 'not_reached';
  };
  return paths.map((path) => `${path} ${what(path)}`).sort();
}
