import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollingLog } from '../../../src/adapters/linux/rolling-log.ts';
import { rotating } from '../../../src/observability/log-rotation.ts';
import { descriptorFile, type LogFile } from '../../../src/observability/log-sink.ts';
import { startChild } from '../journal/fixture.ts';

const FULL_CHILD = fileURLToPath(new URL('./log-full-child.ts', import.meta.url));
const WORKER_CHILD = fileURLToPath(new URL('./worker-full-child.ts', import.meta.url));
const METRIC_CHILD = fileURLToPath(new URL('./rotation-metric-child.ts', import.meta.url));
const MIB = 1024 * 1024;
const LINE = `${'x'.repeat(MIB - 1)}\n`;

let directory: string;
let file: string;
let fd: number;
let failures: number;
beforeEach(() => {
  failures = 0;
  directory = mkdtempSync(path.join(tmpdir(), 'writ-logs-'));
  file = path.join(directory, 'worker.log');
  fd = openSync(file, 'a', 0o600);
});
afterEach(() => {
  closeSync(fd);
  rmSync(directory, { recursive: true, force: true });
});

const sizes = () => Object.fromEntries(readdirSync(directory).map((name) => [name, statSync(path.join(directory, name)).size]));
const settings = { rotate_mb: 2, rotate_s: 0 };

function logOf({
  now = () => 0,
  ...rest
}: {
  rotate_mb?: number;
  rotate_s?: number;
  now?: () => number;
} = {}): LogFile & { line(text?: string): Promise<void> } {
  const rolling = rollingLog({ directory, keep: 2, fd });
  if (rolling === undefined) throw new Error('not ours');
  const log = rotating(descriptorFile(fd), rolling, { ...settings, ...rest }, now, (error) => {
    if (error !== undefined) failures += 1;
  });
  const line = (text = LINE): Promise<void> => new Promise((resolve, reject) => log.write(Buffer.from(text), (error) => (error ? reject(error) : resolve())));
  return { ...log, line };
}

describe('the log of a role', () => {
  it('is put aside at its size, and only so many are kept', async () => {
    const log = logOf();
    for (let n = 0; n < 9; n += 1) await log.line();
    expect(sizes()).toEqual({ 'worker.log': MIB, 'worker.log.1': 2 * MIB, 'worker.log.2': 2 * MIB });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // A crash of Node writes past the logger.
    writeSync(fd, 'last words\n');
    expect(readFileSync(file, 'utf8').slice(MIB)).toBe('last words\n');
  });

  it('is put aside at its age, which goes on over restarts of the role', async () => {
    const { birthtimeMs } = statSync(file);
    let now = birthtimeMs + 900;
    const log = logOf({ rotate_mb: 0, rotate_s: 1, now: () => now });
    await log.line('a\n');
    now += 100;
    await log.line('b\n');
    now += 999;
    await log.line('c\n');
    expect([readFileSync(`${file}.1`, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['a\n', 'b\nc\n']);
  });

  it('grows on where it cannot be put aside, and is tried again after a minute', async () => {
    let now = 0;
    const log = logOf({ now: () => now });
    mkdirSync(`${file}.next`);
    for (let n = 0; n < 4; n += 1) await log.line();
    expect(statSync(file).size).toBe(4 * MIB);
    rmdirSync(`${file}.next`);
    await log.line();
    expect([sizes(), failures]).toEqual([{ 'worker.log': 5 * MIB }, 1]);
    now += 60_000;
    await log.line();
    expect(sizes()).toEqual({ 'worker.log': MIB, 'worker.log.1': 5 * MIB });
  });

  it('is begun anew where somebody has removed it, with its directory, or moved it away; a data directory is not', async () => {
    let now = 0;
    const logs = path.join(directory, 'data', 'logs');
    mkdirSync(logs, { recursive: true });
    const log = path.join(logs, 'api.log');
    const opened = openSync(log, 'a', 0o600);
    const rolling = rollingLog({ directory: logs, keep: 2, fd: opened });
    if (rolling === undefined) throw new Error('not ours');
    const sink = rotating(descriptorFile(opened), rolling, settings, () => now);
    const line = async (text: string): Promise<void> => {
      now += 1000;
      await new Promise<void>((resolve, reject) => sink.write(Buffer.from(text), (error) => (error ? reject(error) : resolve())));
    };
    await line('a\n');
    rmSync(log);
    await line('b\n');
    expect(readFileSync(log, 'utf8')).toBe('b\n');
    rmSync(logs, { recursive: true });
    await line('c\n');
    expect(readFileSync(log, 'utf8')).toBe('c\n');
    // As logrotate does it.
    renameSync(log, `${log}.old`);
    writeFileSync(log, '');
    await line('d\n');
    expect([readFileSync(`${log}.old`, 'utf8'), readFileSync(log, 'utf8')]).toEqual(['c\n', 'd\n']);
    // Counted anew: the next one is put aside at its own size.
    await line(LINE);
    await line(LINE);
    await line('e\n');
    expect([statSync(`${log}.1`).size, readFileSync(log, 'utf8')]).toEqual([2 * MIB + 2, 'e\n']);
    renameSync(path.join(directory, 'data'), path.join(directory, 'moved'));
    await line('f\n');
    expect([existsSync(path.join(directory, 'data')), readFileSync(path.join(directory, 'moved', 'logs', 'api.log'), 'utf8')]).toEqual([false, 'e\nf\n']);
    closeSync(opened);
  });

  it('is not touched where it is no file of ours', () => {
    expect(rollingLog({ directory: tmpdir(), keep: 2, fd })).toBeUndefined();
    expect(rollingLog({ directory, keep: 2, fd: 9999 })).toBeUndefined();
    const null_ = openSync('/dev/null', 'a');
    expect(rollingLog({ directory: '/dev', keep: 2, fd: null_ })).toBeUndefined();
    closeSync(null_);
  });
});

it('costs a role on a full disk lines, which are counted, and nothing else', async () => {
  const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
  const { said, lost, rolled } = JSON.parse(await startChild(FULL_CHILD, [directory], { wrapper }).output) as { said: number; lost: number; rolled: string[] };
  expect(said).toBeGreaterThan(0);
  expect(lost).toBeGreaterThan(0);
  expect(rolled).toEqual(['worker.log', 'worker.log.1']);
});

it('keeps no worker from its tasks while it lies on a full disk', async () => {
  const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
  const child = startChild(WORKER_CHILD, [directory], { wrapper });
  expect(JSON.parse(await child.output)).toMatchObject({ done: [10, 80, 20], hasLost: true });
});

it('is shown by a metric while there is no room to put it aside, and no longer', async () => {
  const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
  const child = startChild(METRIC_CHILD, [directory], { wrapper });
  expect(JSON.parse(await child.output)).toEqual({ shown: ['0', '1', '0'], isLong: true, rolled: ['worker.log', 'worker.log.1'] });
});
