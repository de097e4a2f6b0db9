import { createMemoryTaskIndex } from '../../src/adapters/memory/task-index.ts';
import { taskIndexConformance } from './task-index.ts';

taskIndexConformance('task index in memory', async (limits) => ({
  index: createMemoryTaskIndex(limits),
  async [Symbol.asyncDispose]() {},
}));
