import path from 'node:path';
import { packageRoot } from '../config/package.ts';
import { startProgram } from '../src/adapters/processes/program.ts';
import { LONG_SUITES } from './long-suites.ts';

/** `npm run test:long -- <suite> [words for the suite]`; exits as the suite does, 2 when there is no such suite. */
const [name = '', ...words] = process.argv.slice(2);
const suite = Object.hasOwn(LONG_SUITES, name) ? LONG_SUITES[name] : undefined;

if (suite === undefined) {
  const list = Object.entries(LONG_SUITES).map(([known, { what }]) => `  ${known}: ${what}\n`);
  process.stderr.write(`${name === '' ? 'say which long suite' : `unknown long suite ${name}`}; known:\n${list.join('')}`);
  process.exitCode = 2;
} else {
  const root = packageRoot();
  const [tool, ...args] = suite.command;
  const file = tool === 'node' ? process.execPath : path.join(root, 'node_modules', '.bin', tool);
  const running = startProgram(file, [...args, ...words], { cwd: root, stdio: 'inherit' });
  // Who stops this means the suite; Ctrl-C reaches it by itself.
  process.once('SIGTERM', () => void running.kill('SIGTERM'));
  const { exitCode, cause } = await running;
  if (cause instanceof Error) process.stderr.write(`${cause.message}\n`);
  process.exitCode = exitCode ?? 3;
}
