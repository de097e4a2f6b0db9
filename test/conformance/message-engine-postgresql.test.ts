import { afterAll, beforeAll, describe } from 'vitest';
import { createPostgresqlEngine } from '../../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../../src/messages/engines/postgresql/mirror.ts';
import { createTokens } from '../../src/messages/engines/postgresql/tokens.ts';
import { createChanges } from '../../src/messages/store/changes.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql } from '../support/postgresql.ts';
import { messageEngineConformance } from './message-engine.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

describe('PostgreSQL as an engine of message search', () => {
  messageEngineConformance({
    scoresTellNothing: true,
    make(file) {
      const reader = createMessagesReader(file);
      const postgresql = postgresqlAt(server.database());
      const mirror = createPostgresqlMirror({ postgresql, db: reader.database(), emit: () => undefined });
      return {
        engine: createPostgresqlEngine({ postgresql, changes: () => createChanges(reader.database()), tokens: createTokens() }),
        follow: () => mirror.follow(),
        async close() {
          await postgresql.close();
          reader.close();
        },
      };
    },
  });
});
