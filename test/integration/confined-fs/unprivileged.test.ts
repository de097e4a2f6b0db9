import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asUnprivileged } from '../../support/mounts.ts';

describe.each(['openat2', 'walk'])('an account without privileges at level %s', (level) => {
  let base: string;
  let answers: Record<string, string>;

  beforeAll(async () => {
    base = fs.mkdtempSync(path.join(tmpdir(), 'writ-unprivileged-'));
    fs.chmodSync(base, 0o755);
    fs.mkdirSync(path.join(base, 'closed/inner'), { recursive: true });
    for (const name of ['frozen', 'free', 'sticky']) fs.mkdirSync(path.join(base, name));
    for (const name of ['open', 'closed']) fs.writeFileSync(path.join(base, 'frozen', name), name);
    fs.chmodSync(path.join(base, 'frozen/closed'), 0o000);
    fs.chmodSync(path.join(base, 'closed'), 0o000);
    fs.chmodSync(path.join(base, 'frozen'), 0o555);
    fs.chmodSync(path.join(base, 'free'), 0o777);
    fs.writeFileSync(path.join(base, 'free/given'), 'given');
    fs.writeFileSync(path.join(base, 'sticky/theirs'), 'theirs');
    fs.chmodSync(path.join(base, 'sticky'), 0o1777);
    answers = (await asUnprivileged(new URL('./unprivileged-scenario.ts', import.meta.url), [level, base])) as Record<string, string>;
  });
  afterAll(() => {
    for (const name of ['frozen', 'closed']) fs.chmodSync(path.join(base, name), 0o755);
    fs.rmSync(base, { recursive: true });
  });

  it.each([
    ['closed directory', 'EACCES'],
    ['below a closed directory', 'EACCES'],
    ['open a closed file', 'EACCES'],
    ['create in a frozen directory', 'EACCES'],
    ['make a directory in a frozen one', 'EACCES'],
    ['rename out of a frozen directory', 'EACCES'],
    ['unlink in a frozen directory', 'EACCES'],
    ['give a file away', 'EPERM'],
    ['a file that may leave a frozen directory', 'EACCES'],
    ['a file of others that may leave a sticky directory', 'EPERM'],
    ['rename out of a sticky directory', 'EPERM'],
  ])('is refused with permission: %s', (question, errno) => expect(answers[question]).toBe(`permission ${errno}`));

  it.each(['entry of a closed file', 'keep the own owner', 'a file that may leave', 'an own file that may leave a sticky directory'])('may: %s', (question) =>
    expect(answers[question]).toBe('ok'),
  );
});
