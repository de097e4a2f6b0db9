import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { openMessageWriter } from '../../../../src/bin/messages.ts';
import { sequential } from '../../../../src/core/lifecycle.ts';
import { dataDirPaths } from '../../../../src/data-dir/paths.ts';
import { createMessageSearch } from '../../../../src/messages/serving/message-search.ts';
import type { Logger } from '../../../../src/observability/logging.ts';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { startTestRedis } from '../../../support/redis.ts';
import { describeTantivy } from '../../../support/tantivy.ts';

describeTantivy('The writer of messages in the API', () => {
  it('has the index follow what is sent, and tells of it; searches then take Tantivy', { tags: ['MS-145', 'MS-146', 'MS-147', 'MS-152'] }, async () => {
    await using redis = await startTestRedis();
    const places = dataDirPaths(dirname(redis.directory));
    const lines: [string, object][] = [];
    const told = new EventEmitter();
    const at = (fields: object, text: string): void => {
      lines.push([text, fields]);
      told.emit('line');
    };
    const log = { debug: at, info: at, warn: at } as unknown as Logger;
    const until = async (text: string, engine: string) => {
      while (!lines.some(([line, fields]) => line === text && 'engine' in fields && fields.engine === engine)) await once(told, 'line');
    };
    const metrics = createMetrics('api', '0');
    const { gateway, parts } = await openMessageWriter({
      config: ConfigSchema.parse({ messages: { tantivy: true } }),
      connection: await redis.client('producer'),
      places,
      log,
      metrics,
    });
    const lane = sequential(parts);
    await lane.start();
    await until('index.rebuild.complete', 'tantivy');
    const send = async (subject: string) => {
      const message = { op: 'message', project: 'web', key: subject, from: 'Ann', to: ['Bob'], subject, body_md: 'about falcons' } as never;
      const { job } = await gateway.submit([message]);
      await gateway.settled(job, AbortSignal.timeout(PATIENCE_MS));
    };
    await send('First');
    await until('index.incremental.batch', 'tantivy');
    const search = createMessageSearch({ file: places.messages, tantivy: places.messagesTantivy });
    const answer = await search.search({ text: 'falcons', explain: true }, null);
    expect(answer.explain).toMatchObject({ engine: 'tantivy', method: 'tantivy', mode_downgraded: false });
    expect(answer.results.map(({ title }) => title)).toEqual(['First']);
    // By FTS5, until the index has it.
    await send('Second');
    expect((await search.search({ text: 'falcons' }, null)).results).toHaveLength(2);
    expect(lines.filter(([line]) => line.startsWith('index.')).map(([line, fields]) => [line, 'engine' in fields ? fields.engine : ''])).toContainEqual([
      'index.rebuild.start',
      'tantivy',
    ]);
    expect(await metrics.text()).toMatch(/writ_message_indexed_total\{engine="tantivy"\} [1-9]/u);
    await search.stop();
    await lane.stop();
    rmSync(dirname(places.messages), { recursive: true });
  });
});
