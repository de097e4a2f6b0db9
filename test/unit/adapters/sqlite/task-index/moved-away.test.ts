import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIndexEngine, type IndexEngine } from '../../../../../src/adapters/sqlite/task-index/task-index-engine.ts';

let home: string;
let data: string;
let engine: IndexEngine;
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-moved-'));
  data = mkdtempSync(path.join(home, 'data-'));
  engine = createIndexEngine({ file: path.join(data, 'index.db'), maxTasks: 10, maxEvents: 10 });
});
afterEach(() => {
  engine.close();
  rmSync(home, { recursive: true });
});

describe('a task index whose directory is moved away', () => {
  it('is an outage as long as it lasts, and the same index when it is back', () => {
    const { generation } = engine.begin();
    const away = `${data}-away`;
    renameSync(data, away);
    for (let times = 0; times < 3; times += 1) expect(() => engine.look(0)).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
    renameSync(away, data);
    expect(engine.begin()).toMatchObject({ generation, tasks: 0 });
    expect(engine.apply({ generation, changes: [], positions: { file: '1-1' } })).toMatchObject({ answer: 'applied' });
  });
});
