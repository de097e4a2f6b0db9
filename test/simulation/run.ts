import { scenarioOf } from './scenario.ts';
import { runHistory } from './history.ts';
const [first = '1', count = '1', traced] = process.argv.slice(2);
const began = process.hrtime.bigint();
let events = 0;
const found = new Map<string, number[]>();
const reached = new Map<string, number>();
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  const report = await runHistory(scenarioOf(seed), { traced: traced === 'traced' });
  events += report.events;
  for (const line of report.lines) console.log(line);
  for (const { invariant, what } of report.violations) {
    found.set(invariant, [...(found.get(invariant) ?? []), seed]);
    if (Number(count) < 50) console.log(seed, invariant, what);
  }
  for (const word of report.reached) reached.set(word, (reached.get(word) ?? 0) + 1);
}
const ms = Number(process.hrtime.bigint() - began) / 1e6;
console.log(`${ms.toFixed(0)} ms, ${(ms / Number(count)).toFixed(2)} ms each, ${Math.round(events / Number(count))} events each`);
for (const [invariant, seeds] of found) console.log(invariant, seeds.length, seeds.slice(0, 12).join(' '));
if (traced !== 'traced') console.log([...reached].sort().map(([w, n]) => `${w} ${n}`).join(', '));
