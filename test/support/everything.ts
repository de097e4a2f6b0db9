import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The public MCP server that shows every feature of the protocol (a package of npm). */
export const EVERYTHING = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** The same server behind streamable HTTP, on a port of 127.0.0.1. */
export async function everythingOverHttp(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env: { PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  for await (const chunk of child.stderr ?? []) {
    lines.push(String(chunk));
    if (lines.join('').includes('listening on port')) {
      child.stderr?.resume();
      return child;
    }
  }
  throw new Error(`the server did not start: ${lines.join('')}`);
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}
