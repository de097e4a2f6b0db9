#!/usr/bin/env node
import { packageVersion } from '../../config/package.ts';
import { runCli } from '../surfaces/cli/program.ts';
import { createCliDeps } from './cli-deps.ts';

/** The `writ` command: runs one command line and ends with its exit code, once everything that it said is written. */
process.stdout.on('error', brokenPipe);
process.stderr.on('error', brokenPipe);
const code = await runCli(process.argv.slice(2), createCliDeps(packageVersion()));
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

/** A reader that has seen enough (`writ vault list | head`) is no error. */
function brokenPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 3);
}
