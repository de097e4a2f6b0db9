import { connected, createConnection } from '../../../queues/connection.ts';
import { createIndexLane } from '../../../queues/index-lane.ts';
import { patient } from '../patience.ts';

/** A host that begins tasks and ends none, until it is killed: `node --import tsx lane-child.ts <pool> <redis target as JSON>`. */
const [pool = '', target = ''] = process.argv.slice(2);
const open = (kind: 'worker' | 'producer') => connected(createConnection(JSON.parse(target), kind));
const lane = createIndexLane({
  pool,
  connection: await open('producer'),
  worker: await open('worker'),
  newId: () => 'unused',
  locks: { lockMs: patient(800), renewMs: patient(200), stalledMs: patient(200) },
});
lane.process((task, job) => {
  process.stdout.write(`begun ${task.kind} ${job}\n`);
  return new Promise<never>(() => undefined);
});
await lane.start();
