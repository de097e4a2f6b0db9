import { Readable } from 'node:stream';
import { packageRoot } from '../../config/package.ts';
import { openServices } from '../../src/bin/cli/services.ts';
import { openLocalSearch } from '../../src/bin/content.ts';
import { systemClock } from '../../src/core/clock.ts';
import { processIo } from '../../src/surfaces/cli/process-io.ts';
import { runCli } from '../../src/surfaces/cli/program.ts';
import type { CliIo } from '../../src/surfaces/cli/services.ts';
import { sinkOf } from './sink.ts';

/** How a command of the command line ended, and what it said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process with the services of production; the roles start nothing. */
export async function commandLine(args: readonly string[], input = '', io: Partial<CliIo> = {}): Promise<Said> {
  const [out, err] = [sinkOf(), sinkOf()];
  const code = await runCli([...args], {
    version: '0',
    packageRoot: packageRoot(),
    io: { ...processIo(), stdin: Readable.from([Buffer.from(input)]), stdout: out.stream, stderr: err.stream, ...io },
    clock: systemClock,
    open: openServices,
    openContentSearch: openLocalSearch,
    roles: { up: async () => 0, api: async () => 0, worker: async () => 0, kernel: async () => 0, 'index-host': async () => 0 },
    interrupted: () => new AbortController().signal,
  });
  return { code, out: out.text(), err: err.text() };
}

/** What a command with `--json` said last; nothing when that was no object. */
export function lastJson({ out }: Said): Record<string, unknown> {
  const last = out.trim().split('\n').at(-1) ?? '';
  return last.startsWith('{') ? (JSON.parse(last) as Record<string, unknown>) : {};
}
