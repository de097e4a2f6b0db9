/** A suite too long for `npm test`: what it proves, and the command that runs it from the package root. */
export interface LongSuite {
  readonly what: string;
  /** Tools of node_modules/.bin, or `node`. */
  readonly command: readonly [string, ...string[]];
}

/** All long suites by the name that `npm run test:long -- <name>` takes. Further words go to the suite. */
export const LONG_SUITES: Readonly<Record<string, LongSuite>> = {
  chaos: {
    what: 'kills, zombies, redeliveries and Redis losses in great number; every file effect happens at most once',
    command: ['node', '--import', 'tsx', 'test/chaos/run.ts'],
  },
  torture: {
    what: 'a whole installation under every load at once (tasks, plans, approvals, undos, schedules, webhooks) while roles, Redis and receivers are killed; the world is held against what was asked',
    command: ['node', '--import', 'tsx', 'test/chaos/torture/run.ts'],
  },
  simulation: {
    what: 'a million simulated histories with faults at every await, in virtual time: every promise is kept; every mutant of the protocol is found',
    command: ['node', '--import', 'tsx', 'test/simulation/long.ts'],
  },
  'simulation-queue': {
    what: 'the queue of the simulation answers thousands of random commands as BullMQ does on a real Redis',
    command: ['vitest', 'run', '--config', 'test/support/vitest.oracles.ts', 'test/simulation/queue.test.ts'],
  },
  attack: {
    what: 'a process exchanges directories and files under a stream of tasks; nothing leaves the base directories',
    command: ['node', '--import', 'tsx', 'test/chaos/attack/run.ts'],
  },
  malformed: {
    what: '100,000 malformed and forged jobs straight onto the queue; each ends with a code, in flat memory',
    command: ['node', '--import', 'tsx', 'test/chaos/malformed/run.ts'],
  },
  'task-index': {
    what: '100,000 failed jobs are indexed from nothing and listed in pages, in flat memory',
    command: ['node', '--import', 'tsx', 'test/chaos/task-index/run.ts'],
  },
  cluster: {
    what: 'two pools of workers on a Redis Cluster of six: rolling restarts, workers and masters killed under load; nothing lost, nothing twice',
    command: ['node', '--import', 'tsx', 'test/chaos/cluster/run.ts'],
  },
  'slow-clients': {
    what: '10,000 slow clients at once: idle, dripping headers and bodies, streams that nobody reads; the API answers others in time',
    command: ['node', '--import', 'tsx', 'test/chaos/slow-clients/run.ts'],
  },
  tracing: {
    what: 'processor time of a task without tracing, with it, and with a collector that hangs; nothing is lost or late',
    command: ['node', '--import', 'tsx', 'test/chaos/tracing/run.ts'],
  },
  bulk: {
    what: '100,000 tasks pushed in one request and then retried by a filter; API and client stay flat',
    command: ['node', '--import', 'tsx', 'test/chaos/bulk/run.ts'],
  },
  'plan-runs': {
    what: 'a worker killed at every point of every kind of step; plans of thirty steps under kills and loss of Redis; files, requests and answers as in peace',
    command: ['node', '--import', 'tsx', 'test/chaos/plan-runs/run.ts'],
  },
  'known-items': {
    what: 'known items of public mailboxes on this machine are found by what people type of them: 960 queries in sixteen classes, MRR by class',
    command: ['node', '--import', 'tsx', 'test/quality/known-items/run.ts'],
  },
  'search-oracles': {
    what: 'thousands of generated searches agree with find, Python and sqlite3, and properties hold for many more cases; 10 million records and mailboxes of 2 GiB stay under the memory limit',
    command: ['node', '--import', 'tsx', 'test/chaos/search-oracles/run.ts'],
  },
  'content-search': {
    what: 'thousands of random content searches on generated trees and on a real source tree are answered as a slow reference answers them, by both backends',
    command: ['node', '--import', 'tsx', 'test/chaos/content-search/run.ts'],
  },
  'content-index': {
    what: 'random histories of a tree and its index host, with kills, mounts and bursts: the answer with the index is the answer without it; its files damaged in every way; the memory of its host with a million files',
    // Compiled: its hosts start a thousand times.
    command: ['node', 'dist/test/chaos/content-index/run.js'],
  },
  'message-fuzz': {
    what: 'a million fuzzed calls of the message tools and queries of message search, engines that fail among them: every one is answered, or refused by code and field',
    command: ['node', '--import', 'tsx', 'test/chaos/message-fuzz/run.ts'],
  },
  'message-cost': {
    what: 'searches made to cost much, of up to 16 KiB, on a million messages: each is answered by its deadline, and holds up nobody else',
    command: ['node', '--import', 'tsx', 'test/chaos/message-cost/run.ts'],
  },
  'message-search': {
    what: 'thousands of random searches on generated mailboxes, page by page and with mail that comes and goes, agree with an oracle that looks at every mail',
    command: ['vitest', 'run', '--config', 'test/support/vitest.oracles.ts', 'test/conformance/message-search-'],
  },
  runtimes: {
    what: 'the whole test command in a clean clone under Node 22, 24 and 26, native modules compiled for them',
    command: ['node', '--import', 'tsx', 'test/chaos/runtimes/run.ts'],
  },
  docs: {
    what: 'every block of every page: read as its fence says, its names and links looked up, and typed into a shell in a fresh copy',
    command: ['node', '--import', 'tsx', 'test/chaos/docs/run.ts'],
  },
  monitoring: {
    what: 'real roles and a real Prometheus: each trouble that an alert names is made until the alert stands and ends; every panel is asked',
    command: ['node', '--import', 'tsx', 'test/chaos/monitoring/run.ts'],
  },
  upgrade: {
    what: 'programs of earlier commits are built, work and are killed; this one opens what they left, does what was under way once, and takes back; the earlier one is put back and refuses',
    command: ['node', '--import', 'tsx', 'test/chaos/upgrade/run.ts'],
  },
  fuzz: {
    what: 'mutated input at every boundary, [cases] [seed] [boundary …]: a coded outcome or a valid result, in time and in flat memory; never a crash, a trace of a stack or a hang',
    command: ['node', '--import', 'tsx', 'test/chaos/fuzz/run.ts'],
  },
  package: {
    what: 'what npm pack gives is installed outside of the checkout, native modules compiled, and used for the first time',
    command: ['node', '--import', 'tsx', 'test/chaos/package/run.ts'],
  },
  systemd: {
    what: 'the packed package and the units of deploy/systemd under a real systemd in a container: each role killed and back, one that stands still, reloads, what each role may see, the stop',
    command: ['node', '--import', 'tsx', 'test/chaos/systemd/run.ts'],
  },
  containers: {
    what: 'a container engine builds the image and runs docker-compose.yml: tour, searches, each service killed under load; the pod of Kubernetes; an earlier image upgraded with jobs in flight, and put back',
    command: ['node', '--import', 'tsx', 'test/chaos/containers/run.ts'],
  },
};
