import { describe } from 'vitest';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { messageEngineConformance } from './message-engine.ts';

describe('FTS5 as an engine of message search', () => {
  messageEngineConformance({
    make(file) {
      const reader = createMessagesReader(file);
      return { engine: createFts5Engine(reader.database), follow: () => undefined, close: () => reader.close() };
    },
  });
});
