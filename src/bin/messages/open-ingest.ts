import { existsSync } from 'node:fs';
import { WritError } from '../../core/errors.ts';
import { fieldText, mailDate, readMail } from '../../executors/search/index.ts';
import { openImport } from '../../messages/import/open-source.ts';
import { openMessagesReader } from '../../messages/store/open.ts';
import { importMark } from '../../messages/store/write/engine.ts';
import type { MessageIngest } from '../../surfaces/cli/services.ts';
import type { CliRedis } from '../cli/redis.ts';
import type { CliSettings } from '../cli/settings.ts';
import { sendingLane } from './ingest.ts';

/** What one command needs to send messages to the writer, and to know how far it came before. */
export async function openMessageIngest({ loaded, places }: CliSettings, redis: CliRedis): Promise<MessageIngest & AsyncDisposable> {
  const { config } = loaded;
  if (!config.messages.enabled) throw new WritError('WRONG_STATE', 'messages are off: messages.enabled is false');
  const lane = sendingLane({ config, connection: await redis.connection('producer') });
  await lane.start();
  return {
    door: lane,
    imports: {
      open: (path, wish) => openImport(path, wish, { read: readMail, text: fieldText, date: mailDate }),
      async mark(name) {
        // Before the first message there is no database.
        if (!existsSync(places.messages)) return undefined;
        const db = openMessagesReader(places.messages);
        try {
          return importMark(db, name);
        } finally {
          db.close();
        }
      },
    },
    [Symbol.asyncDispose]: () => lane.stop(),
  };
}
