import { closeSync } from 'node:fs';
import type { OpenedMail, StoredMessage } from '../../core/ports/index.ts';
import { createMboxReader } from './mbox-reader.ts';
import { openRoot, unavailable } from './open.ts';

/** The messages of one mbox file, of any size. */
export function openMbox(path: string): OpenedMail {
  try {
    const { fd, stats } = openRoot(path, 0);
    if (stats.isFile()) return { ok: true, messages: messages(fd) };
    closeSync(fd);
    return { ok: false, code: 'SCOPE_UNAVAILABLE', message: 'the mbox is not a regular file' };
  } catch (error) {
    return unavailable('the mbox', error);
  }
}

function* messages(fd: number): Generator<StoredMessage, void, void> {
  try {
    let number = 0;
    for (const raw of createMboxReader(fd).messages()) {
      number += 1;
      const place = `message ${number} of the mbox`;
      yield { storeId: undefined, place: () => place, receivedAt: undefined, raw };
    }
  } finally {
    closeSync(fd);
  }
}
