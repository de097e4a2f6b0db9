import { CHECKS } from './checks.ts';
import { houseRows, houseTable } from './house/rows.ts';
import { describeResult, runChecks } from './run-checks.ts';

/**
 * `npm run check [-- <name> ...]`: static checks and trace, all or those whose names are given; writes nothing. With `house` it
 * also prints what was counted. The last line is `N passed, N failed`.
 */
// `npm run check -- house | head`: a reader that has seen enough ends the checks.
process.stdout.once('error', () => process.exit(1));
const names = process.argv.slice(2);
const checks = names.length === 0 ? CHECKS : CHECKS.filter(({ name }) => names.includes(name));
if (checks.length < names.length) process.stderr.write(`there are the checks ${CHECKS.map(({ name }) => `'${name}'`).join(', ')}\n`);
if (names.includes('house')) process.stdout.write(`${houseTable(houseRows())}\n`);
const results = await runChecks(checks, 2, (result) => process.stdout.write(describeResult(result)));
const failed = results.filter(({ passed }) => !passed).length + Math.max(0, names.length - checks.length);
process.stdout.write(`${results.length - results.filter(({ passed }) => !passed).length} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
