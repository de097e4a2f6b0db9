import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { planSubject } from '../../../../src/core/notice-subject.ts';
import { scriptArgs } from '../../../support/compiled/script.ts';
import { type Receiver, receiver } from '../../../support/webhook-receiver.ts';
import { outboxIn } from '../../../support/webhooks.ts';

const CHILD = new URL('../../../support/webhook-sender-child.ts', import.meta.url);

/** Three ends of one task or plan, in this order. */
const LETTERS = ['a', 'b', 'c'];
const idOf = (letter: string): string => `msg_${letter.repeat(40)}`;

function send(directory: string, { url }: Receiver) {
  const child = spawn(process.execPath, scriptArgs(CHILD, [directory, url]), { stdio: ['ignore', 'ignore', 'inherit'] });
  return { child, gone: once(child, 'exit') };
}

it.each(['one', planSubject('f'.repeat(64))])(
  'a sender that is killed between a delivery and its record sends it again, and loses and swaps nothing (W4, W5): %s',
  async (taskId) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-killed-'));
    const outbox = await outboxIn(directory);
    await using at = await receiver();
    try {
      const notices = LETTERS.map((letter) => ({ id: idOf(letter), endpoint: 'crm', taskId, capabilityId: 'FILE_MOVE', at: 1, body: '{}' }));
      await outbox.add(notices, { event: undefined, seenAt: 0 }, Date.now());
      const first = send(directory, at);
      // It stands still with its request sent, is answered 204, which it will never read, and is killed.
      await new Promise<void>((resolve) => {
        at.answers.push((response) => {
          first.child.kill('SIGSTOP');
          response.writeHead(204).end(resolve);
        });
      });
      first.child.kill('SIGKILL');
      await first.gone;
      expect((await outbox.read(idOf('a')))?.state).toBe('pending');

      const second = send(directory, at);
      await at.arrived(1 + LETTERS.length);
      second.child.kill('SIGKILL');
      await second.gone;
      expect(at.received.map(({ id }) => id)).toEqual(['a', 'a', 'b', 'c'].map(idOf));
      expect(await Promise.all(['a', 'b'].map(async (letter) => (await outbox.read(idOf(letter)))?.state))).toEqual(['delivered', 'delivered']);
    } finally {
      await outbox.stop();
      rmSync(directory, { recursive: true });
    }
  },
);
