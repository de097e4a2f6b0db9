import path from 'node:path';

/** What the suite reads of a pod in a manifest of Kubernetes. */
export interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number; readonly fsGroup: number };
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly capabilities: { readonly drop: readonly string[] } };
  readonly resources: { readonly limits: { readonly cpu: string; readonly memory: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string; readonly readOnly?: boolean }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

export interface Probe {
  readonly exec: { readonly command: readonly string[] };
}

/**
 * The words of `docker run` that say what the manifest says of a container.
 *
 * @param place a directory with one directory for each volume
 * @param pause the container whose network and processes the pod shares
 */
export function runWords(container: Container, spec: PodSpec, place: string, pause: string): readonly string[] {
  const { runAsUser, runAsGroup, fsGroup } = spec.securityContext;
  const { cpu, memory } = container.resources.limits;
  return [
    ...['--network', `container:${pause}`, '--pid', `container:${pause}`],
    ...['--user', `${runAsUser}:${runAsGroup}`, '--group-add', String(fsGroup), '--security-opt', 'no-new-privileges'],
    ...(container.securityContext.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...container.securityContext.capabilities.drop.flatMap((name) => ['--cap-drop', name]),
    ...['--cpus', cpu, '--memory', memory.replace(/i$/, '').toLowerCase()],
    ...container.env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]),
    ...container.volumeMounts.flatMap(({ name, mountPath, subPath = '', readOnly }) => {
      return ['--volume', `${path.join(place, name, subPath)}:${mountPath}${readOnly === true ? ':ro' : ''}`];
    }),
    container.image,
    ...container.args,
  ];
}
