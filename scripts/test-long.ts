import { spawn } from 'node:child_process';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';
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
  const child = spawn(file, [...args, ...words], { cwd: root, stdio: 'inherit' });
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 3;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 3;
  });
}
