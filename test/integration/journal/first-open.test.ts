import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { forkScript } from '../../support/compiled/script.ts';
import { temporaryDirectory } from './fixture.ts';

const DATABASES = 60;
/** Until both have the message. */
const AHEAD_MS = 5;

it('two processes may make a database in the same moment: neither is told that it is locked', async () => {
  const directory = temporaryDirectory();
  const children = [1, 2].map(() => forkScript(new URL('./first-open-child.ts', import.meta.url), []));
  await Promise.all(children.map((child) => once(child, 'message')));
  const said = new Set<unknown>();
  for (let number = 0; number < DATABASES; number += 1) {
    const at = performance.timeOrigin + performance.now() + AHEAD_MS;
    const answers = children.map((child) => once(child, 'message'));
    for (const child of children) child.send({ file: path.join(directory.path, `${number}.db`), at });
    for (const [answer] of await Promise.all(answers)) said.add(answer);
  }
  for (const child of children) child.disconnect();
  await Promise.all(children.map((child) => once(child, 'exit')));
  directory.remove();
  expect([...said]).toEqual(['opened']);
});
