import { CHECKS } from './checks.ts';
import { describeResult, runChecks } from './run-checks.ts';

/** `npm run check`: static checks and trace; writes nothing. The last line is `N passed, N failed`. */
const results = await runChecks(CHECKS, 2, (result) => process.stdout.write(describeResult(result)));
const failed = results.filter(({ passed }) => !passed).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
