import type { TaskIndexHealth, TaskIndexWriter } from '../../../core/ports/index.ts';
import type { IndexNews } from './task-index-client.ts';
import type { IndexEngine } from './task-index-engine.ts';

/** The engine as the feed wants it; what it does is told when it has been done. */
export function toldWriter(engine: IndexEngine, told: (news: IndexNews) => void): TaskIndexWriter {
  const begun = engine.begin();
  let health: TaskIndexHealth = { state: 'building', tasks: begun.tasks, lagMs: 0 };
  const tell = (next: TaskIndexHealth, isChanged: boolean): void => {
    const isNews = isChanged || JSON.stringify(next) !== JSON.stringify(health);
    health = next;
    if (isNews) told({ kind: 'health', health, isChanged });
  };
  told({ kind: 'health', health, isChanged: false });
  return {
    async begin() {
      const { generation, positions, tasks } = engine.begin();
      tell({ ...health, tasks }, false);
      return { generation, positions };
    },
    async apply(batch) {
      const { answer, tasks } = engine.apply(batch);
      tell({ ...health, tasks }, batch.changes.length > 0 || answer === 'lost');
      return answer;
    },
    rows: async (jobs) => engine.rows(jobs),
    unknown: async (taskIds) => engine.unknown(taskIds),
    walk: async (after, limit) => engine.walk(after, limit),
    report: (status) => tell({ ...status, tasks: health.tasks }, false),
  };
}
