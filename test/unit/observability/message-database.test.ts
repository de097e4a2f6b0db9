import { describe, expect, it } from 'vitest';
import { type DatabaseFinding, messageDatabaseTelemetry } from '../../../src/observability/message-database.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

describe('the telemetry of the servers of PostgreSQL', () => {
  it('counts who answers and who is left, says how far each is behind, and knows no server that cannot be', async () => {
    const metrics = createMetrics('api', '0');
    const lines: string[] = [];
    const at = (level: string) => (fields: unknown, message?: string) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const tell = messageDatabaseTelemetry(metrics, { debug: at('debug'), info: at('info') });
    const told: readonly DatabaseFinding[] = [
      { server: 'primary', found: 'answered', behind: 0 },
      { server: 'replica_1', found: 'behind', behind: 7, message: 'the copy in PostgreSQL is behind' },
      { server: 'replica_2', found: 'away', behind: null, message: 'connect ECONNREFUSED' },
      { server: 'replica_9', found: 'answered', behind: 0 },
    ];
    for (const finding of told) tell(finding);
    const text = await metrics.text();
    expect(text).toContain('writ_message_database_answers_total{server="primary"} 1');
    expect(text).toContain('writ_message_database_left_total{server="replica_1",why="behind"} 1');
    expect(text).toContain('writ_message_database_behind_changes{server="replica_1"} 7');
    expect(text).toContain('writ_message_database_left_total{server="replica_2",why="away"} 1');
    expect(text).not.toContain('replica_9');
    expect(lines).toEqual([
      'debug a server of PostgreSQL is left for a while {"server":"replica_1","why":"behind","behind":7,"reason":"the copy in PostgreSQL is behind"}',
      'info a server of PostgreSQL is left for a while {"server":"replica_2","why":"away","behind":null,"reason":"connect ECONNREFUSED"}',
    ]);
  });
});
