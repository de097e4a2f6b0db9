import { sha256Hex } from '../../src/core/hash.ts';
import { scenarioOf } from './draw.ts';
import { runHistory } from './history.ts';

/** What happened in the history of a seed, as a hash: the same in every process and however the sources were compiled. */
export async function digestOf(seed: number): Promise<string> {
  const { lines, events, violations } = await runHistory(scenarioOf(seed), { traced: true });
  // The number of a probe file counts the executors of this process.
  const told = lines.join('\n').replaceAll(/(\.writ-probed?-[0-9a-f]+)-\d+/g, '$1');
  return sha256Hex(`${events} events, ${violations.length} violations\n${told}`);
}
