import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../../config/package.ts';
import { unreadFields } from '../../support/unread-fields.ts';

const FOLDER = path.join(packageRoot(), 'deploy', 'kubernetes');
const read = (name: string): unknown => parse(readFileSync(path.join(FOLDER, name), 'utf8'));

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly securityContext: unknown;
  readonly resources: { readonly limits?: unknown };
  readonly livenessProbe?: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}
interface Pods {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: Record<string, unknown> & { readonly initContainers: Container[]; readonly containers: Container[] } };
  };
}

const set = read('statefulset.yaml') as Pods;
const pod = set.spec.template.spec;
const containers = [...pod.initContainers, ...pod.containers];

/** Validates by the schema of the kind, which throws; the fields that the schema does not have. */
function strangersIn(Kind: typeof StatefulSet | typeof Service | typeof ConfigMap, value: unknown): readonly string[] {
  return unreadFields(new Kind(value as never), (model) => model.validate());
}

describe('the manifests of Kubernetes', () => {
  it('are valid by the schemas of their kinds, which refuse a word of another type', () => {
    expect(strangersIn(StatefulSet, set)).toEqual([]);
    expect(strangersIn(Service, read('service.yaml'))).toEqual([]);
    expect(strangersIn(ConfigMap, read('nothing.yaml'))).toEqual([]);
    expect(() => strangersIn(StatefulSet, { ...set, spec: { ...set.spec, replicas: 'one' } })).toThrow();
    expect(() => strangersIn(StatefulSet, { ...set, spec: { ...set.spec, template: { spec: { containers: [{ image: 'x' }] } } } })).toThrow();
  });

  it('have no field that their kinds do not know, such as a misspelled probe', () => {
    const spelled = read('statefulset.yaml') as { spec: { template: { spec: { containers: Record<string, unknown>[] } } } };
    const [kernel = {}] = spelled.spec.template.spec.containers;
    kernel['livenesProbe'] = kernel['livenessProbe'];
    const [mount = {}] = kernel['volumeMounts'] as Record<string, unknown>[];
    mount['readonly'] = true;
    expect(strangersIn(StatefulSet, spelled)).toEqual(
      expect.arrayContaining(['/spec/template/spec/containers/0/livenesProbe', '/spec/template/spec/containers/0/volumeMounts/0/readonly']),
    );
  });

  it('are all named by the kustomization', () => {
    const { resources } = read('kustomization.yaml') as { readonly resources: readonly string[] };
    expect([...resources, 'kustomization.yaml'].sort()).toEqual(readdirSync(FOLDER).sort());
  });

  it('are one pod, with each role as a container of its own', () => {
    expect(set.spec.replicas).toBe(1);
    expect(Object.fromEntries(containers.map(({ name, args }) => [name, args.slice(2)]))).toEqual({
      init: ['init'],
      kernel: ['kernel'],
      worker: ['worker', '--queues', 'file,plan'],
      search: ['worker', '--queues', 'search'],
      'index-host': ['index-host'],
      api: ['api'],
    });
    expect(pod).toMatchObject({ shareProcessNamespace: true, automountServiceAccountToken: false });
  });

  it('confine and bound every container, and look after every role', () => {
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { securityContext, resources, livenessProbe, name } of containers) {
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
      expect(resources.limits).toEqual({ cpu: expect.any(String), memory: expect.stringMatching(/^\d+[MG]i$/) });
      expect([name, livenessProbe !== undefined]).toEqual([name, name !== 'init']);
    }
  });

  it('let the worker alone change files, and a role see no private key of another', () => {
    const files = ({ volumeMounts }: Container): string => {
      const mount = volumeMounts.find(({ name }) => name === 'files');
      if (mount === undefined) return 'none';
      return mount.readOnly === true ? 'reads' : 'writes';
    };
    const hidden = ({ volumeMounts }: Container): string[] =>
      volumeMounts.filter(({ name }) => name === 'nothing').map(({ mountPath }) => path.basename(mountPath, '.key.json'));
    expect(Object.fromEntries(pod.containers.map((container) => [container.name, [files(container), ...hidden(container)]]))).toEqual({
      kernel: ['none', 'executor'],
      worker: ['writes', 'kernel'],
      search: ['reads', 'kernel'],
      'index-host': ['reads', 'kernel', 'executor'],
      api: ['reads', 'kernel', 'executor'],
    });
  });
});
