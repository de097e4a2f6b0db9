import { parseCommandLine } from './command-line.ts';
import { runSuite } from './run-suite.ts';
import { SUITES } from './suites.ts';

/**
 * `npm run bench -- <suite> [--json] [--scale 0.01] [--data <directory>] [--keep]`. Progress goes to standard error; with
 * `--json` the last line is one JSON object.
 */
const { name, json, options, fault } = parseCommandLine(process.argv.slice(2), Object.keys(SUITES));
const load = SUITES[name];

if (fault !== undefined || load === undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
} else {
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  if (options.scale !== 1) progress(`not a measurement: data of ${options.scale} times the real size`);
  const report = await runSuite(name, await load(), progress, options);
  const metrics = Object.entries(report.metrics).map(([metric, value]) => `${metric}: ${value}\n`);
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : metrics.join(''));
}
