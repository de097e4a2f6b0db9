import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { createApi } from './api.ts';
import { makeBaseImages } from './base-images.ts';
import { removeHome, startEngine } from './engine.ts';
import { killEach, survivedWell } from './kills.ts';
import { lackingMeans } from './means.ts';
import { blocksOf, keyIn } from './page.ts';
import { pinnedImages } from './pinned.ts';
import { startPlan } from './plans.ts';
import { podIsWell, runPod } from './pod.ts';
import { createProject, SERVICES } from './project.ts';
import { restart } from './restarts.ts';
import { giveTour, searchWithIndex } from './tour.ts';
import { upgradeAndBack, upgradedWell } from './upgrade.ts';

/**
 * `npm run test:long -- containers [--before <commit>] [--cache <directory>]`: a container engine of its own builds the image
 * and runs docker-compose.yml by the commands of docs/monitoring.md; tour, plan, searches with the index; each service killed
 * under load; all of it restarted; the pod of deploy/kubernetes, container by container; an installation of an earlier commit upgraded with jobs in flight, and put back. What is
 * not committed is not in the image.
 */
const { values } = parseArgs({
  options: {
    // The last commit whose journals have the first schema: those of files, tools and plans all change on the way.
    before: { type: 'string', default: 'df40a16cc53769b8f62e606f904b09e372738d5c' },
    cache: { type: 'string' },
    evidence: { type: 'string', default: evidencePath('containers') },
  },
});
const lacking = lackingMeans();
if (lacking.length > 0) {
  process.stderr.write(`${lacking.join('\n')}\n`);
  process.exit(2);
}
const startedAt = new Date();
const commit = revision();
// Where somebody commits meanwhile, this one is tried all the same.
const [now = 'HEAD'] = commit.split(' ');
const home = mkdtempSync(path.join(tmpdir(), 'writ-containers-'));
const engine = await startEngine(path.join(home, 'engine'));
let ending: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().then(() => process.exit(130)));

/** What each part took, in seconds. */
const seconds: Record<string, number> = {};
async function part<T>(name: string, what: string, run: () => Promise<T>): Promise<T> {
  process.stderr.write(`${name}: ${what}\n`);
  const begun = performance.now();
  const found = await run();
  seconds[name] = Math.round((performance.now() - begun) / 1000);
  process.stderr.write(`${name}: ${seconds[name]} s\n`);
  return found;
}

try {
  const bases = await part('bases', 'debootstrap, Node.js, Redis, Prometheus', () => makeBaseImages(engine, home, pinnedImages(), values.cache));
  const project = await createProject(engine, home, 'writ-now', now);
  const { start, firstTask } = blocksOf(project.directory);
  const first = await part('page', 'the commands of docs/monitoring.md: build, keys, up, a first task', async () => {
    const started = await project.shell(start);
    if (started.code !== 0) throw new Error(`the page's commands end with ${started.code}: ${started.out.slice(-4000)}${started.err.slice(-4000)}`);
    await project.healthy(SERVICES);
    return project.shell(firstTask);
  });
  const mebibytes = Math.round(Number(await engine.must('image', 'inspect', '--format', '{{.Size}}', 'writ:local')) / 2 ** 20);

  const api = createApi(project.ports.api, keyIn(first.err));
  const volume = await project.volume('files');
  const tour = await part('tour', 'copy, move, delete, undo, replay, other bytes, outside', () => giveTour(api, volume));
  const plan = await part('plan', 'five moves', () => startPlan(api, volume, 'plan', 5).done);
  const searches = await part('searches', 'over HTTP and from the queue, with the index', () => searchWithIndex(api, project, volume, 'first'));
  const kills = await part('kills', 'each service in turn, with moves and a plan under way', () => killEach(api, project, volume));
  const searchesAfterKills = await part('searchesAfterKills', 'as before', () => searchWithIndex(api, project, volume, 'killed'));
  const restarts = await part('restarts', 'three search services, restart, stop, down, up', () => restart(api, project, volume));
  const redis = pinnedImages().find((image) => image.startsWith('redis:')) ?? '';
  const pod = await part('pod', 'the containers of deploy/kubernetes, by the words of the manifest', () => runPod(engine, home, project.directory, redis));
  const upgraded = await part('upgrade', 'the image before, killed with jobs in flight; the image of now; back; and again', () =>
    upgradeAndBack(engine, home, values.before, project, values.cache),
  );

  const checks = {
    page: first.code === 0 && first.out.includes('"state":"success"'),
    tour: Object.values(tour).every(Boolean),
    plan,
    searches: [searches, searchesAfterKills].every((found) => Object.values(found).every(Boolean)),
    kills: survivedWell(kills),
    restarts: Object.values(restarts.checks).every(Boolean),
    pod: podIsWell(pod),
    upgrade: upgradedWell(upgraded),
  };
  const passed = Object.values(checks).every(Boolean);
  const found = { bases, mebibytes, tour, searches, kills, searchesAfterKills, restarts, pod, upgraded, seconds };
  writeEvidence(values.evidence, {
    suite: 'containers',
    passed,
    checks,
    ...found,
    startedAt: startedAt.toISOString(),
    minutes: minutesSince(startedAt.getTime()),
    commit,
  });
  process.stdout.write(`${JSON.stringify({ passed, checks, ...found }, null, 2)}\n${values.evidence}\n`);
  process.exitCode = passed ? 0 : 1;
} finally {
  await end();
}

/** Once, also when a signal comes while it is under way. */
function end(): Promise<void> {
  ending ??= engine.stop().then(() => removeHome(home));
  return ending;
}
