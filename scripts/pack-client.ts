import path from 'node:path';
import { packageRoot } from '../config/package.ts';
import { askProgram } from '../src/adapters/processes/program.ts';
import { clientPackageProblems, writeClientPackage } from './client-package.ts';

/** `npm run pack:client`: writes the package `writ-client` into `dist/writ-client`, and packs it beside that. Prints the tarball. */
const dist = path.join(packageRoot(), 'dist');
const directory = path.join(dist, 'writ-client');
await writeClientPackage(directory);
const problems = clientPackageProblems(directory);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  const { failed, all } = await askProgram('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: directory, all: true });
  process[failed ? 'stderr' : 'stdout'].write(failed ? all : `dist/${all.trim()}\n`);
  process.exitCode = failed ? 1 : 0;
}
