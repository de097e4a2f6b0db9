#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/places.ts';
import { runCli } from '../producers/cli/program.ts';
import { createCliDeps } from './cli-deps.ts';

/** The `writ` command: runs one command line and ends with its exit code, once everything that it said is written. */
process.stdout.on('error', brokenPipe);
process.stderr.on('error', brokenPipe);
const code = await runCli(process.argv.slice(2), createCliDeps(version()));
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

/** A reader that has seen enough (`writ vault list | head`) is no error. */
function brokenPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 3);
}

function version(): string {
  const { version: found } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return found;
}
