import { SearchQuery } from '../../../src/contracts/index.ts';
import { createPostgresqlEngine } from '../../../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../../../src/messages/engines/postgresql/mirror.ts';
import { createServers } from '../../../src/messages/engines/postgresql/servers.ts';
import { createTokens } from '../../../src/messages/engines/postgresql/tokens.ts';
import { createCopiedSearch } from '../../../src/messages/serving/copied-search.ts';
import { standardOfStore } from '../../../src/messages/serving/postgresql.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { type Mailbox, mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { postgresqlAt, type TestPostgresql } from '../../support/postgresql.ts';
import { searchOver } from '../../support/search-service.ts';

/** The host `one` has the store and writes, `two` has nothing but the database. */
export async function hostsOf(server: Pick<TestPostgresql, 'database'>, box: Mailbox = BOX) {
  const url = server.database();
  const { file, db, remove } = mailboxFile(box);
  const reader = createMessagesReader(file);
  const postgresql = postgresqlAt(url);
  const mirrorWith = (more: Partial<Parameters<typeof createPostgresqlMirror>[0]> = {}) =>
    createPostgresqlMirror({ postgresql, db: reader.database(), emit: () => undefined, writer: 'mail.example', ...more });
  const servers = createServers({ primary: postgresql, replicas: [], standard: standardOfStore(reader.database), elapsed: () => performance.now() });
  const engine = createPostgresqlEngine({ servers, tokens: createTokens() });
  const one = searchOver(file, { engines: { postgresql: engine }, killSwitch: 'postgresql', now: Date.now });
  const two = createCopiedSearch({ url, passwordFile: '', replicas: [] }, () => undefined);
  return {
    url,
    name: /writ\d+/.exec(url)?.[0] ?? '',
    file,
    db,
    mirrorWith,
    one,
    two,
    async close() {
      one.close();
      reader.close();
      await Promise.all([postgresql.close(), two.close()]);
      remove();
    },
  };
}

export const query = (fields: object): SearchQuery => SearchQuery.parse({ explain: true, snippets: true, facets: true, ...fields });
