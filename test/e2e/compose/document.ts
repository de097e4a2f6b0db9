import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../../config/package.ts';
import { AS_ROOT } from './container.ts';
import type { Said, Stack } from './stack.ts';

/** Scrapes within a test, not within a quarter of a minute. */
const INTERVALS = [
  ['scrape_interval: 15s', 'scrape_interval: 1s'],
  ['scrape_timeout: 10s', 'scrape_timeout: 1s'],
] as const;

/** The files beside docker-compose.yml that its services mount. */
export function layOutProject(project: string): void {
  mkdirSync(project, { recursive: true });
  for (const name of ['prometheus', 'grafana']) cpSync(path.join(packageRoot(), name), path.join(project, name), { recursive: true });
  const file = path.join(project, 'prometheus/prometheus.yml');
  writeFileSync(
    file,
    INTERVALS.reduce((config, [slow, fast]) => config.replace(slow, fast), readFileSync(file, 'utf8')),
  );
}

/** The commands under "With Docker" in docs/monitoring.md, as they stand there. */
function commands(): string {
  const [, rest = ''] = readFileSync(path.join(packageRoot(), 'docs/monitoring.md'), 'utf8').split('## With Docker\n');
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
}

/** Runs the commands of the document; `docker compose` is the stack, `sudo` is not needed. */
export async function followDocument(home: string, project: string, stack: Stack): Promise<Said> {
  const bin = path.join(home, 'bin');
  const socket = path.join(home, 'docker.sock');
  mkdirSync(bin);
  const program = (name: string, source: string): void => writeFileSync(path.join(bin, name), source, { mode: 0o755 });
  // Only for `chown`, which says nothing when there is one user.
  program('sudo', AS_ROOT ? '#!/bin/sh\nexec "$@"\n' : '#!/bin/sh\n');
  program('curl', `#!${process.execPath}\n${CURL}`);
  program('docker', `#!${process.execPath}\n${ASK.replace('SOCKET', JSON.stringify(socket))}`);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    let words = '';
    client.setEncoding('utf8').on('data', (part: string) => (words += part));
    client.once('end', () => {
      void Promise.resolve()
        .then(() => compose(JSON.parse(words) as string[], stack))
        .catch((error: unknown) => ({ code: 1, out: '', err: String(error) }))
        .then((said) => client.end(JSON.stringify(said)));
    });
  });
  server.listen(socket);
  await once(server, 'listening');
  const shell = spawn('bash', ['-euxo', 'pipefail', '-c', commands()], {
    cwd: project,
    env: { PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  server.close();
  return { code: Number(code), out, err };
}

/** A program that hands its words to the stack. */
const ASK = `const socket = require('node:net').connect(SOCKET);
let text = '';
socket.on('data', (part) => (text += part)).on('end', () => {
  const { code, out, err } = JSON.parse(text);
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
});
socket.end(JSON.stringify(process.argv.slice(2)));
`;

/** Flags of `run` and `exec` that change nothing here: the container goes with its process, and there is no terminal. */
const FLAGS: readonly string[] = ['--rm', '-T'];

/** `curl [-H header]… url [-d body]`, for hosts that have none. */
const CURL = `const words = process.argv.slice(2);
const after = (flag) => words.flatMap((word, at) => (word === flag ? [words[at + 1]] : []));
const headers = after('-H').map((line) => line.split(': '));
const [body] = after('-d');
const url = words.find((word) => word.startsWith('http'));
fetch(url, { headers, ...(body && { method: 'POST', body }) }).then((reply) => reply.text()).then((text) => process.stdout.write(text));
`;

async function compose(words: readonly string[], stack: Stack): Promise<Said> {
  const done = { code: 0, out: '', err: '' };
  const [what, verb, ...rest] = words;
  if (what !== 'compose') throw new Error(`docker ${words.join(' ')} is not known here`);
  if (verb === 'build' && rest.length === 0) return done;
  if (verb === 'up' && rest.join() === '-d') return stack.up().then(() => done);
  const [service = '', ...command] = rest.filter((word, at) => at > 1 || !FLAGS.includes(word));
  if (verb === 'exec') return stack.exec(service, command);
  if (verb === 'run') return stack.run(service, command.length === 0 ? undefined : command);
  throw new Error(`docker ${words.join(' ')} is not known here`);
}
