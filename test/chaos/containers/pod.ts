import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { patient } from '../../support/patience.ts';
import type { Engine } from './engine.ts';
import { type Container, type PodSpec, runWords } from './pod-words.ts';

const WELL_WITHIN_MS = patient(180_000);
const MANIFEST = 'deploy/kubernetes/statefulset.yaml';
const NETWORK = 'writ-pod';
const REDIS = 'writ-pod-redis';
const PAUSE = 'writ-pod-pause';
const WRIT = ['node', '/app/dist/src/bin/writ.js', '--config', '/etc/writ/writ.toml'];
const TASK = { task_id: 'pod', capability_id: 'FILE_COPY', inputs: { source_path: '/srv/files/in', destination_path: '/srv/files/out' }, constraints: {} };

export interface Pod {
  /** Containers whose probes were content, also after each had been killed and started again. */
  readonly well: readonly string[];
  /** Whether a task over HTTP, under the name that the Service has, was done. */
  readonly task: boolean;
  /** How each container ended at SIGTERM, within the grace of the manifest. */
  readonly exits: Readonly<Record<string, number>>;
}

/**
 * The pod of deploy/kubernetes, each container by the words of the manifest: user, mounts, limits, one network and one process
 * namespace, probes. The engine stands for the kubelet; a cluster, its volumes and its Service are not tried.
 *
 * @param checkout whose manifest it is; its image is `writ:local`
 * @param redis an image of Redis
 */
export async function runPod(engine: Engine, home: string, checkout: string, redis: string): Promise<Pod> {
  const { template } = (parse(readFileSync(path.join(checkout, MANIFEST), 'utf8')) as { spec: { template: { spec: PodSpec } } }).spec;
  const { spec } = template;
  const place = path.join(home, 'pod');
  layOut(place, spec.securityContext.fsGroup);
  await engine.must('network', 'create', NETWORK);
  await engine.must('run', '--detach', '--name', REDIS, '--network', NETWORK, '--network-alias', 'redis', redis, ...['redis-server', '--protected-mode', 'no']);
  // It holds the namespaces that the others share.
  await engine.must('run', '--detach', '--name', PAUSE, '--network', NETWORK, '--init', '--entrypoint', 'sleep', 'writ:local', 'infinity');
  for (const container of spec.initContainers) await engine.must('run', '--rm', ...runWords(container, spec, place, PAUSE));
  for (const container of spec.containers) await engine.must('run', '--detach', '--name', nameOf(container), ...runWords(container, spec, place, PAUSE));
  await areWell(engine, spec.containers);
  await engine.must('kill', ...spec.containers.map(nameOf));
  // As the kubelet does; the process namespace and its numbers go on.
  await engine.must('start', ...spec.containers.map(nameOf));
  const well = await areWell(engine, spec.containers);
  const task = await doTask(engine, path.join(place, 'files'), spec.securityContext.fsGroup);
  const exits = Object.fromEntries(await Promise.all(spec.containers.map((container) => stop(engine, container, spec.terminationGracePeriodSeconds))));
  await engine.must('rm', '--force', '--volumes', ...spec.containers.map(nameOf), PAUSE, REDIS);
  await engine.must('network', 'rm', NETWORK);
  return { well, task, exits };
}

export const podIsWell = ({ well, task, exits }: Pod): boolean => {
  const codes = Object.values(exits);
  return codes.length > 0 && well.length === codes.length && task && codes.every((code) => code === 0);
};

const nameOf = ({ name }: Container): string => `writ-pod-${name}`;

/** The volumes as the kubelet lays them out: root's, and the group's of `fsGroup`. */
function layOut(place: string, group: number): void {
  for (const [name, mode] of [
    ['data', 0o2775],
    ['files', 0o2775],
    ['tmp', 0o2777],
    ['settings', 0o2755],
    ['nothing', 0o2755],
  ] as const) {
    mkdirSync(path.join(place, name), { recursive: true });
    chownSync(path.join(place, name), 0, group);
    chmodSync(path.join(place, name), mode);
  }
  const put = (file: string, content: string, mode: number): void => {
    writeFileSync(path.join(place, file), content);
    chownSync(path.join(place, file), 0, group);
    chmodSync(path.join(place, file), mode);
  };
  put('settings/writ.toml', '[redis]\nurl = "redis://redis:6379"\n', 0o440);
  put('nothing/nothing', '', 0o644);
}

/** Each probe of each container, as the kubelet asks it: the container's own command, until it ends with 0. */
async function areWell(engine: Engine, containers: readonly Container[]): Promise<readonly string[]> {
  const end = performance.now() + WELL_WITHIN_MS;
  const well: string[] = [];
  for (const container of containers) {
    const probes = [container.livenessProbe, container.readinessProbe].flatMap((probe) => (probe === undefined ? [] : [probe.exec.command]));
    for (const probe of probes) {
      while ((await engine.docker('exec', nameOf(container), ...probe)).code !== 0) {
        if (performance.now() > end) throw new Error(`${container.name} is not well: ${await lastWords(engine, container)}`);
        await delay(500);
      }
    }
    if (probes.length > 0) well.push(container.name);
  }
  return well;
}

async function lastWords(engine: Engine, container: Container): Promise<string> {
  const { out, err } = await engine.docker('logs', '--tail', '20', nameOf(container));
  return out + err;
}

/** A key by the page's command, and a copy over HTTP. */
async function doTask(engine: Engine, files: string, group: number): Promise<boolean> {
  writeFileSync(path.join(files, 'in'), 'in the pod');
  chownSync(path.join(files, 'in'), 10_001, group);
  const made = await engine.must('exec', 'writ-pod-api', ...WRIT, 'key', 'create', 'me', '--roles', 'submit,kernel,read,operate,search', '--print');
  const [, key = ''] = /^secret *(\S+)$/m.exec(made) ?? [];
  const options = { method: 'POST', headers: { host: 'writ:8377', authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=60' } };
  const manifest = JSON.stringify(JSON.stringify({ manifest: TASK }));
  const ask = `require('node:http').request('http://127.0.0.1:8377/v1/tasks?sign=true', ${JSON.stringify(options)}, (r) => r.pipe(process.stdout)).end(${manifest})`;
  const answer = await engine.must('exec', 'writ-pod-api', 'node', '-e', ask);
  const copy = path.join(files, 'out');
  return answer.includes('"state":"success"') && existsSync(copy) && readFileSync(copy, 'utf8') === 'in the pod';
}

async function stop(engine: Engine, container: Container, grace: number): Promise<readonly [string, number]> {
  await engine.must('stop', '--time', String(grace), nameOf(container));
  return [container.name, Number(await engine.must('inspect', '--format', '{{.State.ExitCode}}', nameOf(container)))];
}
