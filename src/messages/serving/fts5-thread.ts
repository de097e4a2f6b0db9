import { threadData, threadSide } from '../../adapters/threads/serve.ts';
import { createFts5Engine } from '../engines/fts5/engine.ts';
import { createMessagesReader } from '../store/reader.ts';
import type { Fts5Calls, Fts5ProcessData } from './fts5-in-process.ts';

/** An expression may take longer than anybody waits for it, and nothing in this process can stop it. */
const { serve } = threadSide<Fts5Calls>();
const reader = createMessagesReader(threadData<Fts5ProcessData>().file);

serve(() => ({ calls: createFts5Engine(reader.database), close: () => reader.close() }));
