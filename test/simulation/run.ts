import { scenarioOf } from './draw.ts';
import { explore } from './explore.ts';
import { runHistory } from './history.ts';
import { MUTANTS } from './mutants/index.ts';

/** `node --import tsx test/simulation/run.ts [first seed] [histories] [mutants]`: a look at some histories while one works on them. */
const [first = '1', count = '200', what = '', which = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const began = process.cpuUsage();

if (count === '1') {
  const { lines, violations } = await runHistory(scenarioOf(Number(first)), { traced: true });
  for (const line of lines) say(line);
  for (const { invariant, what: broken } of violations) say(`${invariant}: ${broken}`);
} else if (what === 'mutants') {
  for (const { name, seams } of MUTANTS.filter((mutant) => mutant.name.includes(which))) {
    const { histories, violations } = await explore({ first: Number(first), count: Number(count), enough: 1, seams });
    const [found] = violations;
    say(found === undefined ? `SURVIVED  ${name}` : `${String(histories).padStart(5)}  ${name}  [seed ${found[0]}: ${found[1][0]?.invariant}]`);
  }
} else {
  const { violations, reached } = await explore({ first: Number(first), count: Number(count) });
  for (const [seed, broken] of violations) for (const { invariant, what: words } of broken) say(`seed ${seed}: ${invariant}: ${words}`);
  say(
    [...reached]
      .sort()
      .map(([word, times]) => `${word} ${times}`)
      .join(', '),
  );
}
const { user, system } = process.cpuUsage(began);
say(`${((user + system) / 1000 / Number(count)).toFixed(2)} ms of processor time for each history`);
