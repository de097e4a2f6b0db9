import { runSuite } from './run-suite.ts';
import { SUITES } from './suites.ts';

/** `npm run bench -- <suite> [--json]`. Progress goes to standard error; with `--json` the last line is one JSON object. */
const [name = ''] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const json = process.argv.includes('--json');
const load = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined;

if (load === undefined) {
  const known = Object.keys(SUITES).sort();
  process.stderr.write(`${name === '' ? 'say which suite' : `unknown suite ${name}`}; known: ${known.length === 0 ? 'none' : known.join(', ')}\n`);
  process.exitCode = 2;
} else {
  const report = await runSuite(name, await load(), (line) => process.stderr.write(`${line}\n`));
  const metrics = Object.entries(report.metrics).map(([metric, value]) => `${metric}: ${value}\n`);
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : metrics.join(''));
}
