import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { pathWithWrit, startCommand, type WritProcess } from '../../support/writ-process.ts';

/** As a new user does it: in a directory of one's own, what is printed is typed. */
let home: string;
let env: Record<string, string>;
let running: WritProcess | undefined;
beforeEach(() => {
  // A name that a shell takes apart, unless it is quoted.
  home = path.join(mkdtempSync(path.join(tmpdir(), 'writ-new-')), "a user's own");
  // Another port than that of an installation that may run here.
  env = { PATH: pathWithWrit(path.join(home, 'bin')), HOME: home, WRIT_HTTP__PORT: '0' };
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  rmSync(path.dirname(home), { recursive: true, force: true });
});

const type = (line: string): WritProcess => startCommand('sh', ['-c', `exec ${line}`], { cwd: home, env });
/** Runs a line to its end. */
async function run(line: string): Promise<{ readonly code: number | NodeJS.Signals; readonly said: string }> {
  const process = startCommand('sh', ['-c', line], { cwd: home, env });
  return { code: await process.ended, said: process.said() };
}
/** The commands of a text: what stands before their explanations. */
const commandsIn = (text: string): string[] => [...text.matchAll(/^ {2}(?:\d\. )?((?:writ|echo) .*?)(?: {3,}.*)?$/gm)].map(([, line]) => line ?? '');

async function up(line: string): Promise<string> {
  running = type(line);
  return running.says('Ctrl-C stops it');
}
async function stop(): Promise<void> {
  running?.child.kill('SIGINT');
  expect(await running?.ended).toBe(0);
  running = undefined;
}

describe('a new user', () => {
  it('types what `writ init` prints, step by step, and works in a directory of one’s own', async () => {
    const dataDir = path.join(home, 'data');
    const inbox = path.join(home, 'inbox');
    mkdirSync(inbox);
    const init = await run(`writ init --data-dir '${dataDir.replaceAll("'", "'\\''")}'`);
    expect(init.code).toBe(0);
    const [start = '', ...later] = commandsIn(init.said);
    expect([start, ...later].map((line) => line.split(' ').at(-1))).toEqual(['up', 'doctor', '--help']);

    const settings = path.join(dataDir, 'writ.toml');
    const [, own = ''] = /\[file\.base_directories\]:\n((?: {7}.*\n)+)/.exec(init.said) ?? [];
    const lines = own.replaceAll('       ', '').replace('"/srv/inbox"', JSON.stringify(inbox));
    writeFileSync(
      settings,
      readFileSync(settings, 'utf8').replace('# [file.base_directories]\n', () => lines),
    );

    const said = await up(start);
    expect(said).not.toContain('tour');
    const typed = commandsIn(said);
    expect(typed.length).toBeGreaterThan(4);
    for (const line of [...typed, ...later]) expect({ line, ...(await run(line)) }).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(inbox, 'copy.txt'), 'utf8')).toBe('hello\n');
    await stop();
    expect(readdirSync(inbox).filter((name) => name.startsWith('tour'))).toEqual([]);

    // The tour is there for who asks, in the directory that was named.
    const tour = await run(`${start} --once`);
    expect(tour).toMatchObject({ code: 0, said: expect.stringContaining(`with real files in ${inbox}/tour-`) });
    expect(readdirSync(home).sort()).toEqual(['bin', 'data', 'inbox', 'task.json']);
  });

  it('is told what is missing when no directory was named', async () => {
    await run('writ init --data-dir data');
    const said = await up('writ --data-dir data up');
    expect(said).toContain('File tasks are refused: no base directory is named');
    for (const line of commandsIn(said)) expect({ line, ...(await run(line)) }).toMatchObject({ code: 0 });
    await stop();
    expect(await run('writ --data-dir data up --once')).toMatchObject({ code: 1, said: expect.stringContaining('There is no tour') });
  });

  it('starts in an empty directory, is given the tour, and types what is printed', async () => {
    const said = await up('writ --data-dir data up');
    const [, good, all] = /(\d+) of (\d+) as promised/.exec(said) ?? [];
    expect([good, Number(all) > 10]).toEqual([all, true]);
    const typed = commandsIn(said);
    expect(typed.some((line) => line.includes('find workspace'))).toBe(true);
    for (const line of typed) expect({ line, ...(await run(line)) }).toMatchObject({ code: 0 });
    await stop();
    // Who starts again is given none (signals.test.ts).
    expect(existsSync(dataDirPaths(path.join(home, 'data')).tourGiven)).toBe(true);
  });
});
