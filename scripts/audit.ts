import { packageRoot } from '../config/package.ts';
import { askProgram } from '../src/adapters/processes/program.ts';
import { licenceProblems, packagesByLicence } from './lock/licences.ts';
import { readLock } from './lock/production.ts';

/**
 * `npm run audit`: known holes in what is installed with Writ, as the registry knows them, and the licences of it. Exit code 1
 * when something has to be done (docs/security.md), 3 when the registry does not tell.
 */
const { stdout } = await askProgram('npm', ['audit', '--omit=dev', '--json'], { cwd: packageRoot() });
const holes = findingsOf(stdout);
const lock = readLock();

process.stdout.write(`Licences\n${[...packagesByLicence(lock)].map(([licence, names]) => `  ${licence}: ${names.length}\n`).join('')}`);
const wrong = licenceProblems(lock);
for (const problem of wrong) process.stdout.write(`  ${problem}\n`);

process.stdout.write('Known holes\n');
if (typeof holes === 'string') process.stdout.write(`  not known: the registry does not tell (${holes})\n`);
else process.stdout.write(holes.length === 0 ? '  none\n' : holes.map((hole) => `  ${hole}\n`).join(''));
if (wrong.length > 0 || (typeof holes !== 'string' && holes.length > 0)) process.exitCode = 1;
else if (typeof holes === 'string') process.exitCode = 3;

/** One line for each package; a text when there was no answer. */
function findingsOf(text: string): readonly string[] | string {
  try {
    const answer = JSON.parse(text) as { message?: string; vulnerabilities?: Record<string, { severity: string; range: string; fixAvailable: unknown }> };
    if (answer.vulnerabilities === undefined) return answer.message ?? 'no answer';
    return Object.entries(answer.vulnerabilities).map(
      ([name, { severity, range, fixAvailable }]) => `${severity}: ${name} ${range}${fixAvailable === false ? '' : ' (fixed in a newer version)'}`,
    );
  } catch {
    return 'no answer';
  }
}
